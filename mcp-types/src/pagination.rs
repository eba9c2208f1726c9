//! Lists that come in pages.

use crate::open_struct::open_struct;
use crate::{Items, RequestMeta};

/// A server's mark for where the next page starts. Its content means nothing to a client; empty is valid too.
pub type Cursor = String;

open_struct! {
    /// Parameters of a request that has none but `_meta`.
    #[derive(Debug, Clone, PartialEq)]
    pub struct RequestParams {
        /// Who asks, in which version, with which capabilities.
        required "_meta" => meta: RequestMeta;
    }
}

open_struct! {
    /// Parameters of a request for one page of a list.
    #[derive(Debug, Clone, PartialEq)]
    pub struct PaginatedParams {
        /// Who asks, in which version, with which capabilities.
        required "_meta" => meta: RequestMeta;
        /// Where to go on; absent means at the start.
        optional "cursor" => cursor: Cursor;
    }
}

/// The schema's name for [`PaginatedParams`].
pub type PaginatedRequestParams = PaginatedParams;

impl PaginatedParams {
    /// Sets where to go on.
    #[must_use]
    pub fn with_cursor(mut self, cursor: impl Into<Cursor>) -> Self {
        self.cursor = Some(cursor.into());
        self
    }
}

/// A result that is one page of a list.
pub trait PaginatedResult {
    /// What is listed.
    type Item;

    /// The entries of this page.
    fn items(&self) -> &Items<Self::Item>;

    /// Gives the entries of this page back.
    fn into_items(self) -> Items<Self::Item>;

    /// Where the next page starts; `None` on the last one.
    fn next_cursor(&self) -> Option<&str>;
}

macro_rules! paginated {
    ($Name:ident, $field:ident: $Item:ty) => {
        impl $crate::PaginatedResult for $Name {
            type Item = $Item;

            fn items(&self) -> &$crate::Items<$Item> {
                &self.$field
            }

            fn into_items(self) -> $crate::Items<$Item> {
                self.$field
            }

            fn next_cursor(&self) -> Option<&str> {
                self.next_cursor.as_deref()
            }
        }

        impl $Name {
            /// Sets where the next page starts.
            #[must_use]
            pub fn with_next_cursor(mut self, cursor: impl Into<$crate::Cursor>) -> Self {
                self.next_cursor = Some(cursor.into());
                self
            }
        }
    };
}
pub(crate) use paginated;
