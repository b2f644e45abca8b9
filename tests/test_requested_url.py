"""The URL that an HTTP client requests: dot segments are gone before anything is sent."""

import pytest
from hypothesis import given, strategies as st

import verger

SITE = "https://example.com"


@pytest.mark.parametrize(
    ("path", "requested"),
    [
        # RFC 3986 section 5.4, as far as the results are paths
        ("/b/c/.", "/b/c/"),
        ("/b/c/./", "/b/c/"),
        ("/b/c/..", "/b/"),
        ("/b/c/../", "/b/"),
        ("/b/c/../g", "/b/g"),
        ("/b/c/../..", "/"),
        ("/b/c/../../g", "/g"),
        ("/b/c/../../../g", "/g"),
        ("/b/c/../../../../g", "/g"),
        ("/./g", "/g"),
        ("/../g", "/g"),
        ("/b/c/g.", "/b/c/g."),
        ("/b/c/.g", "/b/c/.g"),
        ("/b/c/g..", "/b/c/g.."),
        ("/b/c/..g", "/b/c/..g"),
        ("/b/c/g/./h", "/b/c/g/h"),
        ("/b/c/g/../h", "/b/c/h"),
        ("/b/c/g;x=1/./y", "/b/c/g;x=1/y"),
        ("/b/c/g;x=1/../y", "/b/c/y"),
        ("/b/c/g?y/./x", "/b/c/g?y/./x"),
        ("/b/c/g?y/../x", "/b/c/g?y/../x"),
        # escaped dots (URL Standard, section 4.4, double-dot URL path segment)
        ("/x/%2e%2e/basket", "/basket"),
        ("/x/%2E%2e/basket", "/basket"),
        ("/x/.%2e/basket", "/basket"),
        ("/x/%2E./basket", "/basket"),
        ("/x/%2e/basket", "/x/basket"),
        ("/x/%252e%252e/basket", "/x/%252e%252e/basket"),
        ("/x/...", "/x/..."),
        ("/x/%2e%2e%2e/y", "/x/%2e%2e%2e/y"),
        ("/x/..%2fy", "/x/..%2fy"),
        # empty segments are segments
        ("/a//../b", "/a/b"),
        ("//../b", "/b"),
        ("/a/b//..", "/a/b/"),
        # the rest of the text
        ("", "/"),
        ("?q", "/?q"),
        ("#f", "/"),
        ("/a#/../b", "/a"),
        ("/a?b#c", "/a?b"),
        ("/a\u00fc b%zz", "/a\u00fc b%zz"),
    ],
)
def test_path(path: str, requested: str) -> None:
    """Dot segments go, however their dots are written; nothing else of a path changes."""
    assert SITE + requested == verger.requested_url(SITE + path)


@pytest.mark.parametrize(
    ("url", "requested"),
    [
        ("HTTPS://user:secret@EXAMPLE.com:443/a", f"{SITE}/a"),
        ("https://example.com:8443/a/..", "https://example.com:8443/"),
        ("http://0x7f.1/x", "http://127.0.0.1/x"),
        ("/x/../basket#f", "/basket"),
        ("//x/../basket", "//basket"),
    ],
)
def test_url(url: str, requested: str) -> None:
    """The origin is the canonical one; a path stays a path."""
    assert requested == verger.requested_url(url)


@pytest.mark.parametrize("url", ["", "page", "mailto:a@b.example", "http://a\uff0fb/", "ws://a/"])
def test_not_requested(url: str) -> None:
    """What has no origin is requested by nobody."""
    with pytest.raises(verger.InvalidTarget):
        verger.requested_url(url)


SEGMENTS = st.sampled_from(["", ".", "..", "%2e", "%2E.", ".%2e", "a", "a.", "..a", "%", "%2"])


@given(st.lists(SEGMENTS, max_size=8), st.sampled_from(["", "?", "?/../", "#/..", "?a#b"]))
def test_fixed_point(segments: list[str], rest: str) -> None:
    """What is requested has no dot segment left, and is requested as it is."""
    requested = verger.requested_url(f"{SITE}/{'/'.join(segments)}{rest}")
    path = requested.removeprefix(SITE).partition("?")[0]

    assert requested == verger.requested_url(requested)
    assert not {".", ".."} & {
        segment.replace("%2e", ".").replace("%2E", ".") for segment in path.split("/")
    }


def test_many_segments() -> None:
    """A hundred thousand dot segments take time that grows with them, and no stack."""
    assert f"{SITE}/" == verger.requested_url(SITE + "/a" * 100_000 + "/.." * 100_000)
