"""Objects of Python whose methods lie, raise, or change things while they are read.

What comes of them is an answer or an exception of a caller's own; never a panic, and never the end
of the process.
"""

import array
import gc
import itertools
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyarrow as pa
import pytest

import verger
from support import REFUSERS
from verger import RFC9309
from verger._core import (
    _AccessTable,
    _CaptureScanner,
    _LogAudit,
    _restore_agent,
    _restore_decision,
    _restore_dialect,
    _SnapshotBuilder,
)
from verger.bulk import Snapshot, decide_stream, decide_table
from verger.errors import InvalidProductToken, RobotsError, UnknownName
from verger.untrusted_text import printable

ROBOTS = verger.parse(b"User-agent: *\nDisallow: /private\n# c\nx\n")
LINE, FINDING = ROBOTS.lines[1], ROBOTS.findings[0]
RULE = ROBOTS.groups[0].rules[0]
DIGITS_AS_LETTERS = str.maketrans("0123456789", "ghijklmnop")
STEPS = [(1.0, -1, 0)]
KINDS = [("successful", False, False, STEPS)]
NO_STEPS = [("successful", False, False, [])]
PLACES = 2_004
LENGTHS = [2**62, 2**40, 0, -1, 10**30]


class Lying(Sequence[Any]):
    """A sequence that says another length than it has."""

    def __init__(self, items: Sequence[Any], length: int) -> None:
        self._items, self._length = items, length

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: Any) -> Any:
        return self._items[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)


class LyingList(list[Any]):
    """A list that does the same."""

    length = 0

    def __len__(self) -> int:
        return self.length


def lying(kind: str, items: Sequence[Any], length: int) -> Any:
    if kind == "sequence":
        return Lying(items, length)
    made = LyingList(items)
    made.length = length
    return made


TAKERS: dict[str, tuple[Sequence[Any], Callable[[Any], Any]]] = {
    "Group, tokens": (["a"], lambda given: verger.Group(given, [1], ()).product_tokens),
    "Group, lines": ([1], lambda given: verger.Group(["a"], given, ()).start_lines),
    "CleanParam": (["a"], lambda given: verger.CleanParam(given, "/").params),
    "Line": ([FINDING], lambda given: line_with(given).findings),
    "replace": (["sitemap"], lambda given: RFC9309.replace(extensions=given).extensions),
    "agent": (["a"], lambda given: ROBOTS.agent(given).tokens),
    "allowed": (["a"], lambda given: (ROBOTS.allowed("/private", given), given[0])[1:]),
    "allowed_many": (["/private"], lambda given: (ROBOTS.allowed_many(given, "a"), given[0])[1:]),
    "_restore_agent": (["a"], lambda given: _restore_agent(ROBOTS, given).tokens),
    "_restore_decision": (["a"], lambda given: _restore_decision(ROBOTS, given, "/").tokens),
    "audit, versions": ([(None, b"")], lambda given: audit(versions=given)),
    "audit, fields": ([("host", "h")], lambda given: audit(fields=given)),
    "audit, hosts": (["a"], lambda given: audit(hosts=given)),
    "audit, crawlers": (["a"], lambda given: audit(crawlers=given)),
    "scanner, crawlers": (["a"], lambda given: scanner(crawlers=given)),
    "scanner, bindings": ([(("b",), True)], lambda given: scanner(bindings=given)),
    "scanner, followed": (["b"], lambda given: scanner(bindings=[(given, True)])),
    "scanner, uses": ([("search", [], [])], lambda given: scanner(uses=given)),
    "scanner, policies": (["b"], lambda given: scanner(uses=[("search", given, [])])),
    "scanner, askers": ([(0, True, [])], lambda given: scanner(uses=[("search", [], given)])),
    "scanner, stand": (["b"], lambda given: scanner(uses=[("search", [], [(0, True, given)])])),
    "access, reasons": (["A"], lambda given: access(reasons=given)),
    "access, kinds": (KINDS, lambda given: access(kinds=given)),
    "access, steps": (STEPS, lambda given: access(kinds=[("successful", False, False, given)])),
    "access, places": ([0] * PLACES, lambda given: access(places=given)),
    "access, failures": ([("timeout", 0)], lambda given: access(failures=given)),
}


def line_with(findings: Any) -> verger.Line:
    return verger.Line(1, (0, 1), "blank", None, None, None, None, None, findings)


