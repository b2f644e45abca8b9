"""The guide of `verger filter` names all that the command can, and the schema all that it says."""

import json
from importlib.resources import files
from typing import get_args

from verger.access.policy import AccessReason, Effect
from verger.access.result import Failure
from verger.bulk.filter.writing import COLUMNS, SCHEMA
from verger.cli.grammar import grammar_of

from .test_guide import GUIDES

PUBLISHED = json.loads(
    (files("verger.cli") / "schemas" / "filter-1.schema.json").read_text("utf-8")
)


def test_guide_names_every_option_and_column() -> None:
    """Nothing goes undocumented."""
    page = (GUIDES / "filter.md").read_text(encoding="utf-8")
    options = {
        name for name in grammar_of("filter")._option_string_actions if name.startswith("--")
    }

    assert set() == {name for name in options if name not in page}
    assert set() == {name for name in COLUMNS if f"`{name}`" not in page}


def test_schema_names_what_rows_say() -> None:
    """Fields in their order, and every value that a field with a fixed list can have."""
    properties = PUBLISHED["properties"]

    assert SCHEMA == properties["schema"]["const"]
    assert ["schema", *COLUMNS] == list(properties) == PUBLISHED["required"]
    assert set() == set(get_args(AccessReason)) - set(properties["reason"]["enum"])
    assert {*get_args(Effect), None} == set(properties["effect"]["enum"])
    assert {*get_args(Failure), None} == set(properties["failure"]["enum"])
