"""The service: routes behind one gate, from a socket, until it is told to end.

In: settings, and what answers. Out: a process, or several, that serve until SIGTERM; what was
accepted until then is answered, and what comes later gets 503 with `Retry-After`.
"""

import asyncio
import hmac
import json
import logging
import os
import random
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache, partial
from hashlib import sha256
from ipaddress import ip_address
from multiprocessing import get_context
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from time import monotonic, sleep, time
from typing import Any

from aiohttp import web
from aiohttp.http_exceptions import LineTooLong

from verger.access.times import timestamp
from verger.client import Event
from verger.errors import CacheError, InvalidOption
from verger.fetching.address_guard import literal_address
from verger.serve.asking import ARROW, LINES
from verger.serve.limits import Gate, Limits
from verger.serve.many import Many
from verger.serve.metrics import Metrics, Shares
from verger.serve.openapi import document, page
from verger.serve.page import tester
from verger.serve.problems import Problem, busy, expect
from verger.serve.routes import ROUTES, Handler, Routes
from verger.serve.sites import NewClient, Sites
from verger.serve.slots import Slots
from verger.snapshots.stored import Stored

OPEN = frozenset(("/", "/livez", "/readyz", "/openapi.json", "/openapi.html"))
"""Routes that need no token: they tell nothing about sites."""

READ_AHEAD = 1 << 20
"""Bytes of a stream of questions that are read before they are decided."""

LONGEST_LINE = 1 << 16
"""Bytes of a request line: URLs are in it."""

BACKLOG = 1_024
"""Connections that wait to be accepted."""

OF_A_CONNECTION: dict[str, Any] = {
    "access_log": None,
    "keepalive_timeout": 75.0,
    "read_bufsize": READ_AHEAD,
    "max_line_size": LONGEST_LINE,
}

LEFT_ALONE = 30.0
"""Seconds for which a store that failed is not used, see `verger.client`."""

ENDS = (signal.SIGTERM, signal.SIGINT)
"""What tells a service to end."""

PAUSE = 0.5
"""Seconds after which a worker that died is started again."""

GRACE = 1.0
"""Seconds for which requests after SIGTERM are still refused, and not cut off; and for which the
rest of a packed body is read."""

