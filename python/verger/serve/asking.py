"""Asking: what a request asks, by the parameters that its route knows.

In: a request, with a query, an object of JSON or a file. Out: the value of each parameter, and the
questions that they make. A parameter that is unknown, missing, given too often or has another type
is a `Problem` that names it. The table is also what OpenAPI says of them.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, cast
from urllib.parse import parse_qsl

from aiohttp import web

from verger._core import DIALECTS, Dialect, check_product_token
from verger.access.answer import Question
from verger.crawlers import PURPOSES, USES
from verger.crawlers.binding import OWN, Bindings, dialect_for
from verger.crawlers.registry import by_purpose
from verger.files.formats import is_of_other_form
from verger.files.json_text import NotAnObject, read_object
from verger.files.paths import is_url
from verger.options import UseName, tokens_in
from verger.serve.problems import Problem, about, expect
from verger.untrusted_text import choice_hint, octets_of, quoted

JSON, TEXT = "application/json", "text/plain"
LINES, ARROW = "application/x-ndjson", "application/vnd.apache.arrow.stream"

DAY = 86_400.0

MOST = 10_000
"""Values of one parameter."""

LONGEST_AGENT, MOST_TOKENS = 1_024, 32
"""Characters and product tokens of one crawler: each is looked for in every group."""

Asked = dict[str, Any]
"""The values of parameters: a list if it may be given several times, None if it is not given."""


def _text(said: str, **schema: object) -> dict[str, Any]:
    return {"description": said, "schema": {"type": "string", "minLength": 1, **schema}}


def _texts(said: str, **schema: object) -> dict[str, Any]:
    item = {"type": "string", "minLength": 1, **schema}
    return {"description": said, "schema": {"type": "array", "items": item}}


def _seconds(said: str, default: float) -> dict[str, Any]:
    of_it = {"type": "number", "minimum": 0, "maximum": DAY, "default": default}
    return {"description": said, "schema": of_it}


PARAMETERS: dict[str, dict[str, Any]] = {
    "url": _texts("An absolute URL; the robots.txt file of its origin answers."),
    "robots": _text("In place of the site's: a robots.txt file as text, or the URL of a site."),
    "agent": _texts("The product token of a crawler; `a,b` is one crawler with two tokens."),
    "purpose": _texts("All known crawlers for this purpose.", enum=[*PURPOSES]),
    "dialect": _texts("How files are read: a dialect, perhaps with knobs; or `own`."),
    "with": _texts("A dialect to compare with; all, if none is given."),
    "use": _texts("Whether the content may be used for this, too.", enum=[*USES]),
    "bindings": _text(
        "Whose groups crawlers follow.", enum=["operators", "file"], default="operators"
    ),
    "all": _text("Whether crawlers that no group names are listed.", enum=["true", "false"]),
    "select": _texts("Run only this check: a code, its beginning, or a name."),
    "ignore": _texts("Do not run this check."),
    "target": _texts("A dialect that matters."),
    "old": _text("The old version: a robots.txt file as text, or the URL of a site."),
    "new": _text("The new version: a robots.txt file as text, or the URL of a site."),
    "least": _seconds("The shortest delay between two requests, in seconds.", 1.0),
    "most": _seconds("The longest delay that a site can set, in seconds.", 300.0),
    "longest": _seconds("Take no turn that is farther away than this, in seconds.", DAY),
    "retry_after": _seconds("The seconds of a `Retry-After` that the host sent.", 0.0),
}
"""What every parameter is, as OpenAPI says it."""


async def read(request: web.Request, known: Sequence[str], file: str = "", *streams: str) -> Asked:
    """Return what a request asks: its query, with the members of its object or with its text.

    known:    the names of the parameters.
    file:     the parameter that a body of text stands for.
    streams:  the types of bodies that the route reads elsewhere.
    """
    values = _of_query(request)
    kind, of_body = request.content_type if request.method == "POST" else "", {}
    if kind == JSON:
        of_body = _of_object(await request.read())
    elif kind == TEXT and file:
        of_body = {file: [await request.read()]}
    elif kind:
        raise unsupported(kind, JSON, *([TEXT] if file else []), *streams)
    twice = next((name for name in of_body if name in values), None)
    expect(twice is None, 400, f"`{twice}` is in the query and in the body", twice)
    return checked(values | of_body, known)


def read_query(request: web.Request, known: Sequence[str]) -> Asked:
    """Return what the query of a request asks, whatever its body has."""
    return checked(_of_query(request), known)


def unsupported(kind: str, *known: str) -> Problem:
    """Return the problem of a body in another format."""
    why = f"a body of the type {quoted(kind)} cannot be read here"
    hint = f"send {' or '.join(known)}"
    accept = {"Accept": ", ".join(known)}
    return Problem(415, why, field="Content-Type", hint=hint, headers=accept)


def _of_query(request: web.Request) -> dict[str, list[Any]]:
    values: dict[str, list[Any]] = {}
    query = request.rel_url.raw_query_string
    for name, value in parse_qsl(query, keep_blank_values=True, errors="surrogateescape"):
        values.setdefault(name, []).append(value)
    return values


def _of_object(body: bytes) -> dict[str, list[Any]]:
    try:
        found = read_object(body.decode("utf-8"))
    except (NotAnObject, UnicodeDecodeError) as error:
        raise Problem(400, f"the body is not an object of JSON: {error}", field="body") from None
    return {name: value if isinstance(value, list) else [value] for name, value in found.items()}


def checked(values: Mapping[str, Sequence[Any]], known: Sequence[str]) -> Asked:
    """Return the values of all known parameters. Raises `Problem`."""
    if (unknown := next((name for name in values if name not in known), None)) is not None:
        hint = choice_hint(unknown, known)
        raise Problem(400, f"unknown parameter {quoted(unknown)}", field=unknown, hint=hint)
    return {name: _checked(name, values.get(name, ())) for name in known}


def _checked(name: str, values: Sequence[Any]) -> Any:
    schema = PARAMETERS[name]["schema"]
    if not values:
        return [] if "items" in schema else schema.get("default")
    if "items" in schema:
        expect(len(values) <= MOST, 413, f"more than {MOST:,} values of `{name}`", name)
        return list(dict.fromkeys(_value(name, value, schema["items"]) for value in values))
    expect(len(values) < 2, 400, f"`{name}` is given {len(values):,} times", name)
    return _value(name, values[0], schema)


def _value(name: str, value: Any, schema: Mapping[str, Any]) -> Any:
    if schema["type"] == "number":
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        is_fine = is_number and 0 <= value <= schema["maximum"]
        expect(is_fine, 422, f"`{name}` is not a number of seconds up to {DAY:g}", name)
        return value
    is_text = isinstance(value, bytes) or (isinstance(value, str) and value.strip())
    expect(is_text, 422, f"`{name}` is not a text, or is empty", name)
    choices = schema.get("enum")
    if choices and value not in choices:
        hint = choice_hint(str(value), choices)
        raise Problem(422, f"unknown {name} {quoted(str(value))}", field=name, hint=hint)
    return value


# what several routes ask


def questions_of(asked: Asked) -> list[Question]:
    """Return a question for every crawler in every dialect."""
    hint = "give the product token of the crawler, as in `agent=ExampleBot`"
    expect(asked["agent"], 400, "`agent` is needed", "agent", hint)
    words = asked["dialect"] or ["rfc9309"]
    return [question(agent, word, asked["bindings"]) for agent in asked["agent"] for word in words]


@lru_cache(10_000)
def question(agent: str, dialect: str, bindings: Bindings) -> Question:
    """Return the question about a crawler, `a,b` for one with two tokens. Raises `Problem`."""
    tokens = tokens_in(agent)
    is_short = len(agent) <= LONGEST_AGENT and len(tokens) <= MOST_TOKENS
    most = f"{LONGEST_AGENT:,} characters and {MOST_TOKENS} product tokens"
    expect(is_short, 413, f"one crawler has at most {most}", "agent")
    read_as = named_dialect(dialect, tokens)
    with about("agent"):
        check_product_token(tokens, dialect=read_as)
    return Question(tokens, read_as, bindings)


def dialect_of(asked: Asked) -> Dialect:
    """Return the only dialect of a request. Raises `Problem`."""
    words = asked["dialect"] or ["rfc9309"]
    expect(len(words) == 1, 400, "`dialect` is given several times", "dialect")
    return named_dialect(words[0])


def use_of(asked: Asked) -> UseName | None:
    """Return the only use of a request, if it asks about one. Raises `Problem`."""
    expect(len(asked["use"]) < 2, 400, "`use` is given several times", "use")
    return next(iter(asked["use"]), None)


def named_dialect(word: str, tokens: Sequence[str] = (), field: str = "dialect") -> Dialect:
    """Return the dialect that a word names; in a query, `+` may have become a space.

    Raises `Problem`.
    """
    word = word.replace(" ", "+")
    base = word.partition("+")[0]
    if base not in DIALECTS and base != OWN:
        hint = choice_hint(base, [*DIALECTS, OWN])
        raise Problem(422, f"unknown dialect {quoted(base)}", field=field, hint=hint)
    with about(field):
        return dialect_for(word, tokens)


def crawlers_of(asked: Asked) -> list[str]:
    """Return the product tokens of all crawlers that are named, or have a purpose."""
    with about("agent"):
        for token in asked["agent"]:
            check_product_token(token)
    known = by_purpose(asked["purpose"]) if asked["purpose"] else []
    return list(dict.fromkeys([*asked["agent"], *(each.token for each in known)]))


def file_of(asked: Asked, name: str) -> bytes | str:
    """Return the file that stands in the request, or the URL of a site."""
    value = asked[name][0] if name == "url" and len(asked[name]) == 1 else asked[name]
    expect(isinstance(value, str | bytes), 400, f"`{name}` is needed, once", name)
    if isinstance(value, bytes):
        return _plain_file(value, name)
    word = cast(str, value).strip()
    is_long = len(word.splitlines()) > 1  # of a file, the first line may be a URL
    if is_url(word) and not is_long:
        return word
    # a name without a scheme would be a file without rules, and the site open
    is_file = name != "url" and (":" in word or is_long)
    wrong = "has no scheme" if name == "url" else "is neither a URL nor the text of a file"
    hint = "write a URL with its scheme, such as `https://example.com`"
    expect(is_file, 422, f"`{name}` {wrong}", name, hint)
    return _plain_file(octets_of(cast(str, value)), name)


def _plain_file(body: bytes, name: str) -> bytes:
    """Return a file. Raises `Problem` 422 for one in another form, in which no line is a rule."""
    other = "the file is in another form: packed, a message, a pointer to it, or zeros"
    expect(not is_of_other_form(body), 422, other, name, "send the text of the file")
    return body
