use super::*;

fn rules() -> IconRules {
    IconRules::of("https://mcp.example.com/mcp?key=1").trust_origin("https://cdn.example.net:8443")
}

fn declared(src: &str, media_type: &str) -> Icon {
    let mut icon = Icon::new(src);
    icon.mime_type = Some(media_type.to_owned());
    icon
}

fn fault(src: &str) -> Option<IconFault> {
    rules().check(&Icon::new(src)).err()
}

#[test]
fn icn_04_only_https_and_data_are_used() {
    for src in [
        "https://mcp.example.com/icon.png",
        "HTTPS://MCP.EXAMPLE.COM/icon.png",
        "https://mcp.example.com:443/a/b?c#d",
        "data:image/png;base64,iVBORw0KGgo=",
        "data:image/jpg,x",
        "DATA:Image/WebP;base64,",
    ] {
        assert_eq!(fault(src), None, "{src}");
    }
    for src in [
        "http://mcp.example.com/icon.png",
        "javascript:alert(1)",
        " javascript:alert(1)",
        "java\nscript:alert(1)",
        "file:///etc/passwd",
        "ftp://mcp.example.com/icon.png",
        "ws://mcp.example.com/icon.png",
        "blob:https://mcp.example.com/1",
        "intent://mcp.example.com/#Intent;end",
    ] {
        assert_eq!(fault(src), Some(IconFault::Scheme), "{src}");
    }
    for src in ["", "icon.png", "/icon.png", "//mcp.example.com/icon.png", "https://", "data:image/png"] {
        assert_eq!(fault(src), Some(IconFault::NoUri), "{src}");
    }
}

#[test]
fn icn_07_only_the_servers_origin_and_trusted_ones_are_used() {
    assert_eq!(fault("https://cdn.example.net:8443/icon.png"), None);
    for src in [
        "https://cdn.example.net/icon.png",
        "https://mcp.example.com:8443/icon.png",
        "https://example.com/icon.png",
        "https://mcp.example.com.evil.example/icon.png",
        "https://evil.example/https://mcp.example.com/icon.png",
        "https:\\\\evil.example\\@mcp.example.com",
        "https://169.254.169.254/latest",
    ] {
        assert_eq!(fault(src), Some(IconFault::Origin), "{src}");
    }
    assert_eq!(fault("https://user@mcp.example.com/icon.png"), Some(IconFault::Credentials));
    assert_eq!(fault("https://mcp.example.com@evil.example/icon.png"), Some(IconFault::Credentials));
    // A server that is not reached over https has no origin of its own that icons could come from.
    for server in ["http://localhost:3000/mcp", "memory:", "stdio:server"] {
        let rules = IconRules::of(server);
        assert_eq!(rules.check(&Icon::new("https://localhost:3000/i.png")), Err(IconFault::Origin));
        assert!(rules.check(&Icon::new("data:image/png,x")).is_ok());
    }
}

#[test]
fn icn_08_types_are_on_a_list_and_content_is_what_it_says() {
    let typed = |media_type: &str| declared("https://mcp.example.com/i", media_type);
    for media_type in ["image/png", "image/JPEG", "image/jpg", "image/webp", "image/png; x=y"] {
        assert!(rules().check(&typed(media_type)).is_ok(), "{media_type}");
    }
    for media_type in ["image/svg+xml", "image/gif", "text/html", "image/*", "", "png"] {
        assert_eq!(rules().check(&typed(media_type)), Err(IconFault::MediaType), "{media_type}");
    }
    assert!(rules().allow_svg().check(&typed("image/svg+xml")).is_ok());
    assert_eq!(fault("data:text/html,<script>"), Some(IconFault::MediaType));
    assert_eq!(fault("data:,x"), Some(IconFault::MediaType));
    let other = declared("data:image/png,x", "image/webp");
    assert_eq!(rules().check(&other), Err(IconFault::Mismatch));

    let png: &[u8] = b"\x89PNG\r\n\x1a\nrest";
    let jpeg: &[u8] = b"\xff\xd8\xff\xe0rest";
    let svg: &[u8] = b"\xef\xbb\xbf <?xml version=\"1.0\"?>\n<svg/>";
    let check = |icon: &Icon, said: Option<&str>, content| rules().check_content(icon, said, content);
    let untyped = Icon::new("https://mcp.example.com/i");
    assert_eq!(check(&untyped, None, png), Ok(()));
    assert_eq!(check(&typed("image/jpg"), Some("image/jpeg"), jpeg), Ok(()));
    assert_eq!(check(&untyped, Some("image/webp"), b"RIFF0000WEBPVP8 "), Ok(()));
    assert_eq!(check(&typed("image/png"), None, jpeg), Err(IconFault::Mismatch));
    assert_eq!(check(&untyped, Some("image/png"), jpeg), Err(IconFault::Mismatch));
    assert_eq!(check(&untyped, Some("text/html"), png), Err(IconFault::MediaType));
    for content in [svg, b"<html>", b"", b"GIF89a", b"RIFF0000WAVE"] {
        assert_eq!(check(&untyped, None, content), Err(IconFault::MediaType));
    }
    assert_eq!(rules().allow_svg().check_content(&typed("image/svg+xml"), None, svg), Ok(()));
}

