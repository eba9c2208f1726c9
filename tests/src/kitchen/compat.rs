//! `compat.sdk_v2`: tools that show what was negotiated.

use serde_json::{Value, json};

use super::tools::{BadArgument, RUN, Reply, ToolCall, plain};
use super::validate::{MODERN, Revision, decode_sentinel};

const ID: &str = "compat.sdk_v2";
const CLOSE: &str = "simulate_ticket_close_mrtr";
const SHOW: &str = "show_negotiated_mcp_protocol";
const REGION: &str = "verify_order_region_param_header";
const KEY: &str = "closeReason";

/// The tools that this scenario adds.
pub(super) const NAMES: &[&str] = &[CLOSE, SHOW, REGION];

pub(super) fn tools() -> [Value; 3] {
    [
        json!({
            "name": CLOSE,
            "description": "Closes a ticket; asks for the reason if there is none",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "ticketId": { "type": "integer" },
                    "closeReason": { "type": ["string", "null"], "default": null },
                },
                "required": ["ticketId"],
            },
        }),
        json!({
            "name": SHOW,
            "description": "Shows the protocol version and headers of the request",
            "inputSchema": { "type": "object", "properties": {} },
        }),
        json!({
            "name": REGION,
            "description": "Compares a mirrored header with its argument",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "region": { "type": "string", "x-mcp-header": "Region" },
                    "orderId": { "type": "string" },
                },
                "required": ["region", "orderId"],
            },
        }),
    ]
}

pub(super) fn run(call: &ToolCall, default_reason: &str, prompt: &str) -> Result<Reply, BadArgument> {
    match call.tool.as_str() {
        CLOSE => close(call, default_reason, prompt),
        SHOW => {
            call.start();
            Ok(show(call))
        }
        REGION => region(call),
        _ => {
            call.optional_text("message")?;
            Ok(index(call.start()))
        }
    }
}

fn cell(revision: &Revision) -> String {
    let version = revision.version.as_deref().unwrap_or("unknown");
    let kind = if revision.modern { "native" } else { "unsupported" };
    format!("{version}/stateless/{kind}")
}

fn close(call: &ToolCall, default_reason: &str, prompt: &str) -> Result<Reply, BadArgument> {
    let ticket = call.integer("ticketId")?;
    let given = call.optional_text(KEY)?.filter(|reason| !reason.trim().is_empty());
    call.start();
    if let Some(reason) = given {
        return Ok(closed(call, "upfront", ticket, &reason));
    }
    if !call.revision.modern {
        let text = format!(
            "Call the tool again with '{KEY}', such as \"{default_reason}\", to close ticket {ticket}."
        );
        return Ok(payload(call, "guidance", ticket, None, true, &text));
    }
    let Some(answer) = call.response(KEY) else {
        return Ok(Reply::InputRequired {
            key: KEY,
            request: question(ticket, default_reason, prompt),
            state: ticket.to_string(),
        });
    };
    if answer.get("action").and_then(Value::as_str) == Some("accept") {
        let reason = answer
            .pointer("/content/closeReason")
            .and_then(Value::as_str)
            .filter(|reason| !reason.trim().is_empty())
            .unwrap_or(default_reason);
        Ok(closed(call, "mrtr", ticket, reason))
    } else {
        Ok(payload(call, "cancelled", ticket, None, false, "Ticket close cancelled"))
    }
}

fn question(ticket: i64, default_reason: &str, prompt: &str) -> Value {
    json!({
        "method": "elicitation/create",
        "params": {
            "mode": "form",
            "message": prompt.replace("{ticketId}", &ticket.to_string()),
            "requestedSchema": {
                "type": "object",
                "properties": {
                    "closeReason": {
                        "type": "string",
                        "title": "Close reason",
                        "description": "Why the ticket is closed",
                        "default": default_reason,
                    },
                },
            },
        },
    })
}

fn closed(call: &ToolCall, path: &str, ticket: i64, reason: &str) -> Reply {
    payload(call, path, ticket, Some(reason), true, &format!("Closed ticket {ticket}: {reason}"))
}

/// The answer of the close tool. It never sets `isError`, so a cancelled close looks like a success.
fn payload(
    call: &ToolCall,
    path: &str,
    ticket: i64,
    reason: Option<&str>,
    with_cell: bool,
    message: &str,
) -> Reply {
    let mut fields = vec![
        ("scenarioId", json!(ID)),
        ("tool", json!(CLOSE)),
        ("path", json!(path)),
        ("ticketId", json!(ticket)),
    ];
    fields.extend(reason.map(|reason| ("closeReason", json!(reason))));
    fields.extend([
        ("isMrtrSupported", json!(call.revision.modern)),
        ("negotiatedProtocolVersion", json!(call.revision.version)),
        ("transportMode", json!("stateless")),
    ]);
    fields.extend(with_cell.then(|| ("compatCell", json!(cell(&call.revision)))));
    fields.push(("message", json!(message)));
    Reply::success(&fields)
}

fn show(call: &ToolCall) -> Reply {
    let header = |name: &str| call.headers.get(name).and_then(|value| value.to_str().ok());
    Reply::success(&[
        ("scenarioId", json!(ID)),
        ("tool", json!(SHOW)),
        ("negotiatedProtocolVersion", json!(call.revision.version)),
        ("isJuly2026OrLater", json!(call.revision.modern)),
        ("isMrtrSupported", json!(call.revision.modern)),
        ("sessionId", Value::Null),
        ("compatCell", json!(cell(&call.revision))),
        (
            "headers",
            json!({
                "MCP-Protocol-Version": header("mcp-protocol-version"),
                "Mcp-Method": header("mcp-method"),
                "Mcp-Name": header("mcp-name"),
                "Mcp-Session-Id": header("mcp-session-id"),
            }),
        ),
        ("note", json!("Headers are shown as they were received.")),
    ])
}

fn region(call: &ToolCall) -> Result<Reply, BadArgument> {
    let region = call.text("region")?;
    let order = call.text("orderId")?;
    call.start();
    let header = call.headers.get("mcp-param-region").and_then(|value| value.to_str().ok());
    let matches = header.and_then(decode_sentinel).is_some_and(|decoded| decoded == region);
    Ok(Reply::success(&[
        ("scenarioId", json!(ID)),
        ("tool", json!(REGION)),
        ("region", json!(region)),
        ("orderId", json!(order)),
        ("receivedParamHeader", json!(header)),
        ("headerMatchesBody", json!(matches)),
        ("status", json!(format!("ok:{region}:{order}"))),
    ]))
}

fn index(invocation: u64) -> Reply {
    let cell = |version: &str, mode: &str, mrtr: &str, available: bool| json!({ "protocolVersion": version, "transportMode": mode, "mrtr": mrtr, "available": available });
    let mut fields = plain(ID, invocation);
    let tools: Vec<&str> = NAMES.iter().copied().chain([RUN]).collect();
    fields.push(("tools", json!(tools)));
    fields.push((
        "compatMatrix",
        json!([
            cell(MODERN, "stateless", "native", true),
            cell(MODERN, "stateful", "native", false),
            cell("2025-11-25", "stateful", "bridge to elicitation/create", false),
            cell("2025-11-25", "stateless", "unsupported", true),
        ]),
    ));
    Reply::success(&fields)
}