UNREAD = 16 << 20
"""The most bytes of such a rest."""


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """How a service is reached, and by whom.

    host, port:    where it listens.
    tokens:        what callers must send, one of them; empty for no credentials.
    behind_proxy:  whether a proxy in front says who calls, in `X-Forwarded-For`, and lets in only
                   who may.
    workers:       how many processes answer.
    quiet:         whether only problems of the service itself are logged.
    """

    host: str
    port: int
    tokens: tuple[str, ...] = ()
    behind_proxy: bool = False
    workers: int = 1
    quiet: bool = False
    limits: Limits = field(default_factory=Limits)

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can connect."""
        literal = literal_address(self.host)
        return self.host == "localhost" or (literal is not None and ip_address(literal).is_loopback)

    def expect_safe(self) -> None:
        """Refuse to answer everybody. Raises InvalidOption."""
        if not (self.is_loopback or self.tokens or self.behind_proxy):
            raise InvalidOption(
                f"`{self.host}` can be reached from other machines, and nobody is kept out",
                "pass `--token-file FILE`, or `--behind-proxy` if a proxy in front keeps others "
                "out; or listen on 127.0.0.1",
            )


class Service:
    """One worker.

    new_client:  makes the clients that fetch; it gets the function to call with events.
    snapshot:    what answers without a network.
    slots:       makes what leases turns.
    """

    def __init__(
        self,
        settings: ServerSettings,
        new_client: Callable[[Callable[[Event], None]], NewClient],
        *,
        snapshot: Stored | None = None,
        slots: Callable[[Sites], Slots],
        shares: Shares | None = None,
        worker: int = 0,
    ) -> None:
        self.settings = settings
        self.gate = Gate(settings.limits)
        self.metrics = Metrics(shares or Shares(1), worker)
        self.sites = Sites(new_client(self._note), snapshot)
        self.routes = Routes(self.sites, self.gate)
        self.many = Many(self.sites, self.gate)
        self.slots = slots(self.sites)
        self.is_draining = False
        self._failed_at = float("-inf")
        self._digests = [sha256(token.encode()).digest() for token in settings.tokens]

    def application(self) -> web.Application:
        """Return the service as an application of aiohttp."""
        made = web.Application(
            middlewares=[self._answer], client_max_size=self.settings.limits.body_bytes
        )
        for name, route in ROUTES.items():
            handler = self.routes.handler(name)
            made.router.add_get(f"/v1/{name}", handler)
            if route.file:
                posted = partial(self._posted, handler) if name == "check" else handler
                made.router.add_post(f"/v1/{name}", posted)
        made.router.add_post("/v1/slots", self.slots.lease)
        for path, said in (
            ("/livez", self._live),
            ("/readyz", self._ready),
            ("/metrics", self._metrics),
            ("/openapi.json", self._openapi),
            ("/openapi.html", self._openapi_page),
            ("/", partial(tester, may_ask=not self._digests)),
        ):
            made.router.add_get(path, said)
        made.on_response_prepare.append(self._head)
        return made

    async def serve(self, at: socket.socket) -> None:
        """Serve until SIGTERM or SIGINT, then answer what was accepted."""
        ending = asyncio.Event()
        for number in ENDS:
            asyncio.get_running_loop().add_signal_handler(number, ending.set)
        # all that handlers raise is logged here: aiohttp's own log tells of broken HTTP alone
        logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)
        runner = web.AppRunner(self.application(), shutdown_timeout=GRACE)
        await runner.setup()
        assert runner.server is not None, "it is set up"
        loop = asyncio.get_running_loop()
        connection = partial(HttpConnection, runner.server, loop=loop, **OF_A_CONNECTION)
        listener = await loop.create_server(connection, sock=at, backlog=BACKLOG)
        sharing = asyncio.create_task(self._share(ending))
        try:
            await ending.wait()
            await self._drain()
        finally:
            sharing.cancel()
            listener.close()
            await runner.cleanup()
            await self.sites.close()

    async def _drain(self) -> None:
        self.is_draining = True
        began = monotonic()
        log("draining", active=self.gate.active)
        while (spent := monotonic() - began) < self.settings.limits.drain_seconds:
            if not self.gate.active and spent >= GRACE:
                return
            await asyncio.sleep(0.05)
        log("cut-off", active=self.gate.active)

    async def _share(self, ending: asyncio.Event) -> None:
        """Share the metrics, and end when the process that started the workers is gone."""
        parent = os.getppid()
        while self.settings.workers == 1 or os.getppid() == parent:
            self.metrics.share()
            await asyncio.sleep(1.0)
        ending.set()

    # every request

    @web.middleware
    async def _answer(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Answer a request, or say why not; count it and log it."""
        began = monotonic()
        request["id"] = name = _id_of(request)
        route = getattr(request.match_info.route.resource, "canonical", "")
        try:
            request["caller"] = caller = self._caller(request, route)
            request["fetches"] = self.gate.fetches_of(caller)
            with self.gate.admitted(caller):
                _expect_no_coding(request)
                is_stream = route == "/v1/check" and _is_stream(request)
                async with asyncio.timeout(None if is_stream else self.settings.limits.seconds):
                    response = await handler(request)
        except Problem as problem:
            response = problem.response(name)
        except web.RequestPayloadError as error:
            response = Problem(400, f"the body cannot be read: {error}", field="body").response(
                name
            )
        except web.HTTPException as error:
            response = _problem_of(error).response(name)
        except TimeoutError:
            within = f"within {self.settings.limits.seconds:g} seconds"
            late = 504, f"there was no answer {within}"
            if request.can_read_body and not request.content.is_eof():
                late = 408, f"the body did not come {within}"
            response = Problem(*late).response(name)
        except ConnectionError:
            response = Problem(400, "the caller has gone").response(name)
        except CacheError as error:
            response = busy(503, error.message, LEFT_ALONE).response(name)
        except Exception as error:
            log("error", request_id=name, error=repr(error), trace=traceback.format_exc())
            response = Problem(500, "the service failed; its log says how").response(name)
        if self.is_draining:
            response.force_close()
        seconds = monotonic() - began
        self.metrics.ended(request.method, route, response.status, seconds)
        if not self.settings.quiet:
            told = {"method": request.method, "route": route, "status": response.status}
            log("request", request_id=name, **told, seconds=round(seconds, 6))
        return response

    async def _head(self, request: web.Request, response: web.StreamResponse) -> None:
        """Name the request, and say what fails, in the head of each response, a stream's too."""
        response.headers["X-Request-Id"] = request.get("id") or _id_of(request)
        status = response.headers.get("Cache-Status")
        if status and (bad := self._degraded()):
            response.headers["Cache-Status"] = f'{status}; detail="{bad}"'

    def _caller(self, request: web.Request, route: str) -> str:
        """Return who calls; refuse those without a token, and web pages that use this machine.

        Raises `Problem`.
        """
        if self.is_draining and route != "/livez":
            raise busy(503, "this service is ending")
        remote = request.remote or ""
        if self.settings.behind_proxy:
            said = request.headers.getall("X-Forwarded-For", [remote])[-1]
            remote = said.rpartition(",")[2].strip()
        if self._digests and route not in OPEN:
            scheme, _, sent = request.headers.get("Authorization", "").partition(" ")
            digest = sha256(sent.strip().encode("utf-8", "surrogateescape")).digest()
            known = [hmac.compare_digest(digest, each) for each in self._digests]
            if scheme.lower() != "bearer" or not any(known):
                raise Problem(
                    401,
                    "a token is needed",
                    field="Authorization",
                    hint="send `Authorization: Bearer TOKEN`",
                    headers={"WWW-Authenticate": 'Bearer realm="verger"'},
                )
            return f"token {known.index(True)}"
        if not (self._digests or self.settings.behind_proxy):
            _expect_no_web_page(request)
        return remote

    # what is asked of the service itself

    async def _posted(self, one: Handler, request: web.Request) -> web.StreamResponse:
        """Answer many questions, or one with its parameters or its file in the body."""
        if not _is_stream(request):
            return await one(request)
        with self.gate.streaming(request["caller"]):
            return await self.many.answer(request)

    async def _live(self, _: web.Request) -> web.Response:
        """Say that the process answers."""
        return web.json_response({"status": "live"})

    async def _ready(self, _: web.Request) -> web.Response:
        """Say whether questions are answered now, and what does not work."""
        return web.json_response({"status": "ready", "degraded": self._degraded() or None})

    async def _metrics(self, _: web.Request) -> web.Response:
        """Return the metrics of all workers."""
        body = self.metrics.text(self.gate.active).encode()
        return web.Response(
            body=body, headers={"Content-Type": "text/plain; version=0.0.4; charset=utf-8"}
        )

    async def _openapi(self, _: web.Request) -> web.Response:
        """Say what is answered."""
        return web.json_response(document())

    async def _openapi_page(self, _: web.Request) -> web.Response:
        """Say it on a page."""
        nothing = {"Content-Security-Policy": "default-src 'none'"}
        return web.Response(text=page(), content_type="text/html", headers=nothing)

    def _note(self, event: Event) -> None:
        if event.kind == "store-problem":
            self._failed_at = monotonic()
            log("store-problem", detail=event.detail)
        access = event.result.access if event.result else ""
        self.metrics.count("client_events", kind=event.kind, access=access)

    def _degraded(self) -> str:
        """Return what does not work now."""
        is_failing = monotonic() - self._failed_at < LEFT_ALONE
        return "the store failed and is not used" if is_failing else ""


