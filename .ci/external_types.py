"""Lists the types and traits of other crates that a crate's public API names, and fails on those not allowed."""

import json
import sys

ALLOWED = {
    "serde_json::value::Value", "serde_json::Value", "serde_json::number::Number", "serde_json::Number",
    "serde_json::raw::RawValue", "serde_json::value::RawValue", "serde_json::map::Map", "serde_json::Map",
    "bytes::bytes::Bytes", "bytes::Bytes",
    "futures_core::stream::Stream", "futures_core::Stream",
    "http::header::map::HeaderMap", "http::HeaderMap", "http::header::HeaderMap",
    "reqwest::async_impl::client::ClientBuilder", "reqwest::ClientBuilder",
    "reqwest::async_impl::client::Client", "reqwest::Client",
    "async_trait::async_trait",
    "backoff::backoff::Backoff",  # the adapter behind the feature of that name
}
# Traits that everybody implements and names in bounds.
ALLOWED_CRATES = {"std", "core", "alloc", "serde", "serde_core", "mcp_types", "mcp_retry"}


def names(node):
    """All paths that a part of the API resolves to."""
    if isinstance(node, dict):
        if "id" in node and ("path" in node or "name" in node) and "args" in node:
            yield node["id"]
        for key, value in node.items():
            if key not in ("docs", "links", "attrs", "span"):
                yield from names(value)
    elif isinstance(node, list):
        for value in node:
            yield from names(value)


def main() -> int:
    doc = json.load(open(sys.argv[1], encoding="utf-8"))
    found = {}
    for item in doc["index"].values():
        if item["crate_id"] != 0:
            continue
        inner = item["inner"]
        implementation = inner.get("impl")
        if implementation and (implementation.get("is_synthetic") or implementation.get("blanket_impl")):
            continue
        for path_id in names(inner):
            path = doc["paths"].get(str(path_id))
            if path and path["crate_id"] != 0 and path["path"][0] not in ALLOWED_CRATES:
                found.setdefault("::".join(path["path"]), item.get("name"))
    wrong = {path: where for path, where in found.items() if path not in ALLOWED}
    crate = sys.argv[1].rsplit("/", 1)[-1]
    print(f"{crate}: {len(found)} types of dependencies, {len(wrong)} not allowed")
    for path, where in sorted(wrong.items()):
        print(f"  {path} (in {where})")
    return 1 if wrong else 0


sys.exit(main())
