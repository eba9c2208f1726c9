//! The truth table, row by row: what happened, who vouches for the call, and how often the server sees it then.

mod gate;

use std::{
    fmt,
    net::SocketAddr,
    sync::{Arc, atomic::AtomicUsize, atomic::Ordering},
    time::Duration,
};

use mcp_client::{
    CallToolBuilder, Client, ClientBuilder, Delivery, IdempotencyKey, InputKinds, OutcomeKind,
    retry::{Delay, DelaySource, Origin, StopReason, Trust},
};
use mcp_tests::{FaultServer, Reply, Step, TlsServer};
use serde_json::json;

use super::{
    Act, Ended, GOOD, Play, TOOL_ERROR, Told, WAIT, always, attempts, plain, quick, read_only, stopped, tool,
};
use crate::{fault::in_time, support::record};

/// What a row says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Follows {
    /// It is sent again, until there are no attempts left.
    Retry,
    /// It is not, since nobody asks for it.
    Stop,
    /// Somebody asks for it and is refused: it may have run.
    MayHaveRun,
}

/// What is known of one attempt on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wire {
    /// Nothing was handed over.
    NotSent,
    /// It was, and no head came back.
    Lost,
    /// It was, and the head had this status.
    Status(u16),
}

/// How one attempt fails, and how the call ends then.
#[derive(Clone, Copy, Debug)]
struct Row {
    ends: OutcomeKind,
    delivery: Delivery,
    wire: Wire,
    /// Without evidence, and with it.
    standard: (Follows, Follows),
}

impl Row {
    /// "It cannot have run": repeated, whoever says what.
    fn retried(ends: OutcomeKind, delivery: Delivery, wire: Wire) -> Self {
        Self { ends, delivery, wire, standard: (Follows::Retry, Follows::Retry) }
    }

    /// "It may have run": repeated where somebody vouches for it.
    fn gated(ends: OutcomeKind, wire: Wire) -> Self {
        let standard = (Follows::MayHaveRun, Follows::Retry);
        Self { ends, delivery: Delivery::Unknown, wire, standard }
    }

    /// The standard policy does not ask for it.
    fn final_(ends: OutcomeKind, delivery: Delivery, wire: Wire) -> Self {
        Self { ends, delivery, wire, standard: (Follows::Stop, Follows::Stop) }
    }

    /// What follows where the policy asks for repetition, whatever happened.
    fn asked(self) -> (Follows, Follows) {
        match self.delivery {
            Delivery::NotSent | Delivery::Refused => (Follows::Retry, Follows::Retry),
            Delivery::Unknown | Delivery::Answered => (Follows::MayHaveRun, Follows::Retry),
        }
    }
}

/// Who says what about repeating the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    Nobody,
    /// The tool says that it is read-only, and nobody trusts its server.
    Untrusted,
    /// The tool says nothing of use, and its server is trusted.
    TrustedWithoutHint,
    Idempotent,
    Trusted,
    TrustedIdempotentHint,
    Keyed,
}

const WORDS: [Word; 7] = [
    Word::Nobody,
    Word::Untrusted,
    Word::TrustedWithoutHint,
    Word::Idempotent,
    Word::Trusted,
    Word::TrustedIdempotentHint,
    Word::Keyed,
];

impl Word {
    fn is_evidence(self) -> bool {
        !matches!(self, Self::Nobody | Self::Untrusted | Self::TrustedWithoutHint)
    }

    fn say(self, call: CallToolBuilder) -> CallToolBuilder {
        match self {
            Self::Nobody => call,
            Self::Untrusted | Self::Trusted => call.tool(&read_only("x")),
            Self::TrustedWithoutHint => call.tool(&tool(
                "x",
                &json!({ "readOnlyHint": false, "destructiveHint": false, "title": "Harmless" }),
            )),
            Self::TrustedIdempotentHint => call.tool(&tool("x", &json!({ "idempotentHint": true }))),
            Self::Idempotent => call.idempotent(),
            Self::Keyed => call.idempotency_key(IdempotencyKey::in_argument("/key").generate()),
        }
    }
}

