//! The guard as a test, so that `.ci/mutants` can see it fail.

use std::process::Command;

#[test]
fn no_call_asks_for_more_than_its_ceiling() {
    let output = Command::new(env!("CARGO_BIN_EXE_perf-guard")).arg("--no-instructions").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
