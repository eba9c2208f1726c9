//! What an event drops.

use mcp_types::method::{
    ListPrompts, ListResourceTemplates, ListResources, ListTools, Method as _, ReadResource,
};

use super::{
    key::CacheSelector,
    place::{Cacheable, Server, list},
};

/// Why kept results of a server must not be used any more, whatever the credentials.
pub(crate) enum Invalidation<'a> {
    /// `notifications/tools/list_changed`: all pages of the list.
    Tools,
    /// `notifications/prompts/list_changed`: all pages of the list.
    Prompts,
    /// `notifications/resources/list_changed`: all pages of the lists of resources and of templates.
    Resources,
    /// `notifications/resources/updated`: what was read under that URI.
    ///
    /// It may name a part of a resource that was subscribed to. `subscribed` are the URIs of the subscription that brought
    /// it: those that it is part of by their text go too, and all of them when the text tells nothing.
    Resource {
        /// What was updated.
        uri: &'a str,
        /// What the subscription is about.
        subscribed: &'a [String],
    },
    /// A page could not be got by its cursor: all pages of the list of that method.
    Pages(&'a str),
    /// Changes may have been missed: everything of the server.
    Everything,
}

impl Invalidation<'_> {
    pub(super) fn selectors(&self, server: &Server) -> Vec<CacheSelector> {
        let method = |name| server.of_method(name);
        match *self {
            Self::Tools => vec![method(ListTools::NAME)],
            Self::Prompts => vec![method(ListPrompts::NAME)],
            Self::Resources => vec![method(ListResources::NAME), method(ListResourceTemplates::NAME)],
            Self::Resource { uri, subscribed } => concerned(uri, subscribed)
                .into_iter()
                .filter_map(|uri| Cacheable::of(ReadResource::NAME, None, Some(uri)))
                .map(|request| server.place(request).all())
                .collect(),
            Self::Pages(name) => list(name).map(method).into_iter().collect(),
            Self::Everything => vec![server.all()],
        }
    }
}

/// The URI that was updated, and those subscribed to that its update concerns.
fn concerned<'a>(uri: &'a str, subscribed: &'a [String]) -> Vec<&'a str> {
    let mut concerned = vec![uri];
    concerned.extend(subscribed.iter().map(String::as_str).filter(|whole| is_part(uri, whole)));
    // The server sent it for a reason; without a better one, each of them may have changed.
    if concerned.len() == 1 && !subscribed.iter().any(|whole| whole == uri) {
        concerned.extend(subscribed.iter().map(String::as_str));
    }
    concerned
}

/// Whether a URI is below another one by its text: the rest starts a segment, a query or a fragment.
fn is_part(uri: &str, whole: &str) -> bool {
    uri.strip_prefix(whole).is_some_and(|rest| {
        !rest.is_empty() && (whole.ends_with(['/', ':']) || rest.starts_with(['/', '?', '#']))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dropped(invalidation: &Invalidation<'_>) -> Vec<String> {
        let selectors = invalidation.selectors(&Server::new("s"));
        selectors.iter().map(|selector| selector.as_prefix().trim_start_matches("mcp1|").to_owned()).collect()
    }

    #[test]
    fn cac_16_each_list_and_amb_20_both_lists_of_resources() {
        for (invalidation, expected) in [
            (Invalidation::Tools, &["s|tools/list|"][..]),
            (Invalidation::Prompts, &["s|prompts/list|"]),
            (Invalidation::Resources, &["s|resources/list|", "s|resources/templates/list|"]),
            (Invalidation::Pages("prompts/list"), &["s|prompts/list|"]),
            (Invalidation::Pages("resources/templates/list"), &["s|resources/templates/list|"]),
            (Invalidation::Pages("resources/read"), &[]),
            (Invalidation::Everything, &["s|"]),
        ] {
            assert_eq!(dropped(&invalidation), expected);
        }
    }

    #[test]
    fn amb_20_an_updated_resource_and_what_it_is_part_of() {
        let subscribed = |uris: &[&str]| uris.iter().map(|uri| (*uri).to_owned()).collect::<Vec<_>>();
        for (uri, of, expected) in [
            ("f:///d/a", &[][..], &["f:///d/a"][..]),
            ("f:///d/a", &["f:///d/a", "f:///e"], &["f:///d/a"]),
            ("f:///d/a", &["f:///d/a", "f:///d", "f:///d/"], &["f:///d/a", "f:///d", "f:///d/"]),
            ("f:///d/a", &["f:///d", "f:///e"], &["f:///d/a", "f:///d"]),
            ("f:///d?row=1", &["f:///d", "f:///e"], &["f:///d?row=1", "f:///d"]),
            ("f:///dd", &["f:///d", "f:///dd"], &["f:///dd"]),
            // Nothing in the text: any of them may be meant.
            ("row:5", &["db://x", "db://y"], &["row:5", "db://x", "db://y"]),
            ("f:///dd", &["f:///d"], &["f:///dd", "f:///d"]),
        ] {
            let expected: Vec<String> = expected
                .iter()
                .map(|uri| format!("s|resources/read|uri={}|", uri.replace('?', "%3F").replace('=', "%3D")))
                .collect();
            let subscribed = subscribed(of);
            assert_eq!(
                dropped(&Invalidation::Resource { uri, subscribed: &subscribed }),
                expected,
                "{uri}: {of:?}"
            );
        }
    }
}
