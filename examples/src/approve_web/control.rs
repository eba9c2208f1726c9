//! Which control a field gets, and how what it sends is read.

use mcp_client::{
    Choice, FieldKind, FormField,
    types::{RawJson, StringFormat},
};

use super::sent::Sent;

/// Texts longer than this get several lines.
const LINE: u64 = 200;

/// A control on the page.
#[derive(Clone, Copy, Debug)]
pub(super) enum Control<'f> {
    /// One line of text, with the `type` of its input.
    Line(&'static str),
    /// Several lines of text.
    Area,
    /// A date and a time, and beside it the offset from UTC, which browsers do not ask for.
    Moment,
    /// A number; whole or not.
    Number { whole: bool },
    /// Ticked or not: a field that has a default, so that not ticked is an answer, too.
    Tick,
    /// Yes or no, and nothing chosen at first.
    YesNo,
    /// One of these.
    One(&'f [Choice]),
    /// Some of these.
    Many(&'f [Choice]),
    /// None: the form is answered as JSON.
    Raw,
}

impl<'f> Control<'f> {
    pub(super) fn of(field: &'f FormField) -> Self {
        match field.kind() {
            FieldKind::Text { format: Some(StringFormat::Email), .. } => Self::Line("email"),
            FieldKind::Text { format: Some(StringFormat::Uri), .. } => Self::Line("url"),
            FieldKind::Text { format: Some(StringFormat::Date), .. } => Self::Line("date"),
            FieldKind::Text { format: Some(StringFormat::DateTime), .. } => match default(field) {
                // One that the control cannot hold would be lost.
                Some(text) if moment(&text).is_none() => Self::Line("text"),
                _ => Self::Moment,
            },
            FieldKind::Text { max_length, .. } => {
                let lines = default(field).is_some_and(|text| text.contains(['\n', '\r']));
                if lines || max_length.is_some_and(|max| max > LINE) {
                    Self::Area
                } else {
                    Self::Line("text")
                }
            }
            FieldKind::Number { .. } => Self::Number { whole: false },
            FieldKind::Integer { .. } => Self::Number { whole: true },
            FieldKind::Boolean if field.default().is_some() => Self::Tick,
            FieldKind::Boolean => Self::YesNo,
            FieldKind::SingleSelect { choices } => Self::One(choices),
            FieldKind::MultiSelect { choices, .. } => Self::Many(choices),
            _ => Self::Raw,
        }
    }

    /// What was sent, as the texts that the form reads. A control that was left empty says nothing, as browsers have it. Choices
    /// are sent by their number: a value may be any text, and a browser would change some.
    pub(super) fn read(self, name: &str, sent: &Sent) -> Vec<String> {
        let mut texts = self.texts(name, sent);
        texts.retain(|text| !text.is_empty() || matches!(self, Self::One(_) | Self::Many(_)));
        texts
    }

    fn texts(self, name: &str, sent: &Sent) -> Vec<String> {
        match self {
            Self::Tick => vec![sent.one(name).is_some().to_string()],
            Self::Moment => {
                let local = sent.one(name).unwrap_or_default();
                vec![whole_moment(local, sent.one(&offset_name(name)).unwrap_or("Z"))]
            }
            Self::One(choices) | Self::Many(choices) => sent
                .all(name)
                .iter()
                .filter(|number| !number.is_empty())
                .map(|number| {
                    let choice = number.parse().ok().and_then(|number: usize| choices.get(number));
                    // One that is not on the list is the form's to refuse.
                    choice.map_or_else(|| number.clone(), |choice| choice.value().to_owned())
                })
                .collect(),
            _ => sent.all(name).to_vec(),
        }
    }

    /// What the control shows: what was sent, else the default. Of choices, the numbers; of a moment, the time and the offset.
    pub(super) fn shown(self, field: &FormField, name: &str, sent: Option<&Sent>) -> Vec<String> {
        if let Some(sent) = sent {
            return match self {
                Self::Moment => [name, &offset_name(name)]
                    .map(|name| sent.one(name).unwrap_or_default().to_owned())
                    .to_vec(),
                _ => sent.all(name).to_vec(),
            };
        }
        let Some(raw) = field.default() else {
            // Where there is a choice for it, no answer is what a field begins with.
            let none = matches!(self, Self::YesNo) && !field.is_required();
            return if none { vec![String::new()] } else { Vec::new() };
        };
        let number = |choices: &[Choice], value: &str| {
            choices.iter().position(|choice| choice.value() == value).map(|number| number.to_string())
        };
        match self {
            Self::Tick => (raw.get() == "true").then(|| "on".to_owned()).into_iter().collect(),
            Self::Moment => {
                let parts = default(field).and_then(|text| moment(&text));
                parts.map(|(local, offset)| vec![local, offset]).unwrap_or_default()
            }
            Self::One(choices) => {
                text_of(raw).and_then(|value| number(choices, &value)).into_iter().collect()
            }
            Self::Many(choices) => {
                let values: Vec<String> = raw.parse().unwrap_or_default();
                values.iter().filter_map(|value| number(choices, value)).collect()
            }
            _ => text_of(raw).into_iter().collect(),
        }
    }

    /// Whether it is a group of inputs: its name is a legend then, not a label.
    pub(super) fn is_group(self) -> bool {
        matches!(self, Self::Moment | Self::YesNo | Self::Many(_))
    }
}

/// The name of the input for the offset of a moment.
pub(super) fn offset_name(name: &str) -> String {
    format!("{name}-offset")
}

fn default(field: &FormField) -> Option<String> {
    field.default().and_then(text_of)
}

/// A text without its quotes; a number with its digits.
fn text_of(raw: &RawJson) -> Option<String> {
    if raw.is_number() { Some(raw.get().to_owned()) } else { raw.parse().ok() }
}

/// The time without the offset, as a browser's control has it, and the offset.
fn moment(text: &str) -> Option<(String, String)> {
    let (local, offset) = match text.strip_suffix(['Z', 'z']) {
        Some(local) => (local, "Z"),
        None => text.split_at_checked(text.len().checked_sub("+00:00".len())?)?,
    };
    let shape = |byte: u8| if byte.is_ascii_digit() { b'0' } else { byte };
    let shape = |text: &str| String::from_utf8(text.bytes().map(shape).collect()).unwrap_or_default();
    let whole_seconds = shape(local) == "0000-00-00T00:00:00";
    let fits = matches!(shape(offset).as_str(), "Z" | "+00:00" | "-00:00");
    (whole_seconds && fits).then(|| (local.to_owned(), offset.to_owned()))
}

/// The other way round. Whoever writes the whole moment into the first control is understood as well.
fn whole_moment(local: &str, offset: &str) -> String {
    let (local, offset) = (local.trim(), offset.trim());
    let time = local.split_once('T').map_or("", |(_, time)| time);
    if time.is_empty() || time.contains(['Z', 'z', '+', '-']) {
        return local.to_owned();
    }
    let seconds = if time.matches(':').count() < 2 { ":00" } else { "" };
    format!("{local}{seconds}{offset}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_split_and_joined() {
        for (text, local, offset) in [
            ("2026-12-24T18:00:00Z", "2026-12-24T18:00:00", "Z"),
            ("2026-12-24T18:00:07+01:00", "2026-12-24T18:00:07", "+01:00"),
            ("2026-12-24T18:00:07-11:30", "2026-12-24T18:00:07", "-11:30"),
        ] {
            assert_eq!(moment(text), Some((local.to_owned(), offset.to_owned())), "{text}");
            assert_eq!(whole_moment(local, offset), text);
        }
        for other in
            ["", "Z", "ü", "2026-12-24", "2026-12-24T18:00:00.5Z", "2026-12-24 18:00:00Z", "üüüüüüüü"]
        {
            assert_eq!(moment(other), None, "{other}");
        }
        assert_eq!(whole_moment("2026-12-24T18:00", " +01:00 "), "2026-12-24T18:00:00+01:00");
        assert_eq!(whole_moment("2026-12-24T18:00:00Z", "+01:00"), "2026-12-24T18:00:00Z");
        assert_eq!(whole_moment("", "Z"), "");
        assert_eq!(whole_moment("soon", "Z"), "soon");
    }
}
