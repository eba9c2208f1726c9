//! Requests as they came over the wire.

use bytes::{Buf, Bytes, BytesMut};
use serde_json::Value;

/// One HTTP/1.1 request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RawRequest {
    /// Number of the TCP connection that it came over, from 1.
    pub connection: usize,
    /// Request line and headers, as received, without the empty line.
    pub head: String,
    /// Header names and values, in order, names as they were written.
    pub headers: Vec<(String, String)>,
    /// The body, with a chunked coding taken off.
    pub body: Bytes,
}

impl RawRequest {
    /// The first value of a header; its name is compared without case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(candidate, _)| candidate.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// The body as JSON, if it is JSON.
    pub fn json(&self) -> Option<Value> {
        serde_json::from_slice(&self.body).ok()
    }

    /// The first line.
    pub fn request_line(&self) -> &str {
        self.head.lines().next().unwrap_or_default()
    }

    /// JSON text of the id, `null` if there is none.
    pub(super) fn id(&self) -> String {
        self.json().and_then(|body| body.get("id").map(Value::to_string)).unwrap_or_else(|| "null".to_owned())
    }
}

/// Takes one request from the front of what was received. None if it is not complete yet.
pub(super) fn take(buffer: &mut BytesMut, connection: usize) -> Option<RawRequest> {
    let end = find(buffer, b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(buffer.get(..end)?).into_owned();
    let headers: Vec<(String, String)> = head
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
        .collect();
    let mut request = RawRequest { connection, head, headers, body: Bytes::new() };
    let start = end + 4;
    let chunked =
        request.header("transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked"));
    let used = if chunked {
        let (body, used) = dechunk(buffer.get(start..)?)?;
        request.body = body;
        start + used
    } else {
        let length = request.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        let used = start.checked_add(length)?;
        request.body = Bytes::copy_from_slice(buffer.get(start..used)?);
        used
    };
    buffer.advance(used);
    Some(request)
}

/// A chunked body, and how many bytes it took. None if it is not complete.
fn dechunk(bytes: &[u8]) -> Option<(Bytes, usize)> {
    let mut body = Vec::new();
    let mut at = 0;
    loop {
        let line = find(bytes.get(at..)?, b"\r\n")?;
        let size = std::str::from_utf8(bytes.get(at..at + line)?).ok()?;
        let size = usize::from_str_radix(size.split(';').next()?.trim(), 16).ok()?;
        at += line + 2;
        if size == 0 {
            // No trailers are sent by clients of this kind; the empty line ends the body.
            return (bytes.get(at..at + 2)? == b"\r\n").then(|| (Bytes::from(body), at + 2));
        }
        body.extend_from_slice(bytes.get(at..at.checked_add(size)?)?);
        at += size + 2;
    }
}

/// Where a needle is found first.
pub(super) fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes.windows(needle.len()).position(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_a_request_when_it_is_complete() {
        let mut buffer =
            BytesMut::from(&b"POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\n\r\n{\"id\":4"[..]);
        assert_eq!(take(&mut buffer, 1), None);
        buffer.extend_from_slice(b"}POST");
        let request = take(&mut buffer, 1).unwrap();
        assert_eq!(request.request_line(), "POST /mcp HTTP/1.1");
        assert_eq!(request.header("HOST"), Some("a"));
        assert_eq!(request.id(), "4");
        assert_eq!(&buffer[..], b"POST");
    }

    #[test]
    fn takes_the_chunked_coding_off() {
        let mut buffer = BytesMut::from(
            &b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA;x=1\r\n0123456789\r\n0\r\n\r\nrest"[..],
        );
        assert_eq!(take(&mut buffer, 1).unwrap().body, "abc0123456789");
        assert_eq!(&buffer[..], b"rest");
    }

    #[test]
    fn an_id_that_is_not_there_is_null() {
        let mut buffer = BytesMut::from(&b"GET / HTTP/1.1\r\n\r\n"[..]);
        assert_eq!(take(&mut buffer, 1).unwrap().id(), "null");
    }
}
