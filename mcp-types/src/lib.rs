//! Wire types of the [Model Context Protocol](https://modelcontextprotocol.io), revision 2026-07-28.
//!
//! * **Lossless.** What comes in goes out again as equal JSON, members that this crate does not know included: each
//!   struct keeps them in its field `extra`. Values whose content belongs to others (arguments, structured content,
//!   schemas, `_meta`) are kept as [`RawJson`], the exact text.
//! * **Open where the protocol is open.** Unknown content blocks, input requests and values of string enums are kept
//!   and shown (`Unknown`, `Other`), so that one new value does not cost the message.
//! * **Strict where meaning depends on it.** A missing required member or a wrong type is an error that names the
//!   member. Descriptions, icons, annotations and the like are *hints*: one of the wrong type reads as `None`, its raw
//!   value stays in `extra`, and `dropped_hints()` tells.
//! * **Quiet.** `Debug` shows kind and size of arguments, answers, states and other raw values, not their content.
//!
//! An optional member that is `null` reads as absent, except where `null` is a value (`structuredContent`, an error's
//! `data`). Of members given twice the last one counts, except in a JSON-RPC envelope, where it is an error.
//!
//! Each name of the schema is a name here, in Rust's spelling: `JSONRPCRequest` is [`JsonRpcRequest`]. Others only are
//! `Error` ([`ErrorObject`]) and `Result` ([`AnyResult`]); the bases of the schema are traits, such as
//! [`PaginatedResult`]. Everything is reachable from the root of the crate.
//!
//! ```
//! use mcp_types::{CallToolResult, ContentBlock, RawJson};
//!
//! let text = r#"{
//!     "resultType": "complete",
//!     "content": [{"type": "text", "text": "12 °C"}, {"type": "hologram", "beam": 7}],
//!     "structuredContent": {"celsius": 12.0},
//!     "vendor": {"trace": "abc"}
//! }"#;
//! let result: CallToolResult = serde_json::from_str(text)?;
//!
//! assert!(!result.is_error());
//! assert!(matches!(&result.content[0], ContentBlock::Text(block) if block.text == "12 °C"));
//! assert_eq!(result.content[1].type_name(), Some("hologram"));
//! assert_eq!(result.structured_content.as_ref().map(RawJson::get), Some(r#"{"celsius": 12.0}"#));
//! assert_eq!(serde_json::to_value(&result)?, serde_json::from_str::<serde_json::Value>(text)?);
//! # Ok::<(), serde_json::Error>(())
//! ```
#![forbid(unsafe_code)]

mod base64_text;
mod by_method;
mod cache_hint;
mod cancel;
mod capabilities;
mod completion;
mod content;
mod discover;
mod elicitation;
pub mod error_code;
mod error_object;
pub mod header_value;
mod icon;
mod implementation;
mod items;
mod json_error;
mod jsonrpc;
mod logging;
pub mod meta;
pub mod method;
mod mrtr;
mod open_enum;
mod open_struct;
mod ordered_map;
mod pagination;
mod probe;
mod progress;
mod prompt;
mod raw_json;
mod redacted;
mod request_id;
mod resource;
mod result_type;
mod roots;
mod sampling;
mod subscription;
mod tool;
mod version;

pub use self::{
    base64_text::Base64Error, by_method::*, cache_hint::*, cancel::*, capabilities::*, completion::*,
    content::*, discover::*, elicitation::*, error_code::*, error_object::*, header_value::HeaderValueError,
    icon::*, implementation::*, items::*, json_error::JsonError, jsonrpc::*, logging::*, mrtr::*,
    pagination::*, progress::*, prompt::*, raw_json::*, redacted::ArgumentText, request_id::*, resource::*,
    result_type::*, roots::*, sampling::*, subscription::*, tool::*, version::*,
};
pub use meta::{
    Meta, MetaKeyError, MetaObject, NotificationMeta, NotificationMetaObject, RequestMeta, RequestMetaObject,
    ResultMeta, ResultMetaObject, SubscriptionsListenResultMeta, SubscriptionsListenResultMetaObject,
};
pub use method::{Method, NotificationMethod};
pub use ordered_map::{MAX_MEMBERS, OrderedMap, OrderedMapIter, RawMap};
