//! Traces: what the server is told of them, and what the application's own subscriber is.

mod opentelemetry;
mod recorder;
mod spans;

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use mcp_client::{
    Client, ClientBuilder, Continuation, Delivery, OutcomeKind, Retry, SuspendedCall, ToolOutcome,
    TraceContext,
    error::InvalidKind,
    retry::{Constant, IdempotencyKey},
    types::{RequestId, SubscriptionFilter},
};
use mcp_tests::{FaultServer, Reply};
use serde_json::{Value, json};

use crate::{
    fault::{Ended, assert_ended, assert_good, good, in_time, serve},
    support::{once, record},
};

const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const ASKS: &str =
    r#"{"jsonrpc":"2.0","id":{{id}},"result":{"resultType":"input_required","requestState":"s"}}"#;

/// The `_meta` of each request.
fn metas(server: &FaultServer) -> Vec<Value> {
    let of = |request: &mcp_tests::RawRequest| request.json().unwrap()["params"]["_meta"].clone();
    server.requests().iter().map(of).collect()
}

fn parents(server: &FaultServer) -> Vec<Option<String>> {
    metas(server).iter().map(|meta| meta["traceparent"].as_str().map(str::to_owned)).collect()
}

/// The `traceparent` of the nth span.
#[expect(clippy::unnecessary_wraps, reason = "it is compared with what may be absent")]
fn nth(number: usize) -> Option<String> {
    Some(format!("00-0af7651916cd43dd8448eb211c80319c-{number:016x}-00"))
}

/// A client whose spans are counted.
async fn counting(script: &[Reply]) -> (FaultServer, Client) {
    let asked = AtomicUsize::new(0);
    let server = FaultServer::start(script).await.unwrap();
    let provider = move || TraceContext::parse(&nth(asked.fetch_add(1, Ordering::SeqCst) + 1)?).ok();
    let retry = Retry::builder().backoff(Constant(Duration::from_millis(1)));
    let builder: ClientBuilder = Client::http(&server.url()).unwrap();
    let client = builder.trace_context_from(provider).retry(retry.build()).build().unwrap();
    (server, client)
}

fn asked(ended: Ended) -> Continuation {
    match ended {
        Ok(ToolOutcome::InputRequired(asked)) => asked,
        other => panic!("it must ask for input: {other:?}"),
    }
}

#[tokio::test]
async fn trc_01_a_trace_is_sent_in_meta_as_it_was_given() {
    let (server, client) = serve([good()]).await;
    let context = TraceContext::parse(PARENT)
        .unwrap()
        .with_tracestate("rojo=00f067aa0ba902b7,congo=t61rcWkgMzE")
        .unwrap()
        .with_baggage_entry("tenant", "a, b")
        .unwrap();
    assert_good(&"context", &in_time(client.call_tool("x").trace_context(context).send()).await);
    // The same, as entries of one's own, in any order.
    let call = client
        .call_tool("x")
        .meta("tracestate", "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE")
        .meta("baggage", "tenant=a%2C%20b")
        .meta("traceparent", PARENT);
    assert_good(&"entries", &in_time(call.send()).await);
    assert_good(&"none", &in_time(client.call_tool("x").send()).await);
    let metas = metas(&server);
    for meta in &metas[..2] {
        assert_eq!(meta["traceparent"], PARENT);
        assert_eq!(meta["tracestate"], "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE");
        assert_eq!(meta["baggage"], "tenant=a%2C%20b");
    }
    assert_eq!(metas[2].as_object().unwrap().len(), 3, "the three keys of the protocol alone: {}", metas[2]);
}

