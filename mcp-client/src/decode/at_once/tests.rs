//! What is read in one pass is what the careful way reads.

use std::sync::{Arc, Mutex};

use mcp_types::method::{CallTool, Discover, GetPrompt, ListPrompts, ListResources, ListTools, ReadResource};
use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::{
    decode::{self, Decoded, Event, Reply},
    updates::{Heard, Listeners},
};

const ID: RequestId = RequestId::Number(7);

/// A result, what was odd, and its text.
type Read<R> = (R, Vec<Note>, String);

fn fast<M: Answer>(message: &[u8], expect: Expect, want: Option<&dyn Want>) -> Option<Read<M::Result>> {
    let mut notes = Notes::default();
    match at_once::<M>(message, &ID, expect, want, &mut notes) {
        Some(AtOnce::Result(result, range)) => {
            Some((result, notes.take(), String::from_utf8(message[range].to_vec()).unwrap()))
        }
        Some(_) => None,
        None => {
            assert_eq!(notes.take(), [], "nothing is noted of what is not read");
            None
        }
    }
}

fn careful<M: Answer>(message: &[u8], expect: Expect) -> Option<Read<M::Result>> {
    let mut notes = Notes::default();
    let Ok(Reply::Result(raw)) = decode::reply(message, &ID) else { return None };
    match decode::result::<M>(raw, expect, &mut notes) {
        Ok(Decoded::Complete(result)) => Some((result, notes.take(), raw.get().to_owned())),
        _ => None,
    }
}

/// Whether it was read in one pass; what was read so must be what the careful way reads, in an answer and in an event.
fn agrees<M: Answer>(message: &[u8], expect: Expect) -> bool {
    let Some(read) = fast::<M>(message, expect, None) else { return false };
    let text = String::from_utf8_lossy(message);
    assert_eq!(Some(&read), careful::<M>(message, expect).as_ref(), "{text}");
    assert!(matches!(decode::event(message, &ID), Ok(Event::Reply(Reply::Result(_)))), "{text}");
    true
}

/// The same for a value of the caller's own type.
fn agrees_typed(message: &[u8], expect: Expect) -> bool {
    let wanted = Wanted::<Value>::new();
    let Some((_, notes, raw)) = fast::<CallTool>(message, expect, Some(&wanted)) else { return false };
    let text = String::from_utf8_lossy(message);
    let (result, careful_notes, careful_raw) = careful::<CallTool>(message, expect).expect(&text);
    assert_eq!((notes, raw), (careful_notes, careful_raw), "{text}");
    assert!(!result.is_error(), "{text}");
    assert_eq!(wanted.take().unwrap(), result.structured_content.unwrap().to_value().unwrap(), "{text}");
    true
}

fn listeners() -> (Listeners, Arc<Mutex<Vec<String>>>) {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let (progress, log) = (heard.clone(), heard.clone());
    let mut listeners = Listeners::default();
    listeners.progress = Some(Arc::new(move |update, bytes| {
        progress.lock().unwrap().push(format!("{update:?} {bytes}"));
    }));
    listeners.log =
        Some(Arc::new(move |update, bytes| log.lock().unwrap().push(format!("{update:?} {bytes}"))));
    listeners.log_level = Some(mcp_types::LoggingLevel::Info);
    (listeners, heard)
}

/// The same for what is passed on during a call.
fn agrees_on_updates(message: &[u8]) -> bool {
    let (one, heard_at_once) = listeners();
    let how = match at_once::<CallTool>(message, &ID, Expect::default(), None, &mut Notes::default()) {
        Some(AtOnce::Progress(progress, bytes)) => one.progress(progress, bytes),
        Some(AtOnce::Log(log, bytes)) => one.log(log, bytes),
        _ => return false,
    };
    let text = String::from_utf8_lossy(message);
    let (two, heard) = listeners();
    let Ok(Event::Notification { method, params }) = decode::event(message, &ID) else { panic!("{text}") };
    assert_eq!(two.hear(&method, params, &ID), how, "{text}");
    assert_eq!(*heard_at_once.lock().unwrap(), *heard.lock().unwrap(), "{text}");
    true
}

