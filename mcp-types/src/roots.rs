//! Roots: where a client's user works. Deprecated in 2026-07-28.

use crate::Meta;
use crate::open_struct::open_struct;

open_struct! {
    /// A directory or file that the user works in. Deprecated in 2026-07-28.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Root {
        /// Its address, a `file:` URI.
        required "uri" => uri: String;
        /// The name for people.
        hint "name" => name: String;
        /// More about it.
        hint "_meta" => meta: Meta;
    }
}

impl Root {
    /// Sets the name for people.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }
}

open_struct! {
    /// Parameters of `roots/list`. Deprecated in 2026-07-28.
    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct ListRootsParams {
        /// More about the request.
        hint "_meta" => meta: Meta;
    }
}

open_struct! {
    /// A server asks for the roots. Deprecated in 2026-07-28.
    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct ListRootsRequest {
        @"method" = "roots/list";
        /// The parameters.
        optional "params" => params: ListRootsParams;
    }
}

impl ListRootsRequest {
    /// The method.
    pub const METHOD: &'static str = "roots/list";
}

open_struct! {
    /// The roots. Deprecated in 2026-07-28.
    #[derive(Debug, Clone, PartialEq)]
    pub struct ListRootsResult {
        /// The roots; may be empty.
        required "roots" => roots: Vec<Root>;
    }
}
