//! Where bearer tokens come from.

use std::{error::Error, fmt};

use async_trait::async_trait;
use http::HeaderValue;
use mcp_retry::Delivery;

use crate::error::{AuthError, AuthStep, Challenge};

/// A bearer token ([RFC 6750]). It is printed nowhere: `Debug` shows nothing of it, and it has no `Display`.
///
/// [RFC 6750]: https://www.rfc-editor.org/rfc/rfc6750#section-2.1
#[derive(Clone, PartialEq, Eq)]
pub struct BearerToken(String);

impl BearerToken {
    /// A token as it was issued. One that no header can hold makes the call fail before it is sent.
    pub fn new(token: impl Into<String>) -> Self {
        Self(token.into())
    }

    /// The token itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The value of the `Authorization` header.
    pub(crate) fn header(&self) -> Result<HeaderValue, TokenError> {
        // Visible ASCII: what stands in no header, and what a server would read as something else.
        if self.0.is_empty() || !self.0.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(unsendable());
        }
        let mut value = HeaderValue::try_from(format!("Bearer {}", self.0)).map_err(|_| unsendable())?;
        value.set_sensitive(true);
        Ok(value)
    }
}

fn unsendable() -> TokenError {
    TokenError::new("the token is empty or has characters that no header can hold").permanent()
}

impl fmt::Debug for BearerToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BearerToken(..)")
    }
}

/// Gives out the bearer tokens of the requests: from a file, a vault, a login. For one token that never changes,
/// [`bearer_token`](crate::ClientBuilder::bearer_token) will do.
///
/// It is asked before each attempt of each call, and before the cache is, so it keeps the token itself until it has to be
/// renewed. The time that it takes is the call's; its future is dropped with the call. Tokens go to the server of the client
/// only: redirects are followed within its origin.
///
/// # Examples
///
/// A token that another program renews in a file:
///
/// ```no_run
/// use mcp_client::{BearerToken, Client, TokenError, TokenSource, async_trait};
///
/// #[derive(Debug)]
/// struct FromFile(&'static str);
///
/// #[async_trait]
/// impl TokenSource for FromFile {
///     async fn token(&self) -> Result<Option<BearerToken>, TokenError> {
///         let text = std::fs::read_to_string(self.0).map_err(TokenError::new)?;
///         Ok(Some(BearerToken::new(text.trim_end())))
///     }
/// }
///
/// # fn f() -> Result<(), mcp_client::BuildError> {
/// let client = Client::http("https://mcp.example.com/mcp")?
///     .token_source(FromFile("/run/secrets/mcp-token"))
///     .build()?;
/// # Ok(())
/// # }
/// ```
#[async_trait]
pub trait TokenSource: fmt::Debug + Send + Sync + 'static {
    /// The token for the next request; `None` sends it without one.
    ///
    /// # Errors
    ///
    /// [`TokenError`] when there is none to be had: the call ends in [`CallError::Auth`](crate::CallError::Auth), and nothing is
    /// sent.
    ///
    /// # Cancel safety
    ///
    /// Implementations must be cancel safe: the future is dropped when time runs out or the caller gives up.
    async fn token(&self) -> Result<Option<BearerToken>, TokenError>;

    /// The server refused a request with 401, so it was not executed. Gives a token to send it again with, once a call;
    /// `None` lets the refusal stand. So does the token that was refused.
    ///
    /// Calls may be refused at once: where renewing has effects, look first whether
    /// [the token that was refused](TokenRefusal::token) is still the current one.
    ///
    /// By default [`token`](Self::token) is asked again.
    ///
    /// # Errors
    ///
    /// [`TokenError`] when no other token can be had: the call ends in [`CallError::Auth`](crate::CallError::Auth), with the
    /// challenges of the refusal.
    ///
    /// # Cancel safety
    ///
    /// As of [`token`](Self::token).
    async fn refused(&self, refusal: TokenRefusal<'_>) -> Result<Option<BearerToken>, TokenError> {
        let _ = refusal;
        self.token().await
    }
}

/// What the server said when it refused a request for its credentials, or for having none.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct TokenRefusal<'a> {
    /// What the server is known by: the identity of the transport.
    pub server: &'a str,
    /// The status: 401.
    pub status: u16,
    /// The challenges of all `WWW-Authenticate` headers; servers leave them out at times.
    pub challenges: &'a [Challenge],
    /// The token that was refused; `None` when the request was sent without.
    pub token: Option<&'a BearerToken>,
}

