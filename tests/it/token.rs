//! Tokens that come from a source.

mod cached;
mod panics;

use std::{
    error::Error,
    fmt::Write as _,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use mcp_client::{
    BearerToken, CallError, CancelHandle, Client, ClientBuilder, Delivery, OutcomeKind, Retry, TokenError,
    TokenRefusal, TokenSource, async_trait,
    error::AuthStep,
    retry::{Constant, Origin},
    transport::MemoryTransport,
};
use mcp_tests::{FaultServer, RawRequest, Reply};

use crate::{
    fault::{Ended, assert_ended, assert_good, good, http_error, in_time},
    support::record,
};

/// What a source does when it is asked.
#[derive(Clone, Copy, Debug)]
enum Act {
    Gives(&'static str),
    HasNone,
    Fails,
    FailsForGood,
    Hangs,
}

/// A source that plays a script; the last act of each kind repeats.
#[derive(Clone, Debug)]
struct Source(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    asked: AtomicUsize,
    tokens: Mutex<Vec<Act>>,
    renewals: Vec<Act>,
    refusals: Mutex<Vec<String>>,
}

impl Source {
    fn new(tokens: &[Act], renewals: &[Act]) -> Self {
        Self(Arc::new(Inner {
            asked: AtomicUsize::new(0),
            tokens: Mutex::new(tokens.to_vec()),
            renewals: renewals.to_vec(),
            refusals: Mutex::default(),
        }))
    }

    fn asked(&self) -> usize {
        self.0.asked.load(Ordering::SeqCst)
    }

    /// What it was told of refusals.
    fn told(&self) -> Vec<String> {
        self.0.refusals.lock().unwrap().clone()
    }

    /// From now on it gives this one.
    fn now_gives(&self, token: &'static str) {
        *self.0.tokens.lock().unwrap() = vec![Act::Gives(token)];
    }

    async fn play(act: Act) -> Result<Option<BearerToken>, TokenError> {
        match act {
            Act::Gives(token) => Ok(Some(BearerToken::new(token))),
            Act::HasNone => Ok(None),
            Act::Fails => Err(TokenError::new("the vault is shut")),
            Act::FailsForGood => Err(TokenError::new("the vault is gone").permanent()),
            Act::Hangs => std::future::pending().await,
        }
    }
}

#[async_trait]
impl TokenSource for Source {
    async fn token(&self) -> Result<Option<BearerToken>, TokenError> {
        let number = self.0.asked.fetch_add(1, Ordering::SeqCst);
        let act = {
            let tokens = self.0.tokens.lock().unwrap();
            *tokens.get(number).or(tokens.last()).unwrap()
        };
        Self::play(act).await
    }

    async fn refused(&self, refusal: TokenRefusal<'_>) -> Result<Option<BearerToken>, TokenError> {
        let number = {
            let mut refusals = self.0.refusals.lock().unwrap();
            refusals.push(format!(
                "{} {:?} {:?} {:?}",
                refusal.status,
                refusal.token.map(BearerToken::as_str),
                refusal.bearer("scope"),
                refusal.bearer("resource_metadata"),
            ));
            refusals.len() - 1
        };
        if self.0.renewals.is_empty() {
            return self.token().await;
        }
        Self::play(*self.0.renewals.get(number).or(self.0.renewals.last()).unwrap()).await
    }
}

const CHALLENGE: &str =
    r#"Bearer error="invalid_token", scope="a b", resource_metadata="https://a.example/prm.json""#;

fn refusal() -> Reply {
    Reply::status(401).header("WWW-Authenticate", CHALLENGE)
}

async fn serve(script: &[Reply], source: &Source) -> (FaultServer, Client) {
    serve_with(script, source, |builder| builder).await
}

async fn serve_with(
    script: &[Reply],
    source: &Source,
    set_up: impl FnOnce(ClientBuilder) -> ClientBuilder,
) -> (FaultServer, Client) {
    let server = FaultServer::start(script).await.unwrap();
    let builder = crate::support::once(&server.url()).token_source(source.clone());
    (server, set_up(builder).build().unwrap())
}

/// The `Authorization` of each request.
fn authorizations(server: &FaultServer) -> Vec<Option<String>> {
    let of = |request: &RawRequest| request.header("authorization").map(str::to_owned);
    server.requests().iter().map(of).collect()
}

#[expect(clippy::unnecessary_wraps, reason = "it is compared with what may be absent")]
fn bearer(token: &str) -> Option<String> {
    Some(format!("Bearer {token}"))
}

async fn call(client: &Client) -> Ended {
    in_time(client.call_tool("x").send()).await
}

fn auth_step(ended: &Ended) -> AuthStep {
    let Err(CallError::Auth(error)) = ended else { panic!("no error of authorization: {ended:?}") };
    error.step()
}

/// Neither the error nor the record shows it.
#[track_caller]
fn assert_hidden(ended: &Ended, secret: &str) {
    let mut shown = format!("{ended:?} {}", record(ended).to_json());
    let mut next = ended.as_ref().err().map(|error| error as &dyn Error);
    while let Some(error) = next {
        let _ = write!(shown, " {error} {error:?}");
        next = error.source();
    }
    assert!(!shown.contains(secret), "{shown}");
}

#[tokio::test]
async fn the_source_is_asked_before_each_attempt() {
    let source = Source::new(&[Act::Gives("one"), Act::Gives("two"), Act::HasNone], &[]);
    let retry = || Retry::builder().backoff(Constant(Duration::from_millis(1))).build();
    let script = [Reply::status(503), good()];
    let (server, client) = serve_with(&script, &source, |builder| builder.retry(retry())).await;
    let ended = in_time(client.call_tool("x").idempotent().send()).await;
    assert_eq!(record(&ended).posts, [Some(503), Some(200)]);
    assert_eq!(source.asked(), 2);
    // Without a token the request is sent all the same.
    assert_good(&"none", &call(&client).await);
    assert_eq!(authorizations(&server), [bearer("one"), bearer("two"), None]);
    assert!(source.told().is_empty());
}

#[tokio::test]
async fn a_refused_token_is_replaced_once_whatever_the_tool_does() {
    let source = Source::new(&[Act::Gives("old")], &[Act::Gives("new")]);
    let (server, client) = serve(&[refusal(), good()], &source).await;
    let ended = in_time(client.call_tool("pay").not_idempotent().send()).await;
    let record = record(&ended);
    assert_eq!((record.outcome, record.delivery), (OutcomeKind::ToolSuccess, Delivery::Answered));
    assert_eq!(record.posts, [Some(401), Some(200)]);
    assert_eq!(record.retry_origin(), Origin::Sdk);
    let attempts = record.attempts.attempts();
    assert_eq!(attempts.len(), 2);
    assert_eq!(attempts[0].failed.as_deref(), Some("HTTP_ERROR"));
    assert_ne!(attempts[0].request_id, attempts[1].request_id);
    assert_eq!(attempts[1].note.as_deref(), Some("another token was had"));
    assert_eq!(authorizations(&server), [bearer("old"), bearer("new")]);
    assert_eq!(source.told(), [r#"401 Some("old") Some("a b") Some("https://a.example/prm.json")"#]);
    // The one that was renewed was not asked for again.
    assert_eq!(source.asked(), 1);
    let [first, second] = [0, 1].map(|i| server.requests()[i].json().unwrap());
    assert_eq!(first["params"], second["params"]);
    assert_hidden(&ended, "old");
}

#[tokio::test]
async fn a_token_that_is_refused_again_is_no_loop() {
    let source = Source::new(&[Act::Gives("one")], &[Act::Gives("two"), Act::Gives("three")]);
    let (server, client) = serve(&[refusal()], &source).await;
    let ended = call(&client).await;
    let error = http_error(&ended);
    assert_eq!((error.status(), error.challenges().len()), (401, 1));
    assert_eq!(record(&ended).posts, [Some(401), Some(401)]);
    assert_eq!(ended.as_ref().unwrap_err().delivery(), Delivery::Refused);
    assert_eq!(authorizations(&server), [bearer("one"), bearer("two")]);
    assert_eq!(source.told().len(), 1);
    // Each call may have its token renewed.
    let _ = call(&client).await;
    assert_eq!(source.told().len(), 2);
}

#[tokio::test]
async fn the_refusal_stands_where_the_source_has_nothing_else() {
    for renewals in [&[Act::HasNone][..], &[Act::Gives("old")], &[]] {
        let source = Source::new(&[Act::Gives("old")], renewals);
        let (server, client) = serve(&[refusal(), good()], &source).await;
        let ended = call(&client).await;
        assert_ended(&"refused", &ended, OutcomeKind::HttpError, Delivery::Refused, &[Some(401)]);
        assert_eq!(ended.unwrap_err().challenges()[0].param("scope"), Some("a b"));
        assert_eq!((server.requests().len(), source.told().len()), (1, 1), "{renewals:?}");
    }
}

/// A source that had none may have one once the server asks for it; challenges are missing at times.
#[tokio::test]
async fn a_token_may_come_only_when_it_is_asked_for() {
    let source = Source::new(&[Act::HasNone], &[Act::Gives("first")]);
    let (server, client) = serve(&[Reply::status(401), good()], &source).await;
    assert_eq!(record(&call(&client).await).posts, [Some(401), Some(200)]);
    assert_eq!(authorizations(&server), [None, bearer("first")]);
    assert_eq!(source.told(), ["401 None None None"]);
}

#[tokio::test]
async fn other_refusals_are_none_of_the_token() {
    for status in [400, 402, 403, 404, 407] {
        let source = Source::new(&[Act::Gives("t")], &[Act::Gives("new")]);
        let reply = Reply::status(status).header("WWW-Authenticate", CHALLENGE);
        let (server, client) = serve(&[reply, good()], &source).await;
        let ended = call(&client).await;
        assert_ended(&status, &ended, OutcomeKind::HttpError, Delivery::Refused, &[Some(status)]);
        assert_eq!((server.requests().len(), source.told().len()), (1, 0), "{status}");
    }
    // A JSON-RPC error is no 401, whatever it says.
    let source = Source::new(&[Act::Gives("t")], &[Act::Gives("new")]);
    let says = r#"{"jsonrpc":"2.0","id":{{id}},"error":{"code":401,"message":"Unauthorized"}}"#;
    let (_server, client) = serve(&[Reply::json(200, says)], &source).await;
    let ended = call(&client).await;
    assert_ended(&"JSON-RPC", &ended, OutcomeKind::JsonrpcError, Delivery::Answered, &[Some(200)]);
    assert!(source.told().is_empty());
}

#[tokio::test]
async fn nothing_is_sent_where_no_token_can_be_had() {
    for act in [Act::Fails, Act::FailsForGood] {
        let source = Source::new(&[act], &[]);
        let (server, client) = serve(&[good()], &source).await;
        let ended = call(&client).await;
        assert_ended(&act, &ended, OutcomeKind::AuthError, Delivery::NotSent, &[]);
        assert_eq!(auth_step(&ended), AuthStep::Token);
        let error = ended.unwrap_err();
        assert_eq!(error.to_string(), "no token could be had");
        assert!(error.source().unwrap().to_string().starts_with("the vault is"));
        assert_eq!((error.http_status(), error.challenges().len()), (None, 0));
        assert!(server.requests().is_empty());
    }
}

#[tokio::test]
async fn a_source_that_fails_is_asked_again_unless_that_is_of_no_use() {
    let retry = || Retry::builder().backoff(Constant(Duration::from_millis(1))).build();
    let source = Source::new(&[Act::Fails, Act::Gives("late")], &[]);
    let (server, client) = serve_with(&[good()], &source, |builder| builder.retry(retry())).await;
    // Nothing was sent, so that this is harmless for any tool.
    let ended = in_time(client.call_tool("pay").not_idempotent().send()).await;
    assert_eq!(record(&ended).posts, [Some(200)]);
    assert_eq!(record(&ended).attempts.attempts().len(), 2);
    assert_eq!(authorizations(&server), [bearer("late")]);

    let source = Source::new(&[Act::FailsForGood], &[]);
    let (server, client) = serve_with(&[good()], &source, |builder| builder.retry(retry())).await;
    let ended = call(&client).await;
    assert_eq!((source.asked(), server.requests().len()), (1, 0));
    assert_ended(&"for good", &ended, OutcomeKind::AuthError, Delivery::NotSent, &[]);
}

#[tokio::test]
async fn a_source_that_fails_after_a_refusal_tells_of_both() {
    for renewal in [Act::Fails, Act::FailsForGood] {
        let source = Source::new(&[Act::Gives("old")], &[renewal]);
        let retry = Retry::builder().backoff(Constant(Duration::from_millis(1))).build();
        let (server, client) =
            serve_with(&[refusal(), good()], &source, |builder| builder.retry(retry)).await;
        let ended = call(&client).await;
        assert_ended(&renewal, &ended, OutcomeKind::AuthError, Delivery::Refused, &[Some(401)]);
        assert_eq!(auth_step(&ended), AuthStep::Token);
        assert_hidden(&ended, "old");
        let error = ended.unwrap_err();
        assert_eq!(error.http_status(), Some(401));
        assert_eq!(error.challenges()[0].param("scope"), Some("a b"));
        assert!(error.source().is_some());
        assert_eq!(server.requests().len(), 1);
    }
}

#[tokio::test]
async fn a_token_that_no_header_can_hold_is_not_sent_and_not_shown() {
    for token in ["", "secret token", "secret\r\nx-evil: 1", "secrét"] {
        let source = Source::new(&[Act::Gives(token)], &[]);
        let (server, client) = serve_with(&[good()], &source, |b| b.retry(Retry::standard())).await;
        let ended = call(&client).await;
        assert_ended(&token, &ended, OutcomeKind::AuthError, Delivery::NotSent, &[]);
        assert_hidden(&ended, "secr");
        assert_eq!((source.asked(), server.requests().len()), (1, 0));
    }
    // Neither is the one that the source gives instead.
    let source = Source::new(&[Act::Gives("old")], &[Act::Gives("secret\n")]);
    let (server, client) = serve(&[refusal(), good()], &source).await;
    let ended = call(&client).await;
    assert_eq!(auth_step(&ended), AuthStep::Token);
    assert_eq!(record(&ended).posts, [Some(401)]);
    assert_hidden(&ended, "secret");
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_header_of_the_call_wins_and_one_of_the_client_does_not() {
    let source = Source::new(&[Act::Gives("source")], &[Act::Gives("new")]);
    let script = [good(), refusal(), good()];
    let (server, client) = serve_with(&script, &source, |builder| builder.bearer_token("client")).await;
    assert_good(&"source", &call(&client).await);
    assert_eq!(source.asked(), 1);
    // It is the caller's, and so is what becomes of it.
    let ended = in_time(client.call_tool("x").header("authorization", "Basic eA==").send()).await;
    assert_ended(&"call", &ended, OutcomeKind::HttpError, Delivery::Refused, &[Some(401)]);
    assert_eq!((source.asked(), source.told().len()), (1, 0));
    assert_eq!(authorizations(&server), [bearer("source"), Some("Basic eA==".to_owned())]);
}

#[tokio::test(start_paused = true)]
async fn a_source_that_hangs_ends_with_the_call_and_nothing_was_sent() {
    let hanging = |attempt: Option<Duration>| {
        let builder = Client::with_transport(MemoryTransport::reply("{}"))
            .token_source(Source::new(&[Act::Hangs], &[]))
            .timeout(Duration::from_secs(7));
        let builder = match attempt {
            Some(limit) => builder.attempt_timeout(limit),
            None => builder,
        };
        builder.build().unwrap()
    };
    // An attempt begins when its token is there.
    for attempt in [None, Some(Duration::from_secs(1))] {
        let started = tokio::time::Instant::now();
        let ended = hanging(attempt).call_tool("x").send().await;
        let record = record(&ended);
        assert_eq!((record.outcome, record.delivery), (OutcomeKind::Timeout, Delivery::NotSent));
        assert_eq!((record.post_count(), started.elapsed().as_secs()), (0, 7));
    }

    let client = hanging(None);
    let stop = CancelHandle::new();
    let (ended, ()) = tokio::join!(client.call_tool("x").cancel_with(&stop).send(), async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        stop.cancel("no more");
    });
    assert_ended(&"cancelled", &ended, OutcomeKind::Cancelled, Delivery::NotSent, &[]);
}

/// While another token is waited for, the refusal is what is known.
#[tokio::test]
async fn a_renewal_that_hangs_leaves_the_refusal() {
    let source = Source::new(&[Act::Gives("old")], &[Act::Hangs]);
    let (server, client) = serve(&[refusal()], &source).await;
    let ended = in_time(client.call_tool("x").timeout(Duration::from_millis(500)).send()).await;
    assert_ended(&"hangs", &ended, OutcomeKind::HttpError, Delivery::Refused, &[Some(401)]);
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn tokens_stay_within_the_origin() {
    let source = Source::new(&[Act::Gives("secret")], &[Act::Gives("secret-2")]);
    let other = FaultServer::start([good()]).await.unwrap();
    let away = Reply::status(307).header("Location", &other.url());
    let within = Reply::status(308).header("Location", "/moved");
    let (server, client) = serve(&[away, within, refusal(), good()], &source).await;
    let ended = call(&client).await;
    assert_ended(&"away", &ended, OutcomeKind::HttpError, Delivery::Refused, &[Some(307)]);
    assert!(other.requests().is_empty());
    let ended = call(&client).await;
    assert_eq!(record(&ended).posts, [Some(308), Some(401), Some(200)]);
    let expected = ["secret", "secret", "secret", "secret-2"].map(bearer);
    assert_eq!(authorizations(&server), expected);
}
