//! What some servers hide in the text of a tool error.

/// A reading of the text `MCP error -32602: …`, with which servers built on the older TypeScript SDK report
/// failures of their own as tool errors. It changes nothing about the outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ErrorHint {
    /// The code in the text.
    pub code: i64,
    /// What it seems to mean.
    pub kind: ErrorHintKind,
}

/// What a hint seems to mean.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorHintKind {
    /// The arguments do not fit the tool's schema.
    InvalidArguments {
        /// The tool.
        tool: String,
        /// What is wrong.
        detail: String,
        /// The argument that is wrong, where the text names one.
        field: Option<String>,
    },
    /// There is no such tool.
    UnknownTool {
        /// The name that was called.
        name: String,
    },
    /// Something else.
    Other {
        /// The text after the code.
        message: String,
    },
}

impl ErrorHint {
    /// Reads the text of a tool error.
    pub fn read(text: &str) -> Option<Self> {
        let (code, message) = text.trim().strip_prefix("MCP error ")?.split_once(':')?;
        let code = code.trim().parse().ok()?;
        let message = message.trim();
        let kind = unknown_tool(message)
            .or_else(|| invalid_arguments(message))
            .unwrap_or_else(|| ErrorHintKind::Other { message: message.to_owned() });
        Some(Self { code, kind })
    }
}

fn unknown_tool(message: &str) -> Option<ErrorHintKind> {
    let name = message.strip_prefix("Tool ")?.strip_suffix(" not found")?;
    Some(ErrorHintKind::UnknownTool { name: name.to_owned() })
}

fn invalid_arguments(message: &str) -> Option<ErrorHintKind> {
    let (_, rest) = message.split_once("Invalid arguments for tool ")?;
    let (tool, detail) = rest.split_once(':')?;
    let detail = detail.trim();
    let field = detail
        .rsplit_once(" at ")
        .map(|(_, field)| field.trim())
        .filter(|field| !field.is_empty() && !field.contains(char::is_whitespace));
    Some(ErrorHintKind::InvalidArguments {
        tool: tool.trim().to_owned(),
        detail: detail.to_owned(),
        field: field.map(str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_known_texts_are_read_and_others_left_alone() {
        let hint = ErrorHint::read(
            "MCP error -32602: Input validation error: Invalid arguments for tool compare_prices: A full domain name is required at domain",
        );
        assert_eq!(
            hint,
            Some(ErrorHint {
                code: -32602,
                kind: ErrorHintKind::InvalidArguments {
                    tool: "compare_prices".into(),
                    detail: "A full domain name is required at domain".into(),
                    field: Some("domain".into()),
                },
            })
        );
        assert_eq!(
            ErrorHint::read("MCP error -32602: Tool nope not found").map(|hint| hint.kind),
            Some(ErrorHintKind::UnknownTool { name: "nope".into() })
        );
        assert_eq!(
            ErrorHint::read("MCP error -32603: disk on fire").map(|hint| hint.kind),
            Some(ErrorHintKind::Other { message: "disk on fire".into() })
        );
        for text in ["", "Invalid domain format", "MCP error", "MCP error x: y", "mcp error -32602: z"] {
            assert_eq!(ErrorHint::read(text), None, "{text}");
        }
    }
}
