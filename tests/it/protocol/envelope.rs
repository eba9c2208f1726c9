//! JSON that is not one JSON-RPC answer to the call.

use mcp_client::{CallError, error::EnvelopeFault as F, record::CloseCause};

use super::{envelope, is_refused};
use crate::stage::{
    Canned, INVALID_ENVELOPE, OK, STREAM_INCOMPLETE, SUCCESS, Stage, failed, notes, protocol_error, response,
};
use crate::support::record;

const ERROR: &str = r#"{"code":1,"message":"m"}"#;

/// Faults that show on a stream too, because the id says that the event is meant for the call.
fn meant_for_the_call() -> Vec<(String, F)> {
    let with = |members: &str| format!(r#"{{"jsonrpc":"2.0","id":{{{{id}}}},{members}}}"#);
    let mut rows = vec![
        (with(&format!(r#""result":{OK},"error":{ERROR}"#)), F::ResultAndError),
        (with(&format!(r#""error":{ERROR},"result":{OK}"#)), F::ResultAndError),
        (with(&format!(r#""result":{OK},"error":null"#)), F::ResultAndError),
        (with(&format!(r#""result":null,"error":{ERROR}"#)), F::ResultAndError),
        (with(r#""result":null,"error":null"#), F::ResultAndError),
        (format!(r#"{{"jsonrpc":"2.0","id":"{{{{id}}}}","result":{OK}}}"#), F::IdType),
        (format!(r#"{{"jsonrpc":"2.0","id":"{{{{id}}}}","error":{ERROR}}}"#), F::IdType),
        (with(&format!(r#""jsonrpc":"2.0","result":{OK}"#)), F::DuplicateMember("jsonrpc")),
        (with(&format!(r#""id":{{{{id}}}},"result":{OK}"#)), F::DuplicateMember("id")),
        (with(&format!(r#""result":{OK},"result":{OK}"#)), F::DuplicateMember("result")),
        (with(&format!(r#""error":{ERROR},"error":{ERROR}"#)), F::DuplicateMember("error")),
        (format!(r#"{{"id":{{{{id}}}},"result":{OK}}}"#), F::Version),
    ];
    for version in [r#""1.0""#, r#""2""#, r#""2.00""#, r#""2.0 ""#, "2.0", "2", "null", "[\"2.0\"]", "true"] {
        rows.push((format!(r#"{{"jsonrpc":{version},"id":{{{{id}}}},"result":{OK}}}"#), F::Version));
        rows.push((format!(r#"{{"jsonrpc":{version},"id":{{{{id}}}},"error":{ERROR}}}"#), F::Version));
    }
    for error in [
        "null",
        "\"text\"",
        "[]",
        "1",
        "true",
        "{}",
        r#"{"code":1}"#,
        r#"{"message":"m"}"#,
        r#"{"code":null,"message":"m"}"#,
        r#"{"code":"1","message":"m"}"#,
        r#"{"code":1.5,"message":"m"}"#,
        r#"{"code":true,"message":"m"}"#,
        r#"{"code":9223372036854775808,"message":"m"}"#,
        r#"{"code":1,"message":null}"#,
        r#"{"code":1,"message":["m"]}"#,
        r#"{"code":1,"message":7}"#,
        r#"{"Code":1,"Message":"m"}"#,
    ] {
        rows.push((with(&format!(r#""error":{error}"#)), F::InvalidError));
    }
    rows
}

#[tokio::test]
async fn c_04_c_06_c_07_an_envelope_with_the_id_of_the_call_and_a_fault_ends_it_at_once() {
    let stage = Stage::new().await;
    for (body, fault) in meant_for_the_call() {
        is_refused(&stage, &body, INVALID_ENVELOPE, &envelope(fault), &[]).await;
    }
}

/// Faults that make an event foreign on a stream: it is skipped and counted, and the answer may still come.
fn foreign_on_a_stream() -> Vec<(String, F)> {
    let mut rows: Vec<(String, F)> = ["null", "true", "false", "-7", "1e999", "\"text\"", "[]", "[1]"]
        .map(|text| (text.to_owned(), F::NotAnObject))
        .to_vec();
    rows.push((format!("[{}]", response(OK)), F::NotAnObject));
    rows.push(("{}".to_owned(), F::Version));
    rows.push((r#"{"error":"invalid_token"}"#.to_owned(), F::Version));
    rows.push((r#"{"jsonrpc":"2.0"}"#.to_owned(), F::NeitherResultNorError));
    rows.push((r#"{"jsonrpc":"2.0","id":{{id}}}"#.to_owned(), F::NeitherResultNorError));
    rows.push((
        r#"{"jsonrpc":"2.0","id":{{id}},"Result":{},"ERROR":{}}"#.to_owned(),
        F::NeitherResultNorError,
    ));
    for id in [
        "99999",
        "-1",
        "0",
        "{{id}}.5",
        "1e19",
        "true",
        "[]",
        "{}",
        "[{{id}}]",
        r#""""#,
        r#""x""#,
        r#"" {{id}}""#,
    ] {
        rows.push((format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{OK}}}"#), F::ForeignId));
        rows.push((format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{ERROR}}}"#), F::ForeignId));
    }
    // A success must say whose it is; only an error may have lost its id.
    rows.push((format!(r#"{{"jsonrpc":"2.0","id":null,"result":{OK}}}"#), F::ForeignId));
    rows.push((format!(r#"{{"jsonrpc":"2.0","result":{OK}}}"#), F::ForeignId));
    rows
}

#[tokio::test]
async fn c_03_c_05_json_that_is_no_answer_to_this_call_is_an_invalid_envelope() {
    let stage = Stage::new().await;
    for (body, fault) in foreign_on_a_stream() {
        let reply = Canned::json(body.as_str());
        let outcome = stage.ends(&reply, INVALID_ENVELOPE).await;
        assert_eq!(notes(&outcome), [""; 0], "{reply:?}");
        let id = record(&outcome).request_id.clone().unwrap().to_string();
        let error = protocol_error(outcome);
        assert_eq!(error.fault(), &envelope(fault), "{reply:?}");
        assert_eq!(error.raw(), body.replace("{{id}}", &id).as_bytes(), "{reply:?}");
        assert_eq!(error.to_string(), format!("the answer is not a JSON-RPC response to this call: {fault}"));
    }
}

#[tokio::test]
async fn c_40_on_a_stream_what_is_not_meant_for_the_call_is_skipped_and_counted() {
    let stage = Stage::new().await;
    for (body, _) in foreign_on_a_stream() {
        let outcome = stage.ends(&Canned::sse(&[&body, &response(OK)]), SUCCESS).await;
        let sse = record(&outcome).sse.unwrap();
        assert_eq!((sse.events, sse.skipped, sse.terminal_response), (2, 1, true), "{body}");

        let outcome = stage.ends(&Canned::sse(&[&body]), STREAM_INCOMPLETE).await;
        let sse = record(&outcome).sse.unwrap();
        assert_eq!((sse.events, sse.skipped, sse.terminal_response), (1, 1, false), "{body}");
        let CallError::Transport(error) = failed(outcome) else { panic!("a transport error") };
        assert_eq!((error.sse_events(), error.sse_skipped()), (Some(1), 1), "{body}");
        assert_eq!(error.close_cause(), Some(CloseCause::Ended), "{body}");
        assert!(error.to_string().ends_with("(1 events were no answer to this call)"), "{body}: {error}");
    }
}

/// The order of members, and members that JSON-RPC does not know, change nothing.
#[tokio::test]
async fn members_may_come_in_any_order_and_with_others() {
    let stage = Stage::new().await;
    for body in [
        format!(r#"{{"result":{OK},"id":{{{{id}}}},"jsonrpc":"2.0"}}"#),
        format!(r#"{{"id":{{{{id}}}},"x":{{"result":1}},"jsonrpc":"2.0","result":{OK},"":[]}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":{{{{id}}}}.0,"result":{OK}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":{{{{id}}}}e0,"result":{OK}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":{{{{id}}}},"x":1,"x":2,"result":{OK}}}"#),
    ] {
        for reply in [Canned::json(body.as_str()), Canned::sse(&[&body])] {
            stage.assert_ends(&reply, SUCCESS).await;
        }
    }
}