def audit(versions: Any = ((None, b""),), **options: Any) -> None:
    _LogAudit(list(versions) if isinstance(versions, tuple) else versions, str, **options)


def access(
    reasons: Any = ("A",), kinds: Any = KINDS, places: Any = (0,) * PLACES, failures: Any = ()
) -> _AccessTable:
    return _AccessTable(reasons, kinds, places, failures)


def scanner(
    crawlers: Any = ("a",), bindings: Any = ((("b",), True),), uses: Any = (("search", (), ()),)
) -> None:
    _CaptureScanner(RFC9309, crawlers, access(), bindings, uses)


@pytest.mark.parametrize("kind", ["sequence", "list"])
@pytest.mark.parametrize("taker", TAKERS)
def test_sequence_that_lies_about_its_length(taker: str, kind: str) -> None:
    """What a sequence holds counts, not what it says of itself."""
    items, take = TAKERS[taker]
    for length in LENGTHS:
        found = take(lying(kind, items, length))

        assert found is None or taker.startswith("access") or list(found) == list(items)


class Raises:
    """Raises whatever is asked of it."""

    def __iter__(self, *_: Any) -> Any:
        raise ZeroDivisionError

    __len__ = __getitem__ = __index__ = __int__ = __str__ = __repr__ = __iter__  # type: ignore[assignment]
    __hash__ = __eq__ = __bool__ = __buffer__ = __fspath__ = __iter__  # type: ignore[assignment]


class RaisingSequence(Raises, Sequence[Any]):  # type: ignore[misc]
    """The same, and calls itself a sequence."""

    __getitem__ = __len__ = Raises.__iter__  # type: ignore[assignment]


@pytest.mark.parametrize("taker", TAKERS)
def test_sequence_that_raises(taker: str) -> None:
    """An exception of a caller's own code reaches the caller; a stranger is not a sequence."""
    _, take = TAKERS[taker]
    with pytest.raises(ZeroDivisionError):
        take(RaisingSequence())
    with pytest.raises((TypeError, ZeroDivisionError, RobotsError)):
        take(Raises())


class Endless(Sequence[Any]):
    """A sequence that goes on and on."""

    def __init__(self, items: Sequence[Any]) -> None:
        self._items = items

    def __len__(self) -> int:
        return 1

    def __getitem__(self, index: Any) -> Any:
        return self._items[0]


class EndlessList(list[Any]):
    """A list that does the same."""

    def __iter__(self) -> Iterator[Any]:
        return itertools.repeat(self[0])


@pytest.mark.parametrize("kind", [Endless, EndlessList])
@pytest.mark.parametrize("taker", [taker for taker in TAKERS if taker != "allowed_many"])
def test_sequence_without_end(taker: str, kind: Callable[[Any], Any]) -> None:
    """What has no end is refused, before it fills memory."""
    items, take = TAKERS[taker]
    with pytest.raises((TypeError, ValueError, UnknownName)):
        take(kind(items))


def test_tokens_without_end() -> None:
    """The error is that of product tokens, and says so."""
    for ask in (ROBOTS.agent, lambda tokens: ROBOTS.allowed("/", tokens)):
        with pytest.raises(InvalidProductToken, match="more than 65536 product tokens"):
            ask(Endless(["a"]))


def test_long_list_of_tokens() -> None:
    """A plain list or tuple ends, however long it is."""
    tokens = [f"a{number:x}".translate(DIGITS_AS_LETTERS) for number in range(70_000)]

    assert 70_000 == len(ROBOTS.agent(tokens).tokens) == len(ROBOTS.agent(tuple(tokens)).tokens)


@pytest.mark.parametrize("taker", TAKERS)
@pytest.mark.parametrize("given", ["a", {"a"}, {"a": 1}, 1, None, iter("a")])
def test_what_is_no_sequence(taker: str, given: Any) -> None:
    """Strings, sets and iterators are not sequences, where order and number count."""
    _, take = TAKERS[taker]
    if taker == "allowed_many" or (given == "a" and taker in ("agent", "allowed")):
        return
    with pytest.raises((TypeError, UnknownName)):
        take(given)


def test_knob_value_that_raises() -> None:
    """What `__index__` raises is not taken for a wrong value."""

    class Number:
        def __index__(self) -> int:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        RFC9309.replace(max_lines=Number())  # type: ignore[arg-type]
    with pytest.raises(UnknownName):
        RFC9309.replace(max_lines=2**70)
    with pytest.raises(UnknownName):
        RFC9309.replace(max_lines=-1)


