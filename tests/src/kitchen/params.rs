//! Parameters of a scenario: typed reading with defaults.

use http::StatusCode;
use serde_json::{Map, Value};

use super::scenario::SelectError;

/// Why a parameter is wrong: its name, and what it should be.
pub(super) struct Expected(pub(super) &'static str, pub(super) &'static str);

impl Expected {
    pub(super) fn of(self, scenario: &str) -> SelectError {
        SelectError::BadParameter {
            scenario: scenario.to_owned(),
            parameter: self.0.to_owned(),
            expected: self.1.to_owned(),
        }
    }
}

/// The parameters as given. Unknown ones are ignored, as the real Kitchen does.
pub(super) struct Params<'a>(pub(super) &'a Map<String, Value>);

impl Params<'_> {
    pub(super) fn integer(&self, name: &'static str, default: i64) -> Result<i64, Expected> {
        match self.0.get(name) {
            None => Ok(default),
            Some(value) => value.as_i64().ok_or(Expected(name, "an integer")),
        }
    }

    /// A count or a duration; less than nothing is nothing.
    pub(super) fn amount(&self, name: &'static str, default: u64) -> Result<u64, Expected> {
        match self.0.get(name) {
            None => Ok(default),
            Some(value) => {
                let number = value.as_i64().ok_or(Expected(name, "an integer"))?;
                Ok(u64::try_from(number).unwrap_or(0))
            }
        }
    }

    pub(super) fn flag(&self, name: &'static str, default: bool) -> Result<bool, Expected> {
        match self.0.get(name) {
            None => Ok(default),
            Some(value) => value.as_bool().ok_or(Expected(name, "a boolean")),
        }
    }

    /// A string; `null` means the default.
    pub(super) fn text(&self, name: &'static str, default: &str) -> Result<String, Expected> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(default.to_owned()),
            Some(Value::String(text)) => Ok(text.clone()),
            Some(_) => Err(Expected(name, "a string")),
        }
    }

    pub(super) fn texts(&self, name: &'static str, default: &[&str]) -> Result<Vec<String>, Expected> {
        let wrong = || Expected(name, "an array of strings");
        match self.0.get(name) {
            None => Ok(default.iter().map(|&text| text.to_owned()).collect()),
            Some(Value::Array(items)) => {
                items.iter().map(|item| item.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
            }
            Some(_) => Err(wrong()),
        }
    }

    pub(super) fn status(&self, name: &'static str, default: StatusCode) -> Result<StatusCode, Expected> {
        match self.0.get(name) {
            None => Ok(default),
            Some(value) => status_of(value).ok_or(Expected(name, STATUS)),
        }
    }

    pub(super) fn statuses(
        &self,
        name: &'static str,
        default: &[StatusCode],
    ) -> Result<Vec<StatusCode>, Expected> {
        let wrong = || Expected(name, "an array of HTTP statuses from 200 to 999");
        match self.0.get(name) {
            None => Ok(default.to_vec()),
            Some(Value::Array(items)) => items.iter().map(|item| status_of(item).ok_or_else(wrong)).collect(),
            Some(_) => Err(wrong()),
        }
    }
}

pub(super) const STATUS: &str = "an HTTP status from 200 to 999";

/// An HTTP status that can end an exchange.
pub(super) fn status_of(value: &Value) -> Option<StatusCode> {
    let number = u16::try_from(value.as_u64()?).ok()?;
    StatusCode::from_u16(number).ok().filter(|status| !status.is_informational())
}
