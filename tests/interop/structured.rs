//! Structured content, beside its text.

use mcp_client::OutcomeKind;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::peers::with_each_peer;

#[derive(Debug, PartialEq, Deserialize)]
struct Weather {
    city: String,
    celsius: f64,
    wind: Wind,
    warnings: Vec<String>,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Wind {
    origin: String,
    speed: u8,
}

#[tokio::test]
async fn structured_content_is_read_as_a_type_and_shown_once() {
    with_each_peer(async |meeting| {
        let outcome = meeting.call("structured", json!({})).send().await;
        meeting.assert_outcome(&outcome, OutcomeKind::ToolSuccess);
        let output = outcome.unwrap().into_success().unwrap();
        let weather: Weather = output.structured().unwrap();
        let wind = Wind { origin: "NW".into(), speed: 7 };
        assert_eq!(weather, Weather { city: "Oslo".into(), celsius: -3.5, wind, warnings: Vec::new() });
        let text: Value = serde_json::from_str(&output.text()).unwrap();
        let expected = json!({
            "city": "Oslo", "celsius": -3.5, "wind": { "origin": "NW", "speed": 7 }, "warnings": [],
        });
        assert_eq!(text, expected);
        assert_eq!(output.structured_raw().unwrap().to_value().unwrap(), expected);
        assert_eq!(output.for_model(), output.text(), "the text repeats it already");
    })
    .await;
}
