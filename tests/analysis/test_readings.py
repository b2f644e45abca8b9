"""Readings: to read a field changes no rule of any crawler, or a proof covers both readings."""

import pytest

import verger
from support import NAMES
from verger.analysis import prove
from verger.analysis.readings import DRAFT, EVERY_FIELD, readings_of, with_records

VALUES = {
    "clean-param": "s /x",
    "content-signal": "ai-train=no",
    DRAFT: "train-ai=n",
    "crawl-delay": "3",
    "request-rate": "1/5",
    "visit-time": "0100-0300",
}
TOKENS = ("a", "b", "c", "*")


def file_with(field: str) -> bytes:
    """A file with a field at each place where it could part or join groups."""
    key = "ACAP-crawler" if field == "acap" else field
    line = f"{key}: {VALUES.get(field, '/x')}"
    lines = (
        *(line, "User-agent: a", line, "User-agent: b", line, "Disallow: /x", line),
        *("User-agent: c", line, "", line, "Disallow: /y", line, "", "User-agent: *", line),
    )
    return "\n".join(lines).encode()


def rules_of(body: bytes, dialect: verger.Dialect) -> list[object]:
    """The rules of each crawler, and whether a group names it."""
    agents = [verger.parse(body, dialect=dialect).agent(token) for token in TOKENS]
    return [(agent.named, [rule.line for rule in agent.rules]) for agent in agents]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("field", EVERY_FIELD)
def test_a_field_that_is_read_changes_no_rule_or_both_readings_are_proved(
    field: str, name: str
) -> None:
    """Only the draft's field changes which rules apply, and a proof names both readings."""
    body, dialect = file_with(field), verger.DIALECTS[name]
    turned_on = dialect.replace(extensions=(*dialect.extensions, field))
    robots = verger.parse(body, dialect=dialect)

    assert rules_of(body, with_records(dialect)) == rules_of(body, dialect)
    assert next(iter(readings_of(dialect).values())).name.startswith(name)
    covered = [rules_of(body, reading) for reading in readings_of(dialect).values()]
    assert covered[0] == rules_of(body, dialect)
    if field == DRAFT:
        assert covered[1] == rules_of(body, turned_on) != covered[0]
        assert prove(robots, robots).dialects == (name, f"{name}+{DRAFT}")
    else:
        assert rules_of(body, turned_on) == covered[0]
        assert prove(robots, robots).dialects == (name,)


def test_a_dialect_whose_records_part_groups_is_read_as_it_is() -> None:
    """No record that it does not read is read for a proof: its groups would be others."""
    dialect = verger.RFC9309.replace(record_ends_starts=True, extensions=("crawl-delay",))
    body = b"User-agent: a\nRequest-rate: 1/5\nUser-agent: b\nDisallow: /\n"

    assert with_records(dialect) == dialect
    assert list(readings_of(dialect).values()) == [dialect]
    assert rules_of(body, with_records(dialect))[0] == (True, [4])


def test_a_dialect_that_reads_the_draft_is_read_so() -> None:
    """Who turns it on asks for that reading, and no other is proved."""
    dialect = verger.RFC9309.replace(extensions=EVERY_FIELD)

    assert rules_of(file_with(DRAFT), with_records(dialect)) == rules_of(file_with(DRAFT), dialect)
    assert len(readings_of(dialect)) == 1


def test_a_change_in_one_reading_is_said_with_its_name() -> None:
    """What only crawlers that read `Content-Usage` see is a change for them alone."""
    old = b"User-agent: a\nContent-Usage: train-ai=n\nUser-agent: b\nDisallow: /x\n"
    new = b"User-agent: a\nUser-agent: b\nContent-Usage: train-ai=n\nDisallow: /x\n"
    proof = prove(verger.parse(old), verger.parse(new))

    assert [(each.crawlers, each.dialects) for each in proof.changed] == [
        (("a",), ("rfc9309+content-usage",))
    ]
    assert proof.other_records == ("b",)
    assert proof.without(["a", "b"]).keeps_everything
