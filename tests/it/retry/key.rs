//! Idempotency keys: one place, one value, on all attempts and rounds of a call, and shown to nobody else.

use mcp_client::{
    CallError, CallToolBuilder, Client, ElicitAnswer, IdempotencyKey, InputKinds, OutcomeKind, SuspendedCall,
    ToolOutcome,
    error::InvalidKind,
    retry::{Constant, Retry},
};
use mcp_tests::{FaultServer, Kitchen, Reply};
use serde_json::{Value, json};

use super::{Act, GOOD, Play, Told, WAIT, plain, quick};
use crate::support::record;

const META: &str = "com.example/idempotencyKey";
const SECRET: &str = "k-4f9a-secret";

fn in_argument(pointer: &str) -> IdempotencyKey {
    IdempotencyKey::in_argument(pointer).value(SECRET)
}

fn in_meta(name: &str) -> IdempotencyKey {
    IdempotencyKey::in_meta(name).value(SECRET)
}

#[tokio::test]
async fn a_place_that_cannot_be_is_refused_before_the_wire() {
    let server = FaultServer::start([Reply::json(200, GOOD)]).await.unwrap();
    let told = Told::default();
    let client = plain(&server.url()).observer(told.clone()).build().unwrap();
    let call = || {
        client.call_tool("pay").arguments(json!({ "n": 7, "o": { "x": null }, "list": [{}], "s": "text" }))
    };
    let rows = [
        // Taken: also by null, and by a value that happens to be the same.
        ("taken", call().idempotency_key(in_argument("/n")), InvalidKind::Arguments),
        ("taken by null", call().idempotency_key(in_argument("/o/x")), InvalidKind::Arguments),
        ("taken by an object", call().idempotency_key(in_argument("/o")), InvalidKind::Arguments),
        (
            "taken by itself",
            client.call_tool("pay").arguments(json!({ "id": SECRET })).idempotency_key(in_argument("/id")),
            InvalidKind::Arguments,
        ),
        ("taken in _meta", call().meta(META, 1).idempotency_key(in_meta(META)), InvalidKind::MetaKey),
        ("taken in _meta later", call().idempotency_key(in_meta(META)).meta(META, 1), InvalidKind::MetaKey),
        // In what is no object.
        ("in a number", call().idempotency_key(in_argument("/n/id")), InvalidKind::Arguments),
        ("in null", call().idempotency_key(in_argument("/o/x/id")), InvalidKind::Arguments),
        ("in a list", call().idempotency_key(in_argument("/list/0")), InvalidKind::Arguments),
        ("at the end of a list", call().idempotency_key(in_argument("/list/-")), InvalidKind::Arguments),
        ("in a string", call().idempotency_key(in_argument("/s/id")), InvalidKind::Arguments),
        // No pointer to a member.
        ("no pointer", call().idempotency_key(in_argument("id")), InvalidKind::Arguments),
        ("the whole", call().idempotency_key(in_argument("")), InvalidKind::Arguments),
        ("a wrong escape", call().idempotency_key(in_argument("/a~2b")), InvalidKind::Arguments),
        ("half an escape", call().idempotency_key(in_argument("/a~")), InvalidKind::Arguments),
        // Names that are not the caller's.
        ("reserved", call().idempotency_key(in_meta("io.modelcontextprotocol/key")), InvalidKind::MetaKey),
        ("reserved too", call().idempotency_key(in_meta("dev.mcp/key")), InvalidKind::MetaKey),
        ("the client's", call().idempotency_key(in_meta("progressToken")), InvalidKind::MetaKey),
        ("malformed", call().idempotency_key(in_meta("1a/b")), InvalidKind::MetaKey),
    ];
    let count = rows.len();
    for (what, call, kind) in rows {
        let outcome = call.send().await;
        assert_eq!(record(&outcome).outcome, OutcomeKind::InvalidCall, "{what}");
        assert_eq!(
            (record(&outcome).post_count(), record(&outcome).attempts.attempts().len()),
            (0, 0),
            "{what}"
        );
        let error = outcome.unwrap_err();
        let CallError::Invalid(refusal) = &error else { panic!("{what}: {error:?}") };
        assert_eq!(refusal.kind(), kind, "{what}: {error}");
        let said = format!("{error} {error:?} {}", error.record().unwrap().to_json());
        assert!(!said.contains(SECRET), "{what}: {said}");
    }
    assert_eq!(server.connections(), 0, "zero POSTs");
    assert_eq!(told.records().len(), count);
    // What is wrong with the call otherwise is told first, and a good place is good beside the bad ones.
    assert!(call().idempotency_key(in_argument("/o/id")).send().await.is_ok());
    let body = server.requests()[0].json().unwrap();
    assert_eq!(body["params"]["arguments"]["o"], json!({ "x": null, "id": SECRET }));
}

/// The last key is the call's: there is one.
#[tokio::test]
async fn a_second_key_replaces_the_first() {
    let play = Play::new([Act::good()]);
    let client = play.client().build().unwrap();
    let call = client.call_tool("pay").idempotency_key(in_meta(META)).idempotency_key(in_argument("/id"));
    assert!(call.send().await.is_ok());
    assert_eq!(play.bodies()[0]["params"]["arguments"], json!({ "id": SECRET }));
    assert_eq!(play.bodies()[0]["params"]["_meta"].get(META), None);
}

