"""A server on the Python SDK, for the tests: `python server.py json|sse`.

It listens on a free port, says `ready URL` on standard output, and ends with its standard input.
"""

import asyncio
import os
import socket
import sys
import threading

import uvicorn
from mcp.server.mcpserver import Audio, Context, Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import (
    BlobResourceContents,
    CallToolResult,
    ElicitRequest,
    ElicitRequestFormParams,
    EmbeddedResource,
    InputRequiredResult,
    ResourceLink,
    TextContent,
    TextResourceContents,
)
from pydantic import BaseModel


async def opened(ctx, call_next):
    """The SDK answers with JSON until a notification comes before the answer. So one comes, asked for or not."""
    if ctx.method == "tools/call":
        await notify(ctx, 0)
    return await call_next(ctx)


async def notify(ctx, progress, total=None, message=None):
    """A client that asked for no progress gets some all the same: it has to put up with that."""
    token = (ctx.meta or {}).get("progress_token", "unasked")
    await ctx.session.send_progress_notification(token, progress, total, message, related_request_id=str(ctx.request_id))


mode = sys.argv[1]
if mode not in ("json", "sse"):
    sys.exit("usage: server.py json|sse")
server = MCPServer("python-peer", version="1.0.0", middleware=[opened] if mode == "sse" else [])


def texts(*values: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=value) for value in values])


@server.tool()
def text(name: str) -> CallToolResult:
    return texts(f"Hello, {name}!", "")


@server.tool()
def image() -> Image:
    return Image(data=b"\x89PNG\r\n\x1a\n", format="png")


@server.tool()
def audio() -> Audio:
    return Audio(data=b"RIFF", format="wav")


@server.tool()
def resource() -> CallToolResult:
    note = TextResourceContents(uri="peer://note", mime_type="text/plain", text="a note\n")
    blob = BlobResourceContents(uri="peer://blob", mime_type="application/octet-stream", blob="AP8=")
    link = ResourceLink(
        type="resource_link",
        uri="peer://linked",
        name="linked",
        mime_type="text/csv",
        description="Is not sent along",
    )
    embedded = [EmbeddedResource(type="resource", resource=contents) for contents in (note, blob)]
    return CallToolResult(content=[*embedded, link])


class Wind(BaseModel):
    origin: str
    speed: int


class Weather(BaseModel):
    city: str
    celsius: float
    wind: Wind
    warnings: list[str]


@server.tool()
def structured() -> Weather:
    return Weather(city="Oslo", celsius=-3.5, wind=Wind(origin="NW", speed=7), warnings=[])


@server.tool()
def error() -> str:
    raise ToolError("the disk is full")


@server.tool()
async def progress(steps: int, ctx: Context) -> CallToolResult:
    for step in range(1, steps + 1):
        await notify(ctx.request_context, step, steps, f"step {step}")
    return texts(f"{steps} steps")


@server.tool()
async def slow(ms: int) -> CallToolResult:
    await asyncio.sleep(ms / 1000)
    return texts(f"after {ms} ms")


def form(message: str, properties: dict) -> ElicitRequest:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


@server.tool()
def ask(ticket: int, ctx: Context) -> CallToolResult | InputRequiredResult:
    # The SDK seals the state, and binds it to the arguments of the call.
    name = ctx.request_state
    key = "name" if name is None else "sure"
    answer = (ctx.input_responses or {}).get(key)
    if answer is not None and answer.action != "accept":
        return texts(f"{key}: {answer.action}")
    if name is None and answer is None:
        return InputRequiredResult(input_requests={"name": form("Who are you?", {"name": {"type": "string"}})})
    if name is None:
        return InputRequiredResult(
            input_requests={"sure": form("Are you sure?", {"sure": {"type": "boolean"}})},
            request_state=answer.content["name"],
        )
    return texts(f"{name} closes {ticket}: {str(answer.content['sure']).lower()}")


@server.tool(name="größe 天気")
def not_ascii() -> CallToolResult:
    return texts("found")


class Server(uvicorn.Server):
    """Says where it listens, once it does."""

    async def startup(self, sockets=None):
        await super().startup(sockets)
        print(f"ready http://127.0.0.1:{sockets[0].getsockname()[1]}/mcp", flush=True)


def end_with_input():
    sys.stdin.buffer.read()
    os._exit(0)


threading.Thread(target=end_with_input, daemon=True).start()
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
app = server.streamable_http_app(json_response=mode == "json")
Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])
