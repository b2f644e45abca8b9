"""The service is what its OpenAPI says, whatever it is asked."""

import json
import random
import re
from typing import Any

import jsonschema
import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import CHECKS

from verger.serve.openapi import document
from verger.serve.routes import ROUTES

from .conftest import ROBOTS, Serving


@schemathesis.serializer("application/x-ndjson", "application/vnd.apache.arrow.stream")
def as_it_is(_: Any, value: Any) -> bytes:
    """Send what is drawn for a stream."""
    text = value if isinstance(value, str) else json.dumps(value)
    return text.encode("utf-8", "surrogatepass")


SCHEMA = schemathesis.openapi.from_dict(document())
NAMES = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "unsupported_method",
    "missing_required_header",
)


SITES = ["https://a.example/private?a=ü", "http://gone.example/", "https://down.example/%ff", "nix"]
FILES = [ROBOTS.decode(), "User-agent: GPTBot\nDisallow: /*a$\n", *SITES]
SENSE: dict[str, list[str]] = {
    "url": SITES,
    "agent": ["ExampleBot", "GPTBot", "a,b", "*", "b ad"],
    "dialect": ["rfc9309", "own", "google", "bing+tie=disallow", "goggle"],
    "with": ["yandex", "original-1994", "x"],
    "select": ["RT1", "RT204", "shadowed-rule", "RT9"],
    "ignore": ["RT2", "RT9"],
    "target": ["google", "x"],
    **dict.fromkeys(("robots", "old", "new"), FILES),
}
"""Values that mean something, and one that does not, for what may be any text."""


NEEDED = {
    "/v1/diff": (("old", "new"),),
    "/v1/robots": (("url",),),
    **dict.fromkeys(("/v1/check", "/v1/explain", "/v1/slots"), (("url", "agent"),)),
}
"""The parameters that a route needs; others need one of two."""


def sensible(context: Any, asked: Any) -> Any:
    """Return what was drawn, mostly with values that mean something: others get no further."""
    draw = random.Random(repr(asked))
    if not isinstance(asked, dict) or draw.random() < 0.2:
        return asked
    needed = draw.choice(NEEDED.get(context.operation.path, (("url",), ("robots",))))
    kept = {name: value for name, value in asked.items() if draw.random() < 0.5}
    return kept | {
        name: draw.choice(SENSE[name])
        for name in (*needed, *(each for each in kept if each in SENSE))
        if draw.random() < 0.95
    }


@SCHEMA.hook
def map_query(context: Any, query: Any) -> Any:
    """Give a query some sense."""
    return sensible(context, query)


@SCHEMA.hook
def map_body(context: Any, body: Any) -> Any:
    """Give an object some sense."""
    return sensible(context, body)


@SCHEMA.parametrize()
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_whatever_is_asked(case: Any, service: Serving) -> None:
    """No question makes the service fail, and every answer has the form that is promised."""
    checks = [CHECKS.get_one(name) for name in NAMES]

    case.call_and_validate(base_url=str(service.client.base_url), checks=checks)


def test_document(service: Serving) -> None:
    """It is served, has every route, and its schemas are schemas."""
    said = service.get("/openapi.json").json()

    assert document() == said
    routes = {f"/v1/{name}" for name in (*ROUTES, "slots")}
    assert {*routes, "/livez", "/readyz", "/metrics"} == set(said["paths"])
    assert all("$id" not in each for each in said["components"]["schemas"].values())
    for schema in said["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)


def test_every_parameter_is_described() -> None:
    """Each has words, and a schema."""
    for path in document()["paths"].values():
        for operation in path.values():
            for each in operation.get("parameters", ()):
                assert each["description"].endswith(".")
                assert each["schema"]["type"] in ("string", "array", "number")


@pytest.mark.parametrize("path", ["/livez", "/readyz", "/metrics"])
def test_health(service: Serving, path: str) -> None:
    """Whether it lives, whether it is ready, and what it did."""
    said = service.get(path)

    assert said.status_code == 200


def test_metrics(service: Serving) -> None:
    """Durations are by route, method and status, in OpenTelemetry's buckets; no URL is a label."""
    service.get("/v1/check", url="https://secret-host.example/", agent="A")
    service.get("/v1/nothing")
    service.client.request("PROPFIND", "/v1/check")
    text = service.get("/metrics").text
    lines = text.splitlines()
    name = "http_server_request_duration_seconds"
    of_check = 'http_request_method="GET",http_response_status_code="200",http_route="/v1/check"'
    buckets = [line for line in lines if line.startswith(f"{name}_bucket{{{of_check}")]
    counts = [float(line.rpartition(" ")[2]) for line in buckets]

    assert 15 == len(buckets)
    assert counts == sorted(counts)
    assert f"# TYPE {name} histogram" in lines
    assert 'http_request_method="_OTHER"' in text
    assert "secret-host" not in text
    assert "verger_client_events_total" in text


def test_the_page_tells_every_route_and_parameter(service: Serving) -> None:
    """For people: a page that loads nothing and runs nothing."""
    said = service.get("/openapi.html")
    policy, text = said.headers["content-security-policy"], said.text
    told = {f"{method.upper()} {path}" for path, by in document()["paths"].items() for method in by}

    assert (said.status_code, policy) == (200, "default-src 'none'")
    assert told == set(re.findall("<h2><code>(.+?)</code></h2>", text))
    parameters = {each for route in ROUTES.values() for each in route.parameters}
    assert parameters <= set(re.findall("<code>([a-z]+)</code>", text))
    assert "<script" not in text
