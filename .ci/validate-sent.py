"""Validates everything that the client sent in a test run against the official schema.

usage: validate-sent.py SCHEMAS LOGS

SCHEMAS has a folder with a `schema.json` for each revision of the protocol; the `_meta` of a message says which one it
follows. LOGS is the folder that `MCP_SENT_LOG` named during the run: one file a process, one message a line, `=` for a
message that differs from an earlier one in its id alone, and `!` for one that there was no room for.

Beyond the schema, which lets any further members pass: no member that the schema does not name may stand in a message or
its params, none may stand twice, and what becomes the headers must be what the message says.
"""

import functools
import json
import pathlib
import sys

from jsonschema import Draft202012Validator

PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion"

# Messages of tests that break the schema on purpose: (reason, predicate). Each must be met at least once.
EXEMPT = [
    (
        "a level of log messages that servers are to refuse",
        lambda message, _: message["params"]["_meta"].get("io.modelcontextprotocol/logLevel") == "loud",
    ),
]


class Members(dict):
    """An object that remembers which of its members stood twice."""

    def __init__(self, pairs):
        super().__init__(pairs)
        names = [name for name, _ in pairs]
        self.twice = sorted({name for name in names if names.count(name) > 1}) if len(names) > len(self) else []


@functools.cache
def schema(schemas: pathlib.Path, version: str) -> dict | None:
    file = schemas / version / "schema.json"
    return json.loads(file.read_text(encoding="utf-8")) if version in names(schemas) else None


@functools.cache
def names(schemas: pathlib.Path) -> set[str]:
    return {folder.name for folder in schemas.iterdir()}


def alternatives(definitions: dict, name: str):
    """The names of the definitions that a union is made of; its own where it is none."""
    definition = definitions[name]
    if "$ref" in definition:
        yield definition["$ref"].rsplit("/", 1)[1]
    elif "anyOf" in definition:
        yield from (member["$ref"].rsplit("/", 1)[1] for member in definition["anyOf"])
    else:
        yield name


@functools.cache
def messages(schemas: pathlib.Path, version: str) -> dict | None:
    """For each method that a client may send: a validator, and the members of a message and its params."""
    whole = schema(schemas, version)
    if whole is None:
        return None
    definitions = whole["$defs"]
    found = {}
    for union in ("ClientRequest", "ClientNotification"):
        for name in alternatives(definitions, union):
            properties = definitions[name]["properties"]
            params = properties["params"]
            params = definitions[params["$ref"].rsplit("/", 1)[1]] if "$ref" in params else params
            found[properties["method"]["const"]] = (
                Draft202012Validator({**whole, "$ref": f"#/$defs/{name}"}),
                set(properties),
                set(params.get("properties", {})),
            )
    return found


def faults(schemas: pathlib.Path, line: dict, message) -> list[str]:
    if not isinstance(message, dict):
        return ["the message is no object"]
    params = message.get("params", {})
    params = params if isinstance(params, dict) else {}
    meta = params.get("_meta", {})
    meta = meta if isinstance(meta, dict) else {}
    version = meta.get(PROTOCOL_VERSION, line["protocolVersion"])
    methods = messages(schemas, version) if isinstance(version, str) else None
    if methods is None:
        return [f"there is no schema of revision {version!r}"]
    if message.get("method") not in methods:
        return [f"{message.get('method')!r} is no message of a client in {version}"]
    validator, members, members_of_params = methods[message["method"]]
    found = [f"{error.json_path}: {error.message[:300]}" for error in validator.iter_errors(message)]
    for path, names_of, known in (("$", message, members), ("$.params", params, members_of_params)):
        found += [f"{path}.{name}: the schema has no such member" for name in names_of if name not in known]
    for path, members_at in (("$", message), ("$.params", params), ("$.params._meta", meta)):
        found += [f"{path}.{name}: stands twice" for name in getattr(members_at, "twice", [])]
    for header, told, said in (
        ("MCP-Protocol-Version", line["protocolVersion"], version),
        ("Mcp-Method", line["method"], message["method"]),
        ("Mcp-Name", line["name"], params.get("name", params.get("uri"))),
    ):
        if told != said:
            found.append(f"{header} is made of {told!r}, and the message says {said!r}")
    return found


def normal(message) -> str:
    """A message without what differs each time: its id, and the progress token that is made of it."""
    copy = dict(message) if isinstance(message, dict) else {"message": message}
    copy["id"] = type(copy.get("id")).__name__
    params = copy.get("params")
    if isinstance(params, dict) and isinstance(params.get("_meta"), dict) and "progressToken" in params["_meta"]:
        meta = {**params["_meta"], "progressToken": type(params["_meta"]["progressToken"]).__name__}
        copy["params"] = {**params, "_meta": meta}
    return json.dumps(copy)


def main() -> int:
    schemas, logs = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    sent = missing = failed = 0
    distinct, by_method, exempted = set(), {}, [0] * len(EXEMPT)
    for file in sorted(logs.glob("*.jsonl")):
        for text in file.read_text(encoding="utf-8").split("\n")[:-1]:
            sent += 1
            if text in ("=", "!"):
                missing += text == "!"
                continue
            line = json.loads(text)
            message = json.loads(line["message"], object_pairs_hook=Members)
            # What the headers are made of counts, too: it is compared with the message.
            key = (normal(message), line["method"], line["name"], line["protocolVersion"])
            if key in distinct:
                continue
            distinct.add(key)
            by_method[line["method"]] = by_method.get(line["method"], 0) + 1
            found = faults(schemas, line, message)
            if not found:
                continue
            exempt = [number for number, (_, applies) in enumerate(EXEMPT) if applies(message, found)]
            for number in exempt:
                exempted[number] += 1
            if not exempt:
                failed += 1
                print(f"{line['message'][:1000]}\n  " + "\n  ".join(found))
    for (reason, _), count in zip(EXEMPT, exempted):
        print(f"exempt: {count} ({reason})")
    for method, count in sorted(by_method.items()):
        print(f"{method}: {count} distinct")
    print(f"{sent} messages sent, {len(distinct)} distinct, {failed} not valid, {missing} not logged")
    stale = any(count == 0 for count in exempted)
    return 0 if distinct and not (failed or missing or stale) else 1


sys.exit(main())
