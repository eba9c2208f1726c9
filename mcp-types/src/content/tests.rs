use serde_json::{Value, json};

use super::*;

fn block(text: &str) -> ContentBlock {
    let block: ContentBlock = serde_json::from_str(text).unwrap();
    assert_eq!(
        serde_json::from_str::<Value>(&serde_json::to_string(&block).unwrap()).unwrap(),
        serde_json::from_str::<Value>(text).unwrap(),
        "{text}"
    );
    block
}

#[test]
fn blocks_of_each_type() {
    use ContentBlock as B;
    let notes = r#""annotations":{"audience":["user","alien"],"priority":1,"lastModified":"yesterday","x":1},"_meta":{"k":null},"y":2"#;
    assert!(
        matches!(block(&format!(r#"{{"type":"text","text":"",{notes}}}"#)), B::Text(text) if text.meta.is_some())
    );
    assert!(matches!(block(&format!(r#"{{"data":"AA==","type":"image","mimeType":"m",{notes}}}"#)),
        B::Image(image) if image.bytes().unwrap() == [0]));
    assert!(matches!(block(&format!(r#"{{"type":"audio","data":"?","mimeType":"m",{notes}}}"#)),
        B::Audio(audio) if audio.bytes().is_err()));
    assert!(
        matches!(block(&format!(r#"{{"type":"resource_link","uri":"u","name":"n","size":5000000000,{notes}}}"#)),
        B::ResourceLink(link) if link.size == Some(5_000_000_000))
    );
    assert!(
        matches!(block(&format!(r#"{{"type":"resource","resource":{{"uri":"u","text":"","z":1}},{notes}}}"#)),
        B::Resource(embedded) if matches!(&embedded.resource, ResourceContents::Text(_)))
    );
}

#[test]
fn what_cannot_be_read_is_kept_as_it_came() {
    for (text, name) in [
        ("42", None),
        ("null", None),
        ("\"text\"", None),
        ("[]", None),
        ("[{\"type\":\"text\",\"text\":\"x\"}]", None),
        ("{}", None),
        (r#"{"type":7}"#, None),
        (r#"{"type":null,"text":"x"}"#, None),
        (r#"{ "type":"text" }"#, Some("text")),
        (r#"{"type":"text","text":1}"#, Some("text")),
        (r#"{"type":"text","text":null}"#, Some("text")),
        (r#"{"type":"Text","text":"x"}"#, Some("Text")),
        (r#"{"type":"image","data":"AA=="}"#, Some("image")),
        (r#"{"type":"audio","mimeType":"m"}"#, Some("audio")),
        (r#"{"type":"resource_link","uri":"u"}"#, Some("resource_link")),
        (r#"{"type":"resource","resource":{"uri":"u"}}"#, Some("resource")),
        (r#"{"type":"resource","resource":42}"#, Some("resource")),
        (r#"{"type":"resource"}"#, Some("resource")),
        (r#"{"type":"hologram","n":1e400,"big":18446744073709551616}"#, Some("hologram")),
    ] {
        let raw: ContentBlock = serde_json::from_str(text).unwrap();
        assert!(matches!(&raw, ContentBlock::Unknown(raw) if raw.get() == text), "{text}");
        assert_eq!(serde_json::to_string(&raw).unwrap(), text);
        assert_eq!(raw.type_name(), name, "{text}");
        assert!(!format!("{raw:?}").contains("hologram"));
    }
}

#[test]
fn deep_nesting_never_overflows() {
    let arrays = format!("{}{}", "[".repeat(20_000), "]".repeat(20_000));
    let objects = format!("{}1{}", r#"{"a":"#.repeat(20_000), "}".repeat(20_000));
    for deep in [&arrays, &objects] {
        for text in [
            deep.clone(),
            format!(r#"{{"type":{deep}}}"#),
            format!(r#"{{"type":"text","text":{deep}}}"#),
            format!(r#"{{"type":"resource","resource":{{"text":{deep},"uri":"u"}}}}"#),
        ] {
            let read: ContentBlock = serde_json::from_str(&text).unwrap();
            assert!(matches!(read, ContentBlock::Unknown(_)));
        }
        let text = format!(
            r#"{{"type":"text","text":"x","_meta":{{"d":{deep}}},"annotations":{deep},"extra":{deep}}}"#
        );
        let read: ContentBlock = serde_json::from_str(&text).unwrap();
        let ContentBlock::Text(read) = read else { panic!() };
        assert_eq!(read.dropped_hints().count(), usize::from(deep.starts_with('[')));
        assert_eq!(serde_json::to_string(&read).unwrap().len(), text.len());
        assert!(serde_json::from_str::<ContentBlock>(deep.get(..30_000).unwrap()).is_err());
    }
}

#[test]
fn of_a_type_given_twice_the_last_counts() {
    let read: ContentBlock = serde_json::from_str(r#"{"type":"hologram","text":"x","type":"text"}"#).unwrap();
    assert_eq!(read, ContentBlock::text("x"));
    assert_eq!(block(r#"{"ty\u0070e":"te\u0078t","text":"x"}"#), ContentBlock::text("x"));
}

#[test]
fn blocks_can_be_built() {
    assert_eq!(ContentBlock::text("x").as_text(), Some("x"));
    for (built, value) in [
        (ContentBlock::image(&[0], "m"), json!({"type": "image", "data": "AA==", "mimeType": "m"})),
        (ContentBlock::audio(&[], "m"), json!({"type": "audio", "data": "", "mimeType": "m"})),
        (ContentBlock::resource_link("u", "n"), json!({"type": "resource_link", "uri": "u", "name": "n"})),
        (
            ContentBlock::resource(TextResourceContents::new("u", "t")),
            json!({"type": "resource", "resource": {"uri": "u", "text": "t"}}),
        ),
    ] {
        assert_eq!(serde_json::to_value(&built).unwrap(), value);
        assert_eq!(serde_json::from_value::<ContentBlock>(value).unwrap(), built);
    }
}

#[test]
fn contents_are_told_apart_by_their_members() {
    let read = |value: Value| {
        let contents: ResourceContents = serde_json::from_value(value.clone()).unwrap();
        assert_eq!(serde_json::to_value(&contents).unwrap(), value);
        contents
    };
    assert!(matches!(read(json!({"uri": "u", "text": "", "mimeType": "m"})), ResourceContents::Text(_)));
    assert!(
        matches!(read(json!({"uri": "u", "blob": "AA=="})), ResourceContents::Blob(b) if b.bytes().unwrap() == [0])
    );
    assert!(matches!(read(json!({"uri": "u", "text": "t", "blob": "AA=="})), ResourceContents::Text(_)));
    assert!(matches!(read(json!({"uri": "u", "text": null, "blob": "AA=="})), ResourceContents::Blob(_)));
    for odd in [json!(42), json!(null), json!({"text": "no uri"}), json!({"uri": "u", "text": 1})] {
        assert!(matches!(read(odd), ResourceContents::Unknown(_)));
    }
    let odd = read(json!({"uri": "u", "mimeType": "m"}));
    assert_eq!((odd.uri(), odd.mime_type()), (Some("u"), Some("m")));
}

#[test]
fn annotations_are_hints() {
    let read: Annotations =
        serde_json::from_str(r#"{"audience":"user","priority":"high","lastModified":5}"#).unwrap();
    assert_eq!((read.audience.as_ref(), read.priority(), read.last_modified.as_ref()), (None, None, None));
    assert_eq!(read.dropped_hints().count(), 3);
    for (priority, clamped) in [("2", 1.0), ("-1", 0.0), ("0.5", 0.5)] {
        let read: Annotations = serde_json::from_str(&format!(r#"{{"priority":{priority}}}"#)).unwrap();
        assert!((read.priority().unwrap() - clamped).abs() < f64::EPSILON);
        assert_eq!(serde_json::to_string(&read).unwrap(), format!(r#"{{"priority":{priority}}}"#));
    }
}
