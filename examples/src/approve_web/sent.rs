//! What a browser sent.

use std::collections::HashMap;

use url::form_urlencoded;

/// The fields of a form that was sent, each with its values in order.
#[derive(Debug, Default)]
pub(super) struct Sent(HashMap<String, Vec<String>>);

impl Sent {
    pub(super) fn read(body: &[u8]) -> Self {
        let mut fields = HashMap::<String, Vec<String>>::new();
        for (name, value) in form_urlencoded::parse(body) {
            // Browsers send every line break as CR LF, whatever the text had.
            fields.entry(name.into_owned()).or_default().push(value.replace("\r\n", "\n"));
        }
        Self(fields)
    }

    /// All values of a field.
    pub(super) fn all(&self, name: &str) -> &[String] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }

    /// The first value of a field.
    pub(super) fn one(&self, name: &str) -> Option<&str> {
        self.all(name).first().map(String::as_str)
    }

    /// A field that holds a number.
    pub(super) fn number<N: std::str::FromStr>(&self, name: &str) -> Option<N> {
        self.one(name)?.parse().ok()
    }
}
