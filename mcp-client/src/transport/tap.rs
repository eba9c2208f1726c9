//! A log of all messages that are handed to transports, for test runs: they are validated against the schema afterwards.

use std::{
    collections::{HashSet, hash_map::DefaultHasher},
    env,
    ffi::OsString,
    fs::{self, File},
    hash::{Hash, Hasher},
    io::{self, Write},
    path::PathBuf,
    process,
    sync::{Mutex, OnceLock, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

use http::HeaderMap;
use memchr::memmem;
use serde::{Serialize, Serializer, ser::SerializeMap};

use super::Outgoing;

/// The environment variable that names the directory of the logs. There is none where it is not set.
const DIRECTORY: &str = "MCP_SENT_LOG";

/// How many bytes of messages one process logs. Those beyond are marked as missing, which the validation reports.
const MAX_LOG_BYTES: usize = 64 << 20;

/// A message like an earlier one, but for its id.
const REPEATED: &[u8] = b"=\n";
/// A message for which there was no room.
const MISSING: &[u8] = b"!\n";

/// Logs a message that is about to be handed to a transport.
#[expect(
    clippy::expect_used,
    reason = "only test runs ask for a log, and one that is not written proves nothing"
)]
pub(crate) fn sent(outgoing: &Outgoing) {
    static LOG: OnceLock<Option<Mutex<Log>>> = OnceLock::new();
    let log = LOG.get_or_init(|| {
        env::var_os(DIRECTORY)
            .map(|directory| Mutex::new(Log::create(directory).expect("a log of what is sent")))
    });
    if let Some(log) = log {
        log.lock().unwrap_or_else(PoisonError::into_inner).add(outgoing).expect("what is sent is logged");
    }
}

/// The file of this process.
struct Log<W = File> {
    file: W,
    /// Hashes of what was logged.
    seen: HashSet<u64>,
    room: usize,
}

impl Log {
    fn create(directory: OsString) -> io::Result<Self> {
        let directory = PathBuf::from(directory);
        fs::create_dir_all(&directory)?;
        // Process ids come again.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let file = File::create_new(directory.join(format!("{}-{now}.jsonl", process::id())))?;
        Ok(Self::new(file))
    }
}

impl<W: Write> Log<W> {
    fn new(file: W) -> Self {
        Self { file, seen: HashSet::new(), room: MAX_LOG_BYTES }
    }

    /// Each line is written at once and whole: nobody tells this process when it ends.
    fn add(&mut self, outgoing: &Outgoing) -> io::Result<()> {
        if self.seen.contains(&hash(outgoing)) {
            return self.file.write_all(REPEATED);
        }
        let Some(room) = self.room.checked_sub(outgoing.message.len()) else {
            return self.file.write_all(MISSING);
        };
        self.room = room;
        self.seen.insert(hash(outgoing));
        let mut line = serde_json::to_vec(&Line {
            method: outgoing.method,
            name: outgoing.name.as_deref(),
            protocol_version: outgoing.protocol_version.as_str(),
            headers: McpHeaders(&outgoing.headers),
            message: &String::from_utf8_lossy(&outgoing.message),
        })?;
        line.push(b'\n');
        self.file.write_all(&line)
    }
}

/// What a message is, without its id, which also is its progress token.
fn hash(outgoing: &Outgoing) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut rest = &*outgoing.message;
    for member in [r#""id":"#, r#""progressToken":"#] {
        let member = format!("{member}{}", outgoing.id);
        if let Some((before, after)) = memmem::find(rest, member.as_bytes())
            .and_then(|at| Some((rest.get(..at)?, rest.get(at + member.len()..)?)))
        {
            before.hash(&mut hasher);
            rest = after;
        }
    }
    rest.hash(&mut hasher);
    outgoing.protocol_version.as_str().hash(&mut hasher);
    for (name, value) in McpHeaders(&outgoing.headers).iter() {
        (name, value).hash(&mut hasher);
    }
    hasher.finish()
}

/// A message, and what the headers of its request are made of.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    method: &'a str,
    name: Option<&'a str>,
    protocol_version: &'a str,
    headers: McpHeaders<'a>,
    message: &'a str,
}

/// The headers that belong to the protocol; others may hold secrets.
struct McpHeaders<'a>(&'a HeaderMap);

impl McpHeaders<'_> {
    fn iter(&self) -> impl Iterator<Item = (&str, String)> {
        let own = self.0.iter().filter(|(name, _)| name.as_str().starts_with("mcp-"));
        own.map(|(name, value)| (name.as_str(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
    }
}

impl Serialize for McpHeaders<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in self.iter() {
            map.serialize_entry(name, &value)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use mcp_types::{ProtocolVersion, RequestId};
    use serde_json::{Value, json};

    use super::*;

    fn outgoing(id: i64, params: &str) -> Outgoing {
        let message = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{params}}}"#);
        let mut headers = HeaderMap::new();
        headers.insert("authorization", "secret".parse().unwrap());
        headers.insert("mcp-param-a", "1".parse().unwrap());
        Outgoing {
            id: RequestId::Number(id),
            method: "tools/call",
            name: Some("x".into()),
            protocol_version: ProtocolVersion::LATEST,
            headers,
            message: message.into(),
        }
    }

    fn lines(log: &Log<Vec<u8>>) -> Vec<&str> {
        std::str::from_utf8(&log.file).unwrap().lines().collect()
    }

    #[test]
    fn a_message_is_logged_with_the_headers_of_the_protocol_and_no_others() {
        let mut log = Log::new(Vec::new());
        log.add(&outgoing(7, "{\"text\":\n\"ü\"}")).unwrap();
        let [line] = lines(&log)[..] else { panic!("one line") };
        let line: Value = serde_json::from_str(line).unwrap();
        let message =
            "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"text\":\n\"ü\"}}";
        let expected = json!({
            "method": "tools/call", "name": "x", "protocolVersion": "2026-07-28",
            "headers": { "mcp-param-a": "1" }, "message": message,
        });
        assert_eq!(line, expected);
    }

    #[test]
    fn messages_that_differ_in_their_ids_alone_are_logged_once() {
        let mut log = Log::new(Vec::new());
        for (id, params) in [
            (1, r#"{"_meta":{"progressToken":1},"a":1}"#),
            (23, r#"{"_meta":{"progressToken":23},"a":1}"#),
            (23, r#"{"_meta":{"progressToken":1},"a":1}"#),
            (2, r#"{"_meta":{"progressToken":2},"a":2}"#),
            (3, r#"{"a":1}"#),
            (4, r#"{"a":1}"#),
        ] {
            log.add(&outgoing(id, params)).unwrap();
        }
        let repeated: Vec<_> = lines(&log).into_iter().map(|line| line == "=").collect();
        assert_eq!(repeated, [false, true, false, false, false, true]);
    }

    #[test]
    fn a_log_without_room_says_so() {
        let mut log = Log::new(Vec::new());
        log.room = 200;
        log.add(&outgoing(1, "{}")).unwrap();
        log.add(&outgoing(2, &format!("{{\"a\":\"{}\"}}", "x".repeat(200)))).unwrap();
        log.add(&outgoing(3, "{}")).unwrap();
        let lines = lines(&log);
        assert_eq!((lines.len(), &lines[1..]), (3, &["!", "="][..]));
    }
}
