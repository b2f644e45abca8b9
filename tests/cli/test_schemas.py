"""The published schemas: each is one, names all that can be said, and refuses what is not said."""

from importlib.resources import files
from typing import get_args

import pytest
from jsonschema import Draft202012Validator

from verger import DIALECTS
from verger.access.policy import AccessReason, Effect
from verger.access.result import Failure
from verger.analysis import SEVERITIES
from verger.bulk.audit.run import WHY
from verger.bulk.changes import SCHEMA as CHANGES
from verger.bulk.filter.writing import COLUMNS
from verger.crawlers import PURPOSES, BoundBy
from verger.crawlers.survey import PLACES, UNLISTED, Extent, Posture
from verger.watch.states import StateName

from .conftest import schema, validator

NAMES = [path.name.partition("-")[0] for path in (files("verger.cli") / "schemas").iterdir()]

ENUMS = {
    "agents properties dialect": DIALECTS,
    "agents $defs crawler properties purposes items": PURPOSES,
    "agents $defs crawler properties posture": get_args(Posture),
    "agents $defs crawler properties extent": get_args(Extent),
    "agents $defs access properties failure": (*get_args(Failure), None),
    "audit $defs log properties unreadable_lines items properties reason": WHY,
    "check properties dialect": DIALECTS,
    "compare $defs dialect": DIALECTS,
    "crawlers $defs crawler properties purposes items": PURPOSES,
    "crawlers $defs crawler properties bound_by": get_args(BoundBy),
    "diff $defs severity": SEVERITIES,
    "filter properties effect": (*get_args(Effect), None),
    "filter properties failure": (*get_args(Failure), None),
    "history properties failure": (*get_args(Failure), None),
    "news $defs observation properties failure": (*get_args(Failure), None),
    "news $defs severity": SEVERITIES,
    "news properties purposes items": PURPOSES,
    "news properties state properties new": get_args(StateName),
    "test $defs result properties dialect": DIALECTS,
}
"""What a field with a fixed list of values can hold, by its place in a schema."""


@pytest.mark.parametrize("name", NAMES)
def test_schema(name: str) -> None:
    """It is a schema, has the name that objects have, and needs more than that name."""
    Draft202012Validator.check_schema(schema(name))

    assert f"verger.{name}/1" == schema(name)["properties"]["schema"]["const"]
    assert not validator(name).is_valid({"schema": f"verger.{name}/1"})


@pytest.mark.parametrize("place", ENUMS)
def test_fixed_lists(place: str) -> None:
    """Every value that a field can have stands in the schema, and no other."""
    name, *keys = place.split()
    found = schema(name)
    for key in keys:
        found = found[key]

    names, *_ = found.get("anyOf", [found])
    assert set(ENUMS[place]) == set(names["enum"])


def test_rows() -> None:
    """Fields of tables stand in their order, and every reason is known."""
    properties = schema("filter")["properties"]

    assert ["schema", *COLUMNS] == list(properties) == schema("filter")["required"]
    assert set() == set(get_args(AccessReason)) - set(properties["reason"]["enum"])
    assert {*CHANGES.names, "schema"} == set(schema("changes")["properties"])
    assert [*PURPOSES, UNLISTED] == list(PLACES)


def test_answers_that_are_none() -> None:
    """An answer is a decision or an error, of a known kind."""
    neither = dict.fromkeys(schema("check")["required"])
    neither |= {"schema": "verger.check/1", "url": "/", "tokens": ["A"], "dialect": "rfc9309"}
    row = dict.fromkeys(schema("filter")["required"])
    row |= {"schema": "verger.filter/1", "row": 1, "input": "x", "url": "y"}

    assert not validator("check").is_valid(neither | {"truncated": False, "bytes": []})
    assert not validator("audit").is_valid({"schema": "verger.audit/1", "closed": 1})
    assert not validator("filter").is_valid(row)
    assert not validator("filter").is_valid(row | {"error": "none of these", "message": ""})
    assert validator("filter").is_valid(row | {"error": "invalid-url", "message": ""})
