"""Make the robots.txt test suite from conformance/: the files in the wheel, and the archive.

| written | by |
|---|---|
| python/verger/testing/suite/specifications/ | `make docs` |
| build/suite/verger-robots-suite-N.tar.gz | `make suite` |

In: conformance/*.toml, and the vectors whose question is a decision about a URL. Out: the same
bytes from the same cases. With `--check`, fail if a file in the tree is stale.
"""

import base64
import gzip
import hashlib
import io
import json
import re
import sys
import tarfile
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import verger

ROOT = Path(__file__).resolve().parent.parent
CONFORMANCE = ROOT / "conformance"
PACKAGE = ROOT / "python" / "verger" / "testing" / "suite"
SPECIFICATIONS = PACKAGE / "specifications"
VERSION = 2
"""It grows when a case goes, or its answer changes."""
VECTORS = ("protocol", "reserved-octets")
COMMENT_LINE = re.compile(r"^#.*\n", re.MULTILINE)
FIELD = re.compile(r"^[ \t]*([A-Za-z-]+)[ \t]*:[ \t]*", re.MULTILINE)
STATED = {None, "oracle"}
"""What `confidence` a vector has whose answer its source states."""
Row = dict[str, Any]


def main() -> int:
    """Write the files, or check them; with `--archive`, pack them."""
    files = {SPECIFICATIONS / name: data for name, data in made().items()}
    if "--archive" in sys.argv:
        print(f"written: {archive(files).relative_to(ROOT)}")
        return 0
    there = {path for path in SPECIFICATIONS.rglob("*") if path.is_file()}
    stale = [path for path in {*files, *there} if path not in files or not is_same(path, files)]
    if "--check" not in sys.argv:
        for path in stale:
            write(path, files)
        return 0
    for path in sorted(stale):
        print(f"error: {path.relative_to(ROOT)} is stale\nhint: run `make docs`", file=sys.stderr)
    return 1 if stale else 0


def is_same(path: Path, files: dict[Path, bytes]) -> bool:
    return path.exists() and path.read_bytes() == files[path]


def write(path: Path, files: dict[Path, bytes]) -> None:
    if path not in files:
        path.unlink()
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(files[path])


# --- the files ----------------------------------------------------------------------------


def made() -> dict[str, bytes]:
    """Return every file of the suite, by its path."""
    held: dict[str, list[Row]] = {}
    sources: dict[str, tuple[str, str]] = {}
    for path in sorted(CONFORMANCE.glob("*.toml")):
        table = tomllib.loads(path.read_text("utf-8"))
        specification = table["specification"]
        name = f"{specification}/{path.stem.removeprefix(f'{specification}-')}.json"
        held[name] = [case_of(case, specification) for case in table["case"]]
        sources[name] = specification, table["source"]
    asked = {key_of(name.split("/")[0], row) for name, rows in held.items() for row in rows}
    abouts = {key_of("", row): row["about"] for rows in held.values() for row in rows}
    for vector in vectors():
        row, specification = case_of_vector(vector), vector["dialect"]
        if key_of(specification, row) not in asked:
            row["about"] = abouts.get(key_of("", row), row["about"])
            name = f"{specification}/examples.json"
            held.setdefault(name, []).append(row)
            sources[name] = specification, f"{title_of(specification)}: examples"
    return {name: file_of(rows, *sources[name]) for name, rows in held.items()}


def title_of(specification: str) -> str:
    return verger.DIALECTS[specification].title


def key_of(specification: str, row: Row) -> tuple[str, str, str]:
    """Return what two cases of one question share: host, name, comments do not matter."""
    text = FIELD.sub(lambda found: found[1].lower() + ":", row.get("robots", ""))
    text = COMMENT_LINE.sub("", text)
    file = json.dumps([text, row.get("robots_base64"), row.get("robots_parts")])
    _, _, rest = row["url"].partition("://")
    agent = row["agent"] if row["agent"].lower() in file.lower() else ""
    return specification, file + agent, rest.partition("/")[2]


def case_of(case: Row, specification: str) -> Row:
    """Return a case of a TOML file, seen from its own specification."""
    answers = dict.fromkeys(verger.DIALECTS, case["expect"]) | case.get("differs", {})
    own = answers.pop(specification)
    differs = {name: told for name, told in answers.items() if told != own}
    return row_of(
        id=case["id"],
        about=case["about"],
        section=case["section"],
        level=case["level"],
        strength=case.get("strength"),
        robots=case["robots"],
        agent=case["ask"]["token"],
        url=case["ask"]["url"],
        allowed=own.get("allowed"),
        line=own.get("line"),
        differs=differs,
    )


