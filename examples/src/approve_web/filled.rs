//! A form as it was filled in on the page.

use mcp_client::{
    ElicitAnswer, ElicitForm, FormErrors,
    types::{RawJson, RawMap},
};

use super::{control::Control, sent::Sent};

/// The field of the page that takes the whole answer as JSON, of a form that has no controls.
pub(super) const RAW: &str = "raw";

/// What is wrong with it.
#[derive(Debug)]
pub(super) enum Wrong {
    /// Fields, each with its fault.
    Fields(FormErrors),
    /// The answer as a whole; it follows "The answer".
    Whole(String),
}

/// The name of a field's input. Names of the server are its own, and may be anything.
pub(super) fn name(index: usize) -> String {
    format!("f{index}")
}

/// The accepted form.
pub(super) fn read(form: &ElicitForm, sent: &Sent) -> Result<ElicitAnswer, Wrong> {
    if !form.is_supported() {
        return raw(form, sent.one(RAW).unwrap_or_default());
    }
    let mut entries = Vec::new();
    let mut emptied = Vec::new();
    for (index, field) in form.fields().iter().enumerate() {
        let control = Control::of(field);
        let texts = control.read(&name(index), sent);
        if texts.is_empty() && matches!(control, Control::Many(_)) && field.default().is_some() {
            emptied.push(field.name());
        }
        entries.extend(texts.into_iter().map(|text| (field.name(), text)));
    }
    let answer = form.fill_text(entries).map_err(Wrong::Fields)?;
    let Some(mut content) = answer.content.clone().filter(|_| !emptied.is_empty()) else { return Ok(answer) };
    // Who unticks every choice of a default does not want the default: left out, the server would take it.
    for field in emptied {
        content.insert(field.to_owned(), RawJson::from_text("[]".to_owned()).unwrap_or_default());
    }
    form.fill(&content).map_err(Wrong::Fields)
}

/// What was written as JSON.
fn raw(form: &ElicitForm, text: &str) -> Result<ElicitAnswer, Wrong> {
    let content = RawJson::from_text(text.trim().to_owned()).and_then(|content| content.parse::<RawMap>());
    let content = content.map_err(|error| Wrong::Whole(format!("must be a JSON object: {error}")))?;
    form.fill(&content).map_err(|errors| Wrong::Whole(format!("does not fit the form: {errors}")))
}
