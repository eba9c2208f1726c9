//! A link of a server: looked at before it is agreed to, and only then something to click on.

use maud::{Markup, html};
use mcp_client::ElicitLink;

use super::text;

/// The whole address as text, with the host to be seen, and what to beware of.
pub(super) fn before(link: &ElicitLink) -> Markup {
    html! {
        p { "The server wants you to open this page in your browser. Nothing has been opened or fetched." }
        (address(link))
        dl .facts {
            div { dt { "Host" } dd dir="ltr" { strong { (link.host()) } } }
            @if let Some(unicode) = link.unicode_host() {
                div { dt { "Shown by some programs as" } dd { (text(&unicode)) } }
            }
        }
        @for warning in link.warnings() {
            p .warning { strong { "Look twice: " } (warning) "." }
        }
    }
}

/// The link itself.
pub(super) fn after(link: &ElicitLink) -> Markup {
    html! {
        p { "You agreed to open this page:" }
        (address(link))
        p {
            a .button href=(link.as_str()) target="_blank" rel="noopener noreferrer" {
                "Open " bdi dir="ltr" { (link.host()) } " in a new tab"
            }
        }
    }
}

fn address(link: &ElicitLink) -> Markup {
    let [before, host, after] = parts(link);
    html! { p .address dir="ltr" { (before) strong { (host) } (after) } }
}

/// The address around its host. A user name in front may look like one.
fn parts(link: &ElicitLink) -> [&str; 3] {
    let address = link.as_str();
    let authority = address.find("://").map_or(0, |at| at + "://".len());
    let rest = address.get(authority..).unwrap_or_default();
    let length = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let user = rest.get(..length).and_then(|authority| authority.rfind('@')).map_or(0, |at| at + 1);
    let start = authority + user;
    let end = start + link.host().len();
    match (address.get(..start), address.get(start..end), address.get(end..)) {
        (Some(before), Some(host), Some(after)) if host == link.host() => [before, host, after],
        _ => [address, "", ""],
    }
}

#[cfg(test)]
mod tests {
    use mcp_client::types::ElicitUrlParams;

    use super::*;

    #[test]
    fn the_host_is_found_wherever_it_seems_to_be() {
        for (url, expected) in [
            ("https://example.com/approve?a=1#b", ["https://", "example.com", "/approve?a=1#b"]),
            ("https://example.com", ["https://", "example.com", "/"]),
            ("https://example.com@evil.test/@x", ["https://example.com@", "evil.test", "/@x"]),
            ("https://a:b@evil.test:8443?x=@y/", ["https://a:b@", "evil.test", ":8443/?x=@y/"]),
            ("http://[::1]:80/x", ["http://", "[::1]", "/x"]),
        ] {
            let link = ElicitLink::new(&ElicitUrlParams::new("m", url)).unwrap();
            assert_eq!(parts(&link), expected, "{url}");
        }
    }
}
