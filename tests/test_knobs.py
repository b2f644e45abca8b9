"""Knobs: the same values as in the specification's tables, and each with an answer of its own.

In: `reference.SWITCHES` and `reference.access.ACCESS_SWITCHES`, typed from the specification
without a look at verger, and one question for each knob of the core whose answer hangs on it.
A knob turned by mistake, on either side, fails here. `tests/access` turns the knobs of access.
"""

from dataclasses import asdict, fields

import pytest

import verger
from reference import SWITCHES, Switches, decide
from reference.access import ACCESS_SWITCHES, AccessSwitches
from reference.flips import EXEMPT, FLIPS, Flip
from support import NAMES, KnobValue, Outcome, decided, referred, switched, turned

# Each exempt knob, and the extensions, have tests of their own below.
NOT_FLIPPED = {
    *("require_slash", "usage_ends_starts"),
    *("crawl_delay_inherits", "crawl_delay_ceiling", "crawl_delay_whole"),
}

TYPED = {name: {**asdict(SWITCHES[name]), **asdict(ACCESS_SWITCHES[name])} for name in NAMES}
"""What the tables of the specification say, by dialect and knob."""


@pytest.mark.parametrize("knob", verger.KNOBS, ids=lambda knob: str(knob.name))
def test_value_is_the_specifications(knob: verger.Knob) -> None:
    """Each dialect holds the value that the specification's tables give it."""
    expected = {name: TYPED[name][knob.name] for name in NAMES}
    actual = {name: verger.DIALECTS[name].knobs[knob.name] for name in NAMES}

    assert in_any_order(expected) == in_any_order(actual)
    assert actual == {name: getattr(verger.DIALECTS[name], knob.name) for name in NAMES}


def in_any_order(values: dict[str, KnobValue]) -> dict[str, object]:
    """Values of a knob; a list of extension fields says the same in every order."""
    return {
        name: frozenset(value) if isinstance(value, tuple) else value
        for name, value in values.items()
    }


def test_names_and_order() -> None:
    """Both sides have the same dialects and the same knobs, in the order of the pipeline."""
    first = verger.DIALECTS[NAMES[0]]

    assert list(NAMES) == list(verger.DIALECTS)
    assert list(TYPED["rfc9309"]) == [knob.name for knob in verger.KNOBS]
    assert [knob.name for knob in verger.KNOBS] == list(first.knobs)


@pytest.mark.parametrize("knob", verger.KNOBS, ids=lambda knob: str(knob.name))
def test_knob_is_explained(knob: verger.Knob) -> None:
    """A knob says what it decides and which document each of its values comes from."""
    assert knob.doc.strip().endswith(".")
    assert knob.source.strip()
    held = {verger.DIALECTS[name].knobs[knob.name] for name in NAMES}
    assert not knob.choices or held <= set(knob.choices)


@pytest.mark.parametrize("flip", FLIPS, ids=lambda flip: f"{flip.switch}-{flip.dialect}")
def test_turning_one_knob(flip: Flip) -> None:
    """Turned in verger, the knob changes the answer to what the reference says; turned on one
    side only, it sets the two at odds."""
    dialect, switches = verger.DIALECTS[flip.dialect], SWITCHES[flip.dialect]
    turned_dialect = turned(dialect, **{flip.switch: flip.value})
    turned_switches = switched(switches, **{flip.switch: flip.value})
    before, after = ours(flip, dialect), ours(flip, turned_dialect)

    assert before != after
    assert before == referred(flip.data, switches, flip.tokens, flip.url)
    assert after == referred(flip.data, turned_switches, flip.tokens, flip.url)


def ours(flip: Flip, dialect: verger.Dialect) -> Outcome:
    return decided(verger.parse(flip.data, dialect=dialect), flip.tokens, flip.url)


def test_every_knob_of_the_core_is_turned() -> None:
    """Every knob has a question that hangs on it, or a test of its own in this file."""
    knobs = {field.name for field in fields(Switches)}

    assert knobs == {flip.switch for flip in FLIPS} | NOT_FLIPPED
    assert NOT_FLIPPED == EXEMPT


@pytest.mark.parametrize("name", NAMES)
def test_slash(name: str) -> None:
    """`require_slash` tells of a pattern that can never match; it changes no answer."""
    data = b"User-agent: *\nDisallow: a\nDisallow: http://e.com/\nDisallow: /b\n"
    codes = {}
    answers = {}
    for slash in (False, True):
        robots = verger.parse(data, dialect=turned(verger.DIALECTS[name], require_slash=slash))
        codes[slash] = [(finding.line, finding.code) for finding in robots.findings]
        answers[slash] = [decided(robots, "x", url) for url in ("/a", "/b", "http://e.com/")]

    assert answers[False] == answers[True]
    assert [2, 3] == sorted(line for line, _ in set(codes[True]) - set(codes[False]))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("ends", [False, True])
