//! What a client declares with each request.

use crate::RawMap;
use crate::open_struct::{open_struct, raw_hints};

open_struct! {
    /// What the client can do for the server while it works on a request. The default declares nothing.
    ///
    /// ```
    /// use mcp_types::ClientCapabilities;
    ///
    /// let capabilities = ClientCapabilities::new().with_form_elicitation().with_url_elicitation();
    /// assert_eq!(serde_json::to_string(&capabilities)?, r#"{"elicitation":{"form":{},"url":{}}}"#);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct ClientCapabilities {
        /// Capabilities outside of the protocol: name to object.
        hint "experimental" => experimental: RawMap;
        /// The client can list its roots. Deprecated in 2026-07-28.
        hint "roots" => roots: RootsCapability;
        /// The client can ask a language model. Deprecated in 2026-07-28.
        hint "sampling" => sampling: SamplingCapability;
        /// The client can ask its user.
        hint "elicitation" => elicitation: ElicitationCapability;
        /// Extensions of the protocol: identifier to settings.
        hint "extensions" => extensions: RawMap;
    }
}

open_struct! {
    /// The client can list its roots. Deprecated in 2026-07-28.
    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct RootsCapability {
        /// The client says when the list changes; up to 2025-11-25 only.
        hint "listChanged" => list_changed: bool;
    }
}

open_struct! {
    /// The client can ask a language model. Deprecated in 2026-07-28.
    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct SamplingCapability {
        /// Context of servers can be included.
        hint "context" => context: RawMap;
        /// The model may use tools.
        hint "tools" => tools: RawMap;
    }
}

open_struct! {
    /// The client can ask its user. Without members it means forms.
    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct ElicitationCapability {
        /// The user can fill in forms.
        hint "form" => form: RawMap;
        /// The user can be sent to a web page.
        hint "url" => url: RawMap;
    }
}

raw_hints!(ClientCapabilities, RootsCapability, SamplingCapability, ElicitationCapability);

impl ElicitationCapability {
    /// Whether forms are accepted: said so, or nothing said.
    pub fn allows_form(&self) -> bool {
        self.form.is_some() || self.url.is_none()
    }

    /// Whether links are accepted.
    pub fn allows_url(&self) -> bool {
        self.url.is_some()
    }
}

impl ClientCapabilities {
    /// Declares forms.
    #[must_use]
    pub fn with_form_elicitation(mut self) -> Self {
        self.elicitation.get_or_insert_default().form.get_or_insert_default();
        self
    }

    /// Declares links to web pages.
    #[must_use]
    pub fn with_url_elicitation(mut self) -> Self {
        self.elicitation.get_or_insert_default().url.get_or_insert_default();
        self
    }

    /// Declares sampling. Deprecated in 2026-07-28.
    #[must_use]
    pub fn with_sampling(mut self) -> Self {
        self.sampling.get_or_insert_default();
        self
    }

    /// Declares roots. Deprecated in 2026-07-28.
    #[must_use]
    pub fn with_roots(mut self) -> Self {
        self.roots.get_or_insert_default();
        self
    }

    /// Declares an extension with its settings.
    #[must_use]
    pub fn with_extension(mut self, id: impl Into<String>, settings: &RawMap) -> Self {
        let settings =
            crate::RawJson::from_serialize(settings).unwrap_or_else(|_| crate::RawJson::empty_object());
        self.extensions.get_or_insert_default().insert(id, settings);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> ClientCapabilities {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn presence_differs_from_absence() {
        assert_eq!(serde_json::to_string(&read("{}")).unwrap(), "{}");
        let text = r#"{"roots":{},"sampling":{},"elicitation":{}}"#;
        assert_eq!(serde_json::to_string(&read(text)).unwrap(), text);
        assert!(read(text).roots.is_some());
    }

    #[test]
    fn an_empty_elicitation_means_forms() {
        for (text, form, url) in [
            ("{}", true, false),
            (r#"{"form":{}}"#, true, false),
            (r#"{"url":{}}"#, false, true),
            (r#"{"form":{},"url":{}}"#, true, true),
        ] {
            let elicitation: ElicitationCapability = serde_json::from_str(text).unwrap();
            assert_eq!((elicitation.allows_form(), elicitation.allows_url()), (form, url), "{text}");
        }
    }

    #[test]
    fn unknown_members_are_kept_at_each_level() {
        let text = r#"{"sampling":{"tools":{"x":1},"new":2},"elicitation":{"form":{"y":[]},"voice":{}},"extensions":{"a/b":{"c":1}},"later":{}}"#;
        assert_eq!(serde_json::to_string(&read(text)).unwrap(), text);
    }

    #[test]
    fn a_capability_of_the_wrong_type_is_kept_aside() {
        let read = read(r#"{"roots":true,"elicitation":{"form":1}}"#);
        assert_eq!(read.roots, None);
        assert_eq!(read.dropped_hints().collect::<Vec<_>>(), ["roots"]);
        assert_eq!(read.elicitation.unwrap().dropped_hints().collect::<Vec<_>>(), ["form"]);
    }
}
