//! One field: a prompt that suits what it takes, and asks again until the value fits.

use std::fmt;

use inquire::{
    Confirm, MultiSelect, Select, Text,
    list_option::ListOption,
    validator::{ErrorMessage, Validation},
};
use mcp_client::{Choice, FieldFault, FieldKind, FormField, types::RawJson};

use super::{
    prompt::{Prompted, prompted},
    show,
};
use crate::text::one_line;

/// How many choices are shown at once.
const PAGE: usize = 10;

/// The default as the texts of the field. One that a terminal cannot show as it is, is not offered.
pub(super) fn default(field: &FormField) -> Vec<String> {
    let Some(default) = field.default() else { return Vec::new() };
    let texts = match field.kind() {
        FieldKind::Text { .. } | FieldKind::SingleSelect { .. } => {
            default.parse::<String>().map(|text| vec![text]).unwrap_or_default()
        }
        FieldKind::MultiSelect { .. } => default.parse::<Vec<String>>().unwrap_or_default(),
        _ => vec![RawJson::get(default).to_owned()],
    };
    let chosen = matches!(field.kind(), FieldKind::SingleSelect { .. } | FieldKind::MultiSelect { .. });
    if chosen || texts.iter().all(|text| one_line(text) == *text) { texts } else { Vec::new() }
}

/// Asks for one field, with what was given before to begin with; `None` is Esc.
pub(super) fn ask(field: &FormField, before: &[String]) -> Prompted<Vec<String>> {
    match field.kind() {
        FieldKind::Boolean if field.is_required() => yes_or_no(field, before),
        FieldKind::Boolean => {
            let offered = [("yes", "true"), ("no", "false")];
            let options = offered.map(|(title, value)| Offered::new(title, Some(value)));
            one_of(field, options.into(), before)
        }
        FieldKind::SingleSelect { choices } => {
            one_of(field, choices.iter().map(Offered::of).collect(), before)
        }
        FieldKind::MultiSelect { choices, .. } => some_of(field, choices, before),
        _ => text(field, before),
    }
}

fn question(field: &FormField) -> String {
    let label = show::label(field.label());
    if label.ends_with(['?', ':']) { label } else { format!("{label}:") }
}

fn text(field: &FormField, before: &[String]) -> Prompted<Vec<String>> {
    let (question, help, checked) = (question(field), show::help(field), field.clone());
    let before = before.first().map(String::as_str).unwrap_or_default();
    let answer = Text::new(&question)
        .with_help_message(&help)
        .with_initial_value(before)
        .with_validator(move |text: &str| Ok(judged(&checked, &[text])))
        .prompt();
    Ok(prompted(answer)?.map(|text| vec![text]))
}

fn yes_or_no(field: &FormField, before: &[String]) -> Prompted<Vec<String>> {
    let (question, help) = (question(field), show::help(field));
    let mut prompt = Confirm::new(&question).with_help_message(&help);
    if let Some(before) = before.first() {
        prompt = prompt.with_default(before == "true");
    }
    Ok(prompted(prompt.prompt())?.map(|yes| vec![yes.to_string()]))
}

fn one_of(field: &FormField, mut options: Vec<Offered>, before: &[String]) -> Prompted<Vec<String>> {
    let (question, help) = (question(field), show::help(field));
    if !field.is_required() {
        options.push(Offered::new("(leave it out)", None));
    }
    let before = before.first();
    let at = options.iter().position(|option| option.value.as_ref() == before).unwrap_or(0);
    let prompt = Select::new(&question, options)
        .with_help_message(&help)
        .with_page_size(PAGE)
        .with_starting_cursor(at);
    Ok(prompted(prompt.prompt())?.map(|option| option.value.into_iter().collect()))
}

fn some_of(field: &FormField, choices: &[Choice], before: &[String]) -> Prompted<Vec<String>> {
    let (question, checked) = (question(field), field.clone());
    let help = format!("Space to choose, Enter when done; {}", show::help(field));
    let chosen: Vec<usize> = choices
        .iter()
        .enumerate()
        .filter_map(|(at, choice)| before.iter().any(|text| text == choice.value()).then_some(at))
        .collect();
    let prompt = MultiSelect::new(&question, choices.iter().map(Offered::of).collect())
        .with_help_message(&help)
        .with_page_size(PAGE)
        .with_default(&chosen)
        .with_validator(move |chosen: &[ListOption<&Offered>]| {
            let values: Vec<&str> =
                chosen.iter().filter_map(|option| option.value.value.as_deref()).collect();
            Ok(judged(&checked, &values))
        });
    Ok(prompted(prompt.prompt())?
        .map(|chosen| chosen.into_iter().filter_map(|option| option.value).collect()))
}

/// What the field says of these texts, as a sentence for the person.
fn judged(field: &FormField, texts: &[&str]) -> Validation {
    // Enter alone is a slip, not an answer that is empty.
    let slipped = field.is_required() && texts.iter().all(|text| text.is_empty());
    let fault = match field.parse(texts) {
        Ok(_) if slipped && matches!(field.kind(), FieldKind::Text { .. }) => FieldFault::Missing,
        Ok(_) => return Validation::Valid,
        Err(fault) => fault,
    };
    Validation::Invalid(ErrorMessage::Custom(format!("{} {fault}", show::label(field.label()))))
}

/// What can be chosen, and what it stands for.
struct Offered {
    title: String,
    value: Option<String>,
}

impl Offered {
    fn new(title: &str, value: Option<&str>) -> Self {
        Self { title: show::label(title), value: value.map(str::to_owned) }
    }

    fn of(choice: &Choice) -> Self {
        Self::new(choice.title(), Some(choice.value()))
    }
}

impl fmt::Display for Offered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.title)
    }
}
