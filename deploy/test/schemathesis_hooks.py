"""Sends Schemathesis's calls as people do: with the credential that an operation takes, to things that exist."""

import json
import os
import random
import re
import time
import urllib.error
import urllib.request

import schemathesis
from hypothesis.internal import lambda_sources

# The original only describes a lambda in messages, and fails on Python 3.11 with "AST constructor recursion depth
# mismatch".
lambda_sources.lambda_description = lambda function: "lambda"

WORLD = json.loads(os.environ["WAYBILL_WORLD"])
# These operations end the session or account of their caller, so a separate user calls them.
LEAVING = {
    "changePassword", "confirmTotp", "deleteMe", "endAllSessions", "endSession", "removeTotp", "startTotp",
}
# These operations would remove data that other calls need, so they never get existing ids.
TAKING_AWAY = {"changeMember", "changeOrgMember", "deleteOrg", "removeMember", "removeOrgMember", "revokeApiKey"}
tokens, lists = {}, {}
# Hypothesis warns about the module's own generator.
chance = random.Random(1)


def call(path, credential, body=None):
    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {credential}"} if credential else {})}
    data = None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(WORLD["baseUrl"] + path, data, headers)) as answer:
            return json.load(answer)
    except (urllib.error.HTTPError, ValueError):
        return None


def token_of(person):
    """Renewed every few minutes: an access token is good for fifteen."""
    token, until = tokens.get(person, (None, 0))
    if time.time() > until:
        answer = call("/api/auth/login", None, WORLD["people"][person])
        token = answer["accessToken"] if answer else token
        tokens[person] = (token, time.time() + 300)
    return token


def credential_for(operation):
    security = json.dumps(operation.definition.raw.get("security", []))
    if "credential" in security:
        return WORLD["key"]
    if "userToken" not in security:
        return None
    if operation.definition.raw.get("operationId") in LEAVING:
        return token_of("leaver")
    if "/review/" in operation.path:
        return token_of("reviewer")
    return token_of("developer" if "/orgs" in operation.path else "merchant")


def items_at(path, credential):
    items, until = lists.get(path, ([], 0))
    if time.time() > until:
        answer = call(path, credential) or {}
        items = next((value for value in answer.values() if isinstance(value, list)), [])
        items = [item for item in items if isinstance(item, dict)]
        lists[path] = (items, time.time() + 10)
    return items


def existing_values(operation):
    """Values for the parameters in a path: of things that the list before each parameter has."""
    path, values = "", {}
    for segment in operation.path.split("/")[1:]:
        name = segment[1:-1] if re.fullmatch(r"{\w+}", segment) else None
        if name in WORLD["paths"]:
            values[name] = WORLD["paths"][name]
        elif name:
            items = items_at(path, credential_for(operation))
            found = [item[key] for item in items for key in (name, "id", "slug") if isinstance(item.get(key), str)]
            if not found:
                return values
            values[name] = chance.choice(found)
        path += f"/{values.get(name, segment)}"
    return values


@schemathesis.check
def fails_only_when_busy(context, response, case):
    """A 503 that says when to come back is no fault: a busy machine sheds load."""
    if response.status_code == 503 and "retry-after" in response.headers:
        return
    assert response.status_code < 500, f"Server error {response.status_code}"


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    taking_away = context.operation.definition.raw.get("operationId") in TAKING_AWAY
    if path_parameters and not taking_away and chance.random() < 0.8:
        path_parameters.update(existing_values(context.operation))
    return path_parameters


# A cached credential would belong to another operation.
@schemathesis.auth(refresh_interval=None)
class ByOperation:
    def get(self, case, context):
        return credential_for(case.operation)

    def set(self, case, data, context):
        if data:
            case.headers = case.headers or {}
            case.headers["Authorization"] = f"Bearer {data}"
