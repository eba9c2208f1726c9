//! Structured content against the output schema of its tool.

use super::{Misfit, StructuredError, ToolOutput};
use crate::{SchemaViolation, Validation};

impl ToolOutput {
    /// What checking the structured content against the tool's `outputSchema` finds ([tools], output schema).
    ///
    /// `None` where there is nothing to check: the tool is not known (it was neither [listed](crate::Client::list_tools) nor
    /// [learnt](crate::Client::learn_tools) nor [given](crate::CallToolBuilder::tool)), it has no schema, or it reports an error.
    /// A success without structured content breaks every schema.
    ///
    /// The check is made when it is asked for, on the calling thread, and its work is bounded: see
    /// [`OutputSchema::validate`](crate::OutputSchema::validate).
    ///
    /// [tools]: https://modelcontextprotocol.io/specification/2026-07-28/server/tools
    pub fn validation(&self) -> Option<Validation> {
        if self.is_error() {
            return None;
        }
        let schema = self.held.tool.as_ref()?.output_schema.as_ref()?;
        Some(match self.structured_raw() {
            Some(value) => schema.validate(value),
            None => Validation::Invalid(vec![SchemaViolation::missing()]),
        })
    }

    /// Where the structured content breaks the tool's `outputSchema`; empty where it does not, and where it cannot be checked
    /// ([`validation`](Self::validation) tells the two apart).
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn f(client: mcp_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// client.list_tools().all().await?;
    /// let output = client.call_tool("get_weather").send().await?.into_success()?;
    /// for violation in output.schema_violations() {
    ///     eprintln!("{violation}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn schema_violations(&self) -> Vec<SchemaViolation> {
        match self.validation() {
            Some(Validation::Invalid(violations)) => violations,
            _ => Vec::new(),
        }
    }

    /// An error where the schema is broken.
    pub(crate) fn conforms(&self) -> Result<(), StructuredError> {
        match self.schema_violations() {
            violations if violations.is_empty() => Ok(()),
            _ if self.structured_raw().is_none() => Err(StructuredError(Misfit::Missing)),
            violations => Err(StructuredError(Misfit::Schema(violations.into()))),
        }
    }
}
