//! Icons, and the names that things are shown under.

use crate::open_enum::open_enum;
use crate::open_struct::{open_struct, raw_hints};

open_enum! {
    /// The background an icon is made for.
    pub enum IconTheme {
        /// For light backgrounds.
        Light = "light",
        /// For dark backgrounds.
        Dark = "dark",
    }
}

open_struct! {
    /// An icon for a user interface. Its address comes from the server: check scheme and origin before fetching.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Icon {
        /// Where the image is: an `https:` or `data:` URI.
        required "src" => src: String;
        /// Its media type.
        hint "mimeType" => mime_type: String;
        /// Its sizes, such as `48x48`, or `any`; absent means any.
        hint "sizes" => sizes: Vec<String>;
        /// The background it is made for; absent means any.
        hint "theme" => theme: IconTheme;
    }
}

raw_hints!(Vec<Icon>);

/// What has a name for programs and may have a title for people.
pub trait BaseMetadata {
    /// The name for programs.
    fn name(&self) -> &str;

    /// The title for people.
    fn title(&self) -> Option<&str>;

    /// What to show to people: the title, else the name.
    fn display_name(&self) -> &str {
        self.title().unwrap_or_else(|| self.name())
    }
}

/// What may have icons.
pub trait Icons {
    /// The icons; empty if there are none.
    fn icons(&self) -> &[Icon];
}

macro_rules! named {
    ($($Name:ident),*) => { $(
        impl $crate::BaseMetadata for $Name {
            fn name(&self) -> &str {
                &self.name
            }

            fn title(&self) -> Option<&str> {
                self.title.as_deref()
            }
        }
    )* };
}
pub(crate) use named;

macro_rules! with_icons {
    ($($Name:ident),*) => { $(
        impl $crate::Icons for $Name {
            fn icons(&self) -> &[$crate::Icon] {
                self.icons.as_deref().unwrap_or_default()
            }
        }
    )* };
}
pub(crate) use with_icons;
