//! -32020 on a call of a tool: the tool is listed again, past the cache, and the call sent once more with its headers.

use std::error::Error as _;

use mcp_client::{
    Client, Delivery, ElicitAnswer, InputKinds, OutcomeKind, ToolOutcome, error::Mismatch, retry::Origin,
};
use mcp_tests::{FaultServer, Reply};
use serde_json::{Value, json};

use super::{
    HEADERS_NOTE, MODERN, VERSION_NOTE, attempts, body, called, error, listed, listing, mismatch, region,
    result, seen, tool, unsupported,
};
use crate::{
    fault::{Ended, good, in_time, serve},
    retry::{Act, Play, Told},
    stage::failed,
    support::record,
};

/// Calls `x` with a region.
async fn call(client: &Client) -> Ended {
    in_time(client.call_tool("x").arguments(json!({ "region": "eu" })).send()).await
}

fn fresh() -> Reply {
    result(&listing(&[region(Some("Region"))]))
}

/// What the first -32020 leaves behind when it cannot be mended.
#[track_caller]
fn assert_surfaced(ended: &Ended, posts: &[Option<u16>], sent: &[&str]) {
    let error = ended.as_ref().unwrap_err();
    assert_eq!((error.http_status(), error.rpc_code()), (Some(400), Some(-32020)), "{ended:?}");
    assert_eq!((error.outcome(), error.delivery()), (OutcomeKind::HttpError, Delivery::Refused));
    assert_eq!(record(ended).posts, posts);
    let Some(Mismatch::Headers { sent: names }) = error.mismatch() else { panic!("{error:?}") };
    assert_eq!(*names, sent);
}

const STANDARD: [&str; 3] = ["mcp-protocol-version", "mcp-method", "mcp-name"];
const WITH_REGION: [&str; 4] = ["mcp-protocol-version", "mcp-method", "mcp-name", "mcp-param-region"];

/// The tool gained an annotation after it was listed, and the list may still be kept.
#[tokio::test]
async fn xmh_18_field_hdr_05_a_the_tool_is_listed_again_and_the_call_sent_once_more() {
    let stale = result(&listing(&[region(None)]));
    let (server, client) = serve([stale, mismatch(), fresh(), good()]).await;
    assert_eq!(client.list_tools().send().await.unwrap().items().len(), 1);
    let ended = call(&client).await;
    let Ok(ToolOutcome::Success(output)) = &ended else { panic!("{ended:?}") };
    assert_eq!(output.text(), "ok");
    assert_eq!(seen(&server), [listed(), called(None), listed(), called(Some("eu"))]);
    let requests = server.requests();
    let params = |at: usize| body(&requests[at])["params"].clone();
    assert_eq!(params(1), params(3), "the call itself is the same");

    let record = record(&ended);
    assert_eq!(record.posts, [Some(400), Some(200), Some(200)]);
    assert_eq!((record.post_count(), record.retry_origin()), (3, Origin::Sdk));
    assert_eq!(record.request_id, Some(4.into()), "that of the second call");
    assert_eq!(attempts(record), [(Some("HTTP_ERROR"), "none", None), (None, "sdk", Some(HEADERS_NOTE))]);
}

#[tokio::test]
async fn xmh_17_what_was_learnt_on_the_way_holds_for_the_calls_and_lists_after_it() {
    let stale = result(&listing(&[region(None)]));
    let (server, client) = serve([stale, mismatch(), fresh(), good()]).await;
    client.list_tools().send().await.unwrap();
    drop(call(&client).await.unwrap());
    let ended = call(&client).await;
    assert_eq!(record(&ended).posts, [Some(200)]);
    // The cache has the new list: nothing is sent for it.
    let tools = client.list_tools().send().await.unwrap();
    assert!(tools.items()[0].input_schema.get().contains("Region"));
    assert_eq!(seen(&server)[3..], [called(Some("eu")), called(Some("eu"))]);
}

#[tokio::test]
async fn xmh_19_a_tool_never_seen_is_called_without_headers_and_listed_when_that_is_refused() {
    let (server, client) = serve([mismatch(), fresh(), good()]).await;
    let ended = call(&client).await;
    assert_eq!(record(&ended).posts, [Some(400), Some(200), Some(200)]);
    assert_eq!(seen(&server), [called(None), listed(), called(Some("eu"))]);
}

