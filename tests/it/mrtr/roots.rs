//! Roots. Deprecated since 2026-07-28.

use mcp_client::AnswerFault;

use super::*;

#[tokio::test]
async fn root_01_root_07_roots_are_declared_with_each_request_and_only_where_somebody_lists_them() {
    let desk = Desk::script([asks(&[("r", ROOTS)], None), done()]).await;
    let handler = Willing::new(InputKinds::ROOTS);
    desk.client().call_tool("t").drive(&handler).await.unwrap().into_success().unwrap();
    desk.client().call_tool("t").send().await.unwrap().into_success().unwrap();
    let declared: Vec<Value> = desk
        .asked()
        .iter()
        .map(|asked| asked.meta["io.modelcontextprotocol/clientCapabilities"].clone())
        .collect();
    assert_eq!(declared, [json!({ "roots": {} }), json!({ "roots": {} }), json!({})]);
}

#[tokio::test]
async fn root_02_a_request_for_roots_has_no_parameters_or_some_and_the_answer_is_a_list() {
    let with_meta = r#"{"method":"roots/list","params":{"_meta":{"com.example/k":1}}}"#;
    let desk = Desk::script([asks(&[("a", ROOTS), ("b", with_meta)], None), done()]).await;
    let handler = Willing::new(InputKinds::ROOTS);
    desk.client().call_tool("t").drive(&handler).await.unwrap().into_success().unwrap();
    let list = json!({ "roots": [{ "uri": "file:///home/ada", "name": "home" }] });
    assert_eq!(each(&desk, "inputResponses")[1], json!({ "a": list, "b": list }));
}

#[tokio::test]
async fn root_03_every_root_is_a_file_uri() {
    let desk = Desk::script([asks(&[("r", ROOTS)], None), done()]).await;
    let mut asked = asked(desk.client().call_tool("t").accept_input(InputKinds::ROOTS).send().await);
    let good = Root::new("file:///home/ada");
    for odd in [
        "",
        "/home/ada",
        "home",
        "file:",
        "file:/home",
        "file",
        "https://a.example/",
        "files:///a",
        "file:///a\n",
        " file:///a",
        "file:///a b",
        "file://a\u{0}",
        "é",
        "file:///",
    ] {
        let roots = ListRootsResult::new([good.clone(), Root::new(odd)]);
        let result = asked.answer("r", roots.clone()).map(|_| ());
        if odd == "file:///" {
            result.unwrap();
            continue;
        }
        let error = result.unwrap_err();
        assert_eq!(error.fault(), AnswerFault::Root { number: 1 }, "{odd:?}");
        assert_eq!(error.to_string(), "root 1 of the answer to `r` is no `file:` URI");
        // As raw JSON it is judged alike.
        let raw = mcp_client::types::RawJson::from_serialize(&roots).unwrap();
        assert_eq!(asked.answer("r", raw).unwrap_err().fault(), AnswerFault::Root { number: 1 });
    }
    asked.answer("r", ListRootsResult::new([good])).unwrap();
    asked.resume().await.unwrap().into_success().unwrap();
    assert_eq!(
        each(&desk, "inputResponses")[1],
        json!({ "r": { "roots": [{ "uri": "file:///home/ada" }] } })
    );
}

#[tokio::test]
async fn root_06_where_the_person_refuses_nothing_is_sent() {
    let desk = Desk::script([asks(&[("r", ROOTS)], Some("\"s\""))]).await;
    let (asked, stop) = stopped(desk.client().call_tool("t").drive(&Refusing(InputKinds::ROOTS)).await);
    assert!(matches!(&stop, DriveStop::Declined { key } if key == "r"), "{stop:?}");
    assert_eq!(desk.count(), 1);
    drop(asked);
    assert_eq!(desk.count(), 1);
}
