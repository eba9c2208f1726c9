//! The client that the official conformance suite runs, one process a scenario.
//!
//! The SDK does the work; here are only the calls that a scenario asks for, and the answers to input requests. Exit code 0:
//! all of the scenario was done as it should be. 1: something was not. 2: there is nothing here for the scenario.

mod environment;
mod headers;
mod input;
mod tools;

use std::{error::Error, fmt, process::ExitCode, time::Duration};

use self::environment::{Environment, Wire};

/// Shorter than the time limits of the runner (28 s) and of the suite (30 s), so that it is this program that says what hung.
const DEADLINE: Duration = Duration::from_secs(25);

/// How a scenario ends badly.
enum Failure {
    /// There is nothing here for it.
    NotThere(String),
    /// It was begun and went wrong.
    Failed(Box<dyn Error>),
}

impl<E: Into<Box<dyn Error>>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

impl fmt::Display for Failure {
    /// With the causes: the runner keeps what is printed, and often it is all there is.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotThere(what) => f.write_str(what),
            Self::Failed(error) => {
                write!(f, "{error}")?;
                let mut cause = error.source();
                while let Some(error) = cause {
                    write!(f, ": {error}")?;
                    cause = error.source();
                }
                Ok(())
            }
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let played = tokio::time::timeout(DEADLINE, start()).await;
    match played.unwrap_or_else(|_| Err("the scenario took more than 25 s".into())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::from(if matches!(failure, Failure::NotThere(_)) { 2 } else { 1 })
        }
    }
}

async fn start() -> Result<(), Failure> {
    let environment = Environment::read()?;
    match environment.wire {
        Wire::V2026_07_28 => play(&environment).await,
        Wire::V2025_11_25 => Err(not_there("revision 2025-11-25")),
    }
}

async fn play(environment: &Environment) -> Result<(), Failure> {
    let scenario = environment.scenario.as_str();
    match scenario {
        "tools_call" => tools::call(environment).await?,
        "json-schema-ref-no-deref" => tools::reference(environment).await?,
        "json-schema-2020-12-preservation" => tools::preservation(environment).await?,
        "request-metadata" => headers::metadata(environment).await?,
        "http-standard-headers" => headers::standard(environment).await?,
        "http-custom-headers" => headers::custom(environment).await?,
        "http-invalid-tool-headers" => headers::invalid(environment).await?,
        "sep-2322-client-request-state" => input::request_state(environment).await?,
        _ if scenario.starts_with("auth/") => return Err(not_there("authorization")),
        _ if scenario.starts_with("sep-2640-client-") => return Err(not_there("the skills extension")),
        _ => return Err(Failure::NotThere(format!("the scenario `{scenario}` is unknown here"))),
    }
    Ok(())
}

fn not_there(feature: &str) -> Failure {
    Failure::NotThere(format!("{feature}: not there yet"))
}
