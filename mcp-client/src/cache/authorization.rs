//! On whose behalf a request is made, without saying who that is.

use std::{
    fmt::{self, Write as _},
    hash::{BuildHasher as _, RandomState},
};

use hmac_sha256::Hash as Sha256;
use http::HeaderMap;

/// Separates these digests from any other use of the same secrets.
const DOMAIN: &[u8] = b"mcp-client cache: authorization 1";

/// Whose results a client gets, besides what its headers and tokens say.
#[derive(Clone, Default)]
pub(crate) enum Principal {
    /// Headers and tokens are all that tells servers who asks.
    #[default]
    Visible,
    /// The application says whose they are.
    Named(Box<str>),
    /// Something that the client cannot see may tell servers who asks: nobody else is given what it keeps for itself.
    Hidden([u64; 4]),
}

impl Principal {
    /// One that no other client has, in this process or another: by the keys of a hasher, which the system chose at random.
    pub(crate) fn hidden() -> Self {
        let random = RandomState::new();
        Self::Hidden([0_u8, 1, 2, 3].map(|number| random.hash_one(number)))
    }
}

impl fmt::Debug for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Visible => "Visible",
            Self::Named(_) => "Named(..)",
            Self::Hidden(_) => "Hidden(..)",
        })
    }
}

/// A digest of everything that may tell a server who asks. It never holds the secrets themselves.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Authorization([u8; 32]);

impl Authorization {
    /// The digest of the headers that the caller added, of the bearer token and of the principal, for one server.
    ///
    /// The order of headers with different names does not count, that of several values of one name does. The server is
    /// part of it, so that nobody who sees a store can tell that two servers were given the same token.
    pub(crate) fn of(
        server: &str,
        headers: &HeaderMap,
        bearer_token: Option<&str>,
        principal: &Principal,
    ) -> Self {
        let mut digest = Sha256::new();
        part(&mut digest, DOMAIN);
        part(&mut digest, server.as_bytes());
        let mut names: Vec<&str> = headers.keys().map(http::HeaderName::as_str).collect();
        names.sort_unstable();
        count(&mut digest, names.len());
        for name in names {
            part(&mut digest, name.as_bytes());
            count(&mut digest, headers.get_all(name).iter().count());
            for value in headers.get_all(name) {
                part(&mut digest, value.as_bytes());
            }
        }
        count(&mut digest, usize::from(bearer_token.is_some()));
        part(&mut digest, bearer_token.unwrap_or_default().as_bytes());
        match principal {
            Principal::Visible => {}
            Principal::Named(name) => {
                count(&mut digest, 1);
                part(&mut digest, name.as_bytes());
            }
            Principal::Hidden(random) => {
                count(&mut digest, 2);
                for number in random {
                    digest.update(number.to_le_bytes());
                }
            }
        }
        Self(digest.finalize())
    }

    /// The digest as 64 hexadecimal digits.
    pub(crate) fn hex(&self) -> String {
        hex(&self.0)
    }
}

impl fmt::Debug for Authorization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Authorization(..)")
    }
}

/// Each part is led by its length: no two lists of parts are the same bytes.
pub(super) fn part(digest: &mut Sha256, bytes: &[u8]) {
    count(digest, bytes.len());
    digest.update(bytes);
}

pub(super) fn count(digest: &mut Sha256, count: usize) {
    digest.update((count as u64).to_le_bytes());
}

/// The bytes as hexadecimal digits in lower case.
pub(super) fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(headers: &[(&'static str, &str)], token: Option<&str>) -> String {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().unwrap());
        }
        Authorization::of("https://a.example/mcp", &map, token, &Principal::Visible).hex()
    }

    fn named(name: &str, token: Option<&str>) -> String {
        let principal = Principal::Named(name.into());
        Authorization::of("https://a.example/mcp", &HeaderMap::new(), token, &principal).hex()
    }

    #[test]
    fn each_difference_that_a_server_may_see_is_another_context() {
        let contexts = [
            of(&[], None),
            of(&[], Some("")),
            of(&[], Some("token-1")),
            of(&[], Some("token-2")),
            of(&[("x-tenant", "a")], None),
            of(&[("x-tenant", "b")], None),
            of(&[("x-tenant", "a")], Some("token-1")),
            of(&[("x-tenant", "a"), ("x-tenant", "b")], None),
            of(&[("x-tenant", "b"), ("x-tenant", "a")], None),
            of(&[("x-tenant", "ab")], None),
            of(&[("x-tena", "nta")], None),
            Authorization::of("https://b.example/mcp", &HeaderMap::new(), None, &Principal::Visible).hex(),
            named("", None),
            named("alice", None),
            named("bob", None),
            named("alice", Some("token-1")),
        ];
        for (at, one) in contexts.iter().enumerate() {
            assert_eq!((one.len(), contexts.iter().position(|other| other == one)), (64, Some(at)));
        }
    }

    #[test]
    fn the_order_of_names_is_no_difference_and_no_secret_is_shown() {
        assert_eq!(of(&[("a", "1"), ("b", "2")], None), of(&[("b", "2"), ("a", "1")], None));
        let principal = Principal::Named("secret".into());
        let shown = Authorization::of("server", &HeaderMap::new(), Some("secret"), &principal);
        assert_eq!(format!("{shown:?} {principal:?}"), "Authorization(..) Named(..)");
        assert_eq!(format!("{:?}", Principal::hidden()), "Hidden(..)");
        assert!(!shown.hex().contains(&hex(b"secret")));
    }

    #[test]
    fn a_hidden_principal_is_nobody_else_and_stays_the_same() {
        let of = |principal: &Principal| Authorization::of("s", &HeaderMap::new(), None, principal).hex();
        let (one, other) = (Principal::hidden(), Principal::hidden());
        assert_eq!(of(&one), of(&one.clone()));
        assert!(of(&one) != of(&other) && of(&one) != of(&Principal::Visible));
    }

    #[test]
    fn the_digest_is_the_same_in_every_process() {
        // External stores outlive a build: a change of the digest is a change of the key's version.
        assert_eq!(
            of(&[("x-tenant", "a")], Some("token-1")),
            "00ea55be86d05aaedd267dbeabd50374f18d85be7354e0ef1933ff46243faba0"
        );
        assert_eq!(named("alice", None), "fbd7c6645e17787048be46c9518cb783ed9d9d07f58b0bf7699bc07b378bf39c");
    }
}
