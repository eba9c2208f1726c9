//! The message itself: parameters, `_meta`, arguments byte for byte, and ids.

use std::collections::{BTreeMap, HashSet};

use futures_util::future::join_all;
use mcp_client::{
    Client, ClientBuilder, ElicitAnswer, InputKinds, ToolOutcome,
    error::InvalidKind,
    types::{Implementation, RawJson},
};
use mcp_tests::{FaultServer, Kitchen, Reply};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::assert_refused;
use crate::fault::{assert_good, call, good, in_time, only_calls, serve, still_usable};

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const INFO: &str = "io.modelcontextprotocol/clientInfo";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// The body of the last request.
fn last(server: &FaultServer) -> Value {
    server.requests().last().unwrap().json().unwrap()
}

fn last_text(server: &FaultServer) -> String {
    String::from_utf8(server.requests().last().unwrap().body.to_vec()).unwrap()
}

#[tokio::test]
async fn a_plain_call_is_this_message() {
    let (server, client) = serve([good()]).await;
    still_usable(&"plain", &client).await;
    let expected = json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {
            "name": "x",
            "_meta": {
                VERSION: "2026-07-28",
                INFO: { "name": "mcp-client", "version": env!("CARGO_PKG_VERSION") },
                CAPABILITIES: {},
            },
        },
    });
    assert_eq!(last(&server), expected);
    assert!(!last_text(&server).contains('\n'), "one line");
}

async fn meta_of(set_up: impl FnOnce(ClientBuilder) -> ClientBuilder) -> Value {
    let server = FaultServer::start([good()]).await.unwrap();
    let client = set_up(crate::support::once(&server.url())).build().unwrap();
    still_usable(&"meta", &client).await;
    last(&server)["params"]["_meta"].clone()
}

#[tokio::test]
async fn the_client_names_itself_unless_it_must_not() {
    let meta = meta_of(|builder| builder.client_info(Implementation::new("my agent ü", "1.2.0-rc.1"))).await;
    assert_eq!(meta[INFO], json!({ "name": "my agent ü", "version": "1.2.0-rc.1" }));
    let meta = meta_of(ClientBuilder::without_client_info).await;
    assert_eq!(meta, json!({ VERSION: "2026-07-28", CAPABILITIES: {} }));
}

#[tokio::test]
async fn capabilities_are_those_of_the_client_or_of_the_call() {
    let both = InputKinds::FORM | InputKinds::URL;
    let all = both | InputKinds::SAMPLING | InputKinds::ROOTS;
    for (kinds, expected) in [
        (InputKinds::NONE, json!({})),
        (InputKinds::FORM, json!({ "elicitation": { "form": {} } })),
        (InputKinds::URL, json!({ "elicitation": { "url": {} } })),
        (both, json!({ "elicitation": { "form": {}, "url": {} } })),
        (InputKinds::SAMPLING, json!({ "sampling": {} })),
        (InputKinds::ROOTS, json!({ "roots": {} })),
        (all, json!({ "elicitation": { "form": {}, "url": {} }, "sampling": {}, "roots": {} })),
    ] {
        let meta = meta_of(|builder| builder.accept_input(kinds)).await;
        assert_eq!(meta[CAPABILITIES], expected, "{kinds:?}");
        // A call declares its own, more or fewer, and leaves the client's as they are.
        for of_client in [InputKinds::NONE, InputKinds::URL, all] {
            let server = FaultServer::start([good()]).await.unwrap();
            let client = crate::support::once(&server.url()).accept_input(of_client).build().unwrap();
            assert_good(&kinds, &in_time(client.call_tool("x").accept_input(kinds).send()).await);
            assert_eq!(
                last(&server)["params"]["_meta"][CAPABILITIES],
                expected,
                "{kinds:?} over {of_client:?}"
            );
            assert_eq!(last(&server)["params"]["_meta"][INFO]["name"], "mcp-client");
            assert_eq!(client.accepted_input(), of_client);
        }
    }
}