def vectors() -> Iterator[Row]:
    """Yield the vectors that ask about a URL in a dialect of verger."""
    for name in VECTORS:
        for line in (CONFORMANCE / "vectors" / f"{name}.jsonl").read_text("utf-8").splitlines():
            vector = json.loads(line)
            if vector.get("kind", "match") in ("match", "limit"):
                yield vector


def case_of_vector(vector: Row) -> Row:
    source = vector["source"]
    is_stated = vector.get("confidence") in STATED and "decision" not in source
    return row_of(
        id=f"examples/{vector['id']}",
        about=vector["note"] or "An example.",
        section=section_of(source, vector.get("kind") == "limit"),
        level="normative" if is_stated else "decision",
        strength=vector.get("strength"),
        robots=vector.get("robots"),
        robots_base64=vector.get("robots_b64"),
        robots_parts=vector.get("robots_parts"),
        agent=vector["agent"],
        url=vector["url"],
        allowed=vector["allowed"],
        line=line_of(vector),
    )


def line_of(vector: Row) -> int | None:
    """Return the line that decides: verger's, with which the reference agrees on every vector."""
    if "robots_b64" in vector:
        data = base64.b64decode(vector["robots_b64"])
    else:
        parts = vector.get("robots_parts") or [[vector["robots"], 1]]
        data = "".join(text * times for text, times in parts).encode()
    robots = verger.parse(data, dialect=vector["dialect"])
    return robots.decide(vector["url"], vector["agent"]).line


def section_of(source: str, is_limit: bool) -> str:
    """Return the section that a vector's source names."""
    _, found, section = source.partition("section ")
    if found:
        return section.split()[0].rstrip(";,")
    return "Limits" if is_limit else "Examples"


def row_of(**fields: Any) -> Row:
    """Return a row without the fields that say nothing."""
    return {name: value for name, value in fields.items() if value not in (None, {})}


def file_of(rows: list[Row], specification: str, source: str) -> bytes:
    held = {"format": 1, "specification": specification, "source": source, "cases": rows}
    return json.dumps(held, indent=1, ensure_ascii=False).encode() + b"\n"


# --- the archive --------------------------------------------------------------------------


def archive(files: dict[Path, bytes]) -> Path:
    """Pack the suite; the same cases give the same bytes."""
    named = {str(path.relative_to(SPECIFICATIONS)): data for path, data in files.items()}
    named["manifest.json"] = manifest(named)
    named["README.md"] = (CONFORMANCE / "SUITE.md").read_bytes()
    named["LICENSE"] = (ROOT / "LICENSE").read_bytes()
    named["suite.schema.json"] = (PACKAGE / "suite.schema.json").read_bytes()
    folder = f"verger-robots-suite-{VERSION}"
    path = ROOT / "build" / "suite" / f"{folder}.tar.gz"
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")
    unfinished.write_bytes(packed(folder, named))
    unfinished.replace(path)
    return path


def packed(folder: str, named: dict[str, bytes]) -> bytes:
    """Return a tar file whose bytes depend on names and contents alone."""
    held = io.BytesIO()
    with (
        gzip.GzipFile(filename="", mode="wb", fileobj=held, mtime=0) as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.USTAR_FORMAT) as tar,
    ):
        for name, data in sorted(named.items()):
            member = tarfile.TarInfo(f"{folder}/{name}")
            member.size, member.mode = len(data), 0o644
            tar.addfile(member, io.BytesIO(data))
    return held.getvalue()


def manifest(named: dict[str, bytes]) -> bytes:
    """Say what is in the archive: versions, counts and digests."""
    tables = {name: json.loads(data) for name, data in sorted(named.items())}
    specifications: dict[str, Row] = {}
    for name, table in tables.items():
        found = specifications.setdefault(
            table["specification"],
            {"title": title_of(table["specification"]), "normative": 0, "decision": 0, "files": {}},
        )
        levels = Counter(row["level"] for row in table["cases"])
        found["normative"] += levels["normative"]
        found["decision"] += levels["decision"]
        found["files"][name] = {
            "cases": len(table["cases"]),
            "sha256": hashlib.sha256(named[name]).hexdigest(),
        }
    held = {
        "suite": "verger-robots-suite",
        "version": VERSION,
        "format": 1,
        "cases": sum(len(table["cases"]) for table in tables.values()),
        "specifications": specifications,
    }
    return json.dumps(held, indent=1, ensure_ascii=False).encode() + b"\n"


if __name__ == "__main__":
    raise SystemExit(main())