enum Server {
    Fault(FaultServer),
    Memory(Play),
    /// Out of reach: no request ever arrives.
    None,
}

/// A server and its two clients: one that trusts it, and one that does not.
struct Stage {
    server: Server,
    trusting: Client,
    wary: Client,
}

impl Stage {
    async fn playing(script: impl Into<Vec<Reply>>) -> Self {
        let server = FaultServer::start(script).await.unwrap();
        let url = server.url();
        Self { server: Server::Fault(server), ..Self::reaching(|| plain(&url)) }
    }

    /// In memory, where a busy machine makes no difference to what comes first.
    fn in_memory(act: Act) -> Self {
        let play = Play::new([act]);
        let stage = Self::reaching(|| play.client());
        Self { server: Server::Memory(play), ..stage }
    }

    fn reaching(way: impl Fn() -> ClientBuilder) -> Self {
        let client = |trust| {
            let builder = way().retry(quick().build()).max_body_bytes(4096).timeout(Duration::from_secs(20));
            builder.trust(trust).build().unwrap()
        };
        Self { server: Server::None, trusting: client(Trust::Trusted), wary: client(Trust::Untrusted) }
    }

    fn client(&self, word: Word) -> &Client {
        match word {
            Word::Trusted | Word::TrustedIdempotentHint | Word::TrustedWithoutHint => &self.trusting,
            _ => &self.wary,
        }
    }

    /// The ids of the requests that the server saw so far, at least so many.
    async fn seen(&self, at_least: usize) -> Vec<String> {
        let bodies = match &self.server {
            // A request that its sender gave up on may still be on its way.
            Server::Fault(server) => {
                let requests = server.requested(at_least).await.unwrap();
                requests.iter().map(|request| request.json().unwrap()).collect()
            }
            Server::Memory(play) => play.bodies(),
            Server::None => Vec::new(),
        };
        bodies.iter().map(|body| body["id"].to_string()).collect()
    }

    /// Makes the call with each word, under the standard policy and under one that always asks.
    async fn check(
        &self,
        what: &dyn fmt::Debug,
        row: Row,
        set_up: impl Fn(CallToolBuilder) -> CallToolBuilder,
    ) {
        for word in WORDS {
            let asking = quick().policy(always()).build();
            for (policy, retry, columns) in
                [("Standard", None, row.standard), ("always", Some(asking), row.asked())]
            {
                let context = format!("{what:?}, {word:?}, {policy}");
                let before = self.seen(0).await.len();
                let call = set_up(word.say(self.client(word).call_tool("x")));
                let call = match retry {
                    Some(retry) => call.retry(retry),
                    None => call,
                };
                let ended = in_time(call.send()).await;
                let follows = if word.is_evidence() { columns.1 } else { columns.0 };
                let (count, stop) = match follows {
                    Follows::Retry => (3, StopReason::Attempts),
                    Follows::Stop => (1, StopReason::Done),
                    Follows::MayHaveRun => (1, StopReason::MayHaveRun),
                };
                assert_eq!(stopped(&ended), Some(&stop), "{context}: {ended:?}");
                let ids = assert_row(&context, &ended, row, count, policy);
                let executions = if row.wire == Wire::NotSent { 0 } else { count };
                let seen = self.seen(before + executions).await;
                assert_eq!(seen.len() - before, executions, "executions: {context}");
                assert!(executions == 0 || seen[before..] == ids, "{context}: {seen:?} {ids:?}");
            }
        }
    }
}