#[tokio::test]
async fn field_hdr_05_b_a_second_refusal_is_the_error_and_hints_at_intermediaries() {
    let (server, client) = serve([mismatch(), fresh(), mismatch()]).await;
    let ended = call(&client).await;
    assert_eq!(seen(&server), [called(None), listed(), called(Some("eu"))]);
    assert_surfaced(&ended, &[Some(400), Some(200), Some(400)], &WITH_REGION);
    assert_eq!(
        attempts(record(&ended)),
        [(Some("HTTP_ERROR"), "none", None), (Some("HTTP_ERROR"), "sdk", Some(HEADERS_NOTE))]
    );
    assert_eq!(
        failed(ended).source().unwrap().to_string(),
        "the headers that mirror the body were sent (mcp-protocol-version, mcp-method, mcp-name, \
         mcp-param-region); a proxy may have removed or changed some"
    );
}

/// A proxy that strips the headers: the list is refused as well.
#[tokio::test]
async fn field_hdr_05_b_where_the_list_is_refused_too_the_refusal_of_the_call_is_told() {
    let (server, client) = serve([mismatch()]).await;
    let ended = call(&client).await;
    assert_eq!(seen(&server), [called(None), listed()]);
    assert_surfaced(&ended, &[Some(400), Some(400)], &STANDARD);
    assert_eq!(attempts(record(&ended)), [(Some("HTTP_ERROR"), "none", None)]);
}

#[tokio::test]
async fn field_hdr_05_c_the_media_type_of_the_refusal_does_not_hide_it() {
    for media_type in ["text/plain", "text/html; charset=utf-8", ""] {
        let refusal = mismatch().header("Content-Type", media_type);
        let (server, client) = serve([refusal, fresh(), good()]).await;
        assert_eq!(record(&call(&client).await).outcome, OutcomeKind::ToolSuccess, "{media_type}");
        assert_eq!(seen(&server), [called(None), listed(), called(Some("eu"))]);
    }
}

#[tokio::test]
async fn a_list_that_does_not_help_leaves_the_refusal_as_it_was() {
    let invalid =
        json!({ "name": "x", "inputSchema": { "properties": { "region": { "x-mcp-header": "a b" } } } });
    for (list, status) in [
        (Reply::status(503), Some(503)),
        (Reply::status(401), Some(401)),
        (Reply::json(200, "{"), Some(200)),
        (Reply::json(200, error(-32601, &Value::Null)), Some(200)),
        (result(&json!({ "resultType": "complete" })), Some(200)),
        // The tool is gone, or is another one now.
        (result(&listing(&[])), Some(200)),
        (result(&listing(&[json!({ "name": "X", "inputSchema": {} })])), Some(200)),
        // It must not be used any more.
        (result(&listing(&[invalid])), Some(200)),
    ] {
        let (server, client) = serve([mismatch(), list.clone(), good()]).await;
        let ended = call(&client).await;
        assert_eq!(seen(&server), [called(None), listed()], "{list:?}");
        assert_surfaced(&ended, &[Some(400), status], &STANDARD);
    }
}

/// As a JSON-RPC error, the refusal has the status of its own answer, not that of the list.
#[tokio::test]
async fn the_facts_of_a_refusal_are_not_those_of_the_list() {
    let refusal = Reply::json(200, error(-32020, &Value::Null));
    let (server, client) = serve([refusal.clone(), Reply::status(503)]).await;
    let error = failed(call(&client).await);
    assert_eq!((error.http_status(), error.rpc_code()), (Some(200), Some(-32020)));
    assert_eq!(error.outcome(), OutcomeKind::JsonrpcError);
    assert_eq!(seen(&server), [called(None), listed()]);
    let (server, client) = serve([refusal, fresh(), good()]).await;
    assert_eq!(record(&call(&client).await).posts, [Some(200); 3]);
    assert_eq!(seen(&server), [called(None), listed(), called(Some("eu"))]);
}

