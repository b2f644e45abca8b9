"""Entries as bytes: what is written is read, and nothing else passes for it."""

import json
from dataclasses import fields, replace
from itertools import product
from typing import get_args

import pytest
from hypothesis import given, strategies as st

import verger
from cache.samples import entry, full
from verger.access.entry import Entry, policy_of
from verger.access.policy import policy_after
from verger.access.result import AccessResult, Failure
from verger.cache import codec
from verger.cache.codec import DamagedRecord, digests_in, encode, entry_of, facts_in
from verger.errors import CacheError

ORIGIN = "https://a.example"

# Every string of Python's, halves of pairs alone and side by side included.
texts = st.text(st.characters(exclude_categories=()))
numbers = st.floats(0, 1e14) | st.integers(0, 10**14)
results = st.builds(
    AccessResult,
    url=texts,
    fetched_at=numbers,
    status=st.none() | st.integers(100, 999),
    failure=st.none() | st.sampled_from(get_args(Failure)),
    detail=texts,
    redirects=st.lists(texts, max_size=3).map(tuple),
    body=st.binary(),
    truncated=st.booleans(),
    renewed=st.booleans(),
    wire_bytes=st.integers(0, 2**63 - 1),
    elapsed=numbers,
    headers=st.dictionaries(texts, texts, max_size=3),
    notes=st.lists(texts, max_size=3).map(tuple),
)
of_any_entry = {
    "origin": st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1),
    "last": results,
    "copy": st.none() | results,
    "failures": st.integers(0, 2**40),
}
entries = st.builds(Entry, **of_any_entry) | st.builds(
    Entry, **of_any_entry, unreachable_since=numbers, unreachable_for=numbers
)


def decoded(record: codec.StoredRecord, origin: str | None = None) -> Entry:
    """Return the entry of a record whose bodies are at hand."""
    named = record.origin if origin is None else origin
    return entry_of(named, facts_in(named, record.data), record.bodies.values())


@given(entries)
def test_round_trip(saved: Entry) -> None:
    """Every entry there can be is read as it was written, and names the bodies it needs."""
    record = encode(saved)
    named = digests_in(record.origin, record.data)

    assert saved == decoded(record)
    assert set(record.bodies) == {record.last_body, record.copy_body} - {None}
    assert set(record.bodies) == set(map(bytes.fromhex, named))


def test_halves_of_a_pair() -> None:
    """Two surrogates side by side stay two, though together they could be one character."""
    saved = entry("a", headers={"etag": "\ud83d\ude00"}, detail="\U0001f600")

    assert saved == decoded(encode(saved))


def test_every_field_is_known() -> None:
    """A field that is added to a result or an entry is added to the record too; a result for which
    nobody was asked is not kept."""
    of_result = {field.name for field in fields(AccessResult)} - {"unasked"}
    of_entry = {field.name for field in fields(Entry)} - {"origin"}

    assert of_result == set(codec.RESULT_TYPES)
    assert of_entry == set(codec.ENTRY_TYPES)


def test_every_byte_is_sealed() -> None:
    """A record in which one byte differs, or one is missing, is damaged."""
    data = encode(full("a")).data
    broken = [data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :] for at in range(len(data))]
    broken += [data[:at] for at in range(len(data))] + [data + b" "]

    for one in broken:
        with pytest.raises(DamagedRecord):
            facts_in("https://a.example", one)


def test_record_of_another_origin() -> None:
    """A record that turns up under another origin is damaged: it never speaks for that one."""
    record = encode(entry("a"))

    with pytest.raises(DamagedRecord, match="seal"):
        decoded(record, "https://b.example")


@pytest.mark.parametrize("body", [None, b"", b"other", 7, "text"])
def test_other_body(body: object) -> None:
    """An entry is not given another body than its own."""
    facts = facts_in(ORIGIN, encode(entry("a")).data)

    with pytest.raises(DamagedRecord, match="body"):
        entry_of(ORIGIN, facts, [body])


def sealed(facts: object) -> bytes:
    """Return a record that says anything, with the seal that belongs to it."""
    data = facts if isinstance(facts, bytes) else json.dumps(facts).encode()
    return codec._seal(ORIGIN, data) + data


