//! The scenarios of the Test Kitchen that ask for input, end to end.

use mcp_client::{
    AnswerFault, Client, Continuation, ElicitAnswer, InputKinds, ToolOutcome, ToolOutput,
    types::{ElicitRequestParams, InputRequest},
};
use mcp_tests::{Ending, Kitchen};
use serde_json::{Value, json};

const RUN: &str = "run_configured_test_scenario";

async fn kitchen(scenario: &str, params: Value) -> (Kitchen, Client) {
    let kitchen = Kitchen::start().await.unwrap();
    kitchen.switch(scenario, params).unwrap();
    let kinds = InputKinds::FORM | InputKinds::URL;
    let client = crate::support::once(&kitchen.url()).accept_input(kinds).build().unwrap();
    (kitchen, client)
}

async fn ask(client: &Client, tool: &str, arguments: Value) -> Continuation {
    match client.call_tool(tool).arguments(arguments).send().await {
        Ok(ToolOutcome::InputRequired(asked)) => asked,
        other => panic!("no request for input: {other:?}"),
    }
}

fn params<'a>(asked: &'a Continuation, key: &str) -> &'a ElicitRequestParams {
    match asked.request(key) {
        Some(InputRequest::Elicit(elicit)) => &elicit.params,
        other => panic!("no elicitation: {other:?}"),
    }
}

/// The JSON in the text of an output.
fn said(output: &ToolOutput) -> Value {
    serde_json::from_str(&output.text()).unwrap()
}

/// Every POST so far: a `tools/call`, with ids that count up, each answered with 200.
fn assert_posts(kitchen: &Kitchen, count: i64) {
    let posts = kitchen.posts();
    let ids: Vec<_> = posts.iter().map(|post| post.id.clone().unwrap()).collect();
    assert_eq!(ids, (1..=count).map(Value::from).collect::<Vec<_>>());
    for post in &posts {
        assert_eq!(
            (post.method.as_deref(), post.status, post.ending),
            (Some("tools/call"), Some(200), Ending::Answered)
        );
    }
    assert!(kitchen.other_requests().is_empty(), "no GET, no DELETE");
}

#[tokio::test]
async fn elicitation_approval_accepted() {
    let (kitchen, client) = kitchen("elicitation.approval", Value::Null).await;
    let mut asked = ask(&client, RUN, json!({ "message": "hello" })).await;
    let ElicitRequestParams::Form(form) = params(&asked, "elicitation") else { panic!("a form") };
    assert!(form.message.starts_with("Approve running this MCP test scenario?"));
    assert!(form.requested_schema.is_required("reason"));
    assert_eq!(asked.request_state().unwrap().as_str(), "awaiting-elicitation");
    asked.answer("elicitation", ElicitAnswer::accept(&json!({ "reason": "audit <ok>" })).unwrap()).unwrap();
    let outcome = asked.resume().await.unwrap();
    let ToolOutcome::Success(output) = &outcome else { panic!("a success: {outcome:?}") };
    assert_eq!(
        said(output),
        json!({
            "scenarioId": "elicitation.approval",
            "invocation": 2,
            "elicitationOutcome": "accepted",
            "approvalReason": "audit <ok>",
            "message": "hello",
        })
    );
    assert_eq!(output.result().is_error, Some(false), "said in so many words");
    assert_posts(&kitchen, 2);
    let posts = kitchen.posts();
    assert_eq!(posts[0].at("/params/inputResponses"), None);
    assert_eq!(posts[0].at("/params/requestState"), None);
    let answer = json!({ "elicitation": { "action": "accept", "content": { "reason": "audit <ok>" } } });
    assert_eq!(posts[1].at("/params/inputResponses"), Some(&answer));
    assert_eq!(posts[1].at("/params/requestState"), Some(&json!("awaiting-elicitation")));
    assert_eq!(posts[0].at("/params/arguments"), posts[1].at("/params/arguments"));
    assert_eq!(kitchen.executions(RUN), 2);
}