fn agree(message: &[u8]) -> usize {
    let strict = Expect { strict: true, ..Expect::default() };
    let lenient = Expect { lenient: true, ..Expect::default() };
    let mut read = 0;
    for expect in [Expect::default(), strict, lenient] {
        read += usize::from(agrees::<CallTool>(message, expect));
        read += usize::from(agrees_typed(message, expect));
        read += usize::from(agrees::<ListTools>(message, expect));
        read += usize::from(agrees::<ListResources>(message, expect));
        read += usize::from(agrees::<ListPrompts>(message, expect));
        read += usize::from(agrees::<ReadResource>(message, expect));
        read += usize::from(agrees::<GetPrompt>(message, expect));
        read += usize::from(agrees::<Discover>(message, expect));
    }
    read + usize::from(agrees_on_updates(message))
}

fn answer(result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":7,"result":{result}}}"#)
}

const INFO: &str = r#""_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}"#;

/// Good answers and notifications, as servers send them.
fn good() -> Vec<String> {
    let results = [
        r#"{"resultType":"complete","content":[{"type":"text","text":"a\n\"b\" \u00e9 \ud83d\ude00 é"}],"isError":false,INFO}"#,
        r#"{"content":[{"text":"","type":"text"},{"type":"text","text":"x"}],"resultType":"complete","isError":true}"#,
        r#" { "content" : [ ] , "structuredContent" : { "rows" : [ 1.50 , null ] } , "resultType" : "complete" } "#,
        r#"{"resultType":"complete","content":[{"type":"image","data":"AA==","mimeType":"image/png"},{"type":"odd"},7,
            {"type":"text","text":"t","annotations":7}],"structuredContent":null,"new":[{}]}"#,
        r#"{"content":[{"type":"text","text":"{\"a\":1}"}],"structuredContent":{"a":1}}"#,
        r#"{"resultType":"complete","tools":[{"name":"a","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},
            {"name":7},{"name":"b","inputSchema":{},"icons":7}],"ttlMs":0,"cacheScope":"private","nextCursor":"n",INFO}"#,
        r#"{"tools":[],"resources":[],"prompts":[],"contents":[],"messages":[],"ttlMs":"odd"}"#,
        r#"{"resultType":"complete","contents":[{"uri":"u","text":"t"},{"uri":"u","blob":"AA=="},{}]}"#,
        r#"{"resultType":"complete","messages":[{"role":"user","content":{"type":"text","text":"t"}}]}"#,
        r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":5}"#,
    ];
    let updates = [
        r#""notifications/progress","params":{"progressToken":7,"progress":0.5,"total":2,"message":"h\u00e9"}"#,
        r#""notifications/progress","params":{"progressToken":7,"progress":-3}"#,
        r#""notifications/progress","params":{"progressToken":7,"progress":123456789012345678901}"#,
        r#""notifications/message","params":{"level":"error","data":{"a":[1]},"logger":"l","x":1}"#,
        r#""notifications/message","params":{"level":"debug","data":null}"#,
    ];
    let results = results.iter().map(|result| answer(&result.replace("INFO", INFO)));
    let updates = updates.iter().map(|update| format!(r#"{{"jsonrpc":"2.0","method":{update}}}"#));
    results.chain(updates).collect()
}

#[test]
fn the_usual_answer_is_read_in_one_pass() {
    let read: Vec<usize> = good().iter().map(|message| agree(message.as_bytes())).collect();
    // As a result of whatever methods it fits, by whatever settings.
    assert_eq!(read, [3, 3, 6, 6, 4, 3, 10, 3, 3, 3, 1, 1, 1, 1, 1]);
}

#[test]
fn what_is_unusual_is_left_to_the_careful_way() {
    for message in [
        r#"{"jsonrpc":"2.0","id":7,"result":{"content":[]}}x"#,
        r#"{"jsonrpc":"2.0","id":7,"id":7,"result":{"content":[]}}"#,
        r#"{"jsonrpc":"2.0","id":"7","result":{"content":[]}}"#,
        r#"{"jsonrpc":"2.0","id":07,"result":{"content":[]}}"#,
        r#"{"jsonrpc":"2.0","id":8,"result":{"content":[]}}"#,
        r#"{"jsonrpc":"1.0","id":7,"result":{"content":[]}}"#,
        r#"{"id":7,"result":{"content":[]}}"#,
        r#"{"jsonrpc":"2.0","id":7,"result":{"content":[]},"error":null}"#,
        r#"{"jsonrpc":"2.0","id":7,"result":{"content":[],"content":[]}}"#,
        r#"{"jsonrpc":"2.0","id":7,"result":{"content":[],"x":1,"x":2}}"#,
        r#"{"jsonrpc":"2.0","id":7,"result":{"content":[],"_meta":7}}"#,
        r#"{"jsonrpc":"2.0","id":7,"result":{"content":[],"isError":null}}"#,
        r#"{"jsonrpc":"2.0","id":7,"result":{"content":[],"resultType":"input_required"}}"#,
        r#"{"jsonrpc":"2.0","id":7,"result":{"tools":[],"tools":[]}}"#,
        r#"{"jsonrpc":"2.0","id":7,"result":{"tools":[],"resultType":"input_required"}}"#,
        r#"{"jsonrpc":"2.0","id":7,"result":{"tools":{}}}"#,
        r#"{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":""}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":8,"progress":1}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1e999}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/progress"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/new","params":{}}"#,
    ] {
        assert_eq!(agree(message.as_bytes()), 0, "{message}");
    }
}

#[test]
fn an_odd_string_is_no_text() {
    for odd in [r"\ud800", r"\ud800\u0041", r"\udc00", r"\u00g0", r"\u+123", r"\x", r"\ ", "\u{1}", "\n"] {
        let message = answer(&format!(r#"{{"content":[{{"type":"text","text":"a{odd}b"}}]}}"#));
        agree(message.as_bytes());
        let read = fast::<CallTool>(message.as_bytes(), Expect::default(), None);
        let text = read.and_then(|(result, ..)| Some(result.content.first()?.as_text()?.to_owned()));
        assert_eq!(text, None, "{odd:?}");
    }
}

#[test]
fn a_want_is_met_only_by_a_success_with_structured_content() {
    let wanted = Wanted::<u8>::new();
    let meets = |result: &str| {
        wanted.clear();
        fast::<CallTool>(answer(result).as_bytes(), Expect::default(), Some(&wanted)).map(|_| ())?;
        wanted.take()
    };
    assert_eq!(meets(r#"{"content":[{"type":"text","text":"5"}],"structuredContent":5}"#), Some(5));
    for result in [
        r#"{"content":[]}"#,
        r#"{"content":[],"structuredContent":5,"isError":true}"#,
        r#"{"content":[],"structuredContent":"5"}"#,
        r#"{"content":[],"structuredContent":5,"structuredContent":6}"#,
        r#"{"structuredContent":5}"#,
    ] {
        assert_eq!(meets(result), None, "{result}");
    }
}

#[test]
fn lists_and_content_are_bounded() {
    let blocks = |count: usize| vec!["0"; count].join(",");
    for (count, read) in [(65_536, true), (65_537, false)] {
        let content = answer(&format!(r#"{{"content":[{}]}}"#, blocks(count)));
        assert_eq!(agrees::<CallTool>(content.as_bytes(), Expect::default()), read, "{count}");
        let tools = answer(&format!(r#"{{"tools":[{}]}}"#, blocks(count)));
        assert_eq!(agrees::<ListTools>(tools.as_bytes(), Expect::default()), read, "{count}");
    }
}

#[test]
fn a_panic_or_a_long_update_changes_nothing() {
    let progress = |length: usize| {
        let empty = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1,"message":""}}"#;
        empty.replace("\"\"}}", &format!("\"{}\"}}}}", "x".repeat(length - empty.len())))
    };
    assert!(agrees_on_updates(progress(MAX_UPDATE_BYTES).as_bytes()));
    assert!(!agrees_on_updates(progress(MAX_UPDATE_BYTES + 1).as_bytes()));
    let (listeners, heard) = listeners();
    let message = progress(MAX_UPDATE_BYTES + 1);
    let Ok(Event::Notification { method, params }) = decode::event(message.as_bytes(), &ID) else {
        panic!("a notification")
    };
    assert_eq!(listeners.hear(&method, params, &ID), Heard::Progress);
    assert_eq!(heard.lock().unwrap().len(), 1);
}

/// A value as it may stand anywhere.
fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        4 => prop::sample::select(vec![
            "null", "true", "false", "0", "-0", "7", "1.5", "1e3", "-1", "01", "\"\"", "\"complete\"", "\"input_required\"",
            "\"text\"", "\"2.0\"", "\"a\\n\\u00e9\"", "\"\\ud800\"", "\"\\ud83d\\ude00\"", "\"\u{1}\"", "\"private\"", "12345678901234567890",
        ]).prop_map(str::to_owned),
        1 => "\"[ -~]{0,6}\"",
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let name = prop::sample::select(vec![
            "\"type\"",
            "\"text\"",
            "\"name\"",
            "\"inputSchema\"",
            "\"annotations\"",
            "\"_meta\"",
            "\"uri\"",
            "\"te\\u0078t\"",
            "\"x\"",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|values| format!("[{}]", values.join(","))),
            prop::collection::vec((name, inner), 0..4).prop_map(|members| {
                let members: Vec<_> =
                    members.into_iter().map(|(name, value)| format!("{name}: {value}")).collect();
                format!("{{{}}}", members.join(" ,"))
            }),
        ]
    })
}

/// Results whose members are known names with values that may or may not fit.
fn result() -> impl Strategy<Value = String> {
    let fitting = prop::sample::select(vec![
        r#""resultType":"complete""#,
        r#""content":[{"type":"text","text":"a\tb"}]"#,
        r#""content":[{"type":"text","text":"a","type":"text"},null]"#,
        r#""isError":false"#,
        r#""structuredContent":{"a":[1,2.50]}"#,
        r#""tools":[{"name":"a","inputSchema":{}},3]"#,
        r#""_meta":{"a":1}"#,
        r#""ttlMs":7"#,
        r#""contents":[{"uri":"u","text":"t"}]"#,
    ])
    .prop_map(str::to_owned);
    let names = prop::sample::select(vec![
        "resultType",
        "content",
        "isError",
        "structuredContent",
        "_meta",
        "tools",
        "nextCursor",
        "ttlMs",
        "messages",
        "x",
        "\\u0078",
    ]);
    let odd = (names, value()).prop_map(|(name, value)| format!("\"{name}\":{value}"));
    prop::collection::vec(prop_oneof![3 => fitting, 1 => odd], 0..6)
        .prop_map(|members| format!("{{{}}}", members.join(",")))
}

/// A message of members that may or may not make an answer.
fn message() -> impl Strategy<Value = String> {
    let head = prop::sample::select(vec![
        r#""jsonrpc":"2.0","id":7,"#,
        r#""id":7,"jsonrpc":"2.0","#,
        r#""jsonrpc":"2.0","id":7.0,"#,
        r#""jsonrpc":"2.0","#,
        r#""jsonrpc":"2.0","id":7,"new":1,"#,
    ]);
    (head, result()).prop_map(|(head, result)| format!("{{{head}\"result\":{result}}}"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn whatever_the_members_are(message in message()) {
        agree(message.as_bytes());
    }

    /// A good message with something else in one or two places.
    #[test]
    fn whatever_is_broken(
        which in any::<prop::sample::Index>(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..3_usize, "[\"\\\\{}\\[\\],:0-9a-u \n\u{1}\u{e9}.+-]{0,2}"), 1..3),
    ) {
        let messages = good();
        let mut message = which.get(&messages).clone().into_bytes();
        for (place, cut, instead) in edits {
            let from = place.index(message.len());
            let to = (from + cut).min(message.len());
            message.splice(from..to, instead.bytes());
        }
        agree(&message);
    }

    /// A good message, cut and joined anywhere.
    #[test]
    fn whatever_is_joined(
        first in any::<prop::sample::Index>(), second in any::<prop::sample::Index>(),
        end in any::<prop::sample::Index>(), start in any::<prop::sample::Index>(),
    ) {
        let messages = good();
        let (first, second) = (first.get(&messages).as_bytes(), second.get(&messages).as_bytes());
        let joined = [&first[..end.index(first.len())], &second[start.index(second.len())..]].concat();
        agree(&joined);
    }
}
