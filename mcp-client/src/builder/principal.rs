//! Whose private results a client gets.

#[cfg(feature = "http")]
use super::HttpClient;
use super::{ClientBuilder, Way};
use crate::cache::Principal;

impl ClientBuilder {
    /// Says whose private results these are, so that others of the same name can use them from a shared
    /// [store](crate::cache::CacheStore): a user, an account, a tenant. It goes nowhere but into the digest that keys end with,
    /// beside all headers and the token.
    ///
    /// By default nobody is named. What is seen in headers and tokens is enough then for a client that is built by
    /// [`http`](Self::http) alone. With a [transport](Self::transport), a [layer](Self::layer) or an HTTP client of yours
    /// ([`http_with`](Self::http_with), [`http_unguarded`](Self::http_unguarded)), credentials may be added that the client does
    /// not see: it then keeps private results to itself and its clones. Name the principal only where all requests of this
    /// client are made with its rights. Public results are for everybody in any case.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # #[cfg(feature = "http")]
    /// # fn f(identity: reqwest::ClientBuilder) -> Result<(), mcp_client::BuildError> {
    /// use mcp_client::{Client, cache::CacheOptions};
    ///
    /// let shared = CacheOptions::new();
    /// // The certificate of the HTTP client says who asks.
    /// let alice = Client::builder()
    ///     .http_with("https://mcp.example.com/mcp", identity)?
    ///     .cache(shared.clone())
    ///     .cache_principal("alice")
    ///     .build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn cache_principal(mut self, name: impl Into<String>) -> Self {
        self.named = Some(name.into().into());
        self
    }

    /// Whose they are, as far as headers and tokens do not say so.
    pub(super) fn principal(&self) -> Principal {
        match &self.named {
            Some(name) => Principal::Named(name.clone()),
            None if self.way.may_hide_credentials() || !self.layers.is_empty() => Principal::hidden(),
            None => Principal::Visible,
        }
    }
}

impl Way {
    /// Whether it may tell servers who asks without the client's knowing: by headers, cookies or TLS of its own.
    fn may_hide_credentials(&self) -> bool {
        match self {
            Self::None => false,
            Self::Custom(_) => true,
            #[cfg(feature = "http")]
            Self::Http(_, client) => !matches!(client, HttpClient::Default),
        }
    }
}