impl<'a> TokenRefusal<'a> {
    /// A parameter of the `Bearer` challenge, such as `resource_metadata` ([RFC 9728 §5.1]), `scope` or `error`
    /// ([RFC 6750 §3]).
    ///
    /// [RFC 9728 §5.1]: https://www.rfc-editor.org/rfc/rfc9728#section-5.1
    /// [RFC 6750 §3]: https://www.rfc-editor.org/rfc/rfc6750#section-3
    pub fn bearer(&self, param: &str) -> Option<&'a str> {
        self.challenges
            .iter()
            .filter(|challenge| challenge.scheme.eq_ignore_ascii_case("bearer"))
            .find_map(|challenge| challenge.param(param))
    }
}

impl fmt::Debug for TokenRefusal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenRefusal")
            .field("server", &self.server)
            .field("status", &self.status)
            .field("challenges", &self.challenges)
            .field("had_token", &self.token.is_some())
            .finish_non_exhaustive()
    }
}

/// Why a [`TokenSource`] has no token.
#[derive(Debug)]
pub struct TokenError {
    step: AuthStep,
    permanent: bool,
    source: Box<dyn Error + Send + Sync>,
}

impl TokenError {
    /// A failure that may pass: calls that are repeated ask again. The source is seen by whoever prints the error's sources.
    pub fn new(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { step: AuthStep::Token, permanent: false, source: source.into() }
    }

    /// Says that asking again is of no use before somebody does something.
    #[must_use]
    pub fn permanent(mut self) -> Self {
        self.permanent = true;
        self
    }

    /// That of a source which panicked.
    pub(crate) fn panicked() -> Self {
        Self::new("the source of tokens panicked")
    }

    /// Says which step failed (default: [`AuthStep::Token`]).
    #[must_use]
    pub fn at(mut self, step: AuthStep) -> Self {
        self.step = step;
        self
    }

    /// Which step failed.
    pub fn step(&self) -> AuthStep {
        self.step
    }

    /// Whether asking again is of no use.
    pub fn is_permanent(&self) -> bool {
        self.permanent
    }

    /// The error of a call that was not sent.
    pub(crate) fn before_the_call(self) -> AuthError {
        let error = AuthError::new(self.step).with_source(self.source);
        let error = error.with_delivery(Delivery::NotSent);
        if self.permanent { error.permanent() } else { error }
    }

    /// The error of a call that was refused.
    pub(crate) fn after_a_refusal(self, status: u16, challenges: &[Challenge]) -> AuthError {
        AuthError::new(self.step)
            .with_refusal(status, challenges.to_vec())
            .with_source(self.source)
            .permanent()
    }
}

impl fmt::Display for TokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no token could be had")
    }
}

impl Error for TokenError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(self.source.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_shown_nowhere() {
        let token = BearerToken::new("secret-1");
        let value = token.header().unwrap();
        assert_eq!(value, "Bearer secret-1");
        let challenges = [Challenge::new("Bearer", vec![("scope".into(), "secret-2".into())])];
        let refusal = TokenRefusal {
            server: "https://a.example/mcp",
            status: 401,
            challenges: &challenges,
            token: Some(&token),
        };
        for shown in [format!("{token:?}"), format!("{value:?}"), format!("{refusal:?}")] {
            assert!(!shown.contains("secret"), "{shown}");
        }
        for bad in ["", "secret 3", "secret\r\nx: y", "secret\u{7f}", "sécret", "\tsecret"] {
            let error = BearerToken::new(bad).header().unwrap_err();
            assert!(error.is_permanent());
            let shown = format!("{error} {error:?} {}", error.source().unwrap());
            assert!(!shown.contains("cret"), "{shown}");
        }
    }

    #[test]
    fn the_bearer_challenge_is_found_among_others() {
        let challenges = [
            Challenge::new("Basic", vec![("scope".into(), "no".into())]),
            Challenge::new("bEARER", vec![("Scope".into(), "a b".into())]),
            Challenge::new("Bearer", vec![("resource_metadata".into(), "https://a.example/x".into())]),
        ];
        let refusal = TokenRefusal { server: "", status: 401, challenges: &challenges, token: None };
        assert_eq!(refusal.bearer("scope"), Some("a b"));
        assert_eq!(refusal.bearer("resource_metadata"), Some("https://a.example/x"));
        assert_eq!(refusal.bearer("error"), None);
    }
}
