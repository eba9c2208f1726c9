//! A form that cannot be shown field by field: answered with JSON.

use inquire::{
    Text,
    validator::{ErrorMessage, Validation},
};
use mcp_client::{ElicitAnswer, ElicitForm, types::RawJson};

use super::prompt::{Prompted, prompted};
use crate::text::one_line;

pub(super) fn ask(form: &ElicitForm) -> Prompted<ElicitAnswer> {
    let checked = form.clone();
    let answer = Text::new("Answer (a JSON object):")
        .with_help_message("as the schema says; Esc cancels")
        .with_validator(move |text: &str| {
            Ok(match read(&checked, text) {
                Ok(_) => Validation::Valid,
                Err(wrong) => Validation::Invalid(ErrorMessage::Custom(wrong)),
            })
        })
        .prompt();
    Ok(prompted(answer)?.and_then(|text| read(form, &text).ok()))
}

fn read(form: &ElicitForm, text: &str) -> Result<ElicitAnswer, String> {
    let json = RawJson::from_text(text.trim().to_owned()).map_err(|_| "This is no JSON".to_owned())?;
    form.fill(json).map_err(|errors| one_line(&errors.to_string()))
}
