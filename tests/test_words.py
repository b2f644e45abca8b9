"""Words for answers, reasons and uses: one table of each, in the core, and every reader has all."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pyarrow as pa
import pytest

import verger
from support import CHECKOUT
from verger._core import _REASONS, _USES, _VERDICTS
from verger.access.policy import AccessReason
from verger.bulk import decide_table
from verger.bulk.filter.progress import NO_URLS
from verger.crawlers import PURPOSES, USES

STUB = (CHECKOUT / "python/verger/_core.pyi").read_text("utf-8")
TABLE = CHECKOUT / "crates/core/src/words.rs"
SOURCES = {
    "python/verger": "*.py",
    "npm/src": "*.ts",
    "web/src": "*.ts*",
    "crates": "*.rs",
}


def names_of(alias: str) -> list[str]:
    """The members of a literal type of the stub."""
    [body] = re.findall(rf"^{alias}: TypeAlias = Literal\[(.*?)\]", STUB, re.MULTILINE | re.DOTALL)
    return re.findall(r'"([A-Za-z_-]+)"', body)


@pytest.mark.parametrize("alias", ["Reason", "UseReason"])
def test_every_reason_has_words(alias: str) -> None:
    """So do those of access policies, and those of rows without an answer."""
    names = names_of(alias)

    assert len(names) > 4
    assert [] == [name for name in names if name not in _REASONS]
    assert set() == set(get_args(AccessReason)) - set(_REASONS)
    assert set() == NO_URLS - set(_REASONS)


def test_reasons_of_tables_have_words() -> None:
    """What a column of reasons may hold."""
    robots = verger.parse("", url="https://example.com/robots.txt")
    urls = ["/a", None, "x:y", "https://other.example/"]
    table = pa.table(decide_table(pa.table({"url": urls}), robots, "ExampleBot"))
    reasons = table["reason"].chunk(0).dictionary.to_pylist()

    assert {"NO_GROUP", "NULL_URL", "OUT_OF_SCOPE"} <= set(reasons)
    assert set() == set(reasons) - set(_REASONS)


def test_a_verdict_is_one_word() -> None:
    """The words that values show of themselves, that commands print, and that expectations name."""
    assert {True: "allowed", False: "disallowed", None: "silent"} == _VERDICTS


# Said of something else, too: a row of a log, a site of a survey, and the section of a policy.
OTHERWISE = {'"no URL"', '"no file"', '"the operator\'s override"'}


def sources() -> Iterator[Path]:
    for folder, pattern in SOURCES.items():
        yield from (path for path in (CHECKOUT / folder).rglob(pattern) if path != TABLE)


def test_no_other_table_says_the_same() -> None:
    """No source beside the table has the words of a reason as a text."""
    words = {f'"{said}"' for said in _REASONS.values() if " " in said} - OTHERWISE
    found = [
        (f"{path.relative_to(CHECKOUT)}", said)
        for path in sources()
        for said in words & set(re.findall(r'"[^"\n]*"', path.read_text("utf-8")))
    ]

    assert len(words) > 20
    assert [] == found


def test_no_other_table_has_verdicts() -> None:
    """Nor has any a table from true, false and nothing to words."""
    table = re.compile(r"\{\s*(True|False|None): \(?\"(allowed|disallowed|silent)\"")
    choice = re.compile(
        r"\? \"(silent|unanswered)\" : \w+ \? \"allowed\""
        r"|\"allowed\" (if [\w.]+ )?else \"disallowed\""
        r"|\{ \"allowed\" \} else|Some\(true\) => \"allow(ed)?\""
    )
    found = [
        f"{path.relative_to(CHECKOUT)}"
        for path in sources()
        if table.search(text := path.read_text("utf-8")) or choice.search(text)
    ]

    assert [] == found


# The vocabulary of use


NAMES = [name for name, *_ in _USES]


def enums_in(schema: object) -> Iterator[list[str]]:
    """Every list of words in a schema that has a use which is no purpose."""
    if isinstance(schema, dict):
        if "ai-train" in (found := schema.get("enum") or ()):
            yield [word for word in found if word not in (None, "use")]
        schema = list(schema.values())
    if isinstance(schema, list):
        for each in schema:
            yield from enums_in(each)


@pytest.mark.parametrize("name", ["agents-1", "check-1", "edit-1", "test-1"])
def test_schemas_have_every_use(name: str) -> None:
    """In the order of the table."""
    schema = CHECKOUT / f"python/verger/cli/schemas/{name}.schema.json"
    found = [*enums_in(json.loads(schema.read_text("utf-8")))]

    assert [NAMES] * len(found) == found != []


def test_types_have_every_use() -> None:
    """Type checkers of Python and of TypeScript read their own lists."""
    values = (CHECKOUT / "npm/src/values.ts").read_text("utf-8")
    asked = (CHECKOUT / "web/src/view/whom.tsx").read_text("utf-8")
    [written] = re.findall(r"^export type Use = (.*);", values, re.MULTILINE)
    [questions] = re.findall(
        r"^const USES: Record<Use, string> = \{(.*?)\}", asked, re.DOTALL | re.M
    )

    assert NAMES == names_of("UseName")
    assert NAMES == re.findall(r'"(.*?)"', written)
    assert set(NAMES) == set(re.findall(r'^ *"?([\w-]+)"?: "', questions, re.MULTILINE))


def test_uses_are_fetched_for_by_purposes() -> None:
    """A use has the purpose of the crawlers that fetch for it, and the registry knows it."""
    assert {name: purpose for name, *_, purpose in _USES} == USES
    assert set(USES.values()) <= set(PURPOSES)


def test_columns_have_every_use() -> None:
    """Content signals and usage have a member for each, and the report counts each."""
    text = "Content-Signal: search=yes\nContent-Usage: search=y\n"
    robots = verger.parse(text, dialect="rfc9309+content-usage")
    signals, usage = (record.value for record in robots.records)
    counted = (CHECKOUT / "python/verger/bulk/report/counting.sql").read_text("utf-8")

    assert all(hasattr(signals, name.replace("-", "_")) for name in NAMES)
    assert all(hasattr(usage, label.replace("-", "_")) for _, label, *_ in _USES)
    assert all(f"'{name}'" in counted for name in NAMES)
