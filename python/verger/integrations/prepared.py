"""What requests and its fork niquests share: requests that are prepared before they are sent.

In: a prepared request and its adapter. Out: the URL and the name as they are sent, how long it may
take, and the answer to it if it may not be sent.
"""

from collections.abc import Mapping
from io import BytesIO
from typing import Any
from urllib.parse import urlsplit

from verger.integrations.guard import Disallowed, answer_of, longest, requested


def url_sent(request: Any, adapter: Any, proxies: Any) -> str:
    """Return the URL as it is sent; older releases send `//a` as `/a`, but not to proxies.

    One that cannot be split is returned as it is: no site has it, as the guard will say.
    """
    url = str(request.url)
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return url
    return requested(parts.scheme, host, port, adapter.request_url(request, proxies))


SKIPPED = "@@@SKIP_HEADER@@@"
"""What urllib3 takes for the value of a header field that it is not to send."""


def name_sent(headers: Mapping[str, Any], own: str) -> Any:
    """Return the `User-Agent` that urllib3 sends: its own without one; None for none."""
    name = next((headers[key] for key in headers if key.lower() == "user-agent"), own)
    return None if name == SKIPPED else name


def seconds_of(timeout: Any) -> float | None:
    """Return the longest part of a time-out: a number, several, or a `Timeout` of urllib3."""
    parts = timeout if isinstance(timeout, tuple) else (timeout,)
    names = ("connect_timeout", "read_timeout")
    return longest(*(getattr(part, name, part) for part in parts for name in names))


def answered(made: Any, request: Any, refused: Disallowed) -> Any:
    """Return a new response as the answer to a request which was not sent."""
    made.status_code, made.request, made.url, made.raw = 403, request, str(request.url), BytesIO()
    made._content = b""  # as after it was read, which niquests would await
    made.reason, fields = answer_of(refused)
    made.headers.update(fields)
    return made