def test_knobs_that_change_while_they_are_read() -> None:
    """A dictionary may grow meanwhile; those knobs count that it had."""
    knobs: dict[str, Any] = {}

    class Number:
        def __index__(self) -> int:
            for n in range(100):
                knobs[f"knob{n}"] = n
            return 7

    knobs |= {"max_lines": Number(), "tie": "disallow"}
    dialect = _restore_dialect("rfc9309", "mine", knobs)

    assert (dialect.max_lines, dialect.tie) == (7, "disallow")


def test_string_that_is_told_differently() -> None:
    """Subclasses of `str` count as the text that they hold."""

    class Text(str):
        __slots__ = ()

        def __str__(self) -> str:
            raise ZeroDivisionError

        def encode(self, *_: Any, **__: Any) -> Any:
            return LyingList([1])

        __repr__ = __hash__ = __len__ = __iter__ = __eq__ = __str__  # type: ignore[assignment]

    assert not ROBOTS.allowed(Text("/private\udcff"), Text("a"))
    assert ROBOTS.allowed_many([Text("/private\ud800"), Text("/")], "a") == [False, True]
    with pytest.raises(UnknownName):
        RFC9309.replace(tie=Text("x"))  # type: ignore[arg-type]

    class Shown:
        def __repr__(self) -> str:
            return Text("shown")

        __str__ = __repr__

    record = verger.Record(1, "x", "raw", Shown(), "file", None, ())  # type: ignore[arg-type]
    assert repr(record) == "Record(1, x, shown)"
    with pytest.raises(UnknownName, match="shown"):
        RFC9309.replace(tie=Shown())  # type: ignore[arg-type]


def test_class_without_an_honest_name() -> None:
    """An error names the class of what came, whatever that says of itself."""

    class Name(str):
        __slots__ = ()

        def __str__(self) -> str:
            raise ZeroDivisionError

    given = type(Name("Odd"), (), {})()
    with pytest.raises(TypeError, match="must be str, not"):
        ROBOTS.allowed(given, "a")


# Bytes

BODIES: list[Any] = [
    array.array("b", b"x"),
    memoryview(b"abcdef")[::2],
    memoryview(bytearray(b"User-agent: *\nDisallow: /\n")),
    memoryview(b"abcd").cast("B", (2, 2)),
]


@pytest.mark.parametrize("number", range(len(BODIES)))
def test_buffers_of_other_kinds(number: int) -> None:
    """Bytes are read wherever they lie; what holds other numbers is refused."""
    body = BODIES[number]
    if isinstance(body, memoryview):
        assert verger.parse(body).body == body.tobytes()
    else:
        with pytest.raises(TypeError, match="`body` must be"):
            verger.parse(body)


def test_released_view() -> None:
    """The error of the view itself says what is wrong with it."""
    view = memoryview(b"x")
    view.release()
    with pytest.raises(ValueError, match="released"):
        verger.parse(view)


WITHOUT_MODULES = """
import sys, verger
sys.modules["collections.abc"] = None
robots = verger.parse(b"User-agent: *")
for ask in (lambda: robots.allowed("/", {"a"}), lambda: robots.lines, lambda: robots.findings):
    try:
        ask()
    except Exception:
        pass
"""


