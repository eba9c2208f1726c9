//! Whom content is for and how much it matters.

use serde_json::Number;

use crate::open_enum::open_enum;
use crate::open_struct::{open_struct, raw_hints};

open_enum! {
    /// Who speaks, or is spoken to.
    pub enum Role {
        /// A person.
        User = "user",
        /// A language model.
        Assistant = "assistant",
    }
}

open_struct! {
    /// Hints on how to use a piece of content.
    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct Annotations {
        /// Whom it is for.
        hint "audience" => audience: Vec<Role>;
        /// From 0, may be left out, to 1, needed.
        hint "priority" => priority: Number;
        /// When it last changed, usually in ISO 8601.
        hint "lastModified" => last_modified: String;
    }
}

raw_hints!(Vec<Role>, Annotations);

impl Annotations {
    /// The priority, cut to 0..=1.
    pub fn priority(&self) -> Option<f64> {
        self.priority.as_ref()?.as_f64().map(|priority| priority.clamp(0.0, 1.0))
    }
}