#[tokio::test]
async fn trc_01_what_is_malformed_is_refused_before_the_wire() {
    let (server, client) = serve([good()]).await;
    for (key, value) in [
        ("traceparent", json!("00-1")),
        ("traceparent", json!("00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01")),
        ("traceparent", json!("00-00000000000000000000000000000000-b7ad6b7169203331-01")),
        ("traceparent", json!(null)),
        ("traceparent", json!({ "secret": 1 })),
        ("tracestate", json!("secret value")),
        // It means nothing alone.
        ("tracestate", json!("a=1")),
        ("baggage", json!("secret value")),
        ("baggage", json!(["a=1"])),
    ] {
        let ended = in_time(client.call_tool("x").meta(key, &value).send()).await;
        assert_ended(&key, &ended, OutcomeKind::InvalidCall, Delivery::NotSent, &[]);
        let Err(mcp_client::CallError::Invalid(error)) = &ended else { panic!("{ended:?}") };
        assert_eq!(error.kind(), InvalidKind::TraceContext, "{key} {value}");
        assert!(error.what().contains(key), "{error}");
        assert!(!format!("{ended:?}").contains("secret"), "{ended:?}");
        let listed = in_time(client.list_tools().meta(key, &value).send()).await;
        assert_eq!(listed.unwrap_err().outcome(), OutcomeKind::InvalidCall);
        let opened = client.listen(SubscriptionFilter::default().with_tools()).meta(key, &value);
        assert_eq!(in_time(opened.open()).await.unwrap_err().outcome(), OutcomeKind::InvalidCall);
    }
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn trc_02_the_three_keys_are_used_for_nothing_else() {
    let (server, client) = serve([good()]).await;
    for key in ["traceparent", "tracestate", "baggage"] {
        let ended =
            in_time(client.call_tool("x").idempotency_key(IdempotencyKey::in_meta(key).value("k")).send())
                .await;
        assert_ended(&key, &ended, OutcomeKind::InvalidCall, Delivery::NotSent, &[]);
        let Err(mcp_client::CallError::Invalid(error)) = ended else { panic!("{key}") };
        assert_eq!(error.kind(), InvalidKind::MetaKey, "{key}");
    }
    assert!(server.requests().is_empty());
    // Names that only look like them are the caller's.
    let call = client.call_tool("x").meta("Traceparent", 1).meta("com.example/traceparent", "x");
    assert_good(&"others", &in_time(call.send()).await);
    assert_eq!(metas(&server)[0]["Traceparent"], 1);
}

#[tokio::test]
async fn the_provider_is_asked_once_for_each_attempt() {
    let refused = r#"{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32022,"message":"v","data":{"supported":["2026-07-28"],"requested":"x"}}}"#;
    let script = [Reply::status(503), Reply::json(400, refused), good()];
    let (server, client) = counting(&script).await;
    let ended = in_time(client.call_tool("x").idempotent().send()).await;
    assert_eq!(record(&ended).posts, [Some(503), Some(400), Some(200)]);
    assert_eq!(parents(&server), [nth(1), nth(2), nth(3)]);
    // What the caller says of one call wins, and the provider is not asked.
    let by_hand = TraceContext::parse(PARENT).unwrap();
    assert_good(&"by hand", &in_time(client.call_tool("x").trace_context(by_hand).send()).await);
    assert_good(&"next", &in_time(client.call_tool("x").send()).await);
    assert_eq!(parents(&server)[3..], [Some(PARENT.to_owned()), nth(4)]);
}

#[tokio::test]
async fn a_round_asks_anew_and_nothing_is_stored() {
    let (server, client) = counting(&[Reply::json(200, ASKS)]).await;
    let first = asked(in_time(client.call_tool("x").send()).await);
    let second = asked(in_time(first.resume()).await);
    let stored = serde_json::to_string(&second.suspend()).unwrap();
    let restored: SuspendedCall = serde_json::from_str(&stored).unwrap();
    let _ = asked(in_time(client.restore(restored).unwrap().resume()).await);
    assert_eq!(parents(&server), [nth(1), nth(2), nth(3)]);

    let by_hand = client.call_tool("x").meta("traceparent", PARENT).meta("com.example/own", 1);
    let first = asked(in_time(by_hand.send()).await);
    let stored = serde_json::to_string(&first.suspend()).unwrap();
    assert!(stored.contains("com.example/own") && !stored.contains("traceparent"), "{stored}");
    let second = asked(in_time(first.resume()).await);
    let _ = second;
    let restored: SuspendedCall = serde_json::from_str(&stored).unwrap();
    let _ = asked(in_time(client.restore(restored).unwrap().resume()).await);
    assert_eq!(parents(&server)[3..], [Some(PARENT.to_owned()), Some(PARENT.to_owned()), nth(4)]);

    // A stored call cannot bring one in.
    let forged = stored.replace("com.example/own", "traceparent");
    let forged: SuspendedCall = serde_json::from_str(&forged).unwrap();
    assert!(client.restore(forged).is_err());
}

#[tokio::test]
async fn a_provider_may_have_nothing_or_panic_and_the_call_is_made_all_the_same() {
    let server = FaultServer::start([good()]).await.unwrap();
    let times = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&times);
    let provider = move || {
        let number = count.fetch_add(1, Ordering::SeqCst);
        assert!(number > 0, "a panic of the provider's");
        match number {
            1 => None,
            2 => Some(TraceContext::default()),
            _ => Some(TraceContext::from_entries([
                ("traceparent", PARENT),
                ("tracestate", "not one"),
                ("baggage", "a=1"),
            ])),
        }
    };
    let client = once(&server.url()).trace_context_from(provider).build().unwrap();
    for _ in 0..3 {
        let ended = in_time(client.call_tool("x").send()).await;
        assert_good(&"nothing", &ended);
        assert!(record(&ended).notes.is_empty());
    }
    let ended = in_time(client.call_tool("x").send()).await;
    assert_good(&"in part", &ended);
    let notes: Vec<String> = record(&ended).notes.iter().map(ToString::to_string).collect();
    assert_eq!(notes, ["dropped-trace-context:tracestate"]);
    let metas = metas(&server);
    assert!(metas[..3].iter().all(|meta| meta.as_object().unwrap().len() == 3));
    assert_eq!(metas[3]["traceparent"], PARENT);
    assert_eq!((metas[3].get("tracestate"), &metas[3]["baggage"]), (None, &json!("a=1")));
    assert_eq!(times.load(Ordering::SeqCst), 4);
    assert_eq!(record(&ended).request_id, Some(RequestId::Number(4)));
}
