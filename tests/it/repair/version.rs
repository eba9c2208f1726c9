//! -32022: the call is sent once more where the server names a version that the client speaks.

use std::{error::Error as _, time::Duration};

use mcp_client::{
    CallError, Client, Delivery, OutcomeKind, ToolOutcome,
    error::{Mismatch, TransportErrorKind},
    retry::Origin,
    types::{CompletionReference, PromptReference, ProtocolVersion, SubscriptionFilter},
};
use mcp_tests::{FaultServer, Kitchen, Reply, Step};
use serde_json::{Value, json};

use super::{LEGACY, MODERN, VERSION_NOTE, attempts, body, error, result, unsupported};
use crate::{
    fault::{call, good, in_time, only_calls, serve, still_usable, transport_error},
    retry::{Act, GOOD, Play},
    stage::failed,
    support::record,
};

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";

fn names(versions: &[ProtocolVersion]) -> Vec<&str> {
    versions.iter().map(ProtocolVersion::as_str).collect()
}

/// The ways in which the refusal comes, and what its attempt is called in the log.
fn refusals(supported: &[&str]) -> Vec<(Reply, u16, &'static str)> {
    let text = unsupported(supported);
    vec![
        (Reply::json(400, text.clone()), 400, "HTTP_ERROR"),
        (Reply::json(404, text.clone()), 404, "HTTP_ERROR"),
        (Reply::json(400, text.replace("{{id}}", "null")), 400, "HTTP_ERROR"),
        (Reply::json(400, text.clone()).header("Content-Type", "text/plain"), 400, "HTTP_ERROR"),
        (Reply::json(200, text.clone()), 200, "JSONRPC_ERROR"),
        (Reply::sse(&[text]), 200, "JSONRPC_ERROR"),
    ]
}

#[tokio::test]
async fn ver_01_a_refused_version_is_agreed_on_and_the_call_sent_again() {
    for (refusal, status, failure) in refusals(&MODERN) {
        let (server, client) = serve([refusal, good()]).await;
        let arguments = json!({ "a": 1 });
        let call = client.call_tool("x").arguments(&arguments).header("X-Own", "1").meta("own", 1);
        // It was refused: that running it twice would do harm is no matter.
        let ended = in_time(call.not_idempotent().send()).await;
        let Ok(ToolOutcome::Success(output)) = &ended else { panic!("{status}: {ended:?}") };
        assert_eq!(output.text(), "ok");

        let requests = only_calls(&server, 2);
        for (request, id) in requests.iter().zip([1, 2]) {
            let body = body(request);
            assert_eq!((body["id"].as_i64(), &body["params"]["arguments"]), (Some(id), &arguments));
            assert_eq!(body["params"]["_meta"][VERSION], "2026-07-28");
            assert_eq!(request.header("mcp-protocol-version"), Some("2026-07-28"));
        }
        // But for the id, and the length of it, the second request is the first.
        let [first, second] = [0, 1].map(|at: usize| body(&requests[at])["params"].clone());
        assert_eq!(first, second);
        assert_eq!(requests[0].headers, requests[1].headers);

        let record = record(&ended);
        assert_eq!((record.outcome, record.delivery), (OutcomeKind::ToolSuccess, Delivery::Answered));
        assert_eq!(record.posts, [Some(status), Some(200)]);
        assert_eq!((record.post_count(), record.retry_origin()), (2, Origin::Sdk));
        assert_eq!(record.request_id, Some(2.into()));
        assert_eq!(
            attempts(record),
            [(Some(failure), "none", None), (None, "sdk", Some(VERSION_NOTE))],
            "{status}"
        );
    }
}

#[tokio::test]
async fn ver_03_refused_again_is_the_error_with_both_sides_versions() {
    for (refusal, status, failure) in refusals(&["2026-07-28", "2025-11-25"]) {
        let (server, client) = serve([refusal]).await;
        let ended = call(&client).await;
        only_calls(&server, 2);
        let error = ended.as_ref().unwrap_err();
        assert_eq!(
            error.outcome(),
            if status == 200 { OutcomeKind::JsonrpcError } else { OutcomeKind::HttpError }
        );
        assert_eq!((error.http_status(), error.rpc_code()), (Some(status), Some(-32022)));
        assert_eq!(names(&error.supported_versions().unwrap()), ["2026-07-28", "2025-11-25"]);
        let Some(Mismatch::Versions { spoken, supported }) = error.mismatch() else { panic!("{error:?}") };
        assert_eq!((names(spoken), names(supported)), (vec!["2026-07-28"], vec!["2026-07-28", "2025-11-25"]));
        let record = record(&ended);
        assert_eq!(record.posts, [Some(status), Some(status)]);
        assert_eq!(
            attempts(record),
            [(Some(failure), "none", None), (Some(failure), "sdk", Some(VERSION_NOTE))]
        );
    }
}

