//! What goes over the wire: headers, and what is refused before it.

mod message;

use std::collections::BTreeSet;

use mcp_client::{
    Client, Delivery, OutcomeKind,
    error::InvalidKind,
    types::{Implementation, header_value},
};
use mcp_tests::{FaultServer, RawRequest, Reply};

use crate::fault::{
    ANSWER, Ended, assert_ended, assert_good, call, good, in_time, only_calls, serve, still_usable,
};

/// A call that was refused here: nothing was sent.
#[track_caller]
fn assert_refused(what: &str, ended: &Ended, kind: InvalidKind) {
    let record = assert_ended(&what, ended, OutcomeKind::InvalidCall, Delivery::NotSent, &[]);
    assert_eq!((record.post_count(), record.request_id.as_ref()), (0, None), "{what}");
    let Err(mcp_client::CallError::Invalid(error)) = ended else { panic!("{what}: {ended:?}") };
    assert_eq!(error.kind(), kind, "{what}: {error}");
    assert!(error.to_string().starts_with("invalid call, not sent: "), "{error}");
}

/// The one request of a call.
async fn sent(client: &Client, server: &FaultServer) -> RawRequest {
    still_usable(&"the call", client).await;
    only_calls(server, 1).remove(0)
}

#[tokio::test]
async fn a_plain_call_has_these_headers_and_no_others() {
    let (server, client) = serve([good()]).await;
    let request = sent(&client, &server).await;
    assert_eq!(request.request_line(), "POST /mcp HTTP/1.1");
    let length = request.body.len().to_string();
    let host = server.addr().to_string();
    let agent = format!("mcp-client/{}", env!("CARGO_PKG_VERSION"));
    let expected = [
        ("accept", "application/json, text/event-stream"),
        ("accept-encoding", "gzip, br, zstd"),
        ("content-length", &length),
        ("content-type", "application/json"),
        ("host", &host),
        ("mcp-method", "tools/call"),
        ("mcp-name", "x"),
        ("mcp-protocol-version", "2026-07-28"),
        ("user-agent", &agent),
    ];
    let names: Vec<String> = request.headers.iter().map(|(name, _)| name.to_ascii_lowercase()).collect();
    assert_eq!(names.len(), expected.len(), "none twice: {names:?}");
    let names: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    assert_eq!(names, expected.iter().map(|(name, _)| *name).collect());
    for (name, value) in expected {
        assert_eq!(request.header(name), Some(value), "{name}");
    }
}

/// The header repeats what the body says, or servers refuse the request.
#[tokio::test]
async fn the_version_header_is_that_of_the_body() {
    let (server, client) = serve([good()]).await;
    let request = sent(&client, &server).await;
    let body = request.json().unwrap();
    let version = &body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"];
    assert_eq!(version.as_str(), request.header("mcp-protocol-version"));
    assert_eq!(body["method"].as_str(), request.header("mcp-method"));
}

#[tokio::test]
async fn names_go_into_the_header_as_they_are_or_encoded() {
    let long = "x".repeat(2000);
    for (name, header) in [
        ("get_weather", Some("get_weather")),
        ("a/b.c-d:e", Some("a/b.c-d:e")),
        ("two words", Some("two words")),
        ("UPPER~!\"#$%&'()*+,;<=>?@[\\]^`{|}", Some("UPPER~!\"#$%&'()*+,;<=>?@[\\]^`{|}")),
        (&*long, Some(&*long)),
        ("", Some("=?base64??=")),
        (" padded ", Some("=?base64?IHBhZGRlZCA=?=")),
        (" ", Some("=?base64?IA==?=")),
        ("tab\there", Some("=?base64?dGFiCWhlcmU=?=")),
        ("a\r\nMcp-Session-Id: 7", None),
        ("a\nb", None),
        ("nul\0", None),
        ("del\u{7F}", None),
        ("wetter_für_köln", None),
        ("天気", None),
        ("\u{1F980}", None),
        ("=?base64?YQ==?=", None),
        ("=?base64??=", None),
    ] {
        let (server, client) = serve([good()]).await;
        let ended = in_time(client.call_tool(name).send()).await;
        assert_good(&name, &ended);
        let request = only_calls(&server, 1).remove(0);
        assert_eq!(request.json().unwrap()["params"]["name"], name, "the body has it as it is");
        let value = request.header("mcp-name").unwrap();
        assert!(value.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{value:?}");
        match header {
            Some(header) => assert_eq!(value, header),
            None => assert!(value.starts_with("=?base64?") && value.ends_with("?="), "{value}"),
        }
        assert_eq!(header_value::decode(value).unwrap(), name, "the server reads the same name");
        assert_eq!(
            request.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("mcp-name")).count(),
            1
        );
    }
}

/// There are no sessions in this revision: what a server hands out is not given back.
#[tokio::test]
async fn ids_that_the_server_hands_out_are_ignored() {
    let tempting = |reply: Reply| {
        reply
            .header("Mcp-Session-Id", "session-1")
            .header("Last-Event-ID", "7")
            .header("Set-Cookie", "session=1; Path=/")
            .header("ETag", "\"1\"")
            .header("MCP-Protocol-Version", "2025-06-18")
    };
    let stream = Reply::sse_bytes(format!("id: 7\nretry: 1\ndata: {ANSWER}\n\n"));
    let (server, client) = serve([tempting(good()), tempting(stream), good()]).await;
    for number in 0..3 {
        assert_good(&number, &call(&client).await);
    }
    let requests = only_calls(&server, 3);
    for request in &requests {
        for name in ["mcp-session-id", "last-event-id", "cookie", "if-none-match", "authorization", "origin"]
        {
            assert_eq!(request.header(name), None, "{name}");
        }
        assert_eq!(request.header("mcp-protocol-version"), Some("2026-07-28"));
        assert_eq!(request.headers.len(), requests[0].headers.len());
    }
}

