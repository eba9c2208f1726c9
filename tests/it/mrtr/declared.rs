//! What is declared, and what is asked all the same.

use mcp_client::types::ClientCapabilities;

use super::*;

fn declared(desk: &Desk, number: usize) -> Value {
    desk.asked()[number].meta["io.modelcontextprotocol/clientCapabilities"].clone()
}

#[tokio::test]
async fn field_mrtr_04_what_the_handler_answers_is_declared_and_nothing_else() {
    for (kinds, expected) in [
        (InputKinds::NONE, json!({})),
        (InputKinds::FORM, json!({ "elicitation": { "form": {} } })),
        (InputKinds::URL, json!({ "elicitation": { "url": {} } })),
        (InputKinds::FORM | InputKinds::URL, json!({ "elicitation": { "form": {}, "url": {} } })),
        (InputKinds::SAMPLING, json!({ "sampling": {} })),
        (InputKinds::SAMPLING_TOOLS, json!({ "sampling": { "tools": {} } })),
        (InputKinds::ROOTS, json!({ "roots": {} })),
    ] {
        let desk = Desk::script([done()]).await;
        let handler = Willing::new(kinds);
        desk.client().call_tool("t").drive(&handler).await.unwrap().into_success().unwrap();
        assert_eq!(declared(&desk, 0), expected);
        // A handler of the client's is declared with each of its calls.
        let client = desk.builder().input_handler(Willing::new(kinds)).build().unwrap();
        client.call_tool("t").send().await.unwrap().into_success().unwrap();
        client.read_resource("file:///a").send().await.unwrap().into_complete().unwrap();
        assert_eq!([declared(&desk, 1), declared(&desk, 2)], [expected.clone(), expected]);
    }
}

/// A server that asks for what was not declared gets no answer, and the caller learns what it asked for.
#[tokio::test]
async fn mrtr_14_field_mrtr_04_what_was_not_declared_is_not_answered() {
    let kinds = [
        (InputKinds::FORM, "form", FORM),
        (InputKinds::URL, "link", LINK),
        (InputKinds::SAMPLING, "sample", SAMPLE),
        (InputKinds::ROOTS, "roots", ROOTS),
    ];
    for (one, _, _) in kinds {
        for (other, key, request) in kinds.into_iter().filter(|(other, _, _)| *other != one) {
            let desk = Desk::script([asks(&[(key, request)], Some("\"s\""))]).await;
            let handler = Willing::new(one);
            let (waiting, stop) = stopped(desk.client().call_tool("t").drive(&handler).await);
            assert!(matches!(&stop, DriveStop::Undeclared { key: found } if found == key), "{stop:?}");
            assert_eq!(stop.key(), Some(key));
            assert!(!waiting.is_declared(key), "{one:?} {other:?}");
            assert_eq!((handler.keys().len(), desk.count()), (0, 1));
            // Another handler changes nothing: it was not declared for this call.
            let (_, stop) = stopped(waiting.drive(&Willing::new(all())).await);
            assert!(matches!(stop, DriveStop::Undeclared { .. }));
            assert_eq!(desk.count(), 1);
        }
    }
}

#[tokio::test]
async fn field_mrtr_04_a_server_that_needs_more_says_what_and_is_not_taken_for_an_old_one() {
    let needs = r#"{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32021,"message":"m","data":{"requiredCapabilities":{"elicitation":{"form":{}}}}}}"#;
    let desk = Desk::script([Canned::new(400, "application/json", needs)]).await;
    let handler = Willing::new(InputKinds::URL);
    let error = desk.client().call_tool("t").drive(&handler).await.unwrap_err();
    assert_eq!((error.http_status(), error.rpc_code()), (Some(400), Some(-32021)));
    let needed = error.required_capabilities().unwrap();
    assert_eq!(needed, ClientCapabilities::new().with_form_elicitation());
    assert_eq!(desk.count(), 1);
}
