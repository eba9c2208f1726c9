//! Who says that repeating a call is harmless, and how strong that word is.

use serde::{Deserialize, Serialize};

/// What repeating a call does, as far as someone vouches for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Repeat {
    /// The call changes nothing.
    ReadOnly,
    /// Running it twice has the effect of running it once.
    Idempotent,
    /// It carries an idempotency key, by which the server recognises a repetition.
    Keyed,
    /// Nobody vouches for it: a second run may do the work twice.
    #[default]
    Unsafe,
}

impl Repeat {
    /// Whether a call that may have run can be sent again.
    pub fn is_safe(self) -> bool {
        self != Self::Unsafe
    }
}

/// Who gave the word, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Source {
    /// The caller, for this one call.
    Call,
    /// The application's registry of tools.
    Registry,
    /// The protocol: discovery, lists, reads, prompts and completion change nothing.
    Protocol,
    /// The tool's own annotations, of a server that the application trusts.
    Annotations,
    /// Nobody.
    None,
}

/// Whether the application believes what a server says of its own tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Trust {
    /// Hints of this server count as evidence.
    Trusted,
    /// Hints of this server never widen what is allowed (the default).
    #[default]
    Untrusted,
}

/// What is known about repeating one call, and who said so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    repeat: Repeat,
    source: Source,
}

impl Evidence {
    /// Evidence from a source.
    pub fn new(repeat: Repeat, source: Source) -> Self {
        Self { repeat, source }
    }

    /// No evidence: unsafe to repeat once it may have run.
    pub fn none() -> Self {
        Self::new(Repeat::Unsafe, Source::None)
    }

    /// What a protocol method says of itself, from `server/discover` to `subscriptions/listen`; `tools/call` and
    /// methods that this revision does not define say nothing.
    pub fn of_method(method: &str) -> Self {
        match method {
            "server/discover"
            | "tools/list"
            | "resources/list"
            | "resources/templates/list"
            | "resources/read"
            | "prompts/list"
            | "prompts/get"
            | "completion/complete"
            | "subscriptions/listen" => Self::new(Repeat::ReadOnly, Source::Protocol),
            _ => Self::none(),
        }
    }

    /// The stronger of two: the one whose source stands higher. A caller's "not idempotent" beats every hint.
    #[must_use]
    pub fn or(self, weaker: Self) -> Self {
        if weaker.source < self.source { weaker } else { self }
    }

    /// What repeating does.
    pub fn repeat(&self) -> Repeat {
        self.repeat
    }

    /// Who said so.
    pub fn source(&self) -> Source {
        self.source
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caller_beats_the_registry_and_the_registry_beats_the_protocol() {
        let call = Evidence::new(Repeat::Unsafe, Source::Call);
        let registry = Evidence::new(Repeat::Keyed, Source::Registry);
        let protocol = Evidence::of_method("resources/read");
        assert_eq!(protocol.or(registry), registry);
        assert_eq!(registry.or(protocol), registry);
        assert_eq!(registry.or(call), call);
        assert!(!call.or(registry).repeat().is_safe());
    }

    #[test]
    fn a_tool_call_says_nothing_of_itself() {
        assert_eq!(Evidence::of_method("tools/call"), Evidence::none());
        assert_eq!(Evidence::of_method("tasks/cancel"), Evidence::none());
        assert!(Evidence::of_method("prompts/get").repeat().is_safe());
    }
}
