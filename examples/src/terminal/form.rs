//! A form: answered field by field, looked over, and only then sent.

use std::fmt;

use mcp_client::{ElicitAnswer, ElicitForm};

use super::{
    field,
    prompt::{Ended, choose},
    raw, show,
};
use crate::text::one_line;

#[derive(Clone, Copy)]
enum Choice {
    Answer,
    Agree,
    Send,
    Change,
    Decline,
    Cancel,
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Answer => "Answer",
            Self::Agree => "Agree",
            Self::Send => "Send it",
            Self::Change => "Change it",
            Self::Decline => "Decline",
            Self::Cancel => "Cancel",
        })
    }
}

/// What the person has filled in: the texts of each field, in the form's order.
pub(super) type Filled = Vec<Vec<String>>;

pub(super) fn ask(form: &ElicitForm) -> Result<ElicitAnswer, Ended> {
    let consent = form.is_supported() && form.fields().is_empty();
    let yes = if consent { Choice::Agree } else { Choice::Answer };
    match choose("Your answer?", vec![yes, Choice::Decline, Choice::Cancel])? {
        Some(Choice::Agree | Choice::Answer) => {}
        Some(Choice::Decline) => return Ok(ElicitAnswer::decline()),
        _ => return Ok(ElicitAnswer::cancel()),
    }
    if !form.is_supported() {
        return Ok(raw::ask(form)?.unwrap_or_else(ElicitAnswer::cancel));
    }
    let mut filled: Filled = form.fields().iter().map(field::default).collect();
    loop {
        for (field, texts) in form.fields().iter().zip(&mut filled) {
            match field::ask(field, texts)? {
                Some(given) => *texts = given,
                None => return Ok(ElicitAnswer::cancel()),
            }
        }
        let answer = match form.fill_text(entries(form, &filled)) {
            Ok(answer) if consent => return Ok(answer),
            Ok(answer) => answer,
            Err(errors) => {
                errors.iter().for_each(|error| eprintln!("! {}", one_line(&error.to_string())));
                // Every field was checked by itself: only what no field can mend is left.
                match choose(
                    "It does not fit the form.",
                    vec![Choice::Change, Choice::Decline, Choice::Cancel],
                )? {
                    Some(Choice::Change) => continue,
                    Some(Choice::Decline) => return Ok(ElicitAnswer::decline()),
                    _ => return Ok(ElicitAnswer::cancel()),
                }
            }
        };
        look_over(form, &filled);
        match choose("Send this?", vec![Choice::Send, Choice::Change, Choice::Decline, Choice::Cancel])? {
            Some(Choice::Send) => return Ok(answer),
            Some(Choice::Change) => {}
            Some(Choice::Decline) => return Ok(ElicitAnswer::decline()),
            _ => return Ok(ElicitAnswer::cancel()),
        }
    }
}

fn entries<'a>(form: &'a ElicitForm, filled: &'a Filled) -> impl Iterator<Item = (&'a str, &'a str)> {
    let texts = |(field, texts): (&'a mcp_client::FormField, &'a Vec<String>)| {
        texts.iter().map(move |text| (field.name(), text.as_str()))
    };
    form.fields().iter().zip(filled).flat_map(texts)
}

fn look_over(form: &ElicitForm, filled: &Filled) {
    eprintln!("Your answer:");
    for (field, texts) in form.fields().iter().zip(filled) {
        let given: Vec<String> = texts.iter().map(|text| one_line(text)).collect();
        let given =
            if given.iter().all(String::is_empty) { "(left out)".to_owned() } else { given.join(", ") };
        eprintln!("  {}: {given}", show::label(field.label()));
    }
}
