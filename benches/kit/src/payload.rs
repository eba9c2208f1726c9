//! The JSON of the server, which the guard also answers with from memory.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

/// How many tools the server lists.
pub const TOOLS: usize = 1000;

/// How many orders make 1 MiB of JSON.
pub const ORDERS: usize = 6048;

const SERVER: &str = r#""_meta":{"io.modelcontextprotocol/serverInfo":{"name":"bench","version":"0.1.0"}}"#;

const LINE: &str =
    "on the 28th of July 2026 the station \"Blindern\" measured 17.3 degrees and no rain at all\n";

/// What a user's own type for the structured content looks like.
#[derive(Debug, Deserialize, Serialize)]
pub struct Order {
    pub number: u64,
    pub customer: String,
    pub total: f64,
    pub paid: bool,
    pub labels: Vec<String>,
    pub address: Address,
}

#[derive(Debug, Deserialize, Serialize)]
pub struct Address {
    pub city: String,
    pub latitude: f64,
    pub longitude: f64,
}

/// Text of exactly so many bytes, none of which is outside ASCII: lines of a report, with line ends and quotation marks,
/// so that some of it (2 %) is escaped in JSON.
pub fn text(size: usize) -> String {
    let mut text = LINE.repeat(size / LINE.len() + 1);
    text.truncate(size);
    text
}

/// The first and the last byte of such a text.
pub fn ends_of_text(size: usize) -> Option<(u8, u8)> {
    let byte = |at: usize| LINE.as_bytes().get(at % LINE.len()).copied();
    byte(0).zip(byte(size.checked_sub(1)?))
}

/// Orders in at least so many bytes of JSON, numbered from 0.
pub fn orders(size: usize) -> String {
    let mut json = String::with_capacity(size + 512);
    json.push('[');
    let mut number = 0_u32;
    while json.len() < size {
        let order = Order {
            number: number.into(),
            customer: format!("customer {}", number % 7919),
            total: f64::from(number % 100_000) / 8.0,
            paid: number % 3 == 0,
            labels: ["export", "gift", "insured"].map(str::to_owned).into(),
            address: Address { city: "Trondheim".to_owned(), latitude: 63.43, longitude: 10.39 },
        };
        let comma = if number == 0 { "" } else { "," };
        write!(json, "{comma}{}", serde_json::to_string(&order).expect("plain data"))
            .expect("a string grows");
        number += 1;
    }
    json.push(']');
    json
}

/// What stands before and after a string of JSON in the result that has it as its text.
pub fn around_text() -> (String, String) {
    (
        r#"{"resultType":"complete","content":[{"type":"text","text":"#.to_owned(),
        format!(r#"}}],"isError":false,{SERVER}}}"#),
    )
}

/// What stands before and after the structured content of a result.
pub fn around_structured() -> (String, String) {
    let note = r#"[{"type":"text","text":"as structured content"}]"#;
    (
        format!(r#"{{"resultType":"complete","content":{note},"structuredContent":"#),
        format!(r#","isError":false,{SERVER}}}"#),
    )
}

/// The result of a call with a short text, given as JSON.
pub fn text_result(json: &str) -> String {
    let (before, after) = around_text();
    [&before, json, &after].concat()
}

/// The parameters of one notification of progress.
pub fn progress(token: &str, step: usize, of: usize) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":{step},"total":{of},"message":"step {step} of {of}"}}}}"#
    )
}

/// The result of `server/discover`.
pub fn discovery() -> String {
    format!(
        r#"{{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{{"tools":{{}}}},"ttlMs":0,"cacheScope":"private",{SERVER}}}"#
    )
}

/// The result of `tools/list`: [`TOOLS`] of them, on one page, that nobody may keep.
pub fn tools() -> String {
    let schema = r#"{"type":"object","properties":{"station":{"type":"string","description":"Which station, by its name or number","minLength":2},"days":{"type":"integer","description":"How many days, today included","minimum":1,"maximum":31,"default":7},"unit":{"type":"string","enum":["celsius","fahrenheit","kelvin"]},"fields":{"type":"array","items":{"type":"string"}}},"required":["station"],"additionalProperties":false}"#;
    let mut json = String::from(r#"{"resultType":"complete","tools":["#);
    for number in 0..TOOLS {
        let comma = if number == 0 { "" } else { "," };
        write!(
            json,
            r#"{comma}{{"name":"weather_{number}","title":"Weather, archive {number}","description":"What the stations of archive {number} measured on each of the last days, the newest day first.","inputSchema":{schema},"annotations":{{"readOnlyHint":true,"openWorldHint":false}}}}"#
        )
        .expect("a string grows");
    }
    write!(json, r#"],"ttlMs":0,"cacheScope":"private",{SERVER}}}"#).expect("a string grows");
    json
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_expected_is_what_is_sent() {
        let text = text(1 << 20);
        assert_eq!(text.len(), 1 << 20);
        assert_eq!(ends_of_text(1 << 20), Some((text.as_bytes()[0], text.as_bytes()[(1 << 20) - 1])));
        let orders: Vec<Order> = serde_json::from_str(&orders(1 << 20)).unwrap();
        assert_eq!(orders.len(), ORDERS);
        let tools: serde_json::Value = serde_json::from_str(&tools()).unwrap();
        assert_eq!(tools["tools"].as_array().map(Vec::len), Some(TOOLS));
    }
}