/// Outcome, delivery, POSTs and the log of a call all of whose attempts failed alike. Returns the ids.
fn assert_row(context: &str, ended: &Ended, row: Row, count: usize, policy: &str) -> Vec<String> {
    let record = record(ended);
    assert_eq!((record.outcome, record.delivery), (row.ends, row.delivery), "{context}: {ended:?}");
    if let Err(error) = ended {
        assert_eq!((error.outcome(), error.delivery()), (row.ends, row.delivery), "{context}");
        assert_eq!(error.attempts(), record.attempts.attempts(), "{context}");
    }
    let posts = match row.wire {
        Wire::NotSent => vec![],
        Wire::Lost => vec![None; count],
        Wire::Status(status) => vec![Some(status); count],
    };
    assert_eq!(record.posts, posts, "{context}");
    assert_eq!(record.retry_origin(), if count > 1 { Origin::Sdk } else { Origin::None }, "{context}");
    let attempts = attempts(ended);
    assert_eq!(attempts.len(), count, "{context}");
    for (index, attempt) in attempts.iter().enumerate() {
        let repeated = index > 0;
        assert_eq!(attempt.number as usize, index + 1, "{context}");
        assert_eq!(attempt.failed.as_deref(), Some(row.ends.as_str()), "{context}");
        assert_eq!(attempt.origin, if repeated { Origin::Sdk } else { Origin::None }, "{context}");
        let delay = Delay { length: WAIT, source: DelaySource::Backoff };
        assert_eq!(attempt.delay, repeated.then_some(delay), "{context}");
        assert_eq!(attempt.decided_by.as_deref(), repeated.then_some(policy), "{context}");
        assert_eq!(attempt.note, None, "{context}");
    }
    let ids: Vec<String> =
        attempts.iter().map(|attempt| attempt.request_id.as_ref().unwrap().to_string()).collect();
    let mut distinct = ids.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), count, "a new id each: {context} {ids:?}");
    assert_eq!(record.request_id, attempts[count - 1].request_id, "{context}");
    ids
}