def test_modules_that_are_gone() -> None:
    """Where Python can import nothing any more, as when it ends, there is an error and no panic."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_MODULES], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")


def test_buffer_that_changes_afterwards() -> None:
    """A mutable body is copied: what is done to it later changes nothing, and may be done."""
    body = bytearray(b"User-agent: *\nDisallow: /\n")
    robots = verger.parse(body)
    body.clear()
    body.extend(b"x" * 1_000_000)

    assert robots.body == b"User-agent: *\nDisallow: /\n"


def test_mutable_bytes_are_not_borrowed() -> None:
    """Where bytes are read with the lock given away, only immutable ones are taken."""
    log = _LogAudit([(None, b"")], str)
    for chunk in (bytearray(b"x"), memoryview(b"x"), "x"):
        with pytest.raises(TypeError):
            log.feed(chunk)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        _LogAudit([(None, bytearray(b""))], str)  # type: ignore[list-item]


@pytest.mark.skipif(sys.version_info < (3, 12), reason="`__buffer__` came with Python 3.12")
def test_buffer_method_that_raises() -> None:
    """What `__buffer__` raises reaches the caller."""
    with pytest.raises(ZeroDivisionError):
        verger.parse(Raises())  # type: ignore[arg-type]


# Many answers at once


def test_list_that_shrinks_while_it_is_read() -> None:
    """URLs may go while they are taken; those that were taken are answered."""
    urls: list[Any] = []

    class Vanishing(str):
        __slots__ = ()

    def given() -> Iterator[str]:
        for n in range(2_000):
            urls.append(f"/private/{n}")
            yield urls[-1]
            urls.clear()

    assert ROBOTS.allowed_many(given(), "a") == [False] * 2_000


def test_token_sequence_that_changes_the_file_it_asks() -> None:
    """Asking while being asked holds no lock."""

    class Tokens(Sequence[str]):
        def __len__(self) -> int:
            return 1

        def __getitem__(self, index: Any) -> Any:
            for n in range(40):
                ROBOTS.allowed("/", f"token-{n % 7}")
                ROBOTS.agent(f"other-{n}" if n % 2 else ["x", "y"])
            return ("a",)[index]

    assert not ROBOTS.allowed("/private", Tokens())
    with pytest.raises(InvalidProductToken):
        ROBOTS.allowed("/private", Lying([], 5))


def everything_of(agent: verger.Agent) -> list[Any]:
    """What an agent tells without being asked about a URL, and of one."""
    names = [name for name in dir(agent) if name[0] != "_" and name not in METHODS_OF_AGENT]
    told = [getattr(agent, name) for name in names if name != "robots"]
    decision = agent.decide("/a/b")
    return [
        *told,
        repr(agent),
        agent.content_usage("/a/b"),
        agent.may_use("/a/b", "ai-train"),
        decision,
        decision.line,
        decision.rule,
        decision.group,
        decision.section,
        decision.beaten,
        agent.allowed_many(["/", "/a"]),
    ]


METHODS_OF_AGENT = {
    *("allowed", "allowed_many", "content_usage", "decide", "may_use", "request_rate_at"),
}


def test_agent_whose_file_is_exchanged() -> None:
    """An agent is that of its file: given another, it is made anew; its own never goes."""
    lines = "".join(f"User-agent: b{'x' * n}\nDisallow: /{n}\n" for n in range(90))
    long = verger.parse(f"{lines}User-agent: a\nDisallow: /a\nAllow: /a/b$\nCrawl-delay: 3\n")
    short = verger.parse("User-agent: *\nDisallow: /a\n")
    agent = long.agent("a")
    restore, (_, *rest) = agent.__reduce__()[:2]  # type: ignore[misc]
    before = everything_of(agent)

    assert everything_of(short.agent("a")) == everything_of(restore(short, *rest))
    del long
    gc.collect()

    assert before == everything_of(agent)


def test_values_that_compare_by_raising() -> None:
    """Equality asks the parts of a value, whose exceptions are the caller's."""
    group = verger.Group(["a"], [1], (Raises(),))  # type: ignore[arg-type]
    with pytest.raises(ZeroDivisionError):
        _ = group == verger.Group(["a"], [1], (Raises(),))  # type: ignore[arg-type]
    record = verger.Record(1, "x", "raw", Raises(), "file", None, ())  # type: ignore[arg-type]
    with pytest.raises(ZeroDivisionError):
        repr(record)


def test_values_within_themselves() -> None:
    """A value that holds itself is compared until Python says stop, and shown."""
    held: list[Any] = []
    record, other = (
        verger.Record(1, "x", "raw", kept, "file", None, ())  # type: ignore[arg-type]
        for kept in (held, [*held])
    )
    held.append(record)
    twin: list[Any] = []
    twin.append(verger.Record(1, "x", "raw", twin, "file", None, ()))  # type: ignore[arg-type]

    assert "[...]" in repr(record)
    with pytest.raises(RecursionError):
        _ = record == twin[0]
    assert record != other


# Numbers


