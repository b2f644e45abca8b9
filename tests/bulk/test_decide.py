"""Every row of `decide_table` says what the API for one question says."""

import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

import verger
from bulk.conftest import FILE, SITE, TOKEN, URLS, Row, answer, column, rows_of
from property_settings import examples
from strategies import NAMED, Pair, Question, asked_files, encoded, pairs
from support import NAMES
from verger.bulk import decide_table

dialects = st.one_of(st.sampled_from(NAMED), pairs())
file_urls = st.sampled_from(
    [None, "http://e.com/robots.txt", "https://e.com:8080/robots.txt", "http://e.com/d/robots.txt"]
)
odd_urls = st.lists(
    st.one_of(st.text(max_size=12), st.text(max_size=8).map("http://e.com/".__add__)), max_size=4
)


def answers(robots: verger.RobotsTxt, token: str | tuple[str, ...], urls: list[str]) -> list[Row]:
    return [answer(robots, token, url) for url in urls]


@pytest.mark.parametrize("file_url", [None, f"{SITE}/robots.txt", f"{SITE}/folder/robots.txt"])
@pytest.mark.parametrize("dialect", NAMES)
def test_named_dialects(dialect: str, file_url: str | None) -> None:
    """In all eight dialects a row is the answer of the same file about the same URL."""
    robots = verger.parse(FILE, dialect=dialect, url=file_url)

    assert answers(robots, TOKEN, list(URLS)) == rows_of(decide_table(column(URLS), robots, TOKEN))


@pytest.mark.slow
@examples(150)
@given(asked_files(), dialects, file_urls, odd_urls)
def test_any_text(
    asked: tuple[bytes, list[Question]], pair: Pair, file_url: str | None, odd: list[str]
) -> None:
    """Whatever the file, the dialect and the text of the URLs: rows are single answers."""
    file, questions = asked
    robots = verger.parse(file, dialect=pair.dialect, url=file_url)
    urls = [url for url in [*(q.url for q in questions), *odd] if is_text(url)]
    token = questions[0].tokens
    try:
        expected = answers(robots, token, urls)
        robots.agent(token)
    except verger.InvalidProductToken:
        with pytest.raises(verger.InvalidProductToken):
            decide_table(column(urls), robots, token)
        return

    assert expected == rows_of(decide_table(column(urls), robots, token))


@pytest.mark.slow
@examples(150)
@given(asked_files(), dialects, file_urls, st.lists(st.binary(max_size=12), max_size=4))
def test_any_bytes(
    asked: tuple[bytes, list[Question]], pair: Pair, file_url: str | None, odd: list[bytes]
) -> None:
    """A binary column may hold any bytes: those that `str` shows as surrogates as well."""
    file, questions = asked
    robots = verger.parse(file, dialect=pair.dialect, url=file_url)
    urls = [*(encoded(question.url) for question in questions), *odd]
    texts = [url.decode("utf-8", "surrogateescape") for url in urls]

    found = rows_of(decide_table(column(urls, pa.binary()), robots, "a"))

    assert answers(robots, "a", texts) == found


def is_text(url: str) -> bool:
    """Whether Arrow can hold it as text."""
    return not any("\ud800" <= char <= "\udfff" for char in url)


@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary(), pa.binary_view()], ids=str)
def test_binary_columns(kind: pa.DataType) -> None:
    """The same bytes give the same answers, whether their column is called text or not."""
    robots = verger.parse(FILE, url=f"{SITE}/robots.txt")
    as_bytes = column([url.encode() for url in URLS], kind)

    assert rows_of(decide_table(column(URLS), robots, TOKEN)) == rows_of(
        decide_table(as_bytes, robots, TOKEN)
    )


BROKEN = (b"https://example.com/\xff", b"\xc3", b"/a\xed\xa0\x80", b"https://example.com/ok")


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()], ids=str)
def test_text_that_is_no_utf8(kind: pa.DataType) -> None:
    """Text that is not UTF-8 has no answer, and its neighbours are not harmed."""
    binary = pa.array(BROKEN, pa.large_binary() if kind == pa.large_string() else pa.binary())
    _, offsets, data = binary.buffers()
    broken = pa.Array.from_buffers(kind, len(BROKEN), [None, offsets, data])
    robots = verger.parse(b"User-agent: *\nAllow: /\n")

    assert [(None, "INVALID_UTF8", None)] * 3 + [(True, "MOST_SPECIFIC_RULE", 2)] == rows_of(
        decide_table(broken, robots, TOKEN)
    )


def test_broken_text_of_one_origin() -> None:
    """A row that is not UTF-8 stays unanswered also where a snapshot knows its origin."""
    binary = pa.array(BROKEN, pa.binary())
    broken = pa.Array.from_buffers(pa.string(), len(BROKEN), binary.buffers())
    snapshot = verger.bulk.Snapshot({SITE: b"User-agent: *\nAllow: /\n"})

    assert [None, None, None, True] == [
        allowed for allowed, _, _ in rows_of(decide_table(broken, snapshot, TOKEN))
    ]


def test_tokens_in_order_of_preference() -> None:
    """Several tokens ask as `RobotsTxt.decide` lets them ask."""
    robots = verger.parse(b"User-agent: b\nDisallow: /b\n\nUser-agent: a\nDisallow: /a\n")
    urls = ["/a", "/b"]
    for token in ("a", "b", "c", ("a", "b"), ("b", "a"), ("c", "a")):
        found = rows_of(decide_table(column(urls), robots, token))

        assert answers(robots, token, urls) == found


def test_the_later_rows_of_a_file() -> None:
    """The first question walks the rules and the later ones are compiled: both say the same."""
    rules = "".join(f"Disallow: /a{n}\nAllow: /a{n}/b*c\n" for n in range(100))
    robots = verger.parse(f"User-agent: *\n{rules}")
    urls = [f"/a{n}{end}" for n in range(0, 110, 7) for end in ("", "/b", "/bc", "x")]

    assert answers(robots, TOKEN, urls) == rows_of(decide_table(column(urls), robots, TOKEN))