/// Each attempt is another request with the same bytes but for its id.
#[tokio::test(start_paused = true)]
async fn the_key_is_the_same_bytes_on_ten_attempts() {
    type Put = (fn(CallToolBuilder) -> CallToolBuilder, &'static str);
    let puts: [Put; 2] = [
        (
            |call| call.idempotency_key(IdempotencyKey::in_argument("/a~1b/~0").generate()),
            "/params/arguments/a~1b/~0",
        ),
        (
            |call| call.idempotency_key(IdempotencyKey::in_meta(META).generate()),
            "/params/_meta/com.example~1idempotencyKey",
        ),
    ];
    for (put, pointer) in puts {
        let play = Play::new([Act::status(503)]);
        let retry = Retry::builder().backoff(Constant(WAIT)).max_attempts(10).build();
        let client = play.client().retry(retry).build().unwrap();
        let call = put(client.call_tool("pay").arguments(json!({ "n": 1.0 })));
        assert!(call.send().await.is_err());
        let mut bodies = play.bodies();
        assert_eq!(bodies.len(), 10);
        let key = bodies[0].pointer(pointer).unwrap().as_str().unwrap().to_owned();
        let raw = play.transport.sent();
        for (index, body) in bodies.iter_mut().enumerate() {
            assert_eq!(body["id"].take(), json!(index + 1));
            assert_eq!(String::from_utf8_lossy(&raw[index]).matches(&key).count(), 1);
        }
        assert!(bodies.iter().all(|body| *body == bodies[0]), "{bodies:?}");
    }
}

/// Answers what it is asked, by one client, or by another one that restores the call.
async fn approve(
    kitchen: &Kitchen,
    restored: bool,
    put: impl Fn(CallToolBuilder) -> CallToolBuilder,
) -> String {
    kitchen.switch("elicitation.approval", json!({})).unwrap();
    kitchen.clear_log();
    let client =
        || plain(&kitchen.url()).accept_input(InputKinds::FORM).retry(quick().build()).build().unwrap();
    let first: Client = client();
    let outcome = put(first.call_tool("run_configured_test_scenario")).send().await.unwrap();
    let ToolOutcome::InputRequired(mut asked) = outcome else { panic!("{outcome:?}") };
    let mut shown = vec![format!("{asked:?}")];
    if restored {
        let stored = serde_json::to_string(&asked.suspend()).unwrap();
        shown.push(format!("{:?}", asked.suspend()));
        let suspended: SuspendedCall = serde_json::from_str(&stored).unwrap();
        shown.push(format!("{suspended:?}"));
        asked = client().restore(suspended).unwrap();
    }
    let key: Vec<String> = asked.unanswered().map(str::to_owned).collect();
    asked.answer(&key[0], ElicitAnswer::accept(&json!({ "reason": "r" })).unwrap()).unwrap();
    // The second round is answered 503 first.
    kitchen.switch("errors.http_status_sequence", json!({ "statusCodes": [503, 200] })).unwrap();
    shown.push(format!("{asked:?}"));
    let ended = asked.resume().await;
    assert_eq!(record(&ended).outcome, OutcomeKind::ToolSuccess, "{ended:?}");
    assert_eq!(record(&ended).http_statuses().collect::<Vec<_>>(), [503, 200], "a keyed call is repeated");
    shown.push(format!("{ended:?} {}", record(&ended).to_json()));
    shown.concat()
}

#[tokio::test]
async fn the_key_is_the_same_in_all_rounds_and_after_a_suspension() {
    let kitchen = Kitchen::start().await.unwrap();
    for restored in [false, true] {
        for (key, pointer) in [
            (IdempotencyKey::in_argument("/order/id").generate(), "/params/arguments/order/id"),
            (IdempotencyKey::in_meta(META).generate(), "/params/_meta/com.example~1idempotencyKey"),
        ] {
            let value = key.value().to_owned();
            let put = |call: CallToolBuilder| {
                call.arguments(json!({ "order": { "n": 1 } })).idempotency_key(key.clone())
            };
            let shown = approve(&kitchen, restored, put).await;
            let posts = kitchen.posts();
            let keys: Vec<_> = posts.iter().map(|post| post.at(pointer).cloned()).collect();
            assert_eq!(keys, vec![Some(json!(value)); 3], "{restored}");
            let statuses: Vec<_> = posts.iter().map(|post| post.status).collect();
            assert_eq!(statuses, [Some(200), Some(503), Some(200)]);
            assert!(posts[1].at("/params/inputResponses").is_some());
            assert_eq!(posts[1].at("/params/inputResponses"), posts[2].at("/params/inputResponses"));
            assert!(!shown.contains(&value), "{shown}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_key_is_in_no_debug_output() {
    let script = [Act::status(503), Act::Http(200, vec![], "{ not JSON")];
    for key in [in_argument("/id"), in_meta(META)] {
        let play = Play::new(script.clone());
        let told = Told::default();
        let client = play.client().observer(told.clone()).retry(quick().build()).build().unwrap();
        let call = client.call_tool("pay").idempotency_key(key.clone());
        let mut shown = vec![format!("{key:?} {call:?} {client:?}")];
        let error = call.send().await.unwrap_err();
        assert_eq!((error.outcome(), play.count()), (OutcomeKind::MalformedJson, 2));
        shown.push(format!("{error} {error:?} {error:#?} {}", error.for_model()));
        shown.push(format!("{:?} {}", told.records(), told.records()[0].to_json()));
        let shown = shown.concat();
        assert!(!shown.contains(SECRET), "{shown}");
        // It went where it should, so there was something to show.
        let sent: Vec<Value> = play.bodies();
        assert!(sent.iter().all(|body| body.to_string().contains(SECRET)));
    }
}
