"""OpenAPI: what the service answers, for people and for programs that write clients.

In: the routes, their parameters, and the published schemas. Out: a document of OpenAPI 3.1, and a
page that shows it.
"""

import json
from collections.abc import Iterator
from functools import lru_cache
from html import escape
from importlib.resources import files
from typing import Any

from verger._core import __version__
from verger.serve.asking import ARROW, JSON, LINES, PARAMETERS, TEXT
from verger.serve.many import OF_ALL
from verger.serve.routes import ROUTES, Route
from verger.serve.slots import SLOTS

PROBLEM = "application/problem+json"
STATUSES = {
    400: "The request cannot be read: `field` names what is wrong.",
    401: "A token is needed.",
    403: "A page of another site may not ask.",
    404: "There is no file, or the snapshot does not have the site.",
    405: "The route has another method.",
    408: "The body did not come in time.",
    413: "The request is too large.",
    414: "The URL is too long.",
    415: "The body has another type.",
    417: "`Expect` asks for something else than `100-continue`.",
    421: "The name in `Host` is not one of this service.",
    422: "A value makes no sense: `field` names the parameter.",
    429: "This caller has too much in work; `Retry-After` says when to come again.",
    431: "The head is too long.",
    503: "The service has too much in work, is ending, or its store failed.",
    504: "`only-if-cached`, and nothing fresh is stored; or there was no answer in time.",
}


@lru_cache(1)
def document() -> dict[str, Any]:
    """Return the document."""
    paths: dict[str, Any] = {}
    for name, route in ROUTES.items():
        paths[f"/v1/{name}"] = {"get": _get(name, route)}
        if route.file:
            paths[f"/v1/{name}"]["post"] = _post(name, route)
    many = {"schema": {"type": "string"}}
    posted = paths["/v1/check"]["post"]
    posted["requestBody"]["content"] |= {LINES: many, ARROW: {"schema": {}}}
    posted["parameters"] = [_query(each) for each in OF_ALL]
    posted["responses"]["200"]["content"] |= {LINES: many, ARROW: {"schema": {}}}
    paths["/v1/slots"] = {"post": _post("slots", SLOTS)}
    for name, (summary, kind, schema) in OF_ITSELF.items():
        answer = {"200": {"description": "The answer.", "content": {kind: {"schema": schema}}}}
        operation = {"operationId": f"get_{name}", "summary": summary, "parameters": []}
        paths[f"/{name}"] = {"get": {**operation, "responses": answer | _problems()}}
    schemas = {route.schema: _schema(route.schema) for route in (*ROUTES.values(), SLOTS)}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "verger",
            "version": __version__,
            "summary": "The Robots Exclusion Protocol, decided and explained.",
        },
        "paths": paths,
        "security": [{}, {"token": []}],
        "components": {
            "schemas": {**schemas, "filter-1": _schema("filter-1"), "problem": OF_A_PROBLEM},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


STATE = {
    "type": "object",
    "required": ["status"],
    "properties": {"status": {"type": "string"}, "degraded": {"type": ["string", "null"]}},
}

OF_ITSELF: dict[str, tuple[str, str, dict[str, Any]]] = {
    "livez": ("Does the process answer?", JSON, STATE),
    "readyz": ("Are questions answered now, and what does not work?", JSON, STATE),
    "metrics": ("What was answered, for Prometheus.", TEXT, {"type": "string"}),
}
"""What the service says of itself: in words, as what, and in which shape."""

OF_A_PROBLEM = {
    "description": "A problem document (RFC 9457).",
    "type": "object",
    "required": ["type", "title", "status", "detail", "request_id"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"description": "What is wrong, in words.", "type": "string"},
        "field": {"description": "What is wrong, by name.", "type": "string"},
        "hint": {"description": "What to do.", "type": "string"},
        "request_id": {"type": "string"},
    },
}


# the page


def page() -> str:
    """Return the document for people: a page without scripts, which loads nothing."""
    return "\n".join(_page(document()))


def _page(said: dict[str, Any]) -> Iterator[str]:
    about = said["info"]
    yield "<!doctype html><html lang=en><meta charset=utf-8><title>verger serve</title>"
    yield f"<h1>verger serve {escape(about['version'])}</h1><p>{escape(about['summary'])}"
    yield 'For programs: <a href="openapi.json">openapi.json</a>.</p>'
    for path, operations in said["paths"].items():
        for method, one in operations.items():
            yield f"<h2><code>{method.upper()} {path}</code></h2><p>{escape(one['summary'])}</p>"
            bodies = " or ".join(map(escape, one.get("requestBody", {}).get("content", ())))
            yield f"<p>Body: {bodies}</p>" if bodies else ""
            answers = " or ".join(map(escape, one["responses"]["200"]["content"]))
            yield f"<p>Answer: {answers}</p>"
            yield from _table((each["name"], each) for each in one.get("parameters", ()))
    yield "<h2>When it is not answered</h2>"
    yield from _table((str(status), {"description": why}) for status, why in STATUSES.items())


def _table(rows: Iterator[tuple[str, dict[str, Any]]]) -> Iterator[str]:
    yield "<table>"
    for name, about in rows:
        schema = about.get("schema", {})
        choices = ", ".join(map(escape, schema.get("items", schema).get("enum", ())))
        several = "Repeatable. " if "items" in schema else ""
        said = f"{escape(about['description'])} {several}{choices}"
        yield f"<tr><th align=left><code>{escape(name)}</code><td>{said}"
    yield "</table>"


def _get(name: str, route: Route) -> dict[str, Any]:
    parameters = [_query(each) for each in route.parameters]
    return {**_operation(f"get_{name}", route), "parameters": parameters}


def _post(name: str, route: Route) -> dict[str, Any]:
    members = {each: _either(PARAMETERS[each]) for each in route.parameters}
    of_object = {"type": "object", "properties": members, "additionalProperties": False}
    content: dict[str, Any] = {JSON: {"schema": of_object}}
    operation = _operation(f"post_{name}", route)
    if route.file != "slots":
        content[TEXT] = {"schema": {"description": "A robots.txt file.", "type": "string"}}
        operation["parameters"] = [_query(each) for each in route.parameters if each != route.file]
    return {**operation, "requestBody": {"required": True, "content": content}}


def _either(parameter: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a member: of several values one may stand alone."""
    schema = parameter["schema"]
    return {"anyOf": [schema["items"], schema]} if "items" in schema else schema


def _query(name: str) -> dict[str, Any]:
    return {"name": name, "in": "query", **PARAMETERS[name]}


def _operation(name: str, route: Route) -> dict[str, Any]:
    reference = {"$ref": f"#/components/schemas/{route.schema}"}
    good = {JSON: {"schema": reference}}
    if route.schema == "check-1":
        good[LINES] = {"schema": {"type": "string"}}
    if route.schema == "cache-1":
        good[TEXT] = {"schema": {"type": "string"}}
    responses = {"200": {"description": "The answer.", "content": good}, **_problems()}
    return {"operationId": name, "summary": route.summary, "responses": responses}


def _problems() -> dict[str, Any]:
    problem = {PROBLEM: {"schema": {"$ref": "#/components/schemas/problem"}}}
    return {
        str(status): {"description": said, "content": problem} for status, said in STATUSES.items()
    }


def _schema(name: str) -> dict[str, Any]:
    """Return a published schema, whose references lead into this document."""
    text = (files("verger") / "cli" / "schemas" / f"{name}.schema.json").read_text("utf-8")
    text = text.replace('"#/$defs/', f'"#/components/schemas/{name}/$defs/')
    return {key: value for key, value in json.loads(text).items() if key not in ("$id", "$schema")}
