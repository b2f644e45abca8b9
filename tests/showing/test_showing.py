"""What a notebook shows, and `explain`: the picture of `verger check`, escaped, without scripts."""

from html.parser import HTMLParser

import pytest

import verger
from verger.cli.app import main
from verger.testing import MemoryTransport

BODY = (
    b"User-agent: *\nDisallow: /private\nAllow: /private/press\nDisallow: /*?sort=\n"
    b"Dissallow: /drafts\n"
)
HOSTILE = (
    b"User-agent: *\nDisallow: /<script>alert(1)</script>\x1b[31m\xe2\x80\xae&amp;\xff\n"
    b"Dissallow: /\"'><img src=x>\n"
)
URL = "https://example.com/<script>alert(1)</script>\x1b[31m\u202e&amp;\udcff/a"


class Tags(HTMLParser):
    """The tags and attributes of HTML, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


def shown(value: object) -> Tags:
    html: str = value._repr_html_()  # type: ignore[attr-defined]
    assert html.count("<span") == html.count("</span>")
    return Tags(html)


@pytest.mark.parametrize("verbose", [False, True])
@pytest.mark.parametrize("path", ["/private/a", "/private/press", "/open", "/robots.txt"])
def test_explanation_is_what_check_prints(
    path: str, verbose: bool, tmp_path: object, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a decision, and of the answer of a client, which also says where the file came from."""
    body = b"User-agent: *\nDisallow: /private\nAllow: /private/press$\nDissallow: /x\n"
    file = f"{tmp_path}/robots.txt"
    with open(file, "wb") as out:  # noqa: PTH123 (a plain file)
        out.write(body)
    options = ["--verbose"] if verbose else []
    main(["check", "--robots", file, "--agent", "ExampleBot", *options, path])
    decision = verger.parse(body).decide(path, "ExampleBot")
    client = verger.Client("ExampleBot/1.0", transport=MemoryTransport({"https://e.example": body}))
    answer = client.decide(f"https://e.example{path}")
    printed = capsys.readouterr().out.rstrip("\n")

    assert printed == decision.explain(verbose=verbose)
    assert answer.explain().startswith(decision.explain().partition("\n")[0])
    assert "https://e.example/robots.txt" in answer.explain()


def test_pictures_have_no_markup_of_files_and_urls() -> None:
    """Only `pre` and `span` with `style`; every byte of the file is text, and visible."""
    robots = verger.parse(HOSTILE)
    client = verger.Client(
        "ExampleBot/1.0", transport=MemoryTransport({"https://example.com": HOSTILE})
    )
    decision = robots.decide(URL, "ExampleBot")
    for value in (
        *(robots, decision, robots.findings, robots.findings[0], robots.lines),
        *(client.decide(URL), client.decide("https://down.example/")),
        verger.Finding(1, "<b>", "<script>\x1b[0m"),
    ):
        picture = shown(value)

        assert picture.tags <= {"pre", "span"}
        assert picture.attributes <= {"style"}
        assert picture.text.replace("\n", "").isprintable()
        assert "\x1b" not in picture.text
    assert r"/<script>alert(1)</script>\x1b[31m\u202e&amp;\xff" in shown(robots).text
    assert "disallowed by line 2" in shown(decision).text


def test_picture_of_an_answer_without_rules() -> None:
    """It says what the fetch means, or why there is no answer."""
    sites = MemoryTransport({"https://down.example": 503})
    client = verger.Client("ExampleBot/1.0", transport=sites)
    down = client.decide("https://down.example/a")

    assert "answered 503 (RFC 9309 section 2.3.1.4)" in down.explain()
    assert down.explain() in shown(down).text
    assert shown(down).text.startswith("https://down.example/a for ExampleBot\n")


def test_picture_of_a_large_file_is_small() -> None:
    """The first lines and findings, and the number of the others."""
    robots = verger.parse(b"User-agent: *\n" + b"Dissallow: /" + b"a" * 5_000 + b"\n" * 90_000)
    many = verger.parse(b"Dissallow: /a\n" * 50_000)

    assert len(robots._repr_html_()) < 40_000
    assert len(robots.lines._repr_html_()) < 40_000
    assert "and 89,901 more lines" in shown(robots).text
    assert len(many._repr_html_()) < 60_000
    assert "more" in shown(many.findings).text
    assert len(many.findings._repr_html_()) < 40_000


def test_picture_of_long_texts_is_small() -> None:
    """A line, a URL and a pattern are cut, wherever they stand."""
    body = b"User-agent: *\nDisallow: /" + b"a" * 16_000 + b"\n"
    robots = verger.parse(body)
    decision = robots.decide("/" + "a" * 100_000, "ExampleBot")
    answers = [
        verger.site_of(
            "https://example.com/",
            user_agent="ExampleBot/1.0",
            status=status,
            headers={"Content-Type": "text/" + "h" * 9_000},
            body=body,
            redirects=["https://example.com/" + "r" * 9_000],
        ).decide("https://example.com/a")
        for status in (200, 503)
    ]

    for value in (robots, robots.lines, robots.findings, decision, *answers):
        assert max(map(len, shown(value).text.splitlines())) < 300