def test_usage_ends_starts(name: str, ends: bool) -> None:
    """Where `Content-Usage` is read, it ends the run of start-group lines, or is only a record."""
    data = b"User-agent: a\nContent-Usage: train-ai=n\nUser-agent: b\nDisallow: /\n"
    knobs = {"extensions": ("content-usage",), "usage_ends_starts": ends}
    robots = verger.parse(data, dialect=turned(verger.DIALECTS[name], **knobs))
    switches = switched(SWITCHES[name], **knobs)

    for token, expected in (("a", ends), ("b", False)):
        assert expected == robots.allowed("/", token) == decide(data, switches, token, "/").allowed
    assert [2] == [record.line for record in robots.records]


DELAYED = b"User-agent: a\nDisallow: /a\n\nUser-agent: *\nCrawl-delay: 7.5\nDisallow: /\n"


@pytest.mark.parametrize(
    ("dialect", "token", "delay"),
    [
        (verger.BING, "a", 8.0),
        (verger.BING, "b", 8.0),
        (verger.BING.replace(crawl_delay_inherits=False), "a", None),
        (verger.BING.replace(crawl_delay_inherits=False), "b", 8.0),
        (verger.BING.replace(crawl_delay_whole=False), "a", 7.5),
        (verger.BING.replace(crawl_delay_ceiling=5), "a", 5.0),
        (verger.RFC9309, "a", None),
        (verger.RFC9309, "b", 7.5),
        (verger.RFC9309.replace(crawl_delay_inherits=True), "a", 7.5),
        (verger.RFC9309.replace(crawl_delay_whole=True), "b", 8.0),
        (verger.RFC9309.replace(crawl_delay_ceiling=7), "b", 7.0),
    ],
)
def test_crawl_delay(dialect: verger.Dialect, token: str, delay: float | None) -> None:
    """The three knobs of Crawl-delay shape its value, each alone."""
    assert delay == verger.parse(DELAYED, dialect=dialect).agent(token).crawl_delay


def test_ceilings() -> None:
    """A delay is the file's, however large; only Bing's dialect has a ceiling, 30 seconds."""
    data = b"User-agent: *\nCrawl-delay: 1000\n"
    delays = [verger.parse(data, dialect=name).agent("a").crawl_delay for name in NAMES]

    assert [None, None, 1000, 1000, None, None, None, 30] == delays


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("field", SWITCHES["rfc9309"].extensions)
def test_extension_is_read(field: str, name: str) -> None:
    """A dialect reads an extension field, and makes it a record, if and only if it lists it."""
    written = "acap-crawl" if field == "acap" else field
    data = f"User-agent: *\n{written}: 1\nDisallow: /\n".encode()
    dialect = verger.DIALECTS[name]
    lines = [record.line for record in verger.parse(data, dialect=dialect).records]
    only = turned(dialect, extensions=(field,))
    without = turned(dialect, extensions=())

    assert ([2] if field in SWITCHES[name].extensions else []) == lines
    # A key that begins like a rule's is a rule where keys are prefixes, whatever else is read.
    is_rule = SWITCHES[name].prefix_keys and field.startswith(("allow", "disallow"))
    expected = [] if is_rule else [2]
    assert expected == [record.line for record in verger.parse(data, dialect=only).records]
    assert () == verger.parse(data, dialect=without).records


FILE = b"User-agent: *\nDisallow: /a\nDisallow: /*b$\nAllow: /a/c\nSitemap: /s.xml\n"
ACCESS_KNOBS = [field.name for field in fields(AccessSwitches)]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("knob", [knob for knob in verger.KNOBS if knob.name in ACCESS_KNOBS])
def test_knob_of_access_decides_nothing(knob: verger.Knob, name: str) -> None:
    """A knob of access changes no decision about a file that is there."""
    dialect = verger.DIALECTS[name]
    values = knob.choices or (0, 1, 10**9)
    dialects = [turned(dialect, **{knob.name: value}) for value in values]
    files = [verger.parse(FILE, dialect=it) for it in (dialect, *dialects)]
    answers = [[decided(file, "x", url) for url in ("/a", "/xb", "/a/c", "/")] for file in files]

    assert len(set(map(tuple, answers))) == 1
