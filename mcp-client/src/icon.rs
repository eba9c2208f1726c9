//! Whether an icon may be shown: pure rules, for applications that fetch icons. The client never does.

mod image;

use std::{error::Error, fmt};

use mcp_types::{Icon, Icons};
use url::{Host, Url};

use self::image::Image;

/// The longest `data:` URI of an icon, in bytes: 256 KiB.
pub const MAX_ICON_DATA_URI: usize = 256 << 10;

/// Says which icons of a server may be used ([basic], icons): from the server's own origin or one that is trusted, over
/// `https:`, or inside a `data:` URI; of a type on the allow list; with sizes that can be read.
///
/// It fetches nothing. Who fetches does so without cookies and credentials, follows no redirect to another origin, and
/// checks what came with [`check_content`](Self::check_content) before it is decoded, under limits of size.
///
/// [basic]: https://modelcontextprotocol.io/specification/2026-07-28/basic
///
/// # Examples
///
/// ```
/// use mcp_client::{IconRules, IconSource, types::Icon};
///
/// let rules = IconRules::of("https://mcp.example.com/mcp").trust_origin("https://cdn.example.net");
///
/// let icon = Icon::new("https://cdn.example.net/tool.png");
/// assert!(matches!(rules.check(&icon), Ok(IconSource::Https(_))));
///
/// let icons = [Icon::new("https://tracker.example.org/1x1.png"), Icon::new("javascript:alert(1)"), icon];
/// assert_eq!(rules.usable(&icons).count(), 1);
/// ```
#[derive(Clone, Debug)]
pub struct IconRules {
    origins: Vec<(Host<String>, u16)>,
    svg: bool,
}

/// Where an icon that may be used comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IconSource<'a> {
    /// An `https:` URL.
    Https(&'a str),
    /// A `data:` URI.
    Data(&'a str),
}

/// Why an icon must not be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum IconFault {
    /// The source is no URI.
    NoUri,
    /// The scheme is neither `https` nor `data`.
    Scheme,
    /// The URL holds credentials.
    Credentials,
    /// The origin is neither the server's nor trusted.
    Origin,
    /// The media type is not on the allow list.
    MediaType,
    /// The declared media type is not that of the `data:` URI, or not that of the content.
    Mismatch,
    /// A size is neither `any` nor of the form `48x48`.
    Sizes,
    /// The `data:` URI is too long.
    TooLarge,
}

impl IconRules {
    /// The rules for a server at that URL. When it is no `https:` URL no origin is trusted by itself; icons in `data:` URIs
    /// can be used then.
    pub fn of(server: &str) -> Self {
        Self { origins: Vec::new(), svg: false }.trust_origin(server)
    }

    /// Trusts another origin, such as `https://cdn.example.com`: exactly that host and port. What is no `https:` URL
    /// changes nothing.
    #[must_use]
    pub fn trust_origin(mut self, origin: &str) -> Self {
        self.origins.extend(Url::parse(origin).ok().as_ref().and_then(https_origin));
        self
    }

    /// Allows SVG images (default: no). They can hold scripts: show them only where none are run.
    #[must_use]
    pub fn allow_svg(mut self) -> Self {
        self.svg = true;
        self
    }

    /// Whether an icon may be used, and where it comes from.
    ///
    /// # Errors
    ///
    /// [`IconFault`]: the first rule that it breaks. What has the icon stays usable.
    pub fn check<'a>(&self, icon: &'a Icon) -> Result<IconSource<'a>, IconFault> {
        let declared = icon.mime_type.as_deref().map(|name| self.image(name)).transpose()?;
        if !icon.sizes.iter().flatten().all(|size| is_size(size)) {
            return Err(IconFault::Sizes);
        }
        // Before it is parsed: a long URI costs nothing.
        if icon.src.len() > MAX_ICON_DATA_URI {
            return Err(IconFault::TooLarge);
        }
        let url = Url::parse(&icon.src).map_err(|_| IconFault::NoUri)?;
        match url.scheme() {
            "https" => {
                if !url.username().is_empty() || url.password().is_some() {
                    return Err(IconFault::Credentials);
                }
                let trusted = https_origin(&url).is_some_and(|origin| self.origins.contains(&origin));
                if trusted { Ok(IconSource::Https(&icon.src)) } else { Err(IconFault::Origin) }
            }
            "data" => {
                let (head, _) = url.path().split_once(',').ok_or(IconFault::NoUri)?;
                let found = self.image(head.split(';').next().unwrap_or_default())?;
                if declared.is_some_and(|declared| declared != found) {
                    return Err(IconFault::Mismatch);
                }
                Ok(IconSource::Data(&icon.src))
            }
            _ => Err(IconFault::Scheme),
        }
    }

    /// The icons that may be used, in the order of the server.
    pub fn usable<'a>(&self, icons: &'a [Icon]) -> impl Iterator<Item = &'a Icon> {
        icons.iter().filter(|icon| self.check(icon).is_ok())
    }

    /// The icons of a tool, a resource or whatever has some, that may be used.
    pub fn usable_of<'a>(&self, owner: &'a impl Icons) -> impl Iterator<Item = &'a Icon> {
        self.usable(owner.icons())
    }

    /// Whether what was fetched is an image of an allowed type, by its first bytes, and of the type that the icon declares
    /// and the answer had, where they say one.
    ///
    /// # Errors
    ///
    /// [`IconFault::MediaType`] or [`IconFault::Mismatch`].
    pub fn check_content(
        &self,
        icon: &Icon,
        content_type: Option<&str>,
        content: &[u8],
    ) -> Result<(), IconFault> {
        let found = Image::of_content(content).filter(|image| self.allows(*image));
        let found = found.ok_or(IconFault::MediaType)?;
        for said in [icon.mime_type.as_deref(), content_type].into_iter().flatten() {
            if self.image(said)? != found {
                return Err(IconFault::Mismatch);
            }
        }
        Ok(())
    }

    fn image(&self, media_type: &str) -> Result<Image, IconFault> {
        Image::of_type(media_type).filter(|image| self.allows(*image)).ok_or(IconFault::MediaType)
    }

    fn allows(&self, image: Image) -> bool {
        image != Image::Svg || self.svg
    }
}

fn https_origin(url: &Url) -> Option<(Host<String>, u16)> {
    if url.scheme() != "https" {
        return None;
    }
    Some((url.host()?.to_owned(), url.port_or_known_default()?))
}

/// `any`, or width and height in digits.
fn is_size(size: &str) -> bool {
    let is_number = |text: &str| (1..=5).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    size == "any" || size.split_once('x').is_some_and(|(width, height)| is_number(width) && is_number(height))
}

impl fmt::Display for IconFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoUri => "the source of the icon is no URI",
            Self::Scheme => "the icon is neither an https nor a data URI",
            Self::Credentials => "the source of the icon holds credentials",
            Self::Origin => "the origin of the icon is neither the server's nor trusted",
            Self::MediaType => "the media type of the icon is not allowed",
            Self::Mismatch => "the media type of the icon is another than declared",
            Self::Sizes => "a size of the icon cannot be read",
            Self::TooLarge => "the icon is too large",
        })
    }
}

impl Error for IconFault {}

#[cfg(test)]
mod tests;
