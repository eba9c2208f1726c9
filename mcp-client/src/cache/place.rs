//! What a kept result is the answer to, and where in a store it therefore stands.

use std::sync::Arc;

use mcp_types::method::{
    Discover, ListPrompts, ListResourceTemplates, ListResources, ListTools, Method as _, ReadResource,
};

use super::{
    authorization::Authorization,
    key::{CacheKey, CacheSelector, Depth},
    variant::Variant,
};

/// Leads every key: another meaning of any part of it is another number.
const VERSION: &str = "mcp1|";

const LISTS: [&str; 4] =
    [ListTools::NAME, ListPrompts::NAME, ListResources::NAME, ListResourceTemplates::NAME];

/// Requests with a longer `cursor` or `uri`, in bytes, are not kept: keys stay small, whatever servers make up.
const MAX_PARAMETER_BYTES: usize = 8 << 10;

/// A request whose result may be kept: one of the six methods, the parameter that decides the result, and what else it says.
///
/// There is no way to make one of another method, so nothing else is ever kept.
#[derive(Clone, Copy)]
pub(crate) struct Cacheable<'a> {
    method: &'static str,
    parameter: Option<(&'static str, &'a str)>,
    variant: Variant,
}

impl<'a> Cacheable<'a> {
    /// The request, if results of its method may be kept and these are its parameters.
    ///
    /// Requests with `inputResponses` or `requestState` must not come here: what they bring depends on more than the key.
    pub(crate) fn of(method: &str, cursor: Option<&'a str>, uri: Option<&'a str>) -> Option<Self> {
        if cursor.or(uri).is_some_and(|value| value.len() > MAX_PARAMETER_BYTES) {
            return None;
        }
        match (method, cursor, uri) {
            (Discover::NAME, None, None) => Some(Self::new(Discover::NAME, None)),
            (ReadResource::NAME, None, Some(uri)) => Some(Self::new(ReadResource::NAME, Some(("uri", uri)))),
            (_, cursor, None) => {
                let method = list(method)?;
                // An empty cursor is a cursor.
                Some(Self::new(method, cursor.map(|cursor| ("cursor", cursor))))
            }
            _ => None,
        }
    }

    fn new(method: &'static str, parameter: Option<(&'static str, &'a str)>) -> Self {
        Self { method, parameter, variant: Variant::default() }
    }

    /// The same request, with what it says besides its parameters.
    pub(crate) fn saying(self, variant: Variant) -> Self {
        Self { variant, ..self }
    }
}

/// The name of the method, if it is one of the four lists.
pub(super) fn list(method: &str) -> Option<&'static str> {
    LISTS.into_iter().find(|list| *list == method)
}

/// The part of all keys of one server that is the same.
#[derive(Clone)]
pub(super) struct Server(Arc<str>);

impl Server {
    pub(super) fn new(identity: &str) -> Self {
        let mut text = VERSION.to_owned();
        push(&mut text, identity);
        text.push('|');
        Self(text.into())
    }

    /// All entries of the server.
    pub(super) fn all(&self) -> CacheSelector {
        CacheSelector::new(self.0.clone(), Depth::Server)
    }

    /// All entries of one method.
    pub(super) fn of_method(&self, method: &str) -> CacheSelector {
        CacheSelector::new(format!("{}{method}|", self.0).into(), Depth::Method)
    }

    pub(super) fn place(&self, request: Cacheable<'_>) -> Place {
        let mut text = String::with_capacity(self.0.len() + 128);
        text.push_str(&self.0);
        text.push_str(request.method);
        text.push('|');
        let method_end = text.len();
        if let Some((name, value)) = request.parameter {
            text.push_str(name);
            text.push('=');
            push(&mut text, value);
        }
        text.push('|');
        Place {
            text: text.into(),
            variant: request.variant,
            method: request.method,
            server_end: self.0.len(),
            method_end,
        }
    }
}

/// Where the results of one request to one server stand, for all credentials.
#[derive(Clone)]
pub(super) struct Place {
    /// That of all variants of the request: they are dropped together.
    text: Arc<str>,
    variant: Variant,
    method: &'static str,
    server_end: usize,
    method_end: usize,
}

impl Place {
    /// The key of results for these credentials, or of public ones.
    pub(super) fn key(&self, authorization: Option<&Authorization>) -> CacheKey {
        let whose = authorization.map(Authorization::hex);
        let text = format!("{}{}|{}", self.text, self.variant.text(), whose.as_deref().unwrap_or("public"));
        CacheKey::new(text.into(), self.method, authorization.is_none())
    }

    /// The results of this request, for all credentials and all variants.
    pub(super) fn all(&self) -> CacheSelector {
        CacheSelector::new(self.text.clone(), Depth::Request)
    }

    /// Everything that one would have to drop to drop these results too, from the widest to the narrowest.
    pub(super) fn depths(&self) -> [(Depth, &str); 4] {
        let upto = |end| self.text.get(..end).unwrap_or_default();
        [
            (Depth::Everything, ""),
            (Depth::Server, upto(self.server_end)),
            (Depth::Method, upto(self.method_end)),
            (Depth::Request, &self.text),
        ]
    }
}

