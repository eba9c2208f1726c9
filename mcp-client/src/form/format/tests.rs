use super::*;

fn check(format: &StringFormat, fit: &[&str], misfit: &[&str]) {
    for text in fit {
        assert!(fits(format, text), "{format}: {text}");
    }
    for text in misfit {
        assert!(!fits(format, text), "{format}: {text}");
    }
}

#[test]
fn elf_06_mail_addresses() {
    check(
        &StringFormat::Email,
        &[
            "ada@example.com",
            "ada.lovelace+list@mail.example.co.uk",
            "o'brien@localhost",
            "jürgen@müller.example",
            "用户@例子.广告",
            "\"a b\\\"c\"@example.com",
            "x@[192.0.2.1]",
            "x@[IPv6:2001:db8::1]",
        ],
        &[
            "",
            "@",
            "ada",
            "ada@",
            "@example.com",
            "ada@@example.com",
            "ada lovelace@example.com",
            ".ada@example.com",
            "ada.@example.com",
            "a..b@example.com",
            "ada@example..com",
            "ada@-example.com",
            "ada@example-.com",
            "ada@exa mple.com",
            "ada@example.com ",
            "ada@example.com\n",
            "Ada <ada@example.com>",
            "\"a\"b\"@example.com",
            "\"a\\\"@example.com",
            "x@[999.0.2.1]",
            "x@[]",
        ],
    );
    let long = format!("{}@example.com", "a".repeat(1 << 20));
    check(&StringFormat::Email, &[], &[&long, &format!("a@{}.com", "b".repeat(64))]);
}

#[test]
fn elf_06_uris() {
    check(
        &StringFormat::Uri,
        &[
            "https://example.com",
            "https://user:pw@example.com:8443/a/b;c?d=e&f=%20#g?/h",
            "HTTP://[::1]:80/",
            "http://[v1.x:y]/",
            "mailto:ada@example.com",
            "urn:isbn:0451450523",
            "file:///etc/passwd",
            "a:",
            "javascript:alert(1)",
        ],
        &[
            "",
            "example.com",
            "//example.com/a",
            "/a/b",
            "1http://example.com",
            "ht tp://example.com",
            "https://exa mple.com",
            "https://example.com/ä",
            "https://example.com/%2",
            "https://example.com/%zz",
            "https://example.com:8o/",
            "https://[::1/",
            "https://[nonsense]/",
            "https://[::1]x/",
            "https://example.com/[a]",
            "https://example.com/a\\b",
            "https://example.com/<a>",
            "https://example.com/a#b#c",
            "https://a@b@example.com/",
            "https://example.com\n",
        ],
    );
}

#[test]
fn elf_06_dates() {
    check(
        &StringFormat::Date,
        &["2026-07-28", "2024-02-29", "2000-02-29", "0000-01-01", "9999-12-31"],
        &[
            "",
            "2026-7-28",
            "2026-02-29",
            "1900-02-29",
            "2026-04-31",
            "2026-13-01",
            "2026-00-01",
            "2026-01-00",
            "20260728",
            "2026-07-28T00:00:00Z",
            "28.07.2026",
            "2026-07-28-",
            "+026-07-28",
            " 2026-07-28",
            "２０２６-07-28",
        ],
    );
}

#[test]
fn elf_06_dates_with_times() {
    check(
        &StringFormat::DateTime,
        &[
            "2026-07-28T14:30:00Z",
            "2026-07-28t14:30:00z",
            "2026-07-28T14:30:00.123456789012+02:00",
            "2026-07-28T00:00:00-23:59",
            "1990-12-31T23:59:60Z",
            "1990-12-31T15:59:60-08:00",
            "1991-01-01T00:59:60+01:00",
        ],
        &[
            "",
            "2026-07-28",
            "2026-07-28T14:30",
            "2026-07-28T14:30:00",
            "2026-07-28 14:30:00Z",
            "2026-07-28T24:00:00Z",
            "2026-07-28T14:60:00Z",
            "2026-07-28T14:30:61Z",
            "2026-07-28T14:30:60Z",
            "2026-07-28T14:30:00.Z",
            "2026-07-28T14:30:00+24:00",
            "2026-07-28T14:30:00+0200",
            "2026-07-28T14:30:00+02:00Z",
            "2026-02-30T14:30:00Z",
            "2026-07-28T14:30:00:00Z",
            "T",
            "+",
        ],
    );
}

#[test]
fn elf_17_an_unknown_format_is_none_to_keep() {
    check(&StringFormat::Other("hologram".to_owned()), &["", "anything"], &[]);
}
