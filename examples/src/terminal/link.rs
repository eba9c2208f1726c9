//! A link: shown, agreed to, and opened by the person, never from here.

use std::fmt;

use mcp_client::{ElicitAnswer, ElicitLink};

use super::prompt::{Ended, choose};

enum Choice {
    Agree,
    Done,
    Decline,
    Cancel,
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Agree => "Agree to open it",
            Self::Done => "Done there: go on with the call",
            Self::Decline => "Decline",
            Self::Cancel => "Cancel",
        })
    }
}

pub(super) fn ask(link: &ElicitLink) -> Result<ElicitAnswer, Ended> {
    match choose("Open this page?", vec![Choice::Agree, Choice::Decline, Choice::Cancel])? {
        Some(Choice::Agree) => {}
        Some(Choice::Decline) => return Ok(ElicitAnswer::decline()),
        _ => return Ok(ElicitAnswer::cancel()),
    }
    eprintln!("Open it in your own browser:\n{}", link.as_str());
    // The server learns what was done there by itself; it only has to be asked again.
    match choose("And then?", vec![Choice::Done, Choice::Decline, Choice::Cancel])? {
        Some(Choice::Done) => Ok(link.accept()),
        Some(Choice::Decline) => Ok(ElicitAnswer::decline()),
        _ => Ok(ElicitAnswer::cancel()),
    }
}