#[tokio::test]
async fn headers_of_the_callers_are_added_and_those_of_the_call_win() {
    let server = FaultServer::start([good()]).await.unwrap();
    let builder = crate::support::once(&server.url());
    let client = builder
        .header("X-Tenant", "client")
        .header("X-Other", "client")
        .header("User-Agent", "agent/1")
        .bearer_token("of-the-client")
        .build()
        .unwrap();
    let call = client
        .call_tool("x")
        .header("X-Tenant", "call")
        .header("traceparent", "00-1-2-01")
        .header("x-twice", "1");
    assert_good(&"both", &in_time(call.header("X-Twice", "2").send()).await);
    assert_good(&"client", &in_time(client.call_tool("x").send()).await);
    assert_good(
        &"token",
        &in_time(client.call_tool("x").header("Authorization", "Bearer of-the-call").send()).await,
    );
    let requests = only_calls(&server, 3);
    let seen = |name: &str| requests.iter().map(|request| request.header(name)).collect::<Vec<_>>();
    assert_eq!(seen("x-tenant"), [Some("call"), Some("client"), Some("client")]);
    assert_eq!(seen("x-other"), [Some("client"); 3]);
    assert_eq!(seen("user-agent"), [Some("agent/1"); 3]);
    assert_eq!(seen("x-twice"), [Some("2"), None, None]);
    assert_eq!(seen("traceparent"), [Some("00-1-2-01"), None, None]);
    assert_eq!(
        seen("authorization"),
        [Some("Bearer of-the-client"), Some("Bearer of-the-client"), Some("Bearer of-the-call")]
    );
    for request in &requests {
        let names: BTreeSet<String> =
            request.headers.iter().map(|(name, _)| name.to_ascii_lowercase()).collect();
        assert_eq!(names.len(), request.headers.len(), "no header twice");
    }
}

#[tokio::test]
async fn headers_that_the_client_owns_are_refused() {
    let (server, client) = serve([good()]).await;
    for name in [
        "Accept",
        "accept",
        "Accept-Encoding",
        "Content-Type",
        "Content-Length",
        "Content-Encoding",
        "Transfer-Encoding",
        "Host",
        "Connection",
        "Keep-Alive",
        "MCP-Protocol-Version",
        "Mcp-Method",
        "MCP-NAME",
        "Mcp-Session-Id",
        "Last-Event-ID",
        "Mcp-Param-Region",
        "mcp-param-",
        "",
        "two words",
        "x:y",
        "x\r\ny",
        "ü",
    ] {
        let ended = in_time(client.call_tool("x").header(name, "secret").send()).await;
        assert_refused(name, &ended, InvalidKind::Header);
        let refused = crate::support::once(&server.url()).header(name, "secret").build().unwrap_err();
        assert!(matches!(refused, mcp_client::BuildError::Header(_)), "{name}: {refused:?}");
        for said in [format!("{refused} {refused:?}"), format!("{ended:?}")] {
            assert!(!said.contains("secret"), "{said}");
        }
    }
    for value in ["a\r\nMcp-Name: y", "a\nb", "nul\0", "del\u{7F}"] {
        let ended = in_time(client.call_tool("x").header("X-Own", value).send()).await;
        assert_refused(value, &ended, InvalidKind::Header);
        assert!(crate::support::once(&server.url()).header("X-Own", value).build().is_err(), "{value:?}");
        assert!(crate::support::once(&server.url()).bearer_token(value).build().is_err(), "{value:?}");
    }
    assert_eq!(server.connections(), 0);
    still_usable(&"after all of that", &client).await;
}

/// The first mistake is told, and one is enough.
#[tokio::test]
async fn one_mistake_stops_the_call_whatever_comes_after_it() {
    let (server, client) = serve([good()]).await;
    let call = client.call_tool("x").arguments(7).header("Host", "evil.example").meta("progressToken", 1);
    assert_refused(
        "three mistakes",
        &in_time(call.arguments(serde_json::json!({})).send()).await,
        InvalidKind::Arguments,
    );
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn urls_keep_their_query_and_lose_their_fragment() {
    for (path, line) in [
        ("/mcp?key=a%20b&c", "POST /mcp?key=a%20b&c HTTP/1.1"),
        ("/mcp#fragment", "POST /mcp HTTP/1.1"),
        ("", "POST / HTTP/1.1"),
        ("/a/../b/./c/", "POST /b/c/ HTTP/1.1"),
        ("/ü?ö", "POST /%C3%BC?%C3%B6 HTTP/1.1"),
    ] {
        let server = FaultServer::start([good()]).await.unwrap();
        let client = crate::support::once(&format!("http://{}{path}", server.addr())).build().unwrap();
        assert_eq!(sent(&client, &server).await.request_line(), line);
    }
}

#[tokio::test]
async fn the_name_of_the_client_is_no_header() {
    let server = FaultServer::start([good()]).await.unwrap();
    let info = Implementation::new("agent\r\nX-Evil: 1", "1.0");
    let client = crate::support::once(&server.url()).client_info(info).build().unwrap();
    let request = sent(&client, &server).await;
    assert_eq!(request.header("x-evil"), None);
    let body = request.json().unwrap();
    assert_eq!(body["params"]["_meta"]["io.modelcontextprotocol/clientInfo"]["name"], "agent\r\nX-Evil: 1");
}
