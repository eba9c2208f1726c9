//! Each export of the schema has an item here.

use mcp_types::{
    BaseMetadata, CacheableResult, CallToolRequest, CallToolResult, DiscoverResult, HEADER_MISMATCH,
    INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, Icons, Implementation, InputRequiredResult,
    JSONRPC_VERSION, JsonRpcMessage, LATEST_PROTOCOL_VERSION, ListPromptsResult, METHOD_NOT_FOUND,
    MISSING_REQUIRED_CLIENT_CAPABILITY, PARSE_ERROR, PaginatedResult, RawJson, RawMap, ServerNotification,
    Tool, UNSUPPORTED_PROTOCOL_VERSION,
};

#[path = "schema/table.rs"]
#[macro_use]
mod table;

macro_rules! names {
    ($($name:literal => $Type:ty,)*) => {
        /// Schema names and the Rust types for them; that they exist is checked by the compiler.
        fn types() -> Vec<(&'static str, &'static str)> {
            vec![$( ($name, std::any::type_name::<$Type>()) ),*]
        }
    };
}

schema_types!(names);

/// The bases of the schema that are traits here, each with a type that has it.
fn traits() -> [&'static str; 4] {
    fn base_metadata<T: BaseMetadata>() {}
    fn icons<T: Icons>() {}
    fn cacheable<T: CacheableResult>() {}
    fn paginated<T: PaginatedResult>() {}
    base_metadata::<Tool>();
    icons::<Implementation>();
    cacheable::<DiscoverResult>();
    paginated::<ListPromptsResult>();
    ["BaseMetadata", "Icons", "CacheableResult", "PaginatedResult"]
}

#[test]
fn the_schema_has_155_types() {
    let mut names: Vec<&str> = types().into_iter().map(|(name, _)| name).chain(traits()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 155);
}

#[test]
fn names_differ_from_the_schema_only_where_rust_says_so() {
    // An alias shows the name of what it stands for, so only types of their own can be compared.
    let own = [
        "Tool",
        "CallToolResult",
        "Resource",
        "Prompt",
        "ContentBlock",
        "InputRequiredResult",
        "ElicitResult",
    ];
    for (name, rust) in types() {
        if own.contains(&name) {
            assert!(rust.ends_with(&format!("::{name}")), "{name}: {rust}");
        }
    }
}

#[test]
fn the_schema_has_ten_constants() {
    assert_eq!((LATEST_PROTOCOL_VERSION, JSONRPC_VERSION), ("2026-07-28", "2.0"));
    assert_eq!(
        [PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR],
        [-32700, -32600, -32601, -32602, -32603]
    );
    assert_eq!(
        [HEADER_MISMATCH, MISSING_REQUIRED_CLIENT_CAPABILITY, UNSUPPORTED_PROTOCOL_VERSION],
        [-32020, -32021, -32022]
    );
}

#[test]
fn values_can_cross_threads() {
    fn check<T: Send + Sync + Clone + std::fmt::Debug + PartialEq + 'static>() {}
    check::<RawJson>();
    check::<RawMap>();
    check::<CallToolResult>();
    check::<CallToolRequest>();
    check::<ServerNotification>();
    check::<InputRequiredResult>();
    check::<JsonRpcMessage>();
}
