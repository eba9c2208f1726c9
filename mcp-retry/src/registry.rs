//! The application's own word on its tools: which may be repeated.

use serde::{Deserialize, Serialize};

use crate::{Evidence, Repeat, Source};

/// Rules by server and tool, loadable from a small TOML or JSON file. The first rule that fits holds.
///
/// ```
/// use mcp_retry::{Registry, Repeat};
///
/// let registry: Registry = toml::from_str(
///     r#"
///     [[rule]]
///     server = "https://bank.example/*"
///     tool = "get_*"
///     repeat = "readOnly"
///
///     [[rule]]
///     tool = "send_*"
///     repeat = "unsafe"
///     "#,
/// )?;
/// assert_eq!(registry.find("https://bank.example/mcp", "get_balance").map(|e| e.repeat()), Some(Repeat::ReadOnly));
/// assert_eq!(registry.find("https://other.example/mcp", "get_balance"), None);
/// # Ok::<(), toml::de::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registry {
    #[serde(default, rename = "rule")]
    rules: Vec<Rule>,
}

/// One rule of a [`Registry`]. In patterns `*` stands for any text and `?` for one character.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    /// Which servers; all of them when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    server: Option<String>,
    /// Which tools.
    tool: String,
    /// What repeating them does.
    repeat: Repeat,
}

impl Registry {
    /// A registry without rules.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a rule for the tools that fit a pattern, on all servers.
    #[must_use]
    pub fn tool(mut self, tool: impl Into<String>, repeat: Repeat) -> Self {
        self.rules.push(Rule { server: None, tool: tool.into(), repeat });
        self
    }

    /// Adds a rule for the tools that fit a pattern, on the servers that fit another.
    #[must_use]
    pub fn tool_on(mut self, server: impl Into<String>, tool: impl Into<String>, repeat: Repeat) -> Self {
        self.rules.push(Rule { server: Some(server.into()), tool: tool.into(), repeat });
        self
    }

    /// What the first rule that fits says.
    pub fn find(&self, server: &str, tool: &str) -> Option<Evidence> {
        let fits = |rule: &&Rule| {
            matches(&rule.tool, tool) && rule.server.as_deref().is_none_or(|pattern| matches(pattern, server))
        };
        self.rules.iter().find(fits).map(|rule| Evidence::new(rule.repeat, Source::Registry))
    }
}

/// Whether a text fits a pattern. Linear in practice: of several stars only the last is ever gone back to.
fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut p, mut t) = (0, 0);
    let mut star = None;
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(c) if *c == '?' || Some(c) == text.get(t) => {
                p += 1;
                t += 1;
            }
            _ => {
                let Some((at, taken)) = star else { return false };
                star = Some((at, taken + 1));
                p = at + 1;
                t = taken + 1;
            }
        }
    }
    pattern.iter().skip(p).all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("*", "anything", true),
            ("", "", true),
            ("", "x", false),
            ("get_*", "get_", true),
            ("get_*", "get_weather", true),
            ("get_*", "forget_x", false),
            ("*_x", "a_x_x", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-b-b", false),
            ("?", "é", true),
            ("??", "é", false),
            ("Get", "get", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
        assert!(!matches(&"a*".repeat(50), &"a".repeat(49)));
    }

    #[test]
    fn the_first_rule_that_fits_holds_in_both_formats() {
        let json =
            r#"{"rule":[{"tool":"get_secret","repeat":"unsafe"},{"tool":"get_*","repeat":"idempotent"}]}"#;
        let registry: Registry = serde_json::from_str(json).unwrap();
        assert_eq!(
            registry,
            Registry::new().tool("get_secret", Repeat::Unsafe).tool("get_*", Repeat::Idempotent)
        );
        let repeat = |tool| registry.find("s", tool).map(|evidence| (evidence.repeat(), evidence.source()));
        assert_eq!(repeat("get_secret"), Some((Repeat::Unsafe, Source::Registry)));
        assert_eq!(repeat("get_x"), Some((Repeat::Idempotent, Source::Registry)));
        assert_eq!(repeat("pay"), None);
        assert!(serde_json::from_str::<Registry>(r#"{"rule":[{"tool":"x","repeat":"sometimes"}]}"#).is_err());
        assert!(toml::from_str::<Registry>("[[rule]]\ntool = 'x'\nrepeat = 'readOnly'\ntypo = 1").is_err());
    }
}
