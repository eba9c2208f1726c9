"""Validates each line of a file of sent messages against the definition of its request in the official schema."""

import json
import sys

from jsonschema import Draft202012Validator

METHODS = {
    "tools/call": "CallToolRequest",
    "tools/list": "ListToolsRequest",
    "resources/list": "ListResourcesRequest",
    "resources/templates/list": "ListResourceTemplatesRequest",
    "resources/read": "ReadResourceRequest",
    "prompts/list": "ListPromptsRequest",
    "prompts/get": "GetPromptRequest",
    "completion/complete": "CompleteRequest",
    "server/discover": "DiscoverRequest",
    "subscriptions/listen": "SubscriptionsListenRequest",
}


def main() -> int:
    schema = json.load(open(sys.argv[1], encoding="utf-8"))
    validators = {
        method: Draft202012Validator({**schema, "$ref": f"#/$defs/{name}"}) for method, name in METHODS.items()
    }
    checked = failed = 0
    for line in open(sys.argv[2], encoding="utf-8"):
        message = json.loads(line)
        checked += 1
        validator = validators.get(message.get("method"))
        errors = ["no request of this revision"] if validator is None else [
            f"{error.json_path}: {error.message}" for error in validator.iter_errors(message)
        ]
        if errors:
            failed += 1
            print(f"{message.get('method')} (id {message.get('id')}): {'; '.join(errors)}")
    print(f"{checked - failed} messages valid, {failed} not")
    return 0 if checked and not failed else 1


sys.exit(main())
