"""Use in tables: every kernel answers as `verger.crawlers.may_use` does, row by row."""

from itertools import product
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

import verger
from verger.bulk import Snapshot, decide_table
from verger.bulk.filter import filter_urls
from verger.crawlers import USES, may_use
from verger.crawlers.uses import asked_use

FILES = {
    "https://a.example": b"User-agent: *\nDisallow: /no\nContent-Signal: search=yes, ai-train=no\n"
    b"User-agent: Google-Extended\nAllow: /press\nDisallow: /\n",
    "https://b.example": b"User-agent: *\nDisallow: /no\n",
    "https://c.example": b"Content-Signal: ai-input=no\nUser-agent: *\nDisallow: /\n"
    b"User-agent: Googlebot\nAllow: /\n",
    "https://d.example": b"",
}
PATHS = ("/", "/no", "/press/a", "/robots.txt", "/x/../no")
CRAWLERS = ("GPTBot", "Googlebot", "Google-Extended", "Applebot", "NobodyKnowsThisBot")
URLS = [f"{origin}{path}" for origin, path in product(FILES, PATHS)]


def expected(token: str, use: str) -> list[bool | None]:
    found = []
    for origin, path in product(FILES, PATHS):
        robots = verger.parse(FILES[origin], url=f"{origin}/robots.txt")
        found.append(may_use(robots, f"{origin}{path}", token, use).allowed)  # type: ignore[arg-type]
    return found


def folder_of(folder: Path) -> Path:
    sites = folder / "sites"
    sites.mkdir(exist_ok=True)
    for origin, body in FILES.items():
        (sites / f"{origin.partition('://')[2]}.txt").write_bytes(body)
    return sites


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("token", CRAWLERS)
def test_tables_answer_as_files_do(token: str, use: str, tmp_path: Path) -> None:
    """A snapshot, a file and a filter give the same answers, and null is null in each."""
    name = f"use_{use.replace('-', '_')}"
    sites = folder_of(tmp_path)
    answers = expected(token, use)
    table = decide_table(URLS, Snapshot.from_path(sites), token, use=use)  # type: ignore[arg-type]
    by_file: list[bool | None] = []
    for origin, body in FILES.items():
        robots = verger.parse(body, url=f"{origin}/robots.txt")
        urls = [f"{origin}{path}" for path in PATHS]
        found = pa.table(decide_table(urls, robots, token, use=use))  # type: ignore[arg-type]
        by_file += found[name].to_pylist()
    (tmp_path / "urls.txt").write_text("\n".join(URLS))
    output = tmp_path / "out.parquet"
    filter_urls(
        tmp_path / "urls.txt",
        tokens=token,
        snapshot=sites,
        output=output,
        use=use,  # type: ignore[arg-type]
    )

    assert answers == pa.table(table)[name].to_pylist()
    assert answers == by_file
    assert answers == pa.parquet.read_table(output)[name].to_pylist()


def test_without_a_use_there_is_no_column() -> None:
    """Who does not ask gets the columns that always were there."""
    robots = verger.parse(FILES["https://a.example"])

    assert ["allowed", "reason", "line"] == pa.table(decide_table(["/"], robots, "a")).schema.names


def test_next_question_about_a_snapshot(tmp_path: Path) -> None:
    """A snapshot that was asked about one use answers about another, and about none."""
    snapshot = Snapshot.from_path(folder_of(tmp_path))
    for use in ("search", "ai-train", None, "search"):
        table = pa.table(decide_table(URLS, snapshot, "GPTBot", use=use))
        names = table.schema.names[3:]

        assert ([] if use is None else [f"use_{use.replace('-', '_')}"]) == names
        for name in names:
            assert expected("GPTBot", str(use)) == table[name].to_pylist()


@pytest.mark.parametrize(("silent", "count"), [("allow", 12), ("disallow", 3)])
def test_silence_of_a_list(silent: str, count: int, tmp_path: Path) -> None:
    """A list holds what may be fetched and used, and silence is what the caller says it is."""
    (tmp_path / "urls.txt").write_text("\n".join(URLS))
    output = tmp_path / "out.txt"
    filter_urls(
        tmp_path / "urls.txt",
        tokens="GPTBot",
        snapshot=folder_of(tmp_path),
        output=output,
        use="search",
        silent=silent,  # type: ignore[arg-type]
    )
    used = zip(URLS, expected("GPTBot", "search"), strict=True)
    wanted = [url for url, allowed in used if (silent == "allow" if allowed is None else allowed)]

    may_be_fetched = [url for url in wanted if not _is_closed(url)]
    assert may_be_fetched == output.read_text().split()
    assert len(may_be_fetched) == count


def _is_closed(url: str) -> bool:
    origin = verger.origin(url)
    return not verger.parse(FILES[origin]).allowed(url, "GPTBot")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"use": "search"}, "nobody may have said anything about search"),
        ({"use": "search", "silent": "maybe"}, "nobody may have said anything about search"),
        ({"silent": "allow"}, "no use is asked about"),
        ({"use": "search", "silent": "allow", "format": "csv"}, "tables have null"),
        ({"use": "training", "format": "csv"}, "unknown use `training`"),
    ],
)
def test_wrong_options(options: dict[str, str], message: str, tmp_path: Path) -> None:
    """Nothing is written where the question is wrong."""
    (tmp_path / "urls.txt").write_text("\n".join(URLS))
    output = tmp_path / "out"

    with pytest.raises(verger.RobotsError, match=message):
        filter_urls(
            tmp_path / "urls.txt",
            tokens="GPTBot",
            snapshot=folder_of(tmp_path),
            output=output,
            **options,  # type: ignore[arg-type]
        )
    assert {"urls.txt", "sites"} == {path.name for path in tmp_path.iterdir()}


def test_column_of_that_name(tmp_path: Path) -> None:
    """A column of the input that is named as one of ours gets another name."""
    (tmp_path / "urls.csv").write_text("url,use_search\nhttps://a.example/,old\n")
    filter_urls(
        tmp_path / "urls.csv",
        tokens="GPTBot",
        snapshot=folder_of(tmp_path),
        output=tmp_path / "out.csv",
        use="search",
    )
    header, row = (tmp_path / "out.csv").read_text().splitlines()

    assert header.endswith(",use_search,input_use_search")
    assert row.endswith(",true,old")


def test_kernels_are_told_what_speaks() -> None:
    """The groups of `*` do not speak for a policy token."""
    assert asked_use("GPTBot", None) is None
    assert asked_use("GPTBot", "search") == ("search", (), True)
    assert asked_use(["Google-Extended"], "ai-input") == ("ai-input", ("Google-Extended",), False)
