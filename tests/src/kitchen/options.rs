//! How a Kitchen treats its callers.

use std::time::Duration;

use crate::namebeta::NameBetaOptions;

/// Settings of a [`Kitchen`](crate::Kitchen). The default lets everybody in and limits nothing.
#[derive(Clone, Debug)]
pub struct KitchenOptions {
    /// Answer 401 (empty, without a challenge) to requests without a known personal access token. Default: false, so
    /// that callers without a token are let in as one anonymous caller, and any token is a caller of its own.
    pub require_pat: bool,
    /// The personal access tokens that are known when [`require_pat`](Self::require_pat) is on. The first one belongs
    /// to the default caller. Default: none.
    pub pats: Vec<String>,
    /// The shared token. It is let in, but has no user behind it: it always gets `baseline`. Default: none.
    pub shared_pat: Option<String>,
    /// Requests allowed within one [`rate_window`](Self::rate_window); more get 429 (empty, without Retry-After).
    /// Default: none, so without a limit. The hosted Kitchen has 120.
    pub rate_limit: Option<usize>,
    /// Length of the fixed window that [`rate_limit`](Self::rate_limit) counts in. Default: one minute.
    pub rate_window: Duration,
    /// Largest request body in bytes. Default: 65,536.
    pub max_body: usize,
    /// Settings of the `NameBeta` endpoint on the same port.
    pub namebeta: NameBetaOptions,
}

impl Default for KitchenOptions {
    fn default() -> Self {
        Self {
            require_pat: false,
            pats: Vec::new(),
            shared_pat: None,
            rate_limit: None,
            rate_window: Duration::from_secs(60),
            max_body: 65_536,
            namebeta: NameBetaOptions::default(),
        }
    }
}