#[test]
fn icn_09_what_is_too_large_is_refused_before_it_is_read() {
    let long = format!("data:image/png,{}", "x".repeat(MAX_ICON_DATA_URI));
    assert_eq!(fault(&long), Some(IconFault::TooLarge));
    assert_eq!(fault(&long[..MAX_ICON_DATA_URI]), None);
}

#[test]
fn sizes_that_cannot_be_read_drop_the_icon() {
    let sized = |sizes: &[&str]| {
        let mut icon = Icon::new("data:image/png,x");
        icon.sizes = Some(sizes.iter().map(ToString::to_string).collect());
        rules().check(&icon).err()
    };
    for sizes in [&[][..], &["any"], &["48x48", "96x96"], &["1x99999"]] {
        assert_eq!(sized(sizes), None, "{sizes:?}");
    }
    for sizes in [&["48"][..], &["48x"], &["any", "48X48"], &["-1x1"], &["100000x1"], &["4 x4"], &[""]] {
        assert_eq!(sized(sizes), Some(IconFault::Sizes), "{sizes:?}");
    }
}

#[test]
fn icn_11_what_has_a_bad_icon_stays_usable() {
    let text = r#"{"name":"t","inputSchema":{"type":"object"},"icons":[{"src":"http://a.example/1.png"},
        {"src":"data:image/png,x","sizes":["any"],"theme":"dark"},{"src":"https://mcp.example.com/2.png","theme":"neon"}]}"#;
    let tool: mcp_types::Tool = serde_json::from_str(text).unwrap();
    let usable: Vec<&str> = rules().usable_of(&tool).map(|icon| icon.src.as_str()).collect();
    assert_eq!(usable, ["data:image/png,x", "https://mcp.example.com/2.png"]);
    assert_eq!((tool.name.as_str(), tool.icons().len()), ("t", 3));
}

fn icons<T: serde::de::DeserializeOwned + Icons>(text: &str) -> Vec<Icon> {
    serde_json::from_str::<T>(text).unwrap().icons().to_vec()
}

#[test]
fn icn_01_icons_are_read_wherever_they_may_stand() {
    use mcp_types::{IconTheme, Implementation, Prompt, Resource, ResourceTemplate, Tool};

    let text = r#"{"name":"n","version":"1","inputSchema":{},"uri":"a:b","uriTemplate":"a:{b}","icons":[
        {"src":"https://mcp.example.com/1.png","mimeType":"image/png","sizes":["48x48","any"],"theme":"dark"},
        {"src":"data:image/png,x"}, {"mimeType":"image/png"}]}"#;
    // An icon without a source is none, and it costs the owner only the icons.
    assert!(icons::<Tool>(text).is_empty());
    let text = text.replace(r#", {"mimeType":"image/png"}"#, "");
    for found in [
        icons::<Implementation>(&text),
        icons::<Tool>(&text),
        icons::<Prompt>(&text),
        icons::<Resource>(&text),
        icons::<ResourceTemplate>(&text),
    ] {
        let [full, bare] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(full.src, "https://mcp.example.com/1.png");
        assert_eq!(full.mime_type.as_deref(), Some("image/png"));
        assert_eq!(full.sizes.as_deref(), Some(&["48x48".to_owned(), "any".to_owned()][..]));
        assert_eq!(full.theme, Some(IconTheme::Dark));
        assert_eq!((&bare.mime_type, &bare.sizes, &bare.theme), (&None, &None, &None));
        assert_eq!(rules().usable(&found).count(), 2);
    }
}
