//! Spans and events of the feature `tracing`.

use mcp_client::{
    BearerToken, CancelHandle, TokenError, TokenRefusal, TokenSource, async_trait, types::PromptReference,
};
use mcp_tests::Step;
use tracing::Level;

use super::{
    recorder::{Recorder, SpanData},
    *,
};
use crate::fault::call;

/// The one span of what was recorded.
#[track_caller]
fn only(recorder: &Recorder) -> SpanData {
    let spans = recorder.spans();
    let [span] = spans.as_slice() else { panic!("one span a call: {spans:?}") };
    span.clone()
}

#[tokio::test]
async fn a_call_is_one_span_named_by_the_conventions() {
    let (server, client) = serve([good()]).await;
    let (recorder, _guard) = Recorder::start();
    assert_good(&"call", &call(&client).await);
    let span = only(&recorder);
    let port = server.addr().port().to_string();
    let mut expected = vec![
        ("name", "mcp.client"),
        ("otel.name", "tools/call x"),
        ("otel.kind", "client"),
        ("mcp.method.name", "tools/call"),
        ("mcp.protocol.version", "2026-07-28"),
        ("gen_ai.operation.name", "execute_tool"),
        ("gen_ai.tool.name", "x"),
        ("jsonrpc.request.id", "1"),
        ("network.transport", "tcp"),
        ("network.protocol.name", "http"),
        ("server.address", "127.0.0.1"),
        ("server.port", &port),
    ];
    expected.sort_unstable();
    let found: Vec<(&str, &str)> =
        span.fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(found, expected);
    assert!(span.parent.is_none());
    assert!(recorder.events().is_empty(), "{:?}", recorder.events());
}

#[tokio::test]
async fn other_methods_are_named_without_what_has_many_values() {
    let (_server, client) = serve([Reply::status(400)]).await;
    let (recorder, _guard) = Recorder::start();
    let _ = in_time(client.get_prompt("review").argument("code", "secret").send()).await;
    let _ = in_time(client.read_resource("https://user:secret@a.example/x?key=secret#secret").send()).await;
    let _ = in_time(client.list_tools().cursor("secret").send()).await;
    let _ = in_time(client.complete(PromptReference::new("p"), "a", "secret").send()).await;
    let spans = recorder.spans();
    let names: Vec<_> = spans.iter().map(|span| span.get("otel.name").unwrap()).collect();
    assert_eq!(names, ["prompts/get review", "resources/read", "tools/list", "completion/complete"]);
    assert_eq!(spans[0].get("gen_ai.prompt.name"), Some("review"));
    assert_eq!(spans[1].get("mcp.resource.uri"), Some("https://a.example/x"));
    assert_eq!(spans.iter().filter(|span| span.get("gen_ai.operation.name").is_some()).count(), 0);
    assert!(!format!("{spans:?}").contains("secret"), "{spans:?}");
}

#[tokio::test]
async fn how_a_call_failed_is_a_class_and_a_code() {
    let error = r#"{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32602,"message":"secret"}}"#;
    let tool_error = r#"{"jsonrpc":"2.0","id":{{id}},"result":{"content":[{"type":"text","text":"secret"}],"isError":true}}"#;
    for (reply, class, code) in [
        (Reply::json(200, error), "-32602", Some("-32602")),
        (Reply::json(400, error), "-32602", Some("-32602")),
        (Reply::json(200, tool_error), "tool_error", None),
        (Reply::json(503, "secret"), "503", None),
        (Reply::json(200, "secret"), "malformed_json", None),
        (Reply::steps([Step::Close]), "transport_error", None),
        (Reply::steps([Step::AwaitClientClose]), "timeout", None),
        (Reply::json(200, ASKS), "", None),
    ] {
        let (_server, client) = serve([reply]).await;
        let (recorder, guard) = Recorder::start();
        let _ = in_time(client.call_tool("x").timeout(Duration::from_millis(300)).send()).await;
        drop(guard);
        let span = only(&recorder);
        let expected = Some(class).filter(|class| !class.is_empty());
        assert_eq!(span.get("error.type"), expected);
        assert_eq!(span.get("otel.status_code"), expected.map(|_| "ERROR"), "{class}");
        assert_eq!(span.get("rpc.response.status_code"), code, "{class}");
        assert!(!format!("{span:?} {:?}", recorder.events()).contains("secret"));
    }
}

#[tokio::test]
async fn a_call_that_is_dropped_is_a_span_that_says_so() {
    let (server, client) = serve([Reply::steps([Step::AwaitClientClose])]).await;
    let (recorder, _guard) = Recorder::start();
    let dropped = tokio::time::timeout(Duration::from_millis(300), client.call_tool("x").send()).await;
    assert!(dropped.is_err());
    let span = only(&recorder);
    assert_eq!((span.get("error.type"), span.closed), (Some("cancelled"), true));
    server.client_closed().await.unwrap();
}

#[tokio::test]
async fn can_14_why_a_call_was_cancelled_is_logged() {
    let (_server, client) = serve([Reply::steps([Step::AwaitClientClose])]).await;
    let (recorder, _guard) = Recorder::start();
    let stop = CancelHandle::new();
    let (ended, ()) = tokio::join!(in_time(client.call_tool("x").cancel_with(&stop).send()), async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        stop.cancel("the user pressed stop");
    });
    assert_eq!(record(&ended).outcome, OutcomeKind::Cancelled);
    let event = recorder.event("the call was cancelled");
    assert_eq!((event.level, event.get("reason")), (Level::INFO, Some("the user pressed stop")));
    assert_eq!(event.span, Recorder::number(&only(&recorder)));
}

