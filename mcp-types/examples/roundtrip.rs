//! Reads each example of a directory into its type, writes it, and compares the two as JSON.
//!
//! ```text
//! cargo run -p mcp-types --example roundtrip -- path/to/examples
//! ```
//!
//! The directory has one directory for each type, named like it, with `.json` files inside.

use std::path::Path;
use std::process::ExitCode;
use std::{env, fs, io};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

#[path = "../tests/schema/table.rs"]
#[macro_use]
mod table;

/// What an example must survive.
fn round_trip<T: Serialize + DeserializeOwned>(text: &str) -> Result<(), String> {
    let typed: T = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let written = serde_json::to_string(&typed).map_err(|error| error.to_string())?;
    let before: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let after: Value = serde_json::from_str(&written).map_err(|error| error.to_string())?;
    if before == after { Ok(()) } else { Err(format!("came out as {written}")) }
}

macro_rules! by_name {
    ($($name:literal => $Type:ty,)*) => {
        fn check(name: &str, text: &str) -> Result<(), String> {
            match name {
                $( $name => round_trip::<$Type>(text), )*
                _ => Err("no such type".to_owned()),
            }
        }
    };
}

schema_types!(by_name);

fn run(directory: &Path) -> io::Result<(usize, usize)> {
    let (mut passed, mut failed) = (0, 0);
    for entry in fs::read_dir(directory)? {
        let type_directory = entry?.path();
        let Some(name) = type_directory.file_name().and_then(|name| name.to_str()) else {
            continue;
        };
        if !type_directory.is_dir() {
            continue;
        }
        for file in fs::read_dir(&type_directory)? {
            let file = file?.path();
            if file.extension().is_none_or(|extension| extension != "json") {
                continue;
            }
            match check(name, &fs::read_to_string(&file)?) {
                Ok(()) => passed += 1,
                Err(why) => {
                    failed += 1;
                    eprintln!("{}: {why}", file.display());
                }
            }
        }
    }
    Ok((passed, failed))
}

fn main() -> ExitCode {
    let Some(directory) = env::args_os().nth(1) else {
        eprintln!("usage: roundtrip DIRECTORY");
        return ExitCode::FAILURE;
    };
    match run(Path::new(&directory)) {
        Ok((passed, failed)) => {
            println!("{passed} round-tripped, {failed} failed");
            if failed == 0 && passed > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("{}: {error}", Path::new(&directory).display());
            ExitCode::FAILURE
        }
    }
}
