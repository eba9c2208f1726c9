//! Redirects: within the origin those that keep the method are followed, each a POST that counts.

mod origin;

use std::time::Duration;

use mcp_client::{CallRecord, Delivery, OutcomeKind, ToolOutcome, error::TransportErrorKind};
use mcp_tests::{FaultServer, RawRequest, Reply, Step};

use crate::fault::{
    ANSWER, Ended, assert_ended, call, good, http_error, in_time, only_calls, rpc_error, serve, still_usable,
    transport_error,
};

/// No call of these tests takes that long.
const LONG: Duration = Duration::from_secs(15);

fn to(status: u16, location: &str) -> Reply {
    Reply::status(status).header("Location", location)
}

/// All requests of one call, in order, after the checks that they are the same request again: the body byte for byte,
/// and every header.
#[track_caller]
fn same_request(server: &FaultServer, count: usize) -> Vec<String> {
    let requests: Vec<RawRequest> = server.requests();
    assert_eq!(requests.len(), count, "{requests:#?}");
    for request in &requests {
        assert_eq!(request.body, requests[0].body);
        assert_eq!(request.headers, requests[0].headers);
    }
    requests.iter().map(|request| request.request_line().to_owned()).collect()
}

/// A success after those redirects.
#[track_caller]
fn assert_followed<'a>(what: &str, ended: &'a Ended, statuses: &[u16]) -> &'a CallRecord {
    let posts: Vec<Option<u16>> = statuses.iter().copied().map(Some).collect();
    let record = assert_ended(&what, ended, OutcomeKind::ToolSuccess, Delivery::Answered, &posts);
    assert_eq!(record.post_count(), statuses.len(), "{what}");
    assert_eq!(record.attempts.attempts().len(), 1, "{what}: one attempt, however many hops");
    let line: serde_json::Value = serde_json::from_str(&record.to_json()).unwrap();
    assert_eq!(line["postCount"], statuses.len(), "{what}");
    assert_eq!(line["httpStatuses"], serde_json::json!(statuses), "{what}");
    record
}

#[tokio::test]
async fn redirects_within_the_origin_are_followed_with_the_same_request() {
    for (location, line) in [
        ("/other", "POST /other HTTP/1.1"),
        ("other", "POST /other HTTP/1.1"),
        ("./mcp/", "POST /mcp/ HTTP/1.1"),
        ("?v=2", "POST /mcp?v=2 HTTP/1.1"),
        ("/a%20b?c=%2F#fragment", "POST /a%20b?c=%2F HTTP/1.1"),
        ("../../up", "POST /up HTTP/1.1"),
    ] {
        for status in [307, 308] {
            let server = FaultServer::start([to(status, location), good()]).await.unwrap();
            let builder = crate::support::once(&server.url()).bearer_token("secret").header("X-Own", "1");
            let client = builder.build().unwrap();
            let call = client.call_tool("odd name: ø").header("X-Call", "2").meta("com.example/a", 1);
            let ended = in_time(call.arguments(serde_json::json!({ "a": 1.5 })).send()).await;
            assert_followed(location, &ended, &[status, 200]);
            assert_eq!(same_request(&server, 2), ["POST /mcp HTTP/1.1", line]);
            let request = &server.requests()[1];
            assert_eq!(request.header("authorization"), Some("Bearer secret"));
            assert_eq!((request.header("x-own"), request.header("x-call")), (Some("1"), Some("2")));
            assert_eq!(request.json().unwrap()["params"]["arguments"]["a"], 1.5);
            // One connection: a redirect without a body costs nothing.
            assert_eq!(server.connections(), 1, "{location}");
        }
    }
}

#[tokio::test]
async fn at_most_three_redirects_are_followed() {
    let hops = [to(307, "/1"), to(308, "/2"), to(307, "/3")];
    let (server, client) = serve([hops.to_vec(), vec![good()]].concat()).await;
    assert_followed("three", &call(&client).await, &[307, 308, 307, 200]);
    let lines = ["POST /mcp HTTP/1.1", "POST /1 HTTP/1.1", "POST /2 HTTP/1.1", "POST /3 HTTP/1.1"];
    assert_eq!(same_request(&server, 4), lines);

    let (server, client) = serve([hops.to_vec(), vec![to(308, "/4"), good()]].concat()).await;
    let ended = call(&client).await;
    let posts = [Some(307), Some(308), Some(307), Some(308)];
    assert_ended(&"four", &ended, OutcomeKind::HttpError, Delivery::Refused, &posts);
    assert_eq!((http_error(&ended).status(), http_error(&ended).header("location")), (308, Some("/4")));
    assert_eq!(same_request(&server, 4), lines);
    still_usable(&"four", &client).await;
}

#[tokio::test]
async fn a_redirect_loop_ends() {
    for location in ["/mcp", "", "?", "mcp"] {
        let (server, client) = serve([to(307, location)]).await;
        let ended = call(&client).await;
        assert_ended(&location, &ended, OutcomeKind::HttpError, Delivery::Refused, &[Some(307); 4]);
        assert_eq!(ended.unwrap_err().http_status(), Some(307));
        same_request(&server, 4);
    }
}

