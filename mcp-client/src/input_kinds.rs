//! Which input requests a client can answer.

use std::{fmt, ops::BitOr};

use mcp_types::{ClientCapabilities, ElicitRequestParams, InputRequest};

/// A set of kinds of input requests, declared to the server with each call.
///
/// The default is none, as the specification asks: declare only what your application can answer.
///
/// ```
/// use mcp_client::InputKinds;
///
/// let kinds = InputKinds::FORM | InputKinds::URL;
/// assert!(kinds.contains(InputKinds::FORM));
/// assert!(!kinds.contains(InputKinds::ROOTS));
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct InputKinds(u8);

impl InputKinds {
    /// Nothing is declared.
    pub const NONE: Self = Self(0);
    /// Forms to be filled in (`elicitation/create`, mode `form`).
    pub const FORM: Self = Self(1);
    /// Links to be opened (`elicitation/create`, mode `url`).
    pub const URL: Self = Self(1 << 1);
    /// Messages from a language model (`sampling/createMessage`; deprecated since 2026-07-28).
    pub const SAMPLING: Self = Self(1 << 2);
    /// Messages from a language model that may use tools; includes [`SAMPLING`](Self::SAMPLING). Deprecated since 2026-07-28.
    pub const SAMPLING_TOOLS: Self = Self(1 << 2 | 1 << 4);
    /// Messages from a language model that is told of what other servers know; includes [`SAMPLING`](Self::SAMPLING).
    /// Deprecated since 2025-11-25.
    pub const SAMPLING_CONTEXT: Self = Self(1 << 2 | 1 << 5);
    /// The roots of the workspace (`roots/list`; deprecated since 2026-07-28).
    pub const ROOTS: Self = Self(1 << 3);

    const NAMES: [(Self, &'static str); 6] = [
        (Self::FORM, "elicitation.form"),
        (Self::URL, "elicitation.url"),
        (Self::SAMPLING, "sampling"),
        (Self::SAMPLING_TOOLS, "sampling.tools"),
        (Self::SAMPLING_CONTEXT, "sampling.context"),
        (Self::ROOTS, "roots"),
    ];

    /// Whether all of the other set's kinds are in this one.
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether nothing is declared.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The kinds by name: `elicitation.form`, `elicitation.url`, `sampling`, `sampling.tools`, `sampling.context`, `roots`.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Self::NAMES.into_iter().filter(move |(kind, _)| self.contains(*kind)).map(|(_, name)| name)
    }

    /// The kind of that name, as [`names`](Self::names) gives them.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.into_iter().find(|(_, known)| *known == name).map(|(kind, _)| kind)
    }

    /// The kind of a request; `None` for one that could not be decoded.
    pub(crate) fn of(request: &InputRequest) -> Option<Self> {
        match request {
            InputRequest::Elicit(elicit) => Some(match elicit.params {
                ElicitRequestParams::Url(_) => Self::URL,
                _ => Self::FORM,
            }),
            // With tools nobody but who declared them is to be asked; what context there is to be is the client's to say.
            InputRequest::Sample(sample) => {
                let tools = sample.params.tools.is_some() || sample.params.tool_choice.is_some();
                Some(if tools { Self::SAMPLING_TOOLS } else { Self::SAMPLING })
            }
            InputRequest::ListRoots(_) => Some(Self::ROOTS),
            _ => None,
        }
    }

    pub(crate) fn capabilities(self) -> ClientCapabilities {
        let mut capabilities = ClientCapabilities::default();
        if self.contains(Self::FORM) || self.contains(Self::URL) {
            let mut elicitation = mcp_types::ElicitationCapability::default();
            elicitation.form = self.contains(Self::FORM).then(Default::default);
            elicitation.url = self.contains(Self::URL).then(Default::default);
            capabilities.elicitation = Some(elicitation);
        }
        if self.contains(Self::SAMPLING) {
            let mut sampling = mcp_types::SamplingCapability::default();
            sampling.tools = self.contains(Self::SAMPLING_TOOLS).then(Default::default);
            sampling.context = self.contains(Self::SAMPLING_CONTEXT).then(Default::default);
            capabilities.sampling = Some(sampling);
        }
        if self.contains(Self::ROOTS) {
            capabilities.roots = Some(mcp_types::RootsCapability::default());
        }
        capabilities
    }
}

impl BitOr for InputKinds {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl FromIterator<InputKinds> for InputKinds {
    fn from_iter<I: IntoIterator<Item = InputKinds>>(kinds: I) -> Self {
        kinds.into_iter().fold(Self::NONE, BitOr::bitor)
    }
}

impl fmt::Debug for InputKinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn smp_01_root_01_each_kind_is_declared_by_its_own_name() {
        for (kinds, names, declared) in [
            (InputKinds::NONE, vec![], json!({})),
            (InputKinds::FORM, vec!["elicitation.form"], json!({ "elicitation": { "form": {} } })),
            (InputKinds::SAMPLING, vec!["sampling"], json!({ "sampling": {} })),
            (
                InputKinds::SAMPLING_TOOLS,
                vec!["sampling", "sampling.tools"],
                json!({ "sampling": { "tools": {} } }),
            ),
            (
                InputKinds::SAMPLING_CONTEXT,
                vec!["sampling", "sampling.context"],
                json!({ "sampling": { "context": {} } }),
            ),
            (InputKinds::ROOTS, vec!["roots"], json!({ "roots": {} })),
        ] {
            assert_eq!(kinds.names().collect::<Vec<_>>(), names);
            assert_eq!(
                names.iter().filter_map(|name| InputKinds::from_name(name)).collect::<InputKinds>(),
                kinds
            );
            assert_eq!(serde_json::to_value::<_>(kinds.capabilities()).unwrap(), declared);
        }
        let both: Value =
            serde_json::to_value((InputKinds::SAMPLING_TOOLS | InputKinds::SAMPLING_CONTEXT).capabilities())
                .unwrap();
        assert_eq!(both, json!({ "sampling": { "context": {}, "tools": {} } }));
        assert!(!InputKinds::SAMPLING.contains(InputKinds::SAMPLING_TOOLS));
        assert_eq!(InputKinds::from_name("sampling.everything"), None);
    }
}