#[tokio::test]
async fn the_tool_is_looked_for_page_by_page_and_no_further_than_needed() {
    let page = |tools: &[Value], next: Option<&str>| {
        let mut page = listing(tools);
        if let Some(next) = next {
            page["nextCursor"] = json!(next);
        }
        result(&page)
    };
    let other = json!({ "name": "y", "inputSchema": {} });
    let script = [
        mismatch(),
        page(std::slice::from_ref(&other), Some("2")),
        page(&[other.clone(), region(Some("Region"))], Some("3")),
        good(),
    ];
    let (server, client) = serve(script).await;
    let ended = call(&client).await;
    assert_eq!(record(&ended).posts, [Some(400), Some(200), Some(200), Some(200)]);
    assert_eq!(seen(&server), [called(None), listed(), listed(), called(Some("eu"))]);
    assert_eq!(body(&server.requests()[2])["params"]["cursor"], "2");
    // A list that goes in circles comes to an end.
    let (server, client) = serve([mismatch(), page(&[other], Some("1"))]).await;
    assert_surfaced(&call(&client).await, &[Some(400), Some(200), Some(200)], &STANDARD);
    assert_eq!(seen(&server), [called(None), listed(), listed()]);
}

#[tokio::test]
async fn the_definition_of_the_caller_is_replaced_for_the_second_attempt() {
    let (server, client) = serve([mismatch(), fresh(), good()]).await;
    let stale = tool(region(Some("Old")));
    let call = client.call_tool("x").tool(&stale).arguments(json!({ "region": "eu" }));
    let ended = in_time(call.not_idempotent().send()).await;
    assert_eq!(record(&ended).posts, [Some(400), Some(200), Some(200)]);
    assert_eq!(seen(&server), [called(None), listed(), called(Some("eu"))]);
    let old: Vec<bool> =
        server.requests().iter().map(|post| post.header("mcp-param-old").is_some()).collect();
    assert_eq!(old, [true, false, false], "nothing of the old definition is left");
}

#[tokio::test]
async fn a_learnt_definition_that_is_stale_is_replaced() {
    let (server, client) = serve([mismatch(), result(&listing(&[region(None)])), good()]).await;
    client.learn_tools([&tool(region(Some("Region")))]);
    assert_eq!(record(&call(&client).await).outcome, OutcomeKind::ToolSuccess);
    assert_eq!(seen(&server), [called(Some("eu")), listed(), called(None)]);
}

#[tokio::test]
async fn decision_26_on_other_methods_it_is_surfaced() {
    let (server, client) = serve([mismatch()]).await;
    let read = client.read_resource("file:///a").send().await.unwrap_err();
    let got = client.get_prompt("p").send().await.unwrap_err();
    let listed = client.list_tools().send().await.unwrap_err();
    let discovered = client.discover().send().await.unwrap_err();
    for (error, sent) in
        [(read, &STANDARD[..]), (got, &STANDARD), (listed, &STANDARD[..2]), (discovered, &STANDARD[..2])]
    {
        assert_eq!((error.rpc_code(), error.attempts().len()), (Some(-32020), 1));
        let Some(Mismatch::Headers { sent: names }) = error.mismatch() else { panic!("{error:?}") };
        assert_eq!(*names, sent);
    }
    let methods: Vec<String> = seen(&server).into_iter().map(|(method, _)| method).collect();
    assert_eq!(methods, ["resources/read", "prompts/get", "tools/list", "server/discover"]);
}

#[tokio::test]
async fn other_statuses_and_codes_are_never_taken_for_it() {
    for status in [401, 403, 408, 421, 425, 429, 500, 502, 503, 504] {
        let (server, client) = serve([Reply::json(status, error(-32020, &Value::Null)), good()]).await;
        let error = failed(call(&client).await);
        assert_eq!((error.http_status(), error.mismatch()), (Some(status), None));
        assert_eq!(seen(&server), [called(None)], "{status}");
    }
    for code in [-32600, -32602, -32603, -32021, -32001, -32000] {
        let (server, client) = serve([Reply::json(400, error(code, &Value::Null)), good()]).await;
        assert_eq!(failed(call(&client).await).rpc_code(), Some(code));
        assert_eq!(seen(&server), [called(None)], "{code}");
    }
}