#[tokio::test]
async fn ver_02_no_common_version_is_one_post_and_an_error_that_names_both_sides() {
    for supported in [&LEGACY[..], &["2030-01-01"], &["2026-07-28-draft", " 2026-07-28", ""], &[]] {
        for (refusal, status, _) in refusals(supported) {
            let (server, client) = serve([refusal]).await;
            let ended = call(&client).await;
            only_calls(&server, 1);
            assert_eq!(record(&ended).posts, [Some(status)]);
            let error = failed(ended);
            assert_eq!(error.delivery(), if status == 200 { Delivery::Answered } else { Delivery::Refused });
            let Some(Mismatch::Versions { spoken, supported: theirs }) = error.mismatch() else {
                panic!("{error:?}")
            };
            assert_eq!((spoken.as_slice(), names(theirs)), (&Client::SPOKEN[..], supported.to_vec()));
        }
    }
    let (_server, client) = serve([Reply::json(400, unsupported(&LEGACY))]).await;
    let error = failed(call(&client).await);
    assert_eq!(error.to_string(), "the server answered with HTTP status 400");
    assert_eq!(
        error.source().unwrap().to_string(),
        "the client speaks 2026-07-28, the server 2025-11-25, 2025-06-18"
    );
}

#[tokio::test]
async fn ver_04_ver_05_legacy_unknown_and_odd_entries_are_passed_over() {
    for supported in [
        json!(["2025-11-25", "2026-07-28"]),
        json!(["2099-01-01", "DRAFT-2026-v1", "", "2026-07-28", "2024-11-05"]),
        json!([null, 7, {}, ["2026-07-28"], "2026-07-28"]),
    ] {
        // Not all servers say what was asked for.
        for data in
            [json!({ "supported": supported }), json!({ "supported": supported, "requested": 7, "x": [] })]
        {
            let (server, client) = serve([Reply::json(400, error(-32022, &data)), good()]).await;
            assert_eq!(record(&call(&client).await).outcome, OutcomeKind::ToolSuccess, "{data}");
            only_calls(&server, 2);
        }
    }
    for data in [Value::Null, json!({}), json!({ "supported": "2026-07-28" }), json!(["2026-07-28"])] {
        let (server, client) = serve([Reply::json(400, error(-32022, &data)), good()]).await;
        let error = failed(call(&client).await);
        only_calls(&server, 1);
        assert_eq!(error.supported_versions(), None, "{data}");
        assert_eq!(
            error.source().unwrap().to_string(),
            "the client speaks 2026-07-28, and the server does not say what it supports"
        );
    }
}

#[tokio::test]
async fn ver_06_any_later_request_can_be_refused_and_each_is_mended_once() {
    let refused = || Reply::json(400, unsupported(&MODERN));
    let (server, client) = serve([good(), good(), refused(), good(), refused(), good()]).await;
    for (number, posts) in [&[Some(200)][..], &[Some(200)], &[Some(400), Some(200)], &[Some(400), Some(200)]]
        .into_iter()
        .enumerate()
    {
        let ended = call(&client).await;
        assert_eq!(record(&ended).posts, posts, "call {number}");
        assert_eq!(record(&ended).outcome, OutcomeKind::ToolSuccess);
    }
    only_calls(&server, 6);
}

/// Credentials, rate limits and outages are what they are, whatever the body says.
#[tokio::test]
async fn decision_17_other_statuses_are_never_taken_for_a_refused_version() {
    for status in [300, 401, 403, 408, 421, 425, 429, 500, 501, 502, 503, 504, 599] {
        let (server, client) = serve([Reply::json(status, unsupported(&MODERN)), good()]).await;
        let error = failed(call(&client).await);
        only_calls(&server, 1);
        let CallError::Http(_) = &error else { panic!("{error:?}") };
        assert_eq!(error.http_status(), Some(status));
        assert!(error.mismatch().is_none() && error.source().is_none(), "{status}");
        // What the body says stays readable.
        assert_eq!(names(&error.supported_versions().unwrap()), MODERN, "{status}");
        still_usable(&status, &client).await;
    }
}

#[tokio::test]
async fn a_refusal_that_is_not_whole_or_not_in_time_is_none() {
    let text = unsupported(&MODERN);
    let whole = text.len();
    for (reply, kind) in [
        (Reply::json(200, text.clone()).cut_at(whole / 2 + 100), TransportErrorKind::Incomplete),
        (
            Reply::sse(&[text.as_str()]).half_event().unfinished().then(Step::AwaitClientClose),
            TransportErrorKind::Timeout { after: Duration::from_millis(300) },
        ),
        (
            Reply::steps([Step::AwaitClientClose]),
            TransportErrorKind::Timeout { after: Duration::from_millis(300) },
        ),
    ] {
        let (server, client) = serve([reply, good()]).await;
        let ended = in_time(client.call_tool("x").timeout(Duration::from_millis(300)).send()).await;
        assert_eq!(transport_error(&ended).kind(), kind);
        assert_eq!(transport_error(&ended).delivery(), Delivery::Unknown);
        only_calls(&server, 1);
    }
}

