//! Lists, all pages of them, with what was left out.

use mcp_client::{
    Client, ListError, ListFault, ListMethod, Listing, WalkEnd,
    types::{
        BaseMetadata as _, Prompt, RawJson, Resource, ResourceTemplate, Tool, ToolAnnotations, error_code,
        method::{ListPrompts, ListResourceTemplates, ListResources, ListTools},
    },
};

use super::settings::{Settings, set};

/// One list, or the two of resources.
pub(super) struct Lists {
    lists: Vec<List>,
    /// Why the last of them ended early.
    fault: Option<ListFault>,
}

/// What was listed by one method.
pub(super) struct List {
    /// The member of the result, such as `tools`.
    pub(super) member: &'static str,
    pub(super) entries: Vec<Entry>,
    pub(super) skipped: Vec<Skipped>,
    pub(super) pages: usize,
    pub(super) end: Option<WalkEnd>,
}

/// An entry, and how a person is told of it.
pub(super) struct Entry {
    pub(super) raw: RawJson,
    /// What it is used by: a name, a URI.
    pub(super) name: String,
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    /// Its arguments, its media type, what it says of itself.
    pub(super) details: Vec<String>,
}

pub(super) struct Skipped {
    pub(super) name: Option<String>,
    pub(super) reason: String,
    /// Both, in words.
    pub(super) shown: String,
}

impl Lists {
    pub(super) async fn tools(client: &Client, settings: &Settings) -> Self {
        Self::of(set!(client.list_tools(), settings).all().await)
    }

    pub(super) async fn prompts(client: &Client, settings: &Settings) -> Self {
        Self::of(set!(client.list_prompts(), settings).all().await)
    }

    /// Resources and templates. Many servers have the one and do not know of the other.
    pub(super) async fn resources(client: &Client, settings: &Settings) -> Self {
        let mut both = Self::of(set!(client.list_resources(), settings).all().await);
        if both.fault.is_some() {
            return both;
        }
        let templates = Self::of(set!(client.list_resource_templates(), settings).all().await);
        both.lists.extend(templates.lists);
        match templates.fault {
            Some(ListFault::Call(error)) if error.rpc_code() == Some(error_code::METHOD_NOT_FOUND) => {
                eprintln!("mcp-call: the server does not list resource templates");
                if let Some(none) = both.lists.last_mut() {
                    none.end = Some(WalkEnd::LastPage);
                }
            }
            fault => both.fault = fault,
        }
        both
    }

    fn of<M: Shown>(listed: Result<Listing<M>, ListError<M>>) -> Self {
        let (listing, fault) = match listed {
            Ok(listing) => (listing, None),
            Err(error) => {
                let (partial, fault) = error.into_parts();
                (partial, Some(fault))
            }
        };
        Self { lists: vec![List::of(listing)], fault }
    }

    pub(super) fn lists(&self) -> &[List] {
        &self.lists
    }

    pub(super) fn fault(&self) -> Option<&ListFault> {
        self.fault.as_ref()
    }

    pub(super) fn is_complete(&self) -> bool {
        self.fault.is_none() && self.lists.iter().all(|list| list.end == Some(WalkEnd::LastPage))
    }
}

impl List {
    fn of<M: Shown>(listing: Listing<M>) -> Self {
        let skipped = listing.skipped().iter().map(|skipped| Skipped {
            name: skipped.name(),
            reason: skipped.reason().to_string(),
            shown: skipped.to_string(),
        });
        Self {
            member: M::MEMBER,
            skipped: skipped.collect(),
            pages: listing.pages(),
            end: listing.end(),
            entries: listing.into_items().iter().filter_map(M::entry).collect(),
        }
    }
}

/// Lists whose entries a person can be told of.
trait Shown: ListMethod {
    const MEMBER: &'static str;

    fn entry(item: &Self::Item) -> Option<Entry>;
}

impl Entry {
    fn new(
        item: &impl serde::Serialize,
        name: &str,
        title: Option<&str>,
        description: Option<&str>,
    ) -> Option<Self> {
        // What was read from JSON can be written as JSON.
        let raw = RawJson::from_serialize(item).ok()?;
        let title = title.filter(|title| *title != name).map(str::to_owned);
        Some(Self {
            raw,
            name: name.to_owned(),
            title,
            description: description.map(str::to_owned),
            details: Vec::new(),
        })
    }

    fn with(mut self, details: impl IntoIterator<Item = String>) -> Self {
        self.details.extend(details);
        self
    }
}

impl Shown for ListTools {
    const MEMBER: &'static str = "tools";

    fn entry(tool: &Tool) -> Option<Entry> {
        let hints = tool.annotations.as_ref().map(hints).filter(|hints| !hints.is_empty());
        let entry = Entry::new(tool, &tool.name, Some(tool.display_name()), tool.description.as_deref())?;
        Some(entry.with(hints.map(|hints| format!("says of itself: {}", hints.join(", ")))))
    }
}

/// What it says; what it does not say is nothing to show.
fn hints(annotations: &ToolAnnotations) -> Vec<&'static str> {
    let said = |hint: Option<bool>, yes, no| hint.map(|hint| if hint { yes } else { no });
    [
        said(annotations.read_only_hint, "read-only", "not read-only"),
        said(annotations.destructive_hint, "destructive", "not destructive"),
        said(annotations.idempotent_hint, "idempotent", "not idempotent"),
        said(annotations.open_world_hint, "open world", "closed world"),
    ]
    .into_iter()
    .flatten()
    .collect()
}

impl Shown for ListResources {
    const MEMBER: &'static str = "resources";

    fn entry(resource: &Resource) -> Option<Entry> {
        let size = resource.size.map(|size| format!("{size} bytes"));
        let entry = Entry::new(
            resource,
            &resource.uri,
            Some(resource.display_name()),
            resource.description.as_deref(),
        )?;
        Some(entry.with(resource.mime_type.clone().into_iter().chain(size)))
    }
}

impl Shown for ListResourceTemplates {
    const MEMBER: &'static str = "resourceTemplates";

    fn entry(template: &ResourceTemplate) -> Option<Entry> {
        let (name, description) = (template.display_name(), template.description.as_deref());
        Some(
            Entry::new(template, &template.uri_template, Some(name), description)?
                .with(template.mime_type.clone()),
        )
    }
}

impl Shown for ListPrompts {
    const MEMBER: &'static str = "prompts";

    fn entry(prompt: &Prompt) -> Option<Entry> {
        let arguments = prompt.arguments.iter().flatten().map(|argument| {
            let required = if argument.required == Some(true) { " (required)" } else { "" };
            match &argument.description {
                Some(description) => format!("{}{required}: {description}", argument.name),
                None => format!("{}{required}", argument.name),
            }
        });
        let entry =
            Entry::new(prompt, &prompt.name, Some(prompt.display_name()), prompt.description.as_deref())?;
        Some(entry.with(arguments))
    }
}
