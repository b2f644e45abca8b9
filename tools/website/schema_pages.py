"""The reference of what programs read: a page of Markdown for each JSON Schema.

In: the schemas. Out: the pages as text, by the name of their file.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = (
    *sorted((ROOT / "python" / "verger" / "cli" / "schemas").glob("*.schema.json")),
    ROOT / "python" / "verger" / "testing" / "suite" / "suite.schema.json",
)

Schema = dict[str, Any]


def schema_pages() -> dict[str, str]:
    """Return every page, and the list of all."""
    read = {path: json.loads(path.read_text("utf-8")) for path in SCHEMAS}
    listed = [f"- [`{_name(path)}`]({_name(path)}.md): {read[path]['title']}" for path in read]
    index = ["# JSON Schemas", "", "What commands print for programs.", "", *listed, ""]
    pages = {f"{_name(path)}.md": _page(path, schema) for path, schema in read.items()}
    return {"index.md": "\n".join(index), **pages}


def _name(path: Path) -> str:
    return path.name.removesuffix(".schema.json")


def _page(path: Path, schema: Schema) -> str:
    parts = [
        f"# `{_name(path)}`",
        f"{schema['title']}.",
        schema.get("description", ""),
        f"[The schema itself]({path.name}) is for validators.",
        *_fields("Fields", schema),
        *(part for name, each in schema.get("$defs", {}).items() for part in _named(name, each)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _named(name: str, schema: Schema) -> Iterator[str]:
    yield f"## `{name}`"
    yield schema.get("description", "")
    yield from list(_fields("", schema)) or [_type(schema)]


def _fields(heading: str, schema: Schema) -> Iterator[str]:
    if heading and schema.get("properties"):
        yield f"## {heading}"
    required = schema.get("required", ())
    for name, field in _properties("", schema):
        is_optional = not (name in required or "." in name or "[" in name)
        said = f"*{_type(field)}{', not always there' if is_optional else ''}*."
        yield f"`{name}`\n:   {said} {field.get('description', '')}".rstrip()


def _properties(before: str, schema: Schema) -> Iterator[tuple[str, Schema]]:
    """Yield the fields of an object, and of objects inside of it, by their dotted names."""
    for name, field in schema.get("properties", {}).items():
        yield f"{before}{name}", field
        yield from _properties(f"{before}{name}.", field)
        yield from _properties(f"{before}{name}[].", field.get("items", {}))


def _type(field: Schema) -> str:
    """Return what a field may be."""
    if "$ref" in field:
        name = field["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})" if field["$ref"].startswith("#/$defs/") else name
    for word in ("anyOf", "oneOf"):
        if word in field:
            return " or ".join(_type(each) for each in field[word])
    if "const" in field:
        return f"`{field['const']}`"
    if "enum" in field:
        return " or ".join("null" if each is None else f"`{each}`" for each in field["enum"])
    types = field.get("type", "anything")
    said = " or ".join(types) if isinstance(types, list) else str(types)
    return f"{said} of {_type(field['items'])}" if field.get("items") else said