/// Who has sent progress has begun to work: an error after it, whatever its code, is no refusal.
#[tokio::test]
async fn what_may_have_run_is_never_sent_again_for_its_version() {
    let progress = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":{{id}},"progress":1}}"#;
    let reply = Reply::sse(&[progress.to_owned(), unsupported(&MODERN)]);
    let (server, client) = serve([reply, good()]).await;
    let ended = in_time(client.call_tool("x").progress(|_| ()).send()).await;
    only_calls(&server, 1);
    assert_eq!(record(&ended).outcome, OutcomeKind::JsonrpcError);
    assert_eq!(failed(ended).rpc_code(), Some(-32022));
}

#[tokio::test]
async fn meta_05_every_method_is_mended_and_says_the_version_again() {
    let complete = json!({
        "resultType": "complete", "ttlMs": 0, "cacheScope": "private", "supportedVersions": ["2026-07-28"],
        "capabilities": {}, "tools": [], "resources": [], "resourceTemplates": [], "prompts": [], "contents": [],
        "messages": [], "completion": { "values": [] }, "_meta": {},
    });
    let script = [Reply::json(400, unsupported(&MODERN)), result(&complete)];
    for method in [
        "server/discover",
        "tools/list",
        "resources/list",
        "resources/templates/list",
        "prompts/list",
        "resources/read",
        "prompts/get",
        "completion/complete",
        "subscriptions/listen",
    ] {
        let server = FaultServer::start(script.clone()).await.unwrap();
        let client = crate::support::client(&server.url());
        let posts = match method {
            "server/discover" => client.discover().send().await.unwrap().record().post_count(),
            "tools/list" => client.list_tools().send().await.unwrap().record().post_count(),
            "resources/list" => client.list_resources().send().await.unwrap().record().post_count(),
            "resources/templates/list" => {
                client.list_resource_templates().send().await.unwrap().record().post_count()
            }
            "prompts/list" => client.list_prompts().send().await.unwrap().record().post_count(),
            "resources/read" => {
                let read = client.read_resource("file:///a").send().await.unwrap();
                read.into_complete().unwrap().record().post_count()
            }
            "prompts/get" => {
                let got = client.get_prompt("p").send().await.unwrap();
                got.into_complete().unwrap().record().post_count()
            }
            "completion/complete" => {
                let of = CompletionReference::Prompt(PromptReference::new("p"));
                client.complete(of, "a", "v").send().await.unwrap().record().post_count()
            }
            _ => client
                .listen(SubscriptionFilter::default().with_tools())
                .open()
                .await
                .unwrap()
                .record()
                .post_count(),
        };
        assert_eq!(posts, 2, "{method}");
        let requests = server.requests();
        assert_eq!(requests.len(), 2, "{method}");
        for (request, id) in requests.iter().zip([1, 2]) {
            let body = body(request);
            assert_eq!((body["method"].as_str(), body["id"].as_i64()), (Some(method), Some(id)));
            let meta = &body["params"]["_meta"];
            assert_eq!(meta[VERSION].as_str(), request.header("mcp-protocol-version"), "{method}");
            assert!(meta["io.modelcontextprotocol/clientCapabilities"].is_object(), "{method}");
            assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["name"], "mcp-client", "{method}");
            assert_eq!(request.header("mcp-method"), Some(method));
        }
    }
}

/// A transport without statuses, such as a process, refuses by JSON-RPC alone.
#[tokio::test]
async fn a_refusal_without_a_status_is_mended_too() {
    let refusal: &'static str = r#"{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32022,"message":"m","data":{"supported":["2026-07-28"],"requested":"2026-07-28"}}}"#;
    let play = Play::new([Act::Http(200, Vec::new(), refusal), Act::Http(200, Vec::new(), GOOD)]);
    let client = play.client().build().unwrap();
    let ended = client.call_tool("x").send().await;
    assert_eq!((record(&ended).outcome, play.count()), (OutcomeKind::ToolSuccess, 2));
}

/// Nothing that the client sends is refused by a server that checks versions: no repair is ever needed there.
#[tokio::test]
async fn a_strict_server_has_nothing_to_refuse() {
    let kitchen = Kitchen::start().await.unwrap();
    kitchen.switch("compat.sdk_v2", json!({})).unwrap();
    let client = crate::support::client(&kitchen.url());
    in_time(client.list_tools().send()).await.unwrap();
    in_time(Box::pin(client.discover().send())).await.unwrap();
    let statuses: Vec<_> = kitchen.posts().iter().map(|post| post.status).collect();
    assert_eq!(statuses, [Some(200), Some(200)]);
}
