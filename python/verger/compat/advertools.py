"""`robotstxt_to_df` and `robotstxt_test`: the drop-ins for those of advertools 0.18.

    from verger.compat import advertools as adv    # was: import advertools as adv

In: URLs of robots.txt files. Out: pandas frames with the columns of advertools. They need
`pip install 'verger[advertools]'`. Every other name is that of advertools itself, which has to be
installed for it: `adv.crawl`. Differences are listed in `docs/compat/advertools.md`.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from email.message import Message
from importlib import import_module
from itertools import product
from pathlib import Path
from time import time
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import url2pathname

import verger
from verger._core import __version__
from verger.access.result import AccessResult
from verger.compat.asking import client_or_own
from verger.compat.protego import Protego
from verger.errors import InvalidTarget, MissingExtra

__all__ = ["headers", "robotstxt_test", "robotstxt_to_df"]

headers = {"User-Agent": f"verger/{__version__}"}
"""The identification string that servers see."""

DIALECT = Protego.dialect


def robotstxt_to_df(
    robotstxt_url: str | Iterable[str],
    output_file: str | None = None,
    *,
    client: "verger.Client | None" = None,
) -> Any:
    """Fetch robots.txt files into a frame with a row for each line that is not blank.

    robotstxt_url:  the URL of a file, or several; a `file:` URL is read.
    output_file:    the path of a `.jl` file to which rows are appended; then None is returned.
    client:         the client that fetches; None for a temporary one.

    Columns: `directive`, `content`, `etag` and `robotstxt_last_modified` if the server sent them,
    `robotstxt_url`, `download_date`; `errors` instead of the first two for a file that could not be
    fetched.
    """
    pandas = _pandas()
    if output_file is not None and not output_file.endswith(".jl"):
        raise ValueError("Please specify a file with a `.jl` extension.")
    urls = [robotstxt_url] if isinstance(robotstxt_url, str) else list(robotstxt_url)
    frames = (_frame(url, outcome) for url, outcome in _fetch_all(urls, client))
    if output_file is None:
        listed = list(frames)
        return pandas.concat(listed, ignore_index=True) if listed else pandas.DataFrame()
    with Path(output_file).open("a", encoding="utf-8") as file:
        for frame in frames:
            file.write(frame.to_json(orient="records", lines=True, date_format="iso").rstrip("\n"))
            file.write("\n")
    return None


def robotstxt_test(
    robotstxt_url: str,
    user_agents: str | Iterable[str],
    urls: str | Iterable[str],
    *,
    client: "verger.Client | None" = None,
) -> Any:
    """Ask one file about every pair of user agent and URL; return a frame.

    Columns: `robotstxt_url`, `user_agent`, `url_path`, `can_fetch`.
    Raises: ValueError for a URL that is not that of a robots.txt file; HTTPError, URLError if the
    file cannot be fetched.
    """
    pandas = _pandas()
    if not robotstxt_url.endswith("/robots.txt"):
        raise ValueError("Please make sure you enter a valid robots.txt URL")
    agents = [user_agents] if isinstance(user_agents, str) else list(user_agents)
    paths = [urls] if isinstance(urls, str) else list(urls)
    [(_, outcome)] = _fetch_all([robotstxt_url], client)
    if isinstance(outcome, Exception):
        raise outcome
    rules = Protego.parse(outcome.body.decode("utf-8-sig", "surrogateescape"))
    rows = [(robotstxt_url, agent, path) for path, agent in product(paths, agents)]
    frame = pandas.DataFrame(rows, columns=["robotstxt_url", "user_agent", "url_path"])
    frame["can_fetch"] = [rules.can_fetch(path, agent) for _, agent, path in rows]
    return frame.sort_values(["user_agent", "url_path"]).reset_index(drop=True)


def _fetch_all(
    urls: list[str], client: "verger.Client | None"
) -> Iterator[tuple[str, AccessResult | Exception]]:
    """Yield the file for each URL, or the error; all are fetched concurrently."""
    with client_or_own(client, headers["User-Agent"], dialect=DIALECT) as own:
        own.prefetch(url for url in urls if urlsplit(url).scheme in ("http", "https", "ftp"))
        for url in urls:
            yield url, _outcome(url, own)


def _outcome(url: str, client: "verger.Client") -> AccessResult | Exception:
    parts = urlsplit(url)
    try:
        if parts.scheme == "file":
            body = Path(url2pathname(parts.path)).read_bytes()
            return AccessResult(url, fetched_at=time(), status=200, body=body)
        site = client.site(url)
    except InvalidTarget as error:
        return error
    except OSError as error:
        return URLError(error)
    if (result := site.result) is None:
        return URLError(site.access.reason)
    if result.access == "successful":
        return result
    return _failure(result, f"{site.access.reason} ({site.access.section})")


def _failure(result: AccessResult, said: str) -> Exception:
    if result.status is None:
        return URLError(result.detail or said)
    sent = Message()
    for name, value in result.headers.items():
        sent[name] = value
    return HTTPError(result.final_url, result.status, said, sent, None)


def _frame(url: str, outcome: AccessResult | Exception) -> Any:
    pandas = _pandas()
    if isinstance(outcome, Exception):
        frame = pandas.DataFrame({"errors": [str(outcome)]})
    else:
        url, said = outcome.final_url, outcome.headers
        # Frames hold no lone surrogates: pandas keeps text as UTF-8.
        lines: list[Any] = list(_lines(outcome.body.decode("utf-8-sig", "replace")))
        frame = pandas.DataFrame(lines or [(None, None)], columns=["directive", "content"])
        if "etag" in said:
            # as urllib decodes it
            frame["etag"] = said["etag"].encode("utf-8", "surrogateescape").decode("latin-1")
        if "last-modified" in said:
            date = pandas.to_datetime(said["last-modified"], errors="coerce")
            frame["robotstxt_last_modified"] = date
    return frame.assign(robotstxt_url=url, download_date=pandas.Timestamp(datetime.now(UTC)))


def _lines(text: str) -> Iterator[tuple[str, str]]:
    for line in map(str.strip, text.splitlines()):
        if line.startswith("#"):
            yield "comment", line.replace("#", "").strip()
        elif line:
            key, _, value = line.partition(":")
            yield key.strip(), value.strip()


def _pandas() -> Any:
    with MissingExtra.unless_installed("advertools", "`verger.compat.advertools`"):
        import pandas
    return pandas


def __getattr__(name: str) -> Any:
    """Return what advertools has by a name, such as `crawl` or `sitemap_to_df`."""
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module("advertools"), name)
    except ImportError as error:
        said = f"`{name}` is a name of advertools, which cannot be imported: {error}"
        raise AttributeError(f"{said}\nhint: pip install advertools") from error


def __dir__() -> list[str]:
    """List the names of advertools too, where it is installed."""
    names = set(globals())
    with suppress(ImportError):
        names.update(dir(import_module("advertools")))
    return sorted(names)
