use LinkWarning::{Http, IpAddress, Port, Punycode, UserInfo};

use super::*;

fn link(url: &str) -> Result<ElicitLink, LinkFault> {
    ElicitLink::new(&ElicitUrlParams::new("Pay", url))
}

#[test]
fn elu_10_hosts_are_shown_as_they_are_sent() {
    for (url, host, unicode, warnings) in [
        ("https://mcp.example.com/ui?k=v", "mcp.example.com", None, &[][..]),
        ("https://MCP.Example.COM", "mcp.example.com", None, &[]),
        ("https://bücher.example/", "xn--bcher-kva.example", Some("bücher.example"), &[Punycode]),
        ("https://xn--pypal-4ve.com/", "xn--pypal-4ve.com", Some("pаypal.com"), &[Punycode]),
        ("https://bank.example@evil.example/", "evil.example", None, &[UserInfo]),
        ("https://:x@evil.example/", "evil.example", None, &[UserInfo]),
        ("https://192.0.2.1/", "192.0.2.1", None, &[IpAddress]),
        ("https://0xc0000201/", "192.0.2.1", None, &[IpAddress]),
        ("https://[2001:db8::1]:443/", "[2001:db8::1]", None, &[IpAddress]),
        ("https://example.com:8443/", "example.com", None, &[Port]),
        (
            "https://a:b@xn--bcher-kva.example:1/",
            "xn--bcher-kva.example",
            Some("bücher.example"),
            &[Punycode, UserInfo, Port],
        ),
        ("http://localhost:3000/", "localhost", None, &[Port, Http]),
    ] {
        let link = link(url).unwrap();
        assert_eq!((link.host(), link.unicode_host().as_deref()), (host, unicode), "{url}");
        assert_eq!(link.warnings().collect::<Vec<_>>(), warnings, "{url}");
        assert_eq!(link.message(), "Pay");
    }
}

#[test]
fn elu_06_the_whole_address_is_shown_as_it_will_be_opened() {
    for (url, shown) in [
        ("https://a.example", "https://a.example/"),
        ("https://a.example/x/../y?q=ä#é", "https://a.example/y?q=%C3%A4#%C3%A9"),
        ("HTTPS://u:p@A.example:443/\u{202e}gpj", "https://u:p@a.example/%E2%80%AEgpj"),
    ] {
        assert_eq!(link(url).unwrap().as_str(), shown);
        assert!(link(url).unwrap().as_str().is_ascii());
    }
}

#[test]
fn elu_12_what_is_no_page_on_the_web_is_refused() {
    use LinkFault::{Insecure, NoHost, NotAUrl, Scheme, TooLong};
    for (url, fault) in [
        ("", NotAUrl),
        ("a.example/pay", NotAUrl),
        ("/pay", NotAUrl),
        ("//a.example/pay", NotAUrl),
        ("https", NotAUrl),
        ("https://a b.example/", NotAUrl),
        ("https://a.example/x y", NotAUrl),
        (" https://a.example/", NotAUrl),
        ("https://a.example/\n", NotAUrl),
        ("java\tscript:alert(1)", NotAUrl),
        ("https:\\\\a.example\\", NotAUrl),
        ("https://a.example\\@evil.example/", NotAUrl),
        ("https://a.example:99999/", NotAUrl),
        ("https://[::1/", NotAUrl),
        ("https://xn--a/", NotAUrl),
        ("https://a%00b/", NotAUrl),
        ("https://", NoHost),
        ("https:///a.example/", NoHost),
        ("https:a.example", NoHost),
        ("https://?q", NoHost),
        ("javascript:alert(1)", Scheme),
        ("data:text/html,x", Scheme),
        ("file:///etc/passwd", Scheme),
        ("ftp://a.example/", Scheme),
        ("vscode://x", Scheme),
        ("$(rm -rf):x", NotAUrl),
        ("-x:y", NotAUrl),
        ("http://a.example/", Insecure),
        ("http://10.0.0.1/", Insecure),
        ("http://localhost.evil.example/", Insecure),
        ("http://127.0.0.1.evil.example/", Insecure),
        ("http://localhost@evil.example/", Insecure),
        ("http://[::ffff:127.0.0.1]/", Insecure),
        ("http://0.0.0.0/", Insecure),
    ] {
        assert_eq!(link(url).unwrap_err(), fault, "{url}");
    }
    let of = |length: usize| format!("https://a.example/{}", "x".repeat(length - 18));
    assert_eq!(link(&of(MAX_LINK)).unwrap().as_str().len(), MAX_LINK);
    assert_eq!(link(&of(MAX_LINK + 1)).unwrap_err(), TooLong);
    // Never looked at beyond its length.
    assert_eq!(link(&" ".repeat(1 << 20)).unwrap_err(), TooLong);
}

#[test]
fn http_is_for_this_machine() {
    for url in [
        "http://127.0.0.1:8080/",
        "http://127.9.9.9/",
        "http://0x7f000001/",
        "http://[::1]/",
        "http://LOCALHOST/x",
    ] {
        let link = link(url).unwrap();
        assert!(link.is_loopback(), "{url}");
        assert!(link.warnings().any(|warning| warning == Http), "{url}");
    }
    assert!(link("https://localhost/").unwrap().is_loopback());
    assert!(!link("https://a.example/").unwrap().is_loopback());
}

#[test]
fn elu_02_agreeing_has_no_content_and_debug_no_path() {
    let link = link("https://u:p@a.example/secret?token=x").unwrap();
    assert_eq!(serde_json::to_string(&link.accept()).unwrap(), r#"{"action":"accept"}"#);
    assert_eq!(format!("{link:?}"), r#"ElicitLink { host: "a.example", .. }"#);
}