#[tokio::test]
async fn meta_of_the_callers_stands_beside_that_of_the_protocol() {
    let (server, client) = serve([good()]).await;
    let call = client
        .call_tool("x")
        .meta("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
        .meta("com.example/list", [1, 2])
        .meta("com.example/a", "first")
        .meta("com.example/a", "last")
        .meta("plain", Option::<u8>::None);
    assert_good(&"own meta", &in_time(call.send()).await);
    let meta = last(&server)["params"]["_meta"].clone();
    assert_eq!(meta["traceparent"], "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
    assert_eq!(meta["com.example/list"], json!([1, 2]));
    assert_eq!((&meta["com.example/a"], &meta["plain"]), (&json!("last"), &Value::Null));
    assert_eq!(meta[VERSION], "2026-07-28");
    assert_eq!(meta[CAPABILITIES], json!({}));
    assert_eq!(meta.as_object().unwrap().len(), 7);
    assert_eq!(last_text(&server).matches("com.example/a").count(), 1, "no member twice");
}

#[tokio::test]
async fn meta_keys_of_the_protocol_and_malformed_ones_are_refused() {
    let (server, client) = serve([good()]).await;
    for key in [
        VERSION,
        INFO,
        CAPABILITIES,
        "progressToken",
        "io.modelcontextprotocol/anything",
        "dev.mcp/x",
        "com.mcp.tools/x",
        "org.modelcontextprotocol.api/x",
        "/x",
        "a..b/x",
        "1a/x",
        "a-/x",
        "-x",
        "x-",
        "a b",
        "ü",
        "a/b/c",
    ] {
        let ended = in_time(client.call_tool("x").meta(key, "secret").send()).await;
        assert_refused(key, &ended, InvalidKind::MetaKey);
        assert!(!format!("{ended:?}").contains("secret"));
    }
    let ended = in_time(client.call_tool("x").meta("com.example/a", Unserializable).send()).await;
    assert_refused("a value that fails", &ended, InvalidKind::MetaKey);
    assert_eq!(server.connections(), 0);
}

struct Unserializable;

impl Serialize for Unserializable {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("not today"))
    }
}

