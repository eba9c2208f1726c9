//! What the answer on a stream may be, and that it ends the call at once.

use std::time::Duration;

use mcp_client::{
    Delivery, OutcomeKind, ToolOutcome,
    error::{EnvelopeFault, ProtocolFault},
    record::{CloseCause, Note},
    types::RequestId,
};
use mcp_tests::{Reply, Step};

use super::FOREIGN;
use crate::{
    fault::{
        ANSWER, Ended, NOTIFICATION, assert_ended, call, http_error, only_calls, protocol_error, rpc_error,
        serve_once, still_usable,
    },
    support::record,
};

/// Plays one reply whose answer ends the call while the stream stays open: the call must not wait for its end.
async fn ends_at_once(what: &str, events: &[&str]) -> Ended {
    let (server, client) = serve_once(Reply::sse(events).unfinished().then(Step::AwaitClientClose)).await;
    let ended = call(&client).await;
    let record = record(&ended);
    assert!(record.duration < Duration::from_secs(5), "{what}: took {:?}", record.duration);
    server.client_closed().await.unwrap_or_else(|error| panic!("{what}: {error}"));
    still_usable(&what, &client).await;
    only_calls(&server, 2);
    ended
}

#[tokio::test]
async fn an_answer_to_our_id_ends_the_call_at_once_even_if_it_is_none() {
    use EnvelopeFault as F;
    for (message, fault) in [
        (r#"{"jsonrpc":"2.0","id":"1","result":{"content":[]}}"#, F::IdType),
        (r#"{"jsonrpc":"2.0","id":"1","error":{"code":1,"message":"m"}}"#, F::IdType),
        (r#"{"id":1,"result":{"content":[]}}"#, F::Version),
        (r#"{"jsonrpc":"1.0","id":1,"result":{"content":[]}}"#, F::Version),
        (r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"m"}}"#, F::ResultAndError),
        (r#"{"jsonrpc":"2.0","id":1,"result":{},"error":null}"#, F::ResultAndError),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":"1","message":"m"}}"#, F::InvalidError),
        (r#"{"jsonrpc":"2.0","id":1,"error":null}"#, F::InvalidError),
        (r#"{"jsonrpc":"2.0","id":1,"result":{},"result":{}}"#, F::DuplicateMember("result")),
    ] {
        let ended = ends_at_once(message, &[NOTIFICATION, message]).await;
        let record =
            assert_ended(&message, &ended, OutcomeKind::InvalidEnvelope, Delivery::Unknown, &[Some(200)]);
        let error = protocol_error(&ended);
        assert_eq!(error.fault(), &ProtocolFault::InvalidEnvelope(fault), "{message}");
        assert_eq!(error.excerpt(), message);
        let sse = record.sse.unwrap();
        assert_eq!((sse.events, sse.terminal_response), (2, false), "{message}");
        assert_eq!(sse.close_cause, Some(CloseCause::Refused), "{message}");
    }
}

#[tokio::test]
async fn c_39_the_answer_on_a_stream_may_be_an_error() {
    for (message, id, notes) in [
        (
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no","data":{"a":1e400}}}"#,
            Some(1),
            vec![],
        ),
        (
            r#"{"jsonrpc":"2.0","id":1.0,"error":{"code":-32602,"message":"no","data":{"a":1e400}}}"#,
            Some(1),
            vec![],
        ),
        // An error without an id belongs to the exchange that it came in.
        (
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"no","data":{"a":1e400}}}"#,
            None,
            vec![Note::MissingErrorId],
        ),
        (
            r#"{"jsonrpc":"2.0","error":{"code":-32602,"message":"no","data":{"a":1e400}}}"#,
            None,
            vec![Note::MissingErrorId],
        ),
    ] {
        let ended = ends_at_once(message, &[FOREIGN, message]).await;
        let record =
            assert_ended(&message, &ended, OutcomeKind::JsonrpcError, Delivery::Answered, &[Some(200)]);
        let error = rpc_error(&ended);
        assert_eq!((error.code(), error.message()), (-32602, "no"), "{message}");
        assert_eq!(error.data().unwrap().get(), r#"{"a":1e400}"#, "{message}");
        assert_eq!(error.id(), id.map(RequestId::Number).as_ref(), "{message}");
        assert_eq!((record.error_code, &record.notes), (Some(-32602), &notes), "{message}");
        let sse = record.sse.unwrap();
        assert_eq!((sse.events, sse.skipped, sse.terminal_response), (2, 1, true), "{message}");
        assert_eq!(sse.close_cause, Some(CloseCause::Answered), "{message}");
    }
}

#[tokio::test]
async fn a_parse_error_without_an_id_ends_the_stream() {
    let message = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#;
    let ended = ends_at_once(message, &[message]).await;
    assert_ended(&message, &ended, OutcomeKind::JsonrpcError, Delivery::Answered, &[Some(200)]);
    assert_eq!(ended.unwrap_err().rpc_code(), Some(-32700));
}

#[tokio::test]
async fn the_answer_on_a_stream_may_be_anything_that_a_json_answer_may_be() {
    let response = |result: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#);
    let tool_error =
        response(r#"{"resultType":"complete","content":[{"type":"text","text":"no"}],"isError":true}"#);
    let ended = ends_at_once("a tool error", &[&tool_error]).await;
    assert_ended(&"a tool error", &ended, OutcomeKind::ToolError, Delivery::Answered, &[Some(200)]);

    let asks = response(r#"{"resultType":"input_required","requestState":"s"}"#);
    let ended = ends_at_once("input", &[&asks]).await;
    assert_ended(&"input", &ended, OutcomeKind::InputRequired, Delivery::Answered, &[Some(200)]);
    let Ok(ToolOutcome::InputRequired(asked)) = ended else { panic!("input required") };
    assert!(asked.record().sse.is_some());

    for result in [r#"{"resultType":"complete","content":"x"}"#, r#"{"resultType":"later"}"#, "[]", "null"] {
        let message = response(result);
        let ended = ends_at_once(result, &[NOTIFICATION, &message]).await;
        let record =
            assert_ended(&result, &ended, OutcomeKind::InvalidToolResult, Delivery::Unknown, &[Some(200)]);
        assert_eq!(protocol_error(&ended).excerpt(), message);
        assert_eq!(record.sse.unwrap().close_cause, Some(CloseCause::Answered));
    }
}

#[tokio::test]
async fn c_01_on_another_status_a_stream_is_only_a_body() {
    for status in [400, 404, 429, 500, 503] {
        let body = format!("event: message\ndata: {ANSWER}\n\n");
        let reply =
            Reply::json(status, body).header("Content-Type", "text/event-stream").header("Retry-After", "3");
        let (server, client) = serve_once(reply).await;
        let ended = call(&client).await;
        let delivery = if status < 500 { Delivery::Refused } else { Delivery::Unknown };
        let record = assert_ended(&status, &ended, OutcomeKind::HttpError, delivery, &[Some(status)]);
        assert_eq!(record.sse, None);
        let error = http_error(&ended);
        assert_eq!(error.status(), status);
        assert_eq!(error.retry_after(), Some(Duration::from_secs(3)));
        assert!(error.excerpt().starts_with("event: message\ndata: "), "{}", error.excerpt());
        still_usable(&status, &client).await;
        only_calls(&server, 2);
    }
}