def test_numbers_that_stand_for_nothing() -> None:
    """A table of access takes no number without a meaning, and a snapshot none without a kind."""
    for code in (-2, 2, 300, 32_767, -32_768):
        with pytest.raises(ValueError, match="no ruling has the code"):
            access(kinds=[("successful", False, False, [(1.0, code, 0)])])
    with pytest.raises(ValueError, match="policies"):
        access(reasons=["A"] * 200)
    for kinds, places in (([], ()), (KINDS, (0,)), (KINDS, (1,) * PLACES), (NO_STEPS, (0,))):
        with pytest.raises(ValueError, match="hole"):
            access(kinds=kinds, places=places)
    with pytest.raises(ValueError, match="hole"):
        access(failures=[("timeout", 1)])
    with pytest.raises(ValueError, match="`found` is not a kind of access"):
        access(kinds=[("found", False, False, STEPS)])
    builder = _SnapshotBuilder(RFC9309, access(), 0.0)
    with pytest.raises(ValueError, match="no kind has the number 1"):
        builder.add("https://a.example", 0.0, 1, b"")
    with pytest.raises(OverflowError):
        builder.add("https://a.example", 0.0, 2**20, b"")


# What is quoted of strangers

ACTING = (
    *"\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c",
    *"\x07\t\n\r\x1b\x7f\x85\u2028\u2029\u200b\ufeff\u3164\ufe0f\U000e0101\ue000",
)
"""What turns the direction of writing, ends a line, speaks to a terminal, or is not seen."""


def struct_of(name: str) -> pa.Table:
    """Make a table whose column `url` is of a type that names something of its own."""
    named = pa.struct([(name, pa.string())])
    return pa.table({"url": pa.array([None], named)})


QUOTERS: dict[str, Callable[[str], object]] = REFUSERS | {
    "host without scheme": lambda text: ROBOTS.allowed(f"a.{text}example", "a"),
    "origin": lambda text: verger.Origin(f"http:{text}"),
    "requested URL": lambda text: verger.requested_url(f"http:{text}"),
    "token": lambda text: ROBOTS.agent(f"{text}/a"),
    "checked token": lambda text: verger.check_product_token(f"a{text};b"),
    "crawler of a scan": lambda text: scanner(crawlers=[f"a{text};b"]),
    "attribute": lambda text: getattr(RFC9309, f"x{text}"),
    "number": lambda text: RFC9309.replace(max_lines=text),  # type: ignore[arg-type]
    "class": lambda text: ROBOTS.allowed(type(f"x{text}", (), {})(), "a"),
    "column": lambda text: decide_table(
        pa.table({"u": ["/"], "v": ["/"]}), ROBOTS, "a", column=text
    ),
    "type": lambda text: decide_table(struct_of(text), ROBOTS, "a", column="url"),
    "origin of a row": lambda text: Snapshot.from_table(
        pa.table({"origin": [f"/{text}"], "body": [""]})
    ),
    "format of logs": lambda text: audit(log_format=text),
}


@pytest.mark.parametrize("quoter", QUOTERS)
def test_message_that_quotes_a_stranger(quoter: str) -> None:
    """Nothing of what is quoted acts where the message is shown: it is as `plain` writes it."""
    for character in ACTING:
        with pytest.raises((RobotsError, AttributeError, TypeError, ValueError)) as raised:
            QUOTERS[quoter](f"{character}b")
        error = raised.value
        told = [error.message, error.hint or ""] if isinstance(error, RobotsError) else [str(error)]

        assert told == [printable(text) for text in told]
        assert quoter == "type" or printable(character) in told[0]


@pytest.mark.parametrize("taker", ["agent", "scanner, crawlers", "scanner, followed"])
@pytest.mark.parametrize("low", [False, True])
def test_token_that_is_no_unicode(taker: str, low: bool) -> None:
    """The error is that of product tokens, and says where the first wrong byte is."""
    _, take = TAKERS[taker]
    surrogate, byte = ("\udcff", r"\xff") if low else ("\ud800", r"\xed")
    with pytest.raises(InvalidProductToken, match=re.escape(f"`{byte}` at offset 1")):
        take([f"a{surrogate}"])


@pytest.mark.parametrize("character", ACTING, ids=ascii)
def test_error_of_a_stream_that_quotes_a_stranger(character: str) -> None:
    """What another library reads of a producer's error acts no more than what verger raises."""

    def batches() -> Iterator[pa.RecordBatch]:
        yield pa.record_batch({"url": ["/"]})
        raise OSError(f"x{character}y")

    reader = pa.RecordBatchReader.from_batches(pa.schema({"url": pa.string()}), batches())
    stream = pa.RecordBatchReader.from_stream(decide_stream(reader, ROBOTS, "a"))
    with pytest.raises((pa.ArrowInvalid, OSError)) as raised:
        stream.read_all()

    assert printable(f"x{character}y") in str(raised.value)
