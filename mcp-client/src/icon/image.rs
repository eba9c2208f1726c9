//! The types of images on the allow list, and how each begins.

/// A type of image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Image {
    Png,
    Jpeg,
    Webp,
    Svg,
}

impl Image {
    /// By the media type, its parameters aside.
    pub(super) fn of_type(media_type: &str) -> Option<Self> {
        let essence = media_type.split(';').next().unwrap_or_default().trim_matches([' ', '\t']);
        Some(match essence.to_ascii_lowercase().as_str() {
            "image/png" => Self::Png,
            "image/jpeg" | "image/jpg" => Self::Jpeg,
            "image/webp" => Self::Webp,
            "image/svg+xml" => Self::Svg,
            _ => return None,
        })
    }

    /// By the first bytes. SVG has no signature; it is told by its markup.
    pub(super) fn of_content(content: &[u8]) -> Option<Self> {
        if content.starts_with(b"\x89PNG\r\n\x1a\n") {
            Some(Self::Png)
        } else if content.starts_with(b"\xff\xd8\xff") {
            Some(Self::Jpeg)
        } else if content.starts_with(b"RIFF") && content.get(8..12) == Some(b"WEBP") {
            Some(Self::Webp)
        } else {
            let text = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content).trim_ascii_start();
            let is_svg = text.starts_with(b"<svg")
                || (text.starts_with(b"<?xml")
                    && text.windows(4).take(4_096).any(|window| window == b"<svg"));
            is_svg.then_some(Self::Svg)
        }
    }
}
