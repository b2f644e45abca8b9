"""Problems: why a request has no answer, as problem documents (RFC 9457).

In: a status, and what is wrong with which part of the request. Out: a response.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus

from aiohttp import web

from verger.access.answer import Unanswered
from verger.errors import CacheError, MissingExtra, RobotsError
from verger.files.json_text import json_text
from verger.untrusted_text import printable

SOON = 1
"""Seconds after which a request that found no room may come again."""


class Problem(Exception):
    """A request that has no answer.

    status:   the status of the response.
    detail:   what is wrong, in words.
    field:    the parameter, member or header field that is wrong.
    hint:     what to do.
    headers:  further header fields of the response.
    """

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        field: str | None = None,
        hint: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status, self.headers = status, dict(headers or {})
        self.field = field and printable(field)
        self.detail, self.hint = printable(detail), hint and printable(hint)

    def response(self, request_id: str) -> web.Response:
        """Return the problem as a response."""
        told = {
            "type": "about:blank",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
            "field": self.field,
            "hint": self.hint,
            "request_id": request_id,
        }
        return web.Response(
            status=self.status,
            body=json_text(
                {name: value for name, value in told.items() if value is not None}
            ).encode(),
            content_type="application/problem+json",
            headers={"Cache-Control": "no-store", **self.headers},
        )


def expect(
    is_right: object, status: int, detail: str, field: str | None = None, hint: str | None = None
) -> None:
    """Raise `Problem` unless something is right."""
    if not is_right:
        raise Problem(status, detail, field=field, hint=hint)


def busy(status: int, detail: str, after: float = SOON) -> Problem:
    """Return the problem of a request that may come again after some seconds."""
    return Problem(status, detail, headers={"Retry-After": str(max(SOON, round(after)))})


@contextmanager
def about(field: str) -> Iterator[None]:
    """Turn an error that a value of a field causes into a problem that names the field: 404 for a
    site that a snapshot does not have, else 422."""
    try:
        yield
    except Unanswered as error:
        status = 404 if error.kind in ("no-file", "unreadable-file") else 422
        raise Problem(status, error.message, field=field, hint=error.hint) from None
    except (CacheError, MissingExtra):
        raise
    except RobotsError as error:
        raise Problem(422, error.message, field=field, hint=error.hint) from None