def _is_stream(request: web.Request) -> bool:
    """Whether a request asks many questions, for which there is no time limit in all."""
    return request.method == "POST" and request.content_type in (LINES, ARROW)


def _id_of(request: web.Request) -> str:
    """Return the name of a request: the caller's, if it can stand in a log, or a new one."""
    given = request.headers.get("X-Request-Id", "")
    is_plain = given.isascii() and given.replace("-", "").isalnum() and len(given) <= 64
    return given if is_plain else _new_id()


def _new_id() -> str:
    """Return a name that is no secret, and so costs no call of the system."""
    return f"{random.getrandbits(64):016x}"


def _problem_of(error: web.HTTPException) -> Problem:
    """Return what aiohttp refuses as a problem."""
    field = {413: "body", 417: "Expect"}.get(error.status)
    allow = {name: error.headers[name] for name in ("Allow",) if name in error.headers}
    return Problem(error.status, error.reason, field=field, headers=allow)


class HttpConnection(web.RequestHandler):
    """A connection, on which what never becomes a request is a problem, too."""

    __slots__ = ()

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """Return the answer to what is not HTTP, or is too long; the connection ends with it."""
        super().handle_error(request, status, exc, message)  # raises if something was sent
        said = (message or "").partition("\n")[0].rstrip(":")
        why = f"the request is malformed: {said}" if said else "the service failed"
        if isinstance(exc, LineTooLong):
            status = 414 if str(LONGEST_LINE) in said else 431
            why = f"the URL, or a header field, is too long: {said}"
        response = Problem(status, why).response(_new_id())
        response.force_close()
        return response

    async def finish_response(
        self, request: web.BaseRequest, resp: web.StreamResponse, start_time: float | None
    ) -> tuple[web.StreamResponse, bool]:
        """Send a response; what aiohttp refuses before any handler is a problem.

        Then aiohttp unpacks what is left of the body, for seconds in which nobody else is answered:
        here some of it is read, so that a caller who still sends gets the answer.
        """
        if isinstance(resp, web.HTTPException):
            resp = _problem_of(resp).response(_new_id())
        sent = await super().finish_response(request, resp, start_time)
        if "Content-Encoding" in request.headers and not request.content.is_eof():
            self._lingering_time, left = 0.0, UNREAD
            with suppress(Exception):  # whatever comes of the body
                async with asyncio.timeout(GRACE):
                    while left > 0 and not request.content.is_eof():
                        left -= len(await request.content.readany())
                        await asyncio.sleep(0)
        return sent