/// Writes a part so that it holds none of the separators, and no character that stores or their patterns treat in a special
/// way: percent-encoded (RFC 3986 §2.1), all but unreserved characters, `/` and `:`.
fn push(text: &mut String, part: &str) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for byte in part.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/:".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text.push('%');
            for half in [byte >> 4, byte & 15] {
                text.push(DIGITS.get(usize::from(half)).copied().map_or('0', char::from));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;
    use proptest::prelude::*;

    use super::*;
    use crate::{cache::Principal, input_kinds::InputKinds};

    const SIX: [&str; 6] = [
        "server/discover",
        "tools/list",
        "prompts/list",
        "resources/list",
        "resources/templates/list",
        "resources/read",
    ];

    fn text(server: &str, request: Cacheable<'_>) -> String {
        Server::new(server).place(request).key(None).as_str().to_owned()
    }

    #[test]
    fn cac_01_six_methods_with_their_own_parameters_and_nothing_else() {
        let whole = |method: &str| {
            let uri = (method == "resources/read").then_some("file:///a");
            Cacheable::of(method, None, uri).map(|request| text("s", request))
        };
        for method in SIX {
            assert!(whole(method).unwrap().contains(&format!("|{method}|")), "{method}");
        }
        for method in
            ["tools/call", "prompts/get", "completion/complete", "subscriptions/listen", "", "tools/List"]
        {
            assert_eq!(whole(method), None, "{method}");
        }
        assert!(Cacheable::of("server/discover", Some(""), None).is_none());
        assert!(Cacheable::of("resources/read", None, None).is_none());
        assert!(Cacheable::of("resources/read", Some("c"), Some("u")).is_none());
        assert!(Cacheable::of("tools/list", None, Some("u")).is_none());
        for method in ["tools/list", "resources/read"] {
            let (fits, long) = ("a".repeat(8_192), "a".repeat(8_193));
            let of =
                |value| Cacheable::of(method, Some(value), None).or(Cacheable::of(method, None, Some(value)));
            assert!(of(&fits).is_some() && of(&long).is_none(), "{method}");
        }
    }

    #[test]
    fn the_text_of_keys_is_stable() {
        let server = Server::new("https://mcp.example.com/mcp#1");
        let authorization = Authorization::of("s", &HeaderMap::new(), Some("secret"), &Principal::Visible);
        let key = |request: Option<Cacheable<'_>>, authorization| {
            server.place(request.unwrap()).key(authorization).as_str().to_owned()
        };
        let start = "mcp1|https://mcp.example.com/mcp%231|";
        for (method, cursor, uri, end) in [
            ("server/discover", None, None, "server/discover|||public"),
            ("tools/list", None, None, "tools/list|||public"),
            ("tools/list", Some(""), None, "tools/list|cursor=||public"),
            ("tools/list", Some("a|*ä"), None, "tools/list|cursor=a%7C%2A%C3%A4||public"),
            ("resources/read", None, Some("file:///a?b"), "resources/read|uri=file:///a%3Fb||public"),
        ] {
            assert_eq!(key(Cacheable::of(method, cursor, uri), None), format!("{start}{end}"));
        }
        assert_eq!(
            key(Cacheable::of("tools/list", None, None), Some(&authorization)),
            format!("{start}tools/list|||{}", authorization.hex())
        );
    }

    #[test]
    fn cac_02_a_variant_has_a_key_of_its_own_and_is_dropped_with_the_others() {
        let server = Server::new("s");
        let list = Cacheable::of("tools/list", Some("a"), None).unwrap();
        let variant = Variant::of(&mcp_types::RawMap::new(), InputKinds::FORM, &mcp_types::RawMap::new());
        let (plain, other) = (server.place(list), server.place(list.saying(variant)));
        assert_eq!(plain.key(None).as_str(), "mcp1|s|tools/list|cursor=a||public");
        assert_eq!(other.key(None).as_str(), format!("mcp1|s|tools/list|cursor=a|{}|public", variant.text()));
        for selector in [plain.all(), other.all()] {
            assert!(selector.matches(&plain.key(None)) && selector.matches(&other.key(None)));
        }
        assert_eq!(plain.depths(), other.depths());
    }

    #[test]
    fn the_depths_of_a_place_are_what_selectors_select() {
        let server = Server::new("s|t");
        let place = server.place(Cacheable::of("resources/read", None, Some("x:y")).unwrap());
        let selectors =
            [CacheSelector::everything(), server.all(), server.of_method("resources/read"), place.all()];
        for ((depth, text), selector) in place.depths().into_iter().zip(&selectors) {
            assert_eq!((depth, text), (selector.depth(), selector.as_prefix()));
            assert!(selector.matches(&place.key(None)));
        }
    }

    proptest! {
        #[test]
        fn cac_02_cac_21_another_request_or_server_is_another_key(
            servers in [".{0,6}", ".{0,6}"],
            methods in [0..6_usize, 0..6_usize],
            parameters in [proptest::option::of("[a|%=]{0,3}|.{0,4}"), proptest::option::of("[a|%=]{0,3}|.{0,4}")],
        ) {
            let request = |at: usize| {
                let (method, parameter) = (SIX[methods[at]], parameters[at].as_deref());
                if method == "resources/read" {
                    Cacheable::of(method, None, parameter)
                } else {
                    Cacheable::of(method, parameter, None)
                }
            };
            let (Some(one), Some(other)) = (request(0), request(1)) else { return Ok(()) };
            let same_server = servers[0] == servers[1];
            let same_method = same_server && methods[0] == methods[1];
            let same = same_method && parameters[0] == parameters[1];
            prop_assert_eq!(text(&servers[0], one) == text(&servers[1], other), same);

            let (mine, theirs) = (Server::new(&servers[0]), Server::new(&servers[1]));
            let key = theirs.place(other).key(None);
            prop_assert_eq!(mine.all().matches(&key), same_server);
            prop_assert_eq!(mine.of_method(SIX[methods[0]]).matches(&key), same_method);
            prop_assert_eq!(mine.place(one).all().matches(&key), same);
        }
    }
}