/// Those that change the method, or are no redirects at all.
#[tokio::test]
async fn other_redirects_are_answers_of_their_own() {
    for status in [300, 301, 302, 303, 304, 305, 306, 310, 399] {
        let (server, client) = serve([to(status, "/other"), good()]).await;
        let ended = call(&client).await;
        assert_ended(&status, &ended, OutcomeKind::HttpError, Delivery::Refused, &[Some(status)]);
        assert_eq!(http_error(&ended).status(), status);
        still_usable(&status, &client).await;
        only_calls(&server, 2);
    }
}

/// What stands at the end of a redirect is an answer like any other.
#[tokio::test]
async fn what_a_redirect_leads_to_is_read_as_always() {
    let hop = || to(307, "/other");
    let (_server, client) = serve([hop(), Reply::sse(&[ANSWER])]).await;
    assert_eq!(assert_followed("a stream", &call(&client).await, &[307, 200]).sse.unwrap().events, 1);

    let (_server, client) = serve([hop(), Reply::json(404, "gone"), good()]).await;
    let ended = call(&client).await;
    assert_ended(&"an error", &ended, OutcomeKind::HttpError, Delivery::Refused, &[Some(307), Some(404)]);
    assert_eq!(http_error(&ended).excerpt(), "gone");
    still_usable(&"an error", &client).await;

    let error = r#"{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32601,"message":"no"}}"#;
    let (_server, client) = serve([hop(), Reply::json(200, error), good()]).await;
    let ended = call(&client).await;
    assert_ended(&"JSON-RPC", &ended, OutcomeKind::JsonrpcError, Delivery::Answered, &[Some(307), Some(200)]);
    assert_eq!(rpc_error(&ended).code(), -32601);

    let asks = r#"{"jsonrpc":"2.0","id":{{id}},"result":{"resultType":"input_required","requestState":"s"}}"#;
    let (server, client) = serve([hop(), Reply::json(200, asks), good()]).await;
    let ended = call(&client).await;
    assert_ended(&"asks", &ended, OutcomeKind::InputRequired, Delivery::Answered, &[Some(307), Some(200)]);
    let Ok(ToolOutcome::InputRequired(asked)) = ended else { panic!("input required") };
    let output = in_time(asked.resume()).await.unwrap().into_success().unwrap();
    // The next round starts at the URL of the client again.
    assert_eq!(output.record().posts, [Some(200)]);
    assert_eq!(server.requests()[2].request_line(), "POST /mcp HTTP/1.1");
}

#[tokio::test]
async fn a_redirect_to_nothing_may_have_run() {
    for step in [Step::Close, Step::Reset] {
        let (server, client) = serve([to(307, "/other"), Reply::steps([step.clone()]), good()]).await;
        let ended = call(&client).await;
        assert_ended(&step, &ended, OutcomeKind::TransportError, Delivery::Unknown, &[Some(307), None]);
        assert_eq!(transport_error(&ended).kind(), TransportErrorKind::Broken);
        still_usable(&step, &client).await;
        assert_eq!(server.requests().len(), 3);
    }
}

#[tokio::test]
async fn the_time_limit_is_one_of_all_hops_together() {
    // The next limit is tried where a busy machine did not do a hop within the one before.
    for limit in [1, 4, 12].map(Duration::from_secs) {
        let slow = || Reply::steps([Step::Pause(limit * 2 / 5), Step::write(REDIRECT), Step::KeepAlive]);
        let (server, client) = serve([slow(), slow(), slow(), slow()]).await;
        let ended = in_time(client.call_tool("x").timeout(limit).send()).await;
        // No hop alone takes that long. How many were done by then depends on the machine.
        let posts = crate::support::record(&ended).posts.clone();
        let record = assert_ended(&"slow", &ended, OutcomeKind::Timeout, Delivery::Unknown, &posts);
        assert_eq!(record.posts.last(), Some(&None), "{posts:?}");
        assert!(record.duration < LONG, "took {:?}", record.duration);
        server.client_closed().await.unwrap();
        if posts.len() > 1 {
            return;
        }
    }
    panic!("no hop was ever done");
}

const REDIRECT: &str = "HTTP/1.1 307 Temporary Redirect\r\nLocation: /mcp\r\nContent-Length: 0\r\n\r\n";

/// The body of a redirect is of no interest, however long it is.
#[tokio::test]
async fn the_body_of_a_redirect_is_not_waited_for() {
    for body in ["", "moved", &"x".repeat(1 << 20)] {
        let endless = Reply::json(307, body.to_owned()).header("Location", "/other").unfinished();
        let (server, client) = serve([endless.then(Step::AwaitClientClose), good()]).await;
        let ended = call(&client).await;
        let record = assert_followed("endless", &ended, &[307, 200]);
        assert!(record.duration < LONG, "took {:?}", record.duration);
        server.client_closed().await.unwrap();
        same_request(&server, 2);
    }
}