#[tokio::test]
async fn elicitation_approval_and_decline_refused_by_the_user() {
    for (scenario, answer, said_to_be) in [
        ("elicitation.approval", ElicitAnswer::decline(), "decline"),
        ("elicitation.approval", ElicitAnswer::cancel(), "cancel"),
        ("elicitation.decline", ElicitAnswer::decline(), "decline"),
        ("elicitation.decline", ElicitAnswer::cancel(), "cancel"),
    ] {
        let (kitchen, client) = kitchen(scenario, Value::Null).await;
        let mut asked = ask(&client, RUN, json!({})).await;
        asked.answer("elicitation", answer).unwrap();
        let outcome = asked.resume().await.unwrap();
        let ToolOutcome::ToolError(output) = &outcome else { panic!("a tool error: {outcome:?}") };
        assert_eq!(
            said(output),
            json!({ "scenarioId": scenario, "invocation": 2, "elicitationOutcome": said_to_be })
        );
        assert_posts(&kitchen, 2);
        let answer = json!({ "elicitation": { "action": said_to_be } });
        assert_eq!(kitchen.posts()[1].at("/params/inputResponses"), Some(&answer), "no content: {scenario}");
    }
}

#[tokio::test]
async fn elicitation_decline_accepted_all_the_same() {
    let (kitchen, client) = kitchen("elicitation.decline", json!({ "promptMessage": "No?" })).await;
    let mut asked = ask(&client, RUN, json!({})).await;
    assert_eq!(params(&asked, "elicitation").message(), "No?");
    asked.answer("elicitation", ElicitAnswer::accept(&json!({ "confirm": "yes" })).unwrap()).unwrap();
    let output = asked.resume().await.unwrap().into_success().unwrap();
    assert_eq!(said(&output)["elicitationOutcome"], "accepted");
    assert_posts(&kitchen, 2);
}

#[tokio::test]
async fn elicitation_url_mode() {
    let (kitchen, client) =
        kitchen("elicitation.url_mode", json!({ "url": "https://a.example/x?y=z" })).await;
    let mut asked = ask(&client, RUN, json!({})).await;
    let ElicitRequestParams::Url(link) = params(&asked, "elicitation") else { panic!("a link") };
    assert_eq!(link.url, "https://a.example/x?y=z");
    asked.answer("elicitation", ElicitAnswer::accept_empty()).unwrap();
    let output = asked.resume().await.unwrap().into_success().unwrap();
    assert_eq!(said(&output)["elicitationOutcome"], "accepted");
    assert_posts(&kitchen, 2);
    let answer = json!({ "elicitation": { "action": "accept" } });
    assert_eq!(kitchen.posts()[1].at("/params/inputResponses"), Some(&answer), "a link has no content");
}

/// The Kitchen asks whether or not it may: a client that declared nothing sees it, and answers nothing.
#[tokio::test]
async fn asked_without_having_declared_anything() {
    let kitchen = Kitchen::start().await.unwrap();
    kitchen.switch("elicitation.approval", Value::Null).unwrap();
    let client = crate::support::client(&kitchen.url());
    let mut asked = ask(&client, RUN, json!({})).await;
    assert_eq!(
        asked.record().notes.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["undeclared-input-request"]
    );
    let error = asked.answer("elicitation", ElicitAnswer::decline()).unwrap_err();
    assert_eq!(error.fault(), AnswerFault::Undeclared);
    asked.resume().await.unwrap_err();
    assert_posts(&kitchen, 1);
    assert_eq!(
        kitchen.posts()[0].at("/params/_meta/io.modelcontextprotocol~1clientCapabilities"),
        Some(&json!({}))
    );
}