/// One fault after the other, each as a row of its own.
async fn rows(faults: impl IntoIterator<Item = (&'static str, Reply, Row)>) {
    for (what, fault, row) in faults {
        Stage::playing([fault.clone()]).await.check(&what, row, |call| call).await;
        recovers(what, fault, row).await;
    }
}

/// Where one repetition helps, the call succeeds, and the log keeps what went before.
async fn recovers(what: &str, fault: Reply, row: Row) {
    if row.standard.1 != Follows::Retry {
        return;
    }
    let stage = Stage::playing([fault, Reply::json(200, GOOD)]).await;
    let ended = in_time(stage.wary.call_tool("x").idempotent().send()).await;
    let record = record(&ended);
    assert_eq!((record.outcome, record.delivery), (OutcomeKind::ToolSuccess, Delivery::Answered), "{what}");
    assert_eq!(stopped(&ended), Some(&StopReason::Done), "{what}");
    let failed: Vec<_> = attempts(&ended).iter().map(|attempt| attempt.failed.as_deref()).collect();
    assert_eq!(failed, [Some(row.ends.as_str()), None], "{what}");
    assert_eq!(stage.seen(2).await, ["1", "2"], "{what}");
}

fn http(status: u16, delivery: Delivery, follows: fn(OutcomeKind, Delivery, Wire) -> Row) -> Row {
    follows(OutcomeKind::HttpError, delivery, Wire::Status(status))
}

fn rpc_error(code: i64) -> String {
    json!({ "jsonrpc": "2.0", "id": "{{id}}", "error": { "code": code, "message": "no" } })
        .to_string()
        .replace("\"{{id}}\"", "{{id}}")
}

/// Without a body, with one that is none, and with a JSON-RPC error in it.
fn bodies(status: u16, codes: &[i64]) -> Vec<Reply> {
    let mut replies = vec![Reply::status(status), Reply::json(status, "{}")];
    replies.extend(codes.iter().map(|code| Reply::json(status, rpc_error(*code))));
    replies
}

#[tokio::test]
async fn bad_arguments_and_serialisation() {
    let stage = Stage::playing([Reply::json(200, GOOD)]).await;
    for word in WORDS {
        for retry in [quick().build(), quick().policy(always()).build()] {
            for arguments in [json!([1]), json!("text"), json!(null)] {
                let call = word.say(stage.client(word).call_tool("x").arguments(arguments));
                let ended = call.retry(retry.clone()).send().await;
                let error = ended.as_ref().unwrap_err();
                assert_eq!(
                    (error.outcome(), error.delivery()),
                    (OutcomeKind::InvalidCall, Delivery::NotSent)
                );
                // Refused before there was an attempt: nothing was stopped.
                assert_eq!((attempts(&ended).len(), stopped(&ended)), (0, None));
                assert_eq!(record(&ended).post_count(), 0);
            }
        }
    }
    assert_eq!(stage.seen(0).await, [""; 0]);
}

#[tokio::test]
async fn no_connection_dns_tcp_tls_connect_timeout() {
    use reqwest::dns::{Name, Resolve, Resolving};

    #[derive(Debug, Default)]
    struct NoSuchHost(AtomicUsize);
    impl Resolve for NoSuchHost {
        fn resolve(&self, _: Name) -> Resolving {
            self.0.fetch_add(1, Ordering::SeqCst);
            Box::pin(async { Err("no such host".into()) })
        }
    }

    let row = Row::retried(OutcomeKind::TransportError, Delivery::NotSent, Wire::NotSent);
    let resolver = Arc::new(NoSuchHost::default());
    let dns = || reqwest::Client::builder().dns_resolver(Arc::clone(&resolver));
    Stage::reaching(|| Client::builder().http_with("http://server.example/mcp", dns()).unwrap())
        .check(&"DNS", row, |call| call)
        .await;
    // Each attempt is a new try, for 7 words and 2 policies.
    assert_eq!(resolver.0.load(Ordering::SeqCst), 7 * 2 * 3);

    // Bound and never listened on: it stays closed, and nobody else gets the port.
    let closed = tokio::net::TcpSocket::new_v4().unwrap();
    closed.bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
    let url = format!("http://{}/mcp", closed.local_addr().unwrap());
    Stage::reaching(|| plain(&url)).check(&"TCP", row, |call| call).await;

    let untrusted = TlsServer::start().await.unwrap();
    Stage::reaching(|| Client::http(&untrusted.url()).unwrap()).check(&"TLS", row, |call| call).await;
    assert_eq!(untrusted.posts().len(), 0);

    // A server that never shakes hands.
    let silent = FaultServer::start([Reply::on_accept([Step::Hang])]).await.unwrap();
    let url = silent.url().replace("http:", "https:");
    let row = Row { ends: OutcomeKind::Timeout, ..row };
    Stage::reaching(|| Client::http(&url).unwrap().connect_timeout(Duration::from_millis(20)))
        .check(&"connect timeout", row, |call| call)
        .await;
    assert_eq!(silent.requests().len(), 0);
}

#[tokio::test]
async fn refusals_that_pass() {
    for status in [429, 408, 421, 425] {
        for fault in bodies(status, &[-32000, -32602]) {
            rows([("a refusal that passes", fault, http(status, Delivery::Refused, Row::retried))]).await;
        }
    }
}

#[tokio::test]
async fn every_other_3xx_and_4xx() {
    for status in
        [300, 301, 302, 303, 304, 305, 307, 308, 400, 402, 404, 405, 406, 409, 410, 413, 415, 422, 451, 499]
    {
        let codes: &[i64] = if status == 304 { &[] } else { &[-32602] };
        for fault in bodies(status, codes) {
            let fault = if status == 304 { Reply::status(304) } else { fault };
            rows([("a refusal", fault, http(status, Delivery::Refused, Row::final_))]).await;
        }
    }
}

#[tokio::test]
async fn a_5xx_without_a_json_rpc_error() {
    for status in [500, 501, 502, 503, 504, 505, 507, 511, 520, 599] {
        let row = Row::gated(OutcomeKind::HttpError, Wire::Status(status));
        for fault in bodies(status, &[]) {
            // A gateway sends it after an upstream reset, too: no proof that nothing ran.
            rows([("a 5xx", fault, row)]).await;
        }
    }
}

#[tokio::test]
async fn a_5xx_with_a_json_rpc_error() {
    for status in [500, 502, 503, 504, 599] {
        for code in [-32603, -32000, 4711] {
            let fault = Reply::json(status, rpc_error(code));
            rows([("a 5xx with an error", fault, http(status, Delivery::Answered, Row::final_))]).await;
        }
    }
}

#[tokio::test]
async fn broken_cut_and_incomplete_answers() {
    let lost = Row::gated(OutcomeKind::TransportError, Wire::Lost);
    let cut = Row::gated(OutcomeKind::StreamIncomplete, Wire::Status(200));
    let progress =
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}"#;
    rows([
        ("closed without an answer", Reply::steps([Step::Close]), lost),
        ("reset", Reply::steps([Step::Reset]), lost),
        ("cut in the head", Reply::json(200, GOOD).cut_at(20), lost),
        ("cut in the body", Reply::json(200, GOOD).content_length(999), cut),
        ("a stream that ends without the answer", Reply::sse(&[progress]), cut),
        ("a stream that breaks", Reply::sse(&[progress]).unfinished().then(Step::Reset), cut),
        ("half an answer", Reply::sse(&[progress, GOOD]).half_event(), cut),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn timeouts_after_the_request_was_sent() {
    for (act, wire) in [(Act::Hang, Wire::Lost), (Act::SilentStream, Wire::Status(200))] {
        let what = format!("{act:?}");
        let row = Row::gated(OutcomeKind::Timeout, wire);
        Stage::in_memory(act).check(&what, row, |call| call.attempt_timeout(Duration::from_secs(1))).await;
    }
}

/// The same over sockets, with time enough for a busy machine.
#[tokio::test]
async fn timeouts_over_sockets() {
    let silences = [
        Reply::steps([Step::Hang]),
        Reply::json(200, r#"{"jsonrpc""#).content_length(999).then(Step::Hang),
        Reply::sse_bytes(": ping\n\n").unfinished().then(Step::Hang),
    ];
    let calls = silences.map(|silence| async move {
        for (word, executions) in [(Word::Nobody, 1), (Word::Idempotent, 2)] {
            let stage = Stage::playing([silence.clone(), Reply::json(200, GOOD)]).await;
            let call = word.say(stage.client(word).call_tool("x")).attempt_timeout(Duration::from_secs(2));
            let ended = in_time(call.send()).await;
            assert_eq!(attempts(&ended)[0].failed.as_deref(), Some("TIMEOUT"), "{silence:?}");
            assert_eq!(attempts(&ended).len(), executions, "{silence:?} {ended:?}");
            assert_eq!(ended.is_ok(), executions == 2, "{silence:?}");
            let stop = if executions == 2 { StopReason::Done } else { StopReason::MayHaveRun };
            assert_eq!(stopped(&ended), Some(&stop), "{silence:?}");
            assert_eq!(stage.seen(executions).await.len(), executions, "{silence:?}");
        }
    });
    futures_util::future::join_all(calls).await;
}

#[tokio::test]
async fn replies_that_are_no_answer() {
    let unusable = |ends| Row::final_(ends, Delivery::Unknown, Wire::Status(200));
    let foreign = GOOD.replace("{{id}}", "4711");
    let no_content = r#"{"jsonrpc":"2.0","id":{{id}},"result":{"resultType":"complete"}}"#;
    let long = GOOD.replace("ok", &"o".repeat(5000));
    rows([
        ("no JSON", Reply::json(200, "{ not JSON"), unusable(OutcomeKind::MalformedJson)),
        ("another id", Reply::json(200, foreign), unusable(OutcomeKind::InvalidEnvelope)),
        ("no envelope", Reply::json(200, "{}"), unusable(OutcomeKind::InvalidEnvelope)),
        ("no result of a tool", Reply::json(200, no_content), unusable(OutcomeKind::InvalidToolResult)),
        ("no answer", Reply::json(200, ""), unusable(OutcomeKind::NoAnswer)),
        (
            "HTML",
            Reply::json(200, "<p>").header("Content-Type", "text/html"),
            unusable(OutcomeKind::UnexpectedContent),
        ),
        (
            "a coding",
            Reply::json(200, GOOD).header("Content-Encoding", "lzma"),
            unusable(OutcomeKind::UnexpectedContent),
        ),
        ("too long", Reply::json(200, long), unusable(OutcomeKind::TransportError)),
        (
            "202 to a request",
            Reply::status(202),
            Row::final_(OutcomeKind::NoAnswer, Delivery::Unknown, Wire::Status(202)),
        ),
    ])
    .await;
}

#[tokio::test]
async fn json_rpc_errors() {
    let row = Row::final_(OutcomeKind::JsonrpcError, Delivery::Answered, Wire::Status(200));
    for code in [-32603, -32000, -32042, 4711, -32600, -32601, -32602, -32700, -32021] {
        let error = rpc_error(code);
        rows([("JSON", Reply::json(200, error.clone()), row), ("an event", Reply::sse(&[error]), row)]).await;
    }
}

#[tokio::test]
async fn the_tools_own_error() {
    let row = Row::final_(OutcomeKind::ToolError, Delivery::Answered, Wire::Status(200));
    rows([("JSON", Reply::json(200, TOOL_ERROR), row), ("an event", Reply::sse(&[TOOL_ERROR]), row)]).await;
}

#[tokio::test]
async fn input_required_is_not_a_failure() {
    let asks = r#"{"jsonrpc":"2.0","id":{{id}},"result":{"resultType":"input_required","requestState":"s"}}"#;
    let stage = Stage::playing([Reply::json(200, asks)]).await;
    for word in WORDS {
        for retry in [quick().build(), quick().policy(always()).build()] {
            let before = stage.seen(0).await.len();
            let call = word.say(stage.client(word).call_tool("x")).accept_input(InputKinds::FORM);
            let ended = call.retry(retry).send().await;
            let record = record(&ended);
            assert_eq!((record.outcome, record.delivery), (OutcomeKind::InputRequired, Delivery::Answered));
            assert_eq!((stopped(&ended), record.retry_origin()), (Some(&StopReason::Done), Origin::None));
            assert_eq!((attempts(&ended).len(), &attempts(&ended)[0].failed), (1, &None));
            assert_eq!(stage.seen(before + 1).await.len(), before + 1);
        }
    }
}

#[tokio::test]
async fn a_call_that_its_caller_dropped() {
    for word in WORDS {
        let server = FaultServer::start([Reply::steps([Step::Hang]), Reply::json(200, GOOD)]).await.unwrap();
        let told = Told::default();
        let client = plain(&server.url()).trust(Trust::Trusted).observer(told.clone());
        let client = client.retry(quick().policy(always()).build()).build().unwrap();
        {
            let call = word.say(client.call_tool("x")).send();
            tokio::select! {
                ended = call => panic!("{ended:?}"),
                seen = server.requested(1) => drop(seen.unwrap()),
            }
        }
        let records = told.records();
        assert_eq!(records.len(), 1, "{word:?}");
        assert_eq!((records[0].outcome, records[0].delivery), (OutcomeKind::Cancelled, Delivery::Unknown));
        let attempts = records[0].attempts.attempts();
        assert_eq!((attempts.len(), attempts[0].failed.as_deref()), (1, Some("CANCELLED")), "{word:?}");
        server.client_closed().await.unwrap();
        // Were it repeated behind its caller's back, this one would not be the second.
        assert!(client.call_tool("x").send().await.is_ok());
        let ids: Vec<_> =
            server.requests().iter().map(|request| request.json().unwrap()["id"].clone()).collect();
        assert_eq!(ids, [json!(1), json!(2)], "{word:?}");
    }
}