#[tokio::test]
async fn what_may_have_run_is_never_sent_again_for_its_headers() {
    let progress = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}"#;
    let (server, client) =
        serve([Reply::sse(&[progress.to_owned(), error(-32020, &Value::Null)]), good()]).await;
    assert_eq!(failed(call(&client).await).rpc_code(), Some(-32020));
    assert_eq!(seen(&server), [called(None)]);
}

/// Where there are no headers, sending it again would change nothing.
#[tokio::test]
async fn xmh_12_a_transport_without_headers_has_nothing_to_mend() {
    let refusal = r#"{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32020,"message":"m"}}"#;
    let play = Play::new([Act::Http(200, Vec::new(), refusal)]);
    let client = play.client().build().unwrap();
    let error = failed(client.call_tool("x").send().await);
    assert_eq!((error.rpc_code(), error.mismatch(), play.count()), (Some(-32020), None, 1));
}

#[tokio::test]
async fn both_things_are_mended_in_one_call_each_once() {
    let refused = || Reply::json(400, unsupported(&MODERN));
    // The list, too, is a request whose version can be refused.
    let (server, client) = serve([refused(), mismatch(), refused(), fresh(), good()]).await;
    let ended = call(&client).await;
    assert_eq!(record(&ended).outcome, OutcomeKind::ToolSuccess);
    assert_eq!(record(&ended).posts, [Some(400), Some(400), Some(400), Some(200), Some(200)]);
    assert_eq!(seen(&server), [called(None), called(None), listed(), listed(), called(Some("eu"))]);
    assert_eq!(
        attempts(record(&ended)),
        [
            (Some("HTTP_ERROR"), "none", None),
            (Some("HTTP_ERROR"), "sdk", Some(VERSION_NOTE)),
            (None, "sdk", Some(HEADERS_NOTE)),
        ]
    );
    let (server, client) = serve([refused(), mismatch(), fresh(), refused(), good()]).await;
    assert_eq!(failed(call(&client).await).rpc_code(), Some(-32022));
    assert_eq!(seen(&server), [called(None), called(None), listed(), called(Some("eu"))]);
}

#[tokio::test]
async fn a_round_of_a_call_that_needs_input_is_mended_with_its_answers() {
    let form = json!({ "method": "elicitation/create", "params": {
        "mode": "form", "message": "?", "requestedSchema": { "type": "object", "properties": {} },
    }});
    let asks = result(
        &json!({ "resultType": "input_required", "inputRequests": { "k": form }, "requestState": "s" }),
    );
    let (server, client) = serve([asks, mismatch(), fresh(), good()]).await;
    let call = client.call_tool("x").arguments(json!({ "region": "eu" })).accept_input(InputKinds::FORM);
    let Ok(ToolOutcome::InputRequired(mut asked)) = in_time(call.send()).await else {
        panic!("a request for input")
    };
    asked.answer("k", ElicitAnswer::decline()).unwrap();
    let ended = in_time(asked.resume()).await;
    assert_eq!(record(&ended).posts, [Some(400), Some(200), Some(200)]);
    assert_eq!(seen(&server), [called(None), called(None), listed(), called(Some("eu"))]);
    let last = body(&server.requests()[3])["params"].clone();
    assert_eq!(last["inputResponses"], json!({ "k": { "action": "decline" } }));
    assert_eq!(last["requestState"], "s");
}

#[tokio::test]
async fn the_list_is_asked_for_with_the_headers_of_the_call_and_told_to_nobody() {
    let server = FaultServer::start([mismatch(), fresh(), good()]).await.unwrap();
    let told = Told::default();
    let client =
        crate::support::once(&server.url()).bearer_token("t").observer(told.clone()).build().unwrap();
    let call = client.call_tool("x").header("X-Tenant", "a").header("Authorization", "Bearer own");
    drop(in_time(call.arguments(json!({ "region": "eu" })).send()).await.unwrap());
    for request in server.requests() {
        assert_eq!(request.header("x-tenant"), Some("a"));
        assert_eq!(request.header("authorization"), Some("Bearer own"));
    }
    let records = told.records();
    assert_eq!(records.len(), 1, "one call, one record");
    assert_eq!((records[0].method, records[0].post_count()), ("tools/call", 3));
}