def _expect_no_web_page(request: web.Request) -> None:
    """Refuse requests that a page of another site makes from this machine's browser: under a name
    that leads here, or across sites. Raises `Problem`."""
    expect(_is_here(request.host), 421, "this service has no name of its own here", "Host")
    is_own = request.headers.get("Sec-Fetch-Site") not in ("cross-site", "same-site")
    expect(is_own, 403, "a page of another site may not ask", "Sec-Fetch-Site")


@lru_cache(64)
def _is_here(authority: str) -> bool:
    """Whether an authority names this machine, not as somebody's DNS does."""
    host = authority if authority[-1:] == "]" else authority.rpartition(":")[0] or authority
    return host.lower() == "localhost" or literal_address(host.strip("[]")) is not None


def log(event: str, **members: object) -> None:
    """Write a line of JSON to stderr; if that is full, or closed, the answers go on."""
    told = {"time": timestamp(time()), "event": event, "pid": os.getpid(), **members}
    with suppress(OSError):
        sys.stderr.write(json.dumps(told) + "\n")


# Processes


def listening(settings: ServerSettings) -> socket.socket:
    """Return a socket that listens where a service should. Raises OSError."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    return socket.create_server((settings.host, settings.port), family=family, backlog=BACKLOG)


def supervise(workers: int, start: Callable[[int], None]) -> None:
    """Run workers in processes of their own until SIGTERM; one that dies is started again."""
    context = get_context("fork")
    running: dict[int, BaseProcess] = {}
    is_ending = False

    def end(*_: object) -> None:
        nonlocal is_ending
        is_ending = True

    def begin(worker: int) -> None:
        for number in ENDS:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDS)
        start(worker)

    for number in ENDS:
        signal.signal(number, end)
    while not is_ending:
        for worker in range(workers):
            died = running.get(worker)
            if is_ending or (died is not None and died.is_alive()):
                continue
            if died is not None:
                log("worker-died", worker=worker, died=died.pid)
                sleep(PAUSE)  # it may die again at once
            running[worker] = context.Process(target=begin, args=(worker,))
            signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)  # until the worker has its own handlers
            running[worker].start()
            signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDS)
        wait([each.sentinel for each in running.values()], PAUSE)
    for process in running.values():
        process.terminate()
    for process in running.values():
        process.join()


def _expect_no_coding(request: web.Request) -> None:
    """Refuse a coded body: aiohttp takes one that breaks off for whole (RFC 9110 section 15.5.16).

    Raises `Problem` 415.
    """
    if request.headers.get("Content-Encoding", "identity").strip().lower() != "identity":
        why, plain = "a coded body is not read", {"Accept-Encoding": "identity"}
        hint = "send it without `Content-Encoding`"
        raise Problem(415, why, field="Content-Encoding", hint=hint, headers=plain)
