//! Text.

use crate::open_struct::open_struct;
use crate::{Annotations, Meta};

open_struct! {
    /// A piece of text.
    #[derive(Debug, Clone, PartialEq)]
    pub struct TextContent {
        @"type" = "text";
        /// The text.
        required "text" => text: String;
        /// How to use it.
        hint "annotations" => annotations: Annotations;
        /// More about it.
        hint "_meta" => meta: Meta;
    }
}
