//! What servers are told that they may ask, with each request.

use mcp_client::InputKinds;
use serde_json::{Value, json};

use crate::stage::Stage;

fn declared(stage: &Stage) -> Vec<Value> {
    let capabilities =
        |body: Value| body["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"].clone();
    stage.bodies().into_iter().map(capabilities).collect()
}

/// Each mode by its own name: `{}` alone would mean forms, and a link only client has no `form`.
#[tokio::test]
async fn elf_01_elf_02_elf_03_modes_are_declared_by_name_on_each_request() {
    for (kinds, expected) in [
        (InputKinds::NONE, json!({})),
        (InputKinds::FORM, json!({ "elicitation": { "form": {} } })),
        (InputKinds::URL, json!({ "elicitation": { "url": {} } })),
        (InputKinds::FORM | InputKinds::URL, json!({ "elicitation": { "form": {}, "url": {} } })),
        (InputKinds::ROOTS, json!({ "roots": {} })),
    ] {
        let stage = Stage::with(|builder| builder.accept_input(kinds)).await;
        stage.client.call_tool("x").send().await.unwrap().into_success().unwrap();
        stage.client.call_tool("x").send().await.unwrap().into_success().unwrap();
        assert_eq!(declared(&stage), [expected.clone(), expected], "{kinds:?}");
    }
}

#[tokio::test]
async fn elf_01_a_call_that_goes_on_declares_the_same_again() {
    let stage = super::stage().await;
    let mut asked = super::ask(&stage, &stage.client, &super::asks(&super::form("{}", "[]"), "s")).await;
    let form = asked.form("k").unwrap();
    asked.answer("k", form.fill_defaults().unwrap()).unwrap();
    asked.resume().await.unwrap().into_success().unwrap();
    let both = json!({ "elicitation": { "form": {}, "url": {} } });
    assert_eq!(declared(&stage), [both.clone(), both]);
}