/// Raw arguments go out as they were written: no number loses a digit, no member its place.
#[tokio::test]
async fn arguments_go_out_byte_for_byte() {
    let (server, client) = serve([good()]).await;
    for text in [
        "{}",
        r#"{"n":12345678901234567890123456789.000000000000000000001}"#,
        r#"{"n":9007199254740993,"m":-0.0,"e":1E300,"s":1e-7}"#,
        r#"{"z":1,"a":2,"z2":{"b":1,"a":[]}}"#,
        r#"{ "spaced" : [ 1 , 2 ] }"#,
        r#"{"escaped":"\u00fc\/\n","raw":"ü🦀"}"#,
        r#"{"a":null,"b":[null]}"#,
        r#"{"a":1,"a":2}"#,
        r#"{"id":7,"jsonrpc":"1.0","method":"x"}"#,
    ] {
        let arguments = RawJson::from_text(text.to_owned()).unwrap();
        assert_good(&text, &in_time(client.call_tool("x").arguments(arguments).send()).await);
        assert!(
            last_text(&server).contains(&format!(r#""arguments":{text}"#)),
            "{text}: {}",
            last_text(&server)
        );
    }
}

#[derive(Serialize)]
struct Args {
    city: &'static str,
    big: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    absent: Option<u8>,
    null: Option<u8>,
}

#[tokio::test]
async fn anything_that_is_an_object_may_be_the_arguments() {
    let (server, client) = serve([good()]).await;
    let args = Args { city: "Köln", big: u64::MAX, absent: None, null: None };
    assert_good(&"struct", &in_time(client.call_tool("x").arguments(&args).send()).await);
    let expected = r#""arguments":{"city":"Köln","big":18446744073709551615,"null":null}"#;
    assert!(last_text(&server).contains(expected), "{}", last_text(&server));
    let map = BTreeMap::from([("a", 1), ("b", 2)]);
    assert_good(&"map", &in_time(client.call_tool("x").arguments(map).send()).await);
    assert_eq!(last(&server)["params"]["arguments"], json!({ "a": 1, "b": 2 }));
    // The last ones given are the ones that are sent.
    let call = client.call_tool("x").arguments(json!({ "a": 1 })).arguments(json!({ "b": 2 }));
    assert_good(&"twice", &in_time(call.send()).await);
    assert_eq!(last(&server)["params"]["arguments"], json!({ "b": 2 }));
}

#[tokio::test]
async fn no_arguments_and_empty_arguments_differ() {
    let (server, client) = serve([good()]).await;
    assert_good(&"none", &call(&client).await);
    assert_eq!(last(&server)["params"].get("arguments"), None);
    assert_good(&"empty", &in_time(client.call_tool("x").arguments(json!({})).send()).await);
    assert_eq!(last(&server)["params"]["arguments"], json!({}));
}

#[tokio::test]
async fn arguments_that_are_no_object_are_refused() {
    let (server, client) = serve([good()]).await;
    for value in [json!(null), json!([]), json!([{}]), json!(7), json!("{}"), json!(true)] {
        let ended = in_time(client.call_tool("x").arguments(&value).send()).await;
        assert_refused(&value.to_string(), &ended, InvalidKind::Arguments);
    }
    assert_refused(
        "unit",
        &in_time(client.call_tool("x").arguments(()).send()).await,
        InvalidKind::Arguments,
    );
    let ended = in_time(client.call_tool("x").arguments(Unserializable).send()).await;
    assert_refused("fails", &ended, InvalidKind::Arguments);
    let source = std::error::Error::source(ended.as_ref().unwrap_err()).unwrap().to_string();
    assert_eq!(source, "not today");
    let keys = BTreeMap::from([((1, 2), 3)]);
    assert_refused(
        "keys",
        &in_time(client.call_tool("x").arguments(keys).send()).await,
        InvalidKind::Arguments,
    );
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn ids_are_small_integers_and_never_used_twice() {
    let (server, client) = serve([good()]).await;
    let clones: Vec<Client> = (0..40).map(|_| client.clone()).collect();
    for ended in join_all(clones.iter().map(call)).await {
        assert_good(&"at once", &ended);
    }
    still_usable(&"one more", &client).await;
    let requests = only_calls(&server, 41);
    let ids: HashSet<i32> = requests
        .iter()
        .map(|request| i32::try_from(request.json().unwrap()["id"].as_i64().unwrap()).unwrap())
        .collect();
    assert_eq!(ids, (1..=41).collect());
}

/// C-46: a round is a request of its own, with a new id, the original parameters, and what was given.
#[tokio::test]
async fn c_46_a_resumed_call_is_the_same_request_with_the_answers() {
    let state = "  opaque \u{1F980} \\u0041 \"quoted\" ";
    let form = json!({ "method": "elicitation/create", "params": {
        "mode": "form", "message": "?", "requestedSchema": { "type": "object", "properties": {} },
    }});
    let asks =
        json!({ "resultType": "input_required", "inputRequests": { "k": form }, "requestState": state });
    let again = json!({ "resultType": "input_required", "inputRequests": { "other": form } });
    let reply = |result: &Value| {
        Reply::json(200, format!(r#"{{"jsonrpc":"2.0","id":{{{{id}}}},"result":{result}}}"#))
    };
    let (server, client) = serve([reply(&asks), reply(&again), good()]).await;
    let arguments = RawJson::from_text(r#"{"n":1.10,"a":"b"}"#.to_owned()).unwrap();
    let call = client.call_tool("x y").arguments(arguments).meta("com.example/a", 1).header("X-Call", "1");
    let first = in_time(call.accept_input(InputKinds::FORM).send()).await.unwrap();
    let ToolOutcome::InputRequired(mut asked) = first else { panic!("{first:?}") };
    asked.answer("k", ElicitAnswer::accept(&json!({ "reason": "ü" })).unwrap()).unwrap();
    let second = in_time(asked.resume()).await.unwrap();
    let ToolOutcome::InputRequired(mut asked) = second else { panic!("{second:?}") };
    asked.answer("other", ElicitAnswer::decline()).unwrap();
    assert_good(&"third", &in_time(asked.resume()).await);

    let requests = only_calls(&server, 3);
    let bodies: Vec<Value> = requests.iter().map(|request| request.json().unwrap()).collect();
    for (request, body) in requests.iter().zip(&bodies) {
        assert!(std::str::from_utf8(&request.body).unwrap().contains(r#""arguments":{"n":1.10,"a":"b"}"#));
        assert_eq!(body["params"]["_meta"], bodies[0]["params"]["_meta"]);
        assert_eq!(body["params"]["name"], "x y");
        assert_eq!((request.header("mcp-name"), request.header("x-call")), (Some("x y"), Some("1")));
    }
    assert_eq!(bodies[0]["params"].get("inputResponses"), None);
    assert_eq!(
        bodies[1]["params"]["inputResponses"],
        json!({ "k": { "action": "accept", "content": { "reason": "ü" } } })
    );
    assert_eq!(bodies[1]["params"]["requestState"], state);
    // Only the answers of the last round, and no state where none was given.
    assert_eq!(bodies[2]["params"]["inputResponses"], json!({ "other": { "action": "decline" } }));
    assert_eq!(bodies[2]["params"].get("requestState"), None);
}

/// A server that checks header against body, and the members that the protocol asks for, has nothing to complain of.
#[tokio::test]
async fn a_strict_server_accepts_all_of_it() {
    let kitchen = Kitchen::start().await.unwrap();
    let client = crate::support::client(&kitchen.url());
    kitchen.switch("compat.sdk_v2", json!({})).unwrap();
    let call = client.call_tool("show_negotiated_mcp_protocol").meta("com.example/a", 1).header("X-Own", "1");
    let output = in_time(call.send()).await.unwrap().into_success().unwrap();
    let said: Value = serde_json::from_str(&output.text()).unwrap();
    assert_eq!(said["negotiatedProtocolVersion"], "2026-07-28");
    assert_eq!(said["headers"]["Mcp-Method"], "tools/call");
    assert_eq!(said["headers"]["Mcp-Name"], "show_negotiated_mcp_protocol");
    assert_eq!(said["headers"]["Mcp-Session-Id"], Value::Null);
    assert_eq!(kitchen.posts().len(), 1);
}
