//! Resources: what a server lets its clients read.

use crate::cache_hint::cacheable;
use crate::icon::{named, with_icons};
use crate::mrtr::answerable;
use crate::open_struct::open_struct;
use crate::pagination::paginated;
use crate::{
    Annotations, CacheScope, Cursor, Icon, InputResponses, Items, Meta, NotificationMeta, RequestMeta,
    RequestState, ResourceContents, ResultMeta, ResultType,
};

open_struct! {
    /// A resource that can be read.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Resource {
        /// Its address; a plain string, to be sent back as it is.
        required "uri" => uri: String;
        /// The name for programs.
        required "name" => name: String;
        /// The title for people; absent means that the name is shown.
        hint "title" => title: String;
        /// What it is, also for language models.
        hint "description" => description: String;
        /// Its media type.
        hint "mimeType" => mime_type: String;
        /// How to use it.
        hint "annotations" => annotations: Annotations;
        /// Its size in bytes before any encoding, as the server says.
        hint "size" => size: u64;
        /// Icons to show.
        hint "icons" => icons: Vec<Icon>;
        /// More about it.
        hint "_meta" => meta: Meta;
    }
}

open_struct! {
    /// Content that names a resource.
    #[derive(Debug, Clone, PartialEq)]
    pub struct ResourceLink {
        @"type" = "resource_link";
        /// Its address; a plain string, to be sent back as it is.
        required "uri" => uri: String;
        /// The name for programs.
        required "name" => name: String;
        /// The title for people; absent means that the name is shown.
        hint "title" => title: String;
        /// What it is, also for language models.
        hint "description" => description: String;
        /// Its media type.
        hint "mimeType" => mime_type: String;
        /// How to use it.
        hint "annotations" => annotations: Annotations;
        /// Its size in bytes before any encoding, as the server says.
        hint "size" => size: u64;
        /// Icons to show.
        hint "icons" => icons: Vec<Icon>;
        /// More about it.
        hint "_meta" => meta: Meta;
    }
}

open_struct! {
    /// A pattern of addresses of resources.
    #[derive(Debug, Clone, PartialEq)]
    pub struct ResourceTemplate {
        /// The pattern, an RFC 6570 URI template.
        required "uriTemplate" => uri_template: String;
        /// The name for programs.
        required "name" => name: String;
        /// The title for people; absent means that the name is shown.
        hint "title" => title: String;
        /// What these resources are, also for language models.
        hint "description" => description: String;
        /// Their media type, if all have the same.
        hint "mimeType" => mime_type: String;
        /// How to use them.
        hint "annotations" => annotations: Annotations;
        /// Icons to show.
        hint "icons" => icons: Vec<Icon>;
        /// More about it.
        hint "_meta" => meta: Meta;
    }
}

named!(Resource, ResourceLink, ResourceTemplate);
with_icons!(Resource, ResourceLink, ResourceTemplate);

open_struct! {
    /// A page of the list of resources.
    #[derive(Debug, Clone, PartialEq)]
    pub struct ListResourcesResult {
        /// Facts about the result.
        hint "_meta" => meta: ResultMeta;
        /// What kind of result this is; absent means complete.
        result_type "resultType" => result_type: ResultType;
        /// The resources of this page.
        required "resources" => resources: Items<Resource>;
        /// Where the next page starts; absent on the last one.
        optional "nextCursor" => next_cursor: Cursor;
        /// How long the page may be kept, in milliseconds.
        hint "ttlMs" => ttl_ms: i64;
        /// Who may be given the kept page.
        hint "cacheScope" => cache_scope: CacheScope;
    }
}

open_struct! {
    /// A page of the list of resource templates.
    #[derive(Debug, Clone, PartialEq)]
    pub struct ListResourceTemplatesResult {
        /// Facts about the result.
        hint "_meta" => meta: ResultMeta;
        /// What kind of result this is; absent means complete.
        result_type "resultType" => result_type: ResultType;
        /// The templates of this page.
        required "resourceTemplates" => resource_templates: Items<ResourceTemplate>;
        /// Where the next page starts; absent on the last one.
        optional "nextCursor" => next_cursor: Cursor;
        /// How long the page may be kept, in milliseconds.
        hint "ttlMs" => ttl_ms: i64;
        /// Who may be given the kept page.
        hint "cacheScope" => cache_scope: CacheScope;
    }
}

open_struct! {
    /// Parameters of `resources/read`.
    #[derive(Debug, Clone, PartialEq)]
    pub struct ReadResourceParams {
        /// Who asks, in which version, with which capabilities.
        required "_meta" => meta: RequestMeta;
        /// The resource to read.
        required "uri" => uri: String;
        /// Answers to the input requests of the round before.
        optional "inputResponses" => input_responses: InputResponses;
        /// The state that the server gave with them, byte for byte.
        optional "requestState" => request_state: RequestState;
    }
}

answerable!(ReadResourceParams);

/// The schema's name for [`ReadResourceParams`].
pub type ReadResourceRequestParams = ReadResourceParams;
/// The schema's base of [`ReadResourceParams`].
pub type ResourceRequestParams = ReadResourceParams;

open_struct! {
    /// The contents of a resource. Empty means that it exists and is empty.
    #[derive(Debug, Clone, PartialEq)]
    pub struct ReadResourceResult {
        /// Facts about the result.
        hint "_meta" => meta: ResultMeta;
        /// What kind of result this is; absent means complete.
        result_type "resultType" => result_type: ResultType;
        /// The contents; several for a directory.
        required "contents" => contents: Vec<ResourceContents>;
        /// How long the contents may be kept, in milliseconds.
        hint "ttlMs" => ttl_ms: i64;
        /// Who may be given the kept contents.
        hint "cacheScope" => cache_scope: CacheScope;
    }
}

cacheable!(ListResourcesResult, ListResourceTemplatesResult, ReadResourceResult);
paginated!(ListResourcesResult, resources: Resource);
paginated!(ListResourceTemplatesResult, resource_templates: ResourceTemplate);

open_struct! {
    /// Parameters of `notifications/resources/updated`.
    #[derive(Debug, Clone, PartialEq)]
    pub struct ResourceUpdatedNotificationParams {
        /// Facts about the notification.
        hint "_meta" => meta: NotificationMeta;
        /// The resource that changed; it may be part of the one that is watched.
        required "uri" => uri: String;
    }
}
