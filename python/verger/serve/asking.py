"""Asking: what a request asks, from its query, its object or its body.

In: a request. Out: the values of known parameters, and the questions that they make. A parameter
that nobody knows, is missing, or given too often is a `Problem` that names it.
"""

from collections.abc import Mapping, Sequence
from typing import cast
from urllib.parse import parse_qsl

from aiohttp import web

from verger._core import DIALECTS, Dialect, check_product_token
from verger.access.answer import Question
from verger.crawlers import PURPOSES, USES
from verger.crawlers.binding import OWN, Bindings, dialect_for, expect_bindings
from verger.crawlers.registry import by_purpose
from verger.errors import UnknownName
from verger.files.json_text import NotAnObject, read_object
from verger.files.paths import is_url
from verger.options import tokens_in
from verger.plain import choice_hint, octets_of, quoted
from verger.serve.problems import Problem, about

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger._core import UseName

JSON, TEXT = "application/json", "text/plain"

MOST_FIELDS = 10_000
"""The most values in one query."""


class Asked:
    """The values of a request's parameters, each a text; those of JSON may be numbers."""

    def __init__(self, values: Mapping[str, Sequence[object]]) -> None:
        self._values = values

    def has(self, name: str) -> bool:
        """Whether a parameter is given."""
        return name in self._values

    def several(self, name: str, unless: Sequence[str] = ()) -> list[str]:
        """Return all values of a parameter, each once. Raises `Problem`."""
        found = self._values.get(name) or unless
        if not all(isinstance(value, str) and value.strip() for value in found):
            raise Problem(422, f"`{name}` has a value that is not a text", field=name)
        return list(dict.fromkeys(cast(Sequence[str], found)))

    def one(self, name: str, unless: str | None = None) -> str:
        """Return the only value of a parameter. Raises `Problem`."""
        found = self.several(name, [] if unless is None else [unless])
        if len(found) != 1:
            why = f"`{name}` is needed" if not found else f"`{name}` is given {len(found):,} times"
            raise Problem(400, why, field=name, hint=f"give `{name}` once")
        return found[0]

    def number(self, name: str, unless: float, most: float) -> float:
        """Return a number from 0. Raises `Problem`."""
        [value] = self._values.get(name) or [unless]
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not 0 <= cast(float, value) <= most:
            raise Problem(422, f"`{name}` is not a number from 0 to {most:g}", field=name)
        return cast(float, value)

    # what several routes ask

    def dialects(self) -> list[str]:
        """Return the words for dialects. In a query `+` may have become a space."""
        return [word.replace(" ", "+") for word in self.several("dialect", ["rfc9309"])]

    def dialect(self) -> Dialect:
        """Return the only dialect."""
        [word, *others] = self.dialects()
        if others:
            raise Problem(400, "`dialect` is given several times", field="dialect")
        return named_dialect(word)

    def use(self) -> "UseName | None":
        """Return the use that is asked about; None for none."""
        if not self.several("use"):
            return None
        return cast("UseName", expect_one_of("use", self.one("use"), USES))

    def tokens(self) -> list[str]:
        """Return the product tokens of all crawlers that are named, or have a purpose."""
        named = [_expect_token(word, "agent") for word in self.several("agent")]
        purposes = [
            expect_one_of("purpose", word, tuple(PURPOSES)) for word in self.several("purpose")
        ]
        return list(dict.fromkeys([*named, *(each.token for each in by_purpose(purposes))]))

    def questions(self) -> list[Question]:
        """Return a question for every crawler in every dialect."""
        words = self.several("agent")
        if not words:
            hint = "give the product token of the crawler, as in `agent=ExampleBot`"
            raise Problem(400, "`agent` is needed", field="agent", hint=hint)
        return [question(word, name, self.bindings()) for word in words for name in self.dialects()]

    def bindings(self) -> Bindings:
        """Return whose groups crawlers follow."""
        word = self.one("bindings", "operators")
        with about("bindings"):
            expect_bindings(word)
        return cast(Bindings, word)

    def file(self, name: str) -> bytes | str:
        """Return the file that stands in the request, or the URL of one."""
        match self._values.get(name):
            case [bytes(body)]:
                return body
        word = self.one(name)
        return word if is_url(word) else octets_of(word)


def question(agent: str, dialect: str, bindings: Bindings) -> Question:
    """Return the question about a crawler, `a,b` for one with two tokens. Raises `Problem`."""
    tokens = tokens_in(agent)
    read = named_dialect(dialect, tokens)
    with about("agent"):
        check_product_token(tokens, dialect=read)
    return Question(tokens, read, bindings)


def named_dialect(word: str, tokens: Sequence[str] = ()) -> Dialect:
    """Return the dialect that a word names. Raises `Problem`."""
    if (base := word.partition("+")[0]) != OWN:
        expect_one_of("dialect", base, tuple(DIALECTS))
    with about("dialect"):
        return dialect_for(word, tokens)


def expect_one_of(field: str, word: str, known: Sequence[str]) -> str:
    """Return a word that is known. Raises `Problem`."""
    with about(field):
        if word not in known:
            raise UnknownName(f"unknown {field} {quoted(word)}", choice_hint(word, list(known)))
    return word


def _expect_token(word: str, field: str) -> str:
    with about(field):
        check_product_token(word)
    return word


async def read(request: web.Request, known: Sequence[str], file: str = "") -> Asked:
    """Return what a request asks: its query, with the members of its object or with its text.

    known:  the names of the parameters.
    file:   the parameter that a body of text stands for.
    """
    values = _of_query(request)
    if request.method == "POST":
        kind = request.content_type
        if kind == JSON:
            values |= _of_object(await request.read())
        elif kind == TEXT and file:
            values[file] = [await request.read()]
        else:
            raise unsupported(kind, JSON, *([TEXT] if file else []))
    return _expect_known(values, known)


def read_query(request: web.Request, known: Sequence[str]) -> Asked:
    """Return what the query of a request asks, whatever its body has."""
    return _expect_known(_of_query(request), known)


def _expect_known(values: Mapping[str, Sequence[object]], known: Sequence[str]) -> Asked:
    for name in values:
        if name not in known:
            hint = choice_hint(name, list(known))
            raise Problem(400, f"unknown parameter {quoted(name)}", field=name, hint=hint)
    return Asked(values)


def unsupported(kind: str, *known: str) -> Problem:
    """Return the problem of a body in another format."""
    listed = " or ".join(f"`{each}`" for each in known)
    accept = {"Accept": ", ".join(known)}
    why = f"a body of the type {quoted(kind)} cannot be read here"
    return Problem(415, why, field="Content-Type", hint=f"send {listed}", headers=accept)


def _of_query(request: web.Request) -> dict[str, list[object]]:
    values: dict[str, list[object]] = {}
    query = request.rel_url.raw_query_string
    try:
        found = parse_qsl(
            query,
            keep_blank_values=True,
            errors="surrogateescape",
            max_num_fields=MOST_FIELDS,
        )
    except ValueError:
        raise Problem(400, f"the query has more than {MOST_FIELDS:,} values") from None
    for name, value in found:
        values.setdefault(name, []).append(value)
    return values


def _of_object(body: bytes) -> dict[str, list[object]]:
    try:
        found = read_object(body.decode("utf-8"))
    except (NotAnObject, UnicodeDecodeError) as error:
        why = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
        raise Problem(400, f"the body is not an object of JSON: {why}", field="body") from None
    return {name: value if isinstance(value, list) else [value] for name, value in found.items()}
