//! Who is speaking.

use crate::Icon;
use crate::icon::{named, with_icons};
use crate::open_struct::{open_struct, raw_hints};

open_struct! {
    /// The name and version of a client or server. It is what the other side says of itself: good for display and
    /// logs, not for decisions.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Implementation {
        /// The name for programs.
        required "name" => name: String;
        /// The version, in a form of its own.
        required "version" => version: String;
        /// The title for people; absent means that the name is shown.
        hint "title" => title: String;
        /// What it does, in a sentence.
        hint "description" => description: String;
        /// Its web site.
        hint "websiteUrl" => website_url: String;
        /// Icons to show.
        hint "icons" => icons: Vec<Icon>;
    }
}

raw_hints!(Implementation);
named!(Implementation);
with_icons!(Implementation);

impl Implementation {
    /// Sets the title for people.
    #[must_use]
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Sets the description.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Sets the web site.
    #[must_use]
    pub fn with_website_url(mut self, url: impl Into<String>) -> Self {
        self.website_url = Some(url.into());
        self
    }

    /// Sets the icons.
    #[must_use]
    pub fn with_icons(mut self, icons: impl Into<Vec<Icon>>) -> Self {
        self.icons = Some(icons.into());
        self
    }
}