/// Gives out one token after the other.
#[derive(Debug)]
struct Tokens;

#[async_trait]
impl TokenSource for Tokens {
    async fn token(&self) -> Result<Option<BearerToken>, TokenError> {
        Ok(Some(BearerToken::new("secret-1")))
    }

    async fn refused(&self, _: TokenRefusal<'_>) -> Result<Option<BearerToken>, TokenError> {
        Ok(Some(BearerToken::new("secret-2")))
    }
}

#[tokio::test]
async fn repetitions_and_repairs_are_events_in_the_span_and_nothing_secret_is_told() {
    let challenge = r#"Bearer error_description="secret""#;
    let script = [
        Reply::json(503, "secret").header("X-Own", "secret"),
        Reply::status(401).header("WWW-Authenticate", challenge),
        good(),
    ];
    let server = FaultServer::start(script).await.unwrap();
    let retry = Retry::builder().backoff(Constant(Duration::from_millis(1)));
    let client = Client::http(&format!("{}?key=secret", server.url()))
        .unwrap()
        .token_source(Tokens)
        .header("X-Api-Key", "secret")
        .retry(retry.build())
        .build()
        .unwrap();
    let (recorder, _guard) = Recorder::start();
    let call = client.call_tool("x").arguments(json!({ "secret": "secret" })).meta("com.example/s", "secret");
    let ended = in_time(call.header("X-Call", "secret").idempotent().send()).await;
    assert_eq!(record(&ended).posts, [Some(503), Some(401), Some(200)]);
    let span = only(&recorder);
    assert_eq!((span.get("jsonrpc.request.id"), span.get("error.type")), (Some("3"), None));
    let repeated = recorder.event("the call is repeated");
    assert_eq!(repeated.level, Level::INFO);
    assert_eq!(repeated.get("failed"), Some("HTTP_ERROR"));
    assert_eq!(repeated.get("http.response.status_code"), Some("503"));
    assert_eq!(repeated.get("attempts"), Some("1"));
    let mended = recorder.event("the call was refused and is sent again");
    assert_eq!(mended.get("what"), Some("another token was had"));
    for event in [&repeated, &mended] {
        assert_eq!(event.span, Recorder::number(&span));
    }
    let told = format!("{:?} {:?}", recorder.spans(), recorder.events());
    assert!(!told.contains("secret"), "{told}");
}

#[tokio::test]
async fn xmh_10_a_tool_that_is_left_out_is_a_warning_with_the_reason() {
    let tools = r#"{"jsonrpc":"2.0","id":{{id}},"result":{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[
        {"name":"good","inputSchema":{"type":"object"}},
        {"name":"bad","inputSchema":{"type":"object","properties":{"a":{"type":"number","x-mcp-header":"A"}}}}]}}"#;
    let (_server, client) = serve([Reply::json(200, tools)]).await;
    let (recorder, _guard) = Recorder::start();
    let page = in_time(client.list_tools().send()).await.unwrap();
    assert_eq!(page.items().len(), 1);
    let event = recorder.event("a tool is left out of the list");
    assert_eq!((event.level, event.get("gen_ai.tool.name")), (Level::WARN, Some("bad")));
    let reason = event.get("reason").unwrap();
    assert_eq!(
        reason,
        "the x-mcp-header at `/properties/a` is on a property that is not of type integer, string or boolean"
    );
    assert_eq!(recorder.events().len(), 1);
}

/// What is done on behalf of a call is within its span.
#[tokio::test]
async fn a_list_on_behalf_of_a_call_is_a_span_within_it() {
    let mismatch = r#"{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32020,"message":"headers"}}"#;
    let tools = r#"{"jsonrpc":"2.0","id":{{id}},"result":{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[{"name":"x","inputSchema":{"type":"object"}}]}}"#;
    let (_server, client) = serve([Reply::json(400, mismatch), Reply::json(200, tools), good()]).await;
    let (recorder, _guard) = Recorder::start();
    let ended = call(&client).await;
    assert_eq!(record(&ended).http_statuses().collect::<Vec<_>>(), [400, 200, 200]);
    let spans = recorder.spans();
    let [outer, inner] = spans.as_slice() else { panic!("{spans:?}") };
    assert_eq!(inner.get("otel.name"), Some("tools/list"));
    assert_eq!(inner.parent, Recorder::number(outer));
    assert_eq!(outer.get("error.type"), None);
}

#[tokio::test]
async fn can_14_why_a_server_cancels_a_subscription_is_logged() {
    let acknowledged = r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":{{id}}}}}"#;
    let cancelled = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{{id}},"reason":"maintenance"}}"#;
    let stream = Reply::sse(&[acknowledged, cancelled]).unfinished().then(Step::AwaitClientClose);
    let (server, client) = serve([stream]).await;
    let (recorder, _guard) = Recorder::start();
    let mut events = in_time(client.listen(SubscriptionFilter::default().with_tools()).open()).await.unwrap();
    while in_time(events.next()).await.is_some() {}
    let event = recorder.event("the server cancelled the subscription");
    assert_eq!((event.level, event.get("reason")), (Level::INFO, Some("maintenance")));
    server.client_closed().await.unwrap();
}