#[tokio::test]
async fn compat_sdk_v2_closes_a_ticket_by_every_path() {
    let tool = "simulate_ticket_close_mrtr";
    let (kitchen, client) = kitchen("compat.sdk_v2", Value::Null).await;
    let base = |path: &str, message: &str| {
        json!({
            "scenarioId": "compat.sdk_v2",
            "tool": tool,
            "path": path,
            "ticketId": 7,
            "isMrtrSupported": true,
            "negotiatedProtocolVersion": "2026-07-28",
            "transportMode": "stateless",
            "message": message,
        })
    };
    let closed = |path: &str, reason: &str| {
        let mut expected = base(path, &format!("Closed ticket 7: {reason}"));
        expected["closeReason"] = json!(reason);
        expected["compatCell"] = json!("2026-07-28/stateless/native");
        expected
    };

    let upfront = client
        .call_tool(tool)
        .arguments(json!({ "ticketId": 7, "closeReason": "dup" }))
        .send()
        .await
        .unwrap();
    assert_eq!(said(&upfront.into_success().unwrap()), closed("upfront", "dup"));
    assert_posts(&kitchen, 1);

    let mut posts = 1;
    for (answer, expected) in [
        (ElicitAnswer::accept(&json!({ "closeReason": "fixed" })).unwrap(), closed("mrtr", "fixed")),
        (ElicitAnswer::accept(&json!({})).unwrap(), closed("mrtr", "completed")),
        // It says no and looks like a success: the tool's text is the tool's affair.
        (ElicitAnswer::decline(), base("cancelled", "Ticket close cancelled")),
        (ElicitAnswer::cancel(), base("cancelled", "Ticket close cancelled")),
    ] {
        let mut asked = ask(&client, tool, json!({ "ticketId": 7 })).await;
        assert_eq!(asked.requests().keys().collect::<Vec<_>>(), ["closeReason"]);
        assert_eq!(
            params(&asked, "closeReason").message(),
            "Close ticket '7'? Accept the default reason or provide your own."
        );
        assert_eq!(asked.request_state().unwrap().as_str(), "7");
        asked.answer("closeReason", answer).unwrap();
        let output = asked.resume().await.unwrap().into_success().unwrap();
        assert_eq!(said(&output), expected);
        posts += 2;
        assert_posts(&kitchen, posts);
        assert_eq!(kitchen.posts().last().unwrap().at("/params/requestState"), Some(&json!("7")));
    }
}

#[tokio::test]
async fn compat_sdk_v2_shows_what_was_negotiated() {
    let (kitchen, client) = kitchen("compat.sdk_v2", Value::Null).await;
    let output =
        client.call_tool("show_negotiated_mcp_protocol").send().await.unwrap().into_success().unwrap();
    let shown = said(&output);
    assert_eq!(shown["negotiatedProtocolVersion"], "2026-07-28");
    assert_eq!((&shown["isJuly2026OrLater"], &shown["isMrtrSupported"]), (&json!(true), &json!(true)));
    assert_eq!(
        shown["headers"],
        json!({
            "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": "tools/call",
            "Mcp-Name": "show_negotiated_mcp_protocol",
            "Mcp-Session-Id": null,
        })
    );
    let server = &output.result().meta.as_ref().unwrap().server_info.as_ref().unwrap().name;
    assert_eq!(server, "mcp-test-kitchen");

    // Without the tool's definition no argument is mirrored in a header; the server takes that.
    let call = client
        .call_tool("verify_order_region_param_header")
        .arguments(json!({ "region": "eu", "orderId": "1" }));
    let shown = said(&call.send().await.unwrap().into_success().unwrap());
    assert_eq!((&shown["status"], &shown["headerMatchesBody"]), (&json!("ok:eu:1"), &json!(false)));

    let output = client.call_tool(RUN).send().await.unwrap().into_success().unwrap();
    assert_eq!(said(&output)["compatMatrix"].as_array().unwrap().len(), 4);
    assert_posts(&kitchen, 3);
}

#[tokio::test]
async fn a_call_suspended_at_the_kitchen_goes_on_in_another_client() {
    let (kitchen, client) = kitchen("elicitation.approval", Value::Null).await;
    let asked = ask(&client, RUN, json!({ "message": "later" })).await;
    let stored = serde_json::to_string(&asked.suspend()).unwrap();
    drop((asked, client));
    let client = crate::support::client(&kitchen.url());
    let mut asked =
        client.restore(serde_json::from_str::<mcp_client::SuspendedCall>(&stored).unwrap()).unwrap();
    asked.answer("elicitation", ElicitAnswer::accept(&json!({ "reason": "r" })).unwrap()).unwrap();
    let output = asked.resume().await.unwrap().into_success().unwrap();
    assert_eq!((&said(&output)["invocation"], &said(&output)["message"]), (&json!(2), &json!("later")));
    let ids: Vec<_> = kitchen.posts().iter().map(|post| post.id.clone().unwrap()).collect();
    assert_eq!(ids, [json!(1), json!(2)], "the second client goes on counting where the first was");
}
