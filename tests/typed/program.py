"""What users write, for type checkers: they refuse the lines that end in `# wrong`, and no others.

Run by nobody: tests/test_typed_programs.py gives it to mypy and basedpyright.
"""

import urllib.robotparser
from collections.abc import Callable

import verger
from verger.analysis import block, compare
from verger.bulk.changes import diff_snapshots
from verger.bulk.filter import filter_urls
from verger.bulk.scan import scan
from verger.compat.robotparser import RobotFileParser
from verger.expectations import Suite
from verger.lint import Settings, lint

BODY = b"User-agent: *\nDisallow: /private\n"


def answers() -> None:
    """Files, clients and what was fetched by hand, in dialects."""
    robots = verger.parse(BODY, dialect="google")
    verger.parse(BODY, dialect=verger.BING)
    verger.parse(BODY, dialect=verger.DIALECTS["bing"])
    verger.parse(BODY, dialect="nope")  # wrong
    verger.load("robots.txt", dialect="yandex")
    verger.load("robots.txt", dialect="Google")  # wrong
    verger.fetch("https://example.com", user_agent="A/1", dialect="rfc")  # wrong
    reason: str = robots.decide("/", "A").reason
    if robots.decide("/", "A").reason == "MOST_SPECIFIC":  # wrong
        print(reason)
    with verger.Client("A/1 (+https://a.example)", dialect="rfc9309") as client:
        answer = client.decide("https://example.com/")
        facts: dict[str, object] = answer.as_dict()
        print(facts["allowed"], answer.allowed, answer.line)
    verger.Client("A/1", dialect="none")  # wrong
    verger.Client("A/1", bindings="operators")
    verger.Client("A/1", bindings="nobody")  # wrong
    verger.Client("A/1", overrides={"https://example.com": "allow", "https://a.example": b""})
    verger.Client("A/1", overrides={"https://example.com": "Allow"})  # wrong
    verger.AsyncClient("A/1", dialect="none")  # wrong
    site = verger.site_of(
        "https://example.com/robots.txt", user_agent="A/1", status=200, body=BODY, dialect="bing"
    )
    allowed: bool = site.allowed("https://example.com/private")
    print(allowed, site.access.effect)
    verger.site_of("https://example.com/robots.txt", dialect="bong", status=200)  # wrong


def analyses() -> None:
    """Comparisons, edits, checks of files, tests of files."""
    robots = verger.parse(BODY)
    compare(robots, ["google", verger.BING])
    compare(robots, ["goggle"])  # wrong
    block(robots, purposes=["training"])
    block(robots, purposes="trainning")  # wrong
    lint(BODY, settings=Settings(targets=("google",)))
    lint(BODY, settings=Settings(targets=("goggle",)))  # wrong
    Suite("shop.robots.toml", dialect="bing")
    Suite("shop.robots.toml", dialect="bong")  # wrong


def tables() -> None:
    """Many URLs, and many files."""
    filter_urls("urls.txt", tokens="A", user_agent="A/1", format="csv")
    filter_urls("urls.txt", tokens="A", format="xlsx")  # wrong
    filter_urls("urls.txt", tokens="A", dialect="nope")  # wrong
    filter_urls("urls.txt", tokens="A", bindings="all")  # wrong
    diff_snapshots("old", "new", "out.csv", format="jsonl")
    diff_snapshots("old", "new", "out.csv", format="text")  # wrong
    scan("june.warc.gz", "out.parquet", format="warc")
    scan("june.warc.gz", "out.parquet", format="zip")  # wrong


def old_parser(parser: urllib.robotparser.RobotFileParser) -> bool:
    """What takes the parser of the standard library takes the drop-in, and can tell them apart."""
    if isinstance(parser, RobotFileParser):
        print(parser.robots.sitemaps)
    return parser.can_fetch("A", "https://example.com/")


old_parser(RobotFileParser("https://example.com/robots.txt"))
made: Callable[[str], urllib.robotparser.RobotFileParser] = RobotFileParser
old_parser(made("https://example.com/robots.txt"))