NONSENSE = {
    "no object": [],
    "null": None,
    "no JSON": b"{",
    "no UTF-8": b"\xff",
    "no end of brackets": b"[" * 100_000,
    "a number of many digits": b'{"last":{"fetched_at":' + b"9" * 5_000 + b"}}",
    "no result": {},
    "a result that is none": {"last": 7},
    "no time": {"last": {}},
    "a time that is none": {"last": {"fetched_at": "now"}},
    "not a number": b'{"last":{"fetched_at":NaN}}',
    "for ever": b'{"last":{"fetched_at":Infinity}}',
    "a time before time": b'{"last":{"fetched_at":-1e300}}',
    "a flag for a time": {"last": {"fetched_at": True}},
    "status": {"last": {"fetched_at": 1, "status": "200"}},
    "negative status": {"last": {"fetched_at": 1, "status": -1}},
    "status of five digits": {"last": {"fetched_at": 1, "status": 99_999}},
    "status of two digits": {"copy": {"fetched_at": 1, "status": 99}, "last": {"fetched_at": 1}},
    "failure": {"last": {"fetched_at": 1, "failure": "bored"}},
    "detail": {"last": {"fetched_at": 1, "detail": None}},
    "redirects": {"last": {"fetched_at": 1, "redirects": "https://a.example"}},
    "a redirect": {"last": {"fetched_at": 1, "redirects": [1]}},
    "digest": {"last": {"fetched_at": 1, "body": "0"}},
    "digits": {"last": {"fetched_at": 1, "body": "g" * 32}},
    "truncated": {"last": {"fetched_at": 1, "truncated": 1}},
    "renewed": {"last": {"fetched_at": 1, "renewed": 1}},
    "headers": {"last": {"fetched_at": 1, "headers": []}},
    "a header": {"last": {"fetched_at": 1, "headers": {"etag": 1}}},
    "notes": {"last": {"fetched_at": 1, "notes": {}}},
    "copy": {"last": {"fetched_at": 1}, "copy": 7},
    "null for a copy": {"last": {"fetched_at": 1}, "copy": None},
    "since": {"last": {"fetched_at": 1}, "unreachable_since": "long"},
    "failures": {"last": {"fetched_at": 1}, "failures": 1.5},
    "period": {"last": {"fetched_at": 1}, "unreachable_for": "long"},
}


@pytest.mark.parametrize("facts", NONSENSE.values(), ids=NONSENSE.keys())
def test_nonsense(facts: object) -> None:
    """A record that is sealed and yet says nothing sensible is damaged too."""
    with pytest.raises(DamagedRecord):
        entry_of(ORIGIN, facts_in(ORIGIN, sealed(facts)), [])


DAY = 86_400
NOON = 1_772_366_400


@pytest.mark.parametrize(
    ("since", "counted"),
    [
        *((0, 0), (60, 60), (7 * DAY, 7 * DAY), (8 * DAY, 7 * DAY), (30 * DAY, 7 * DAY)),
        # What Google's steps have closed again would be open after a week.
        *((30 * DAY + 1, 0), (400 * DAY, 0), (NOON, 0)),
        # No clock was right.
        (-301, 0),
    ],
)
def test_records_of_earlier_versions(since: int, counted: int) -> None:
    """They say since when a file has been unreachable, and not how often it was seen to be: of
    that a week counts, and what is closed stays closed in every dialect."""
    last = {"fetched_at": NOON, "status": 503}
    facts = {"last": last, "unreachable_since": NOON - since, "failures": 2}
    entry = entry_of(ORIGIN, facts_in(ORIGIN, sealed(facts)), [])

    assert (NOON - since, counted) == (entry.unreachable_since, entry.unreachable_for)
    for copy, dialect in product((None, AccessResult("", 0, 200)), verger.DIALECTS.values()):
        before = policy_after(entry.last, dialect, unreachable_for=max(0, since), copy=copy)
        now = policy_of(replace(entry, copy=copy), dialect)
        assert now.effect in (before.effect, "disallow_all", "rules" if copy else "disallow_all")
        assert before.effect != "disallow_all" or now.effect == "disallow_all"


def test_members_of_later_versions() -> None:
    """What a later version adds is skipped, and the rest is understood."""
    facts = {
        "last": {"fetched_at": 1, "status": 404, "quic": {"deep": [1]}},
        "failures": 2,
        "mood": "good",
    }

    expected = Entry(ORIGIN, AccessResult(f"{ORIGIN}/robots.txt", 1, 404), failures=2)
    assert expected == entry_of(ORIGIN, facts_in(ORIGIN, sealed(facts)), [])


@pytest.mark.parametrize("origin", ["", "https://\u00e4.example", "a\x00b", "\udc80", "a\tb"])
def test_no_origin(origin: str) -> None:
    """A text that cannot be an origin makes no key, and the message shows it in ASCII."""
    with pytest.raises(CacheError, match="is not an origin") as caught:
        encode(Entry(origin, entry("a").last))

    assert caught.value.message.isascii()
