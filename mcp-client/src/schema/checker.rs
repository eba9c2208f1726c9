//! A compiled schema.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use jsonschema::error::ValidationErrorKind;
use jsonschema::{PatternOptions, ValidationError, Validator};
use mcp_types::RawJson;
use serde_json::Value;

use super::plan::{Plan, bytes, size};
use super::work::{self, Flat};
use super::{MAX_VIOLATIONS, SchemaFault, SchemaFaultKind, SchemaViolation, Validation, dialect};

/// The largest schema, in bytes.
pub(super) const MAX_SCHEMA: usize = 1 << 20;

/// The largest value that is checked, in bytes.
pub(super) const MAX_VALUE: usize = 4 << 20;

/// What one compiled pattern may take, in bytes.
const PATTERN_SIZE: usize = 4 << 20;

/// What stands in messages for the values of a result.
const MASK: &str = "the value";

pub(super) struct Checker {
    validator: Validator,
    plan: Plan,
    flat: Option<Flat>,
}

impl Checker {
    pub(super) fn compile(raw: &RawJson) -> Result<Self, SchemaFault> {
        if raw.get().len() > MAX_SCHEMA {
            return Err(SchemaFault::new(SchemaFaultKind::SchemaTooLarge));
        }
        let schema = parse(raw, SchemaFaultKind::SchemaTooDeep)?;
        let draft = dialect::of(&schema)?;
        let plan = Plan::of(&schema)?;
        work::compilable(&plan)?;
        let options = jsonschema::options()
            .with_draft(draft)
            .offline()
            .should_validate_formats(false)
            .with_pattern_options(
                PatternOptions::regex().size_limit(PATTERN_SIZE).dfa_size_limit(PATTERN_SIZE),
            );
        let validator = guarded(|| options.build(&schema))?.map_err(|error| refused(&error))?;
        let flat = work::flat(&plan);
        Ok(Self { validator, plan, flat })
    }

    pub(super) fn check(&self, raw: &RawJson) -> Validation {
        self.try_check(raw).unwrap_or_else(Validation::NotChecked)
    }

    fn try_check(&self, raw: &RawJson) -> Result<Validation, SchemaFault> {
        if raw.get().len() > MAX_VALUE {
            return Err(SchemaFault::new(SchemaFaultKind::ValueTooLarge));
        }
        let value = parse(raw, SchemaFaultKind::ValueTooDeep)?;
        let flat = self.flat.is_some_and(|flat| flat.allows(size(&value), bytes(raw.get())));
        if !flat {
            work::check(&self.plan, &value)?;
        }
        if guarded(|| self.validator.is_valid(&value))? {
            return Ok(Validation::Valid);
        }
        if work::list(&self.plan, &value).is_err() {
            let violation = SchemaViolation::new("", "", "it does not conform; there is too much to list");
            return Ok(Validation::Invalid(vec![violation]));
        }
        let violations = guarded(|| {
            let errors = self.validator.iter_errors(&value).take(MAX_VIOLATIONS);
            errors.map(|error| violation(&error)).collect::<Vec<_>>()
        })?;
        if violations.is_empty() {
            // Invalid, but with nothing to show: the validator contradicts itself.
            return Err(SchemaFault::new(SchemaFaultKind::Internal));
        }
        Ok(Validation::Invalid(violations))
    }
}

impl fmt::Debug for Checker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checker").field("subschemas", &self.plan.nodes.len()).finish_non_exhaustive()
    }
}

fn parse(raw: &RawJson, too_deep: SchemaFaultKind) -> Result<Value, SchemaFault> {
    raw.to_value().map_err(|error| {
        // A raw value is JSON, so one of these two it is.
        let deep = error.detail().contains("recursion limit");
        SchemaFault::new(if deep { too_deep } else { SchemaFaultKind::NumberOutOfRange })
    })
}

/// Runs the validator. It is full of assertions about itself; with hostile input, one that fails must not take the
/// caller's task along.
fn guarded<T>(run: impl FnOnce() -> T) -> Result<T, SchemaFault> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|_| SchemaFault::new(SchemaFaultKind::Internal))
}

fn violation(error: &ValidationError<'_>) -> SchemaViolation {
    SchemaViolation::new(error.instance_path(), error.schema_path(), error.masked_with(MASK))
}

fn refused(error: &ValidationError<'_>) -> SchemaFault {
    match error.kind() {
        ValidationErrorKind::Referencing(reason) => SchemaFault::with(SchemaFaultKind::UnresolvedRef, reason),
        ValidationErrorKind::RegexEngineFailure { .. } => {
            SchemaFault::with(SchemaFaultKind::UnsupportedPattern, error)
        }
        ValidationErrorKind::Format { format } if format == "regex" => {
            SchemaFault::with(SchemaFaultKind::UnsupportedPattern, error)
        }
        // Of an invalid schema the "instance" is the schema itself.
        _ => SchemaFault::with(
            SchemaFaultKind::InvalidSchema,
            format_args!("{}: {}", error.instance_path(), error.masked_with(MASK)),
        ),
    }
}
