//! Links of servers: checked, to be shown, and never opened here.

use std::{error::Error, fmt};

use mcp_types::{ElicitResult, ElicitUrlParams};
use url::{Host, ParseError, Url};

/// The longest address of a link, in bytes: 16 KiB.
pub const MAX_LINK: usize = 16 << 10;

/// A web page that a server wants a person to open (`elicitation/create`, mode `url`), checked.
///
/// It is never opened or fetched by this library. Show the [whole address](Self::as_str), the [host](Self::host) clearly, its
/// [warnings](Self::warnings) and which server asks; open it in the person's own browser, and only after they agreed. What they
/// agree to is that it is opened ([`accept`](Self::accept)): the server answers the call itself when it knows more.
///
/// The `Debug` shows the host only: paths and queries may hold secrets.
///
/// # Examples
///
/// ```
/// use mcp_client::{ElicitLink, LinkFault, LinkWarning, types::ElicitUrlParams};
///
/// let link = ElicitLink::new(&ElicitUrlParams::new("Please pay", "https://xn--pypal-4ve.com/pay?n=7"))?;
/// assert_eq!(link.host(), "xn--pypal-4ve.com");
/// assert_eq!(link.unicode_host().as_deref(), Some("pаypal.com")); // not the Latin letter
/// assert_eq!(link.warnings().collect::<Vec<_>>(), [LinkWarning::Punycode]);
///
/// let odd = ElicitUrlParams::new("Please pay", "javascript:alert(1)");
/// assert_eq!(ElicitLink::new(&odd).unwrap_err(), LinkFault::Scheme);
/// # Ok::<(), LinkFault>(())
/// ```
#[derive(Clone)]
pub struct ElicitLink {
    message: String,
    url: Url,
    host: String,
}

/// Why a link must not be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LinkFault {
    /// The address is no URL, or has white space, control characters or backslashes in it.
    NotAUrl,
    /// The scheme is neither `https` nor `http`.
    Scheme,
    /// The scheme is `http`, and the host is not this machine.
    Insecure,
    /// There is no host.
    NoHost,
    /// The address is longer than [`MAX_LINK`].
    TooLong,
}

/// What a person should know about a link before it is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LinkWarning {
    /// The host has letters beyond ASCII, written in Punycode (`xn--`), which can look like those of another host.
    Punycode,
    /// There is a user name or password before the host, which can look like a host.
    UserInfo,
    /// The host is an address, not a name.
    IpAddress,
    /// The port is not the usual one.
    Port,
    /// The page is not encrypted; it is on this machine.
    Http,
}

impl ElicitLink {
    /// Checks a link: `https`, or `http` to this machine (`localhost`, `127.0.0.0/8`, `::1`).
    ///
    /// # Errors
    ///
    /// [`LinkFault`]: why it must not be opened. Decline or cancel then.
    pub fn new(params: &ElicitUrlParams) -> Result<Self, LinkFault> {
        let text = params.url.as_str();
        // Before it is parsed: a long one costs nothing.
        if text.len() > MAX_LINK {
            return Err(LinkFault::TooLong);
        }
        // Browsers drop or turn some of these, so that what opens would not be what was shown.
        if text.chars().any(|c| c.is_whitespace() || c.is_control() || c == '\\') {
            return Err(LinkFault::NotAUrl);
        }
        let url = Url::parse(text).map_err(|error| match error {
            ParseError::EmptyHost => LinkFault::NoHost,
            _ => LinkFault::NotAUrl,
        })?;
        if !matches!(url.scheme(), "https" | "http") {
            return Err(LinkFault::Scheme);
        }
        let authority = text.split_once(':').and_then(|(_, rest)| rest.strip_prefix("//"));
        if authority.is_none_or(|authority| authority.is_empty() || authority.starts_with(['/', '?', '#'])) {
            return Err(LinkFault::NoHost);
        }
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or(LinkFault::NoHost)?.to_owned();
        let link = Self { message: params.message.clone(), url, host };
        if link.url.scheme() == "http" && !link.is_loopback() {
            return Err(LinkFault::Insecure);
        }
        Ok(link)
    }

    /// What the server tells the person.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The whole address as it will be opened, in ASCII.
    pub fn as_str(&self) -> &str {
        self.url.as_str()
    }

    /// The host as it is sent over the wire: letters beyond ASCII are in Punycode, IPv6 addresses in brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The host with its letters beyond ASCII, where that is another text. Show it beside the [`host`](Self::host), never in its
    /// place: letters of other scripts can look like Latin ones.
    pub fn unicode_host(&self) -> Option<String> {
        let (unicode, read) = idna::domain_to_unicode(&self.host);
        (read.is_ok() && unicode != self.host).then_some(unicode)
    }

    /// Whether the page is on this machine: `localhost`, `127.0.0.0/8` or `::1`.
    pub fn is_loopback(&self) -> bool {
        match self.url.host() {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        }
    }

    /// What the person should know before it is opened.
    pub fn warnings(&self) -> impl Iterator<Item = LinkWarning> + use<> {
        let address = matches!(self.url.host(), Some(Host::Ipv4(_) | Host::Ipv6(_)));
        let user = !self.url.username().is_empty() || self.url.password().is_some();
        [
            (LinkWarning::Punycode, self.host.split('.').any(|label| label.starts_with("xn--"))),
            (LinkWarning::UserInfo, user),
            (LinkWarning::IpAddress, address),
            (LinkWarning::Port, self.url.port().is_some()),
            (LinkWarning::Http, self.url.scheme() == "http"),
        ]
        .into_iter()
        .filter_map(|(warning, applies)| applies.then_some(warning))
    }

    /// The person agreed that it is opened.
    pub fn accept(&self) -> ElicitResult {
        ElicitResult::accept_empty()
    }
}

impl fmt::Debug for ElicitLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ElicitLink").field("host", &self.host).finish_non_exhaustive()
    }
}

impl fmt::Display for LinkFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotAUrl => "the link is no URL",
            Self::Scheme => "the link is no web page: its scheme is neither https nor http",
            Self::Insecure => "the link is not encrypted: http is for pages on this machine",
            Self::NoHost => "the link has no host",
            Self::TooLong => "the link is too long",
        })
    }
}

impl Error for LinkFault {}

impl fmt::Display for LinkWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Punycode => "the host has letters that can look like others",
            Self::UserInfo => "there is a user name before the host, which can look like a host",
            Self::IpAddress => "the host is an address, not a name",
            Self::Port => "the port is not the usual one",
            Self::Http => "the page is not encrypted; it is on this machine",
        })
    }
}

#[cfg(test)]
mod tests;
