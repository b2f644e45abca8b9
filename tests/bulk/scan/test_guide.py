"""The guide of `verger scan` names all that the command can, and every column with its type."""

import re

from cli.test_guide import GUIDES
from verger.bulk.scan import Scanner

ROW = re.compile(r"^\| (`.+?`) \| `(.+?)` \| ", re.MULTILINE)


def page() -> str:
    return (GUIDES / "scan.md").read_text(encoding="utf-8")


def documented(heading: str) -> dict[str, str]:
    """Return the types of the columns below a heading, in their order."""
    text = page().partition(f"### `{heading}`")[2].partition("\n### ")[0]
    rows = ((names.replace("`", "").split(", "), kind) for names, kind in ROW.findall(text))
    return {name: kind for names, kind in rows for name in names}


def test_guide_names_every_column_with_its_type() -> None:
    """In their order; of lists and structs, the kind."""
    for schema in (Scanner().schema, Scanner().records_schema):
        name = schema.metadata[b"verger.schema"].decode()
        columns = documented(name)

        assert schema.names == list(columns)
        for field in schema:
            is_nested = str(field.type).startswith(("struct", "list<item: struct"))
            kind = str(field.type).replace("item: ", "")

            assert columns[field.name].startswith(kind.partition("<")[0] if is_nested else kind)


def test_guide_names_the_members_of_structs() -> None:
    """Those of findings, signals, crawlers and uses."""
    schema = Scanner(crawlers=["GPTBot"]).schema
    members = [
        *schema.field("findings").type.value_type,
        *schema.field("content_signals").type,
        *schema.field("crawlers").type.field("GPTBot").type,
        *schema.field("uses").type,
        *schema.field("uses").type.field("search").type,
    ]

    assert set() == {field.name for field in members if field.name not in page()}
