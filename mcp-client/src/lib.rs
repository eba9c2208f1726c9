//! A client for MCP servers: whatever the server, the network or the tool does, a call has exactly one typed answer,
//! in time, that says which layer spoke, what it said, and whether the work may already have been done.
//!
//! ```no_run
//! use mcp_client::{Client, ToolOutcome};
//! use serde_json::json;
//!
//! # async fn f() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::http("https://mcp.example.com/mcp")?.build()?;
//! match client.call_tool("get_weather").arguments(json!({ "location": "Oslo" })).send().await? {
//!     ToolOutcome::Success(output) => println!("{}", output.text()),
//!     ToolOutcome::ToolError(output) => println!("the tool failed: {}", output.text()),
//!     ToolOutcome::InputRequired(asked) => println!("input is needed: {asked:?}"),
//! }
//! # Ok(())
//! # }
//! ```
//!
//! * [`ToolOutcome`] — what a valid answer is: success, the tool's own error, or a request for input.
//! * [`CallError`] — why there is none, one variant a layer, with [`delivery()`](CallError::delivery).
//! * [`Continuation`] — how a call goes on after its input requests, now or days later.
//! * [`Retry`] — which calls are repeated: those that cannot have run, and those that somebody vouches for.
//! * [`CallRecord`] — what happened, as one JSON line that is safe to log.
//! * [`TokenSource`] — where bearer tokens come from, and what is done when one is refused.
//! * [`TraceContext`] — the trace that a call belongs to. With the feature `tracing` each call is a span, named after the
//!   OpenTelemetry conventions for MCP; repetitions, repairs, cancellations and tools that are left out are events in it. No field
//!   holds arguments, results, tokens, header values, the query of a URL, or what a server says in words, except the reason for which it cancels a subscription.
//! * [`Transport`](transport::Transport) — the seam for transports of your own, and
//!   [for layers](ClientBuilder::layer) around the client's.
//!
//! The protocol is MCP revision 2026-07-28 over Streamable HTTP.
#![forbid(unsafe_code)]

mod answered;
mod bare_uri;
mod builder;
pub mod cache;
mod cached;
mod call;
mod cancel;
mod caught;
mod challenge;
mod client;
mod continuation;
mod decode;
pub mod error;
mod error_hint;
mod form;
mod header_params;
mod headers;
#[cfg(feature = "http")]
mod icon;
mod input;
mod input_kinds;
mod link;
mod list;
mod method;
mod observer;
mod offers;
mod outcome;
mod pace;
pub mod record;
mod request;
mod retry_after;
mod schema;
mod spans;
pub mod sse;
mod store;
mod subscription;
mod token;
mod tool_book;
mod trace_context;
pub mod transport;
mod updates;
mod whose;

pub use async_trait::async_trait;
pub use mcp_retry::{self as retry, Delivery, IdempotencyKey, Layer, Retry};
pub use mcp_types::{self as types, ElicitResult as ElicitAnswer};

#[cfg(feature = "http")]
pub use self::icon::{IconFault, IconRules, IconSource, MAX_ICON_DATA_URI};
#[cfg(feature = "schema")]
pub use self::schema::{MAX_VIOLATIONS, SchemaFault, SchemaFaultKind, SchemaViolation, Validation};
pub use self::{
    answered::{Answered, Outcome},
    builder::{BuildError, ClientBuilder, DEFAULT_COMPLETION_RATE, DEFAULT_SAMPLING_RATE, DEFAULT_TIMEOUT},
    call::{CallToolBuilder, DEFAULT_MAX_TIMEOUT, RequestBuilder},
    cancel::CancelHandle,
    client::Client,
    continuation::{
        AnswerError, AnswerFault, Continuation, MAX_SUSPENDED_BYTES, MultiRound, RestoreError, SamplingFault,
        SuspendedCall,
    },
    error::CallError,
    error_hint::{ErrorHint, ErrorHintKind},
    form::{
        Choice, ElicitForm, FieldError, FieldFault, FieldKind, FormErrors, FormField, FormUnsupported,
        MAX_FORM_FIELDS,
    },
    header_params::{HeaderParamsFault, HeaderParamsFaultKind, MAX_INPUT_SCHEMA},
    input::{DEFAULT_MAX_ROUNDS, Drive, DriveStop, InputContext, InputError, InputHandler},
    input_kinds::InputKinds,
    link::{ElicitLink, LinkFault, LinkWarning, MAX_LINK},
    list::{
        DEFAULT_MAX_ITEMS, DEFAULT_MAX_LIST_BYTES, DEFAULT_MAX_PAGES, ItemStream, ListError, ListFault,
        Listing, MAX_STREAM_SKIPPED, Page, Pages, SkipReason, Skipped, WalkEnd,
    },
    method::{CachedMethod, ListMethod},
    observer::Observer,
    outcome::{NotSuccess, StructuredError, ToolOutcome, ToolOutput},
    record::{CallRecord, OutcomeKind},
    schema::OutputSchema,
    store::{ContinuationStore, DEFAULT_MAX_STORED_CALLS, MemoryStore, StoreError, StoreFilter, StoredCall},
    subscription::{
        DEFAULT_BUFFERED_EVENTS, ListenBuilder, Subscription, SubscriptionEnd, SubscriptionEvent,
    },
    token::{BearerToken, TokenError, TokenRefusal, TokenSource},
    trace_context::{
        MAX_BAGGAGE_BYTES, MAX_BAGGAGE_ENTRIES, MAX_TRACESTATE_ENTRIES, TraceContext, TraceContextFault,
    },
    updates::{DEFAULT_UPDATES, LogMessage, MAX_UPDATE_BYTES, Progress, Updates},
};
