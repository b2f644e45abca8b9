"""Faults of HTTP messages: the status, header fields, lengths and chunks."""

from .stage import RULES, Peer, chunk, head, response, says, served

# --- status

says("status-200", response())
says("status-200-empty", response(b""))
says("status-204", head("Connection: close", status="204 No Content"))
says(
    "status-206",
    response(RULES, f"Content-Range: bytes 0-{len(RULES) - 1}/9999", status="206 Partial Content"),
)
says("status-300", response(b"choose\n", status="300 Multiple Choices"))
says("status-304", head("Connection: close", 'ETag: "x"', status="304 Not Modified"))
says(
    "status-401",
    response(b"", 'WWW-Authenticate: Basic realm="x"', status="401 Unauthorized"),
)
says("status-404-with-rules", response(b"User-agent: *\nDisallow: /\n", status="404 Not Found"))
says("status-404-broken-body", response(b"not", status="404 Not Found", length=1000))
says("status-429-retry-after", response(b"", "Retry-After: 60", status="429 Too Many Requests"))
says("status-503-retry-after", response(b"", "Retry-After: 60", status="503 Service Unavailable"))
for line in ("201 Created", "203 Non-Authoritative Information", "299 Fine", "600 Odd", "999 No"):
    says(f"status-{line[:3]}", response(status=line))
for line in (
    "400 Bad Request",
    "403 Forbidden",
    "404 Not Found",
    "405 Method Not Allowed",
    "407 Proxy Authentication Required",
    "410 Gone",
    "418 I'm a teapot",
    "429 Too Many Requests",
    "451 Unavailable For Legal Reasons",
    "499 Client Closed Request",
    "500 Internal Server Error",
    "502 Bad Gateway",
    "503 Service Unavailable",
    "504 Gateway Timeout",
    "521 Web Server Is Down",
):
    says(f"status-{line[:3]}", response(b"a page of words\n", status=line))
says("status-099", response(status="099 Early"))
says("status-two-digits", response(status="20 OK"))
says("status-four-digits", response(status="2000 OK"))
says("status-no-number", response(status="2OO OK"))
says("status-negative", response(status="-200 OK"))
says("status-signed", response(status="+200 OK"))
says("status-five-digits", response(status="99999 No"))
says("status-beyond-64-bits", response(status="9" * 30 + " No"))
says("status-other-digits", response(status="20\u0660 OK"))
says("status-missing", b"HTTP/1.1\r\n\r\n", RULES)
says("status-empty", response(status=""))
says("status-with-space", response(status="2 00 OK"))
says("status-underscore", response(status="2_00 OK"))
says("status-stray-byte", response(status=b"\xff200 OK"))

# --- times

HUGE = "9" * 400
NEVER = "Fri, 31 Dec 9999 23:59:59 GMT"

says("age-huge", response(RULES, f"Age: {HUGE}"))
says("age-negative", response(RULES, "Age: -5"))
says("max-age-huge", response(RULES, f"Cache-Control: max-age={HUGE}"))
says("max-age-negative", response(RULES, "Cache-Control: max-age=-5"))
says("max-age-other-digits", response(RULES, "Cache-Control: max-age=6\u0660"))
says("expires-last", response(RULES, f"Expires: {NEVER}"))
says("expires-beyond-calendars", response(RULES, f"Expires: {NEVER.replace('9999', HUGE)}"))
says("expires-hour-huge", response(RULES, f"Expires: Fri, 31 Dec 1999 {HUGE}:59:59 GMT"))
says("expires-zone-huge", response(RULES, f"Expires: {NEVER.replace('GMT', '+' + HUGE)}"))
says("date-beyond-calendars", response(RULES, "Date: 0", f"Expires: {NEVER}", f"Date: {HUGE}"))
for name, value in (("huge", HUGE), ("negative", "-5"), ("last", NEVER), ("words", "soon")):
    says(
        f"status-503-retry-after-{name}",
        response(b"", f"Retry-After: {value}", status="503 Service Unavailable"),
    )

# --- interim responses

CONTINUE = head(status="100 Continue")

says("interim-100", CONTINUE, response())
says("interim-103", head("Link: </a>; rel=preload", status="103 Early Hints"), response())
says("interim-only", CONTINUE)
says(
    "status-101",
    head("Upgrade: telnet", "Connection: Upgrade", status="101 Switching Protocols"),
    RULES,
)

# --- headers

LENGTH = f"Content-Length: {len(RULES)}"

says("http-0.9", RULES)
says("http-1.0", head("Content-Type: text/plain", version="1.0"), RULES)
says("http-1.0-no-headers", head(version="1.0"), RULES)
says("no-length", head("Content-Type: text/plain", "Connection: close"), RULES)
says("no-reason-phrase", response(status="200"))
says("bare-line-feeds", f"HTTP/1.1 200 OK\nContent-Type: text/plain\n{LENGTH}\n\n".encode(), RULES)
says("non-ascii-headers", response(RULES, "X-Utf-8: naïve ツ", b"X-Latin-1: na\xefve"))
says("folded-header", response(RULES, "X-Folded: first\r\n  second"))
says("large-header", response(RULES, "X-Large: " + "a" * 20_000))
says("many-headers", response(RULES, *(f"X-{number}: some value" for number in range(200))))
says("space-in-header-name", response(RULES, "X-Odd : value"))
says("header-without-colon", response(RULES, "X-Odd value"))
says("nul-in-header", response(RULES, b"X-Odd: a\0b"))
says("another-protocol", b"SSH-2.0-OpenSSH_9.2\r\n")
says("binary-garbage", bytes(range(128, 256)) * 8)
says("icy-status-line", f"ICY 200 OK\r\n{LENGTH}\r\n\r\n".encode(), RULES)

# --- lengths and chunks

CHUNKED = head("Content-Type: text/plain", "Transfer-Encoding: chunked", "Connection: close")
FIRST = chunk(b"User-agent: *\n")
SECOND = chunk(b"Disallow: /closed\n")
LAST = b"0\r\n\r\n"

says("length-too-short", response(RULES + b"Disallow: /open\n", length=len(RULES)))
says("length-negative", head("Content-Length: -5", "Connection: close"), RULES)
says("length-no-number", head("Content-Length: many", "Connection: close"), RULES)
says("length-huge", head("Content-Length: " + "9" * 30, "Connection: close"), RULES)
says("length-twice-equal", response(RULES, LENGTH))
says("length-twice-different", response(RULES, "Content-Length: 5"))
says("length-and-chunked", head(LENGTH, "Transfer-Encoding: chunked"), FIRST, SECOND, LAST)
says(
    "chunked",
    CHUNKED,
    b'e;name="value";flag\r\nUser-agent: *\n\r\n',
    SECOND,
    b"0\r\nX-Trailer: value\r\n\r\n",
)
says(
    "chunks-of-one-byte",
    CHUNKED,
    *(chunk(RULES[index : index + 1]) for index in range(len(RULES))),
    LAST,
)
says("chunk-size-no-number", CHUNKED, FIRST, b"zz\r\nDisallow: /closed\n\r\n", LAST)
says("chunk-size-negative", CHUNKED, FIRST, b"-1\r\nDisallow: /closed\n\r\n", LAST)
says("chunk-size-bomb", CHUNKED, FIRST, b"ffffffffffffffff\r\nDisallow: /closed\n")
says("chunk-size-overflow", CHUNKED, FIRST, b"f" * 40, b"\r\nDisallow: /closed\n")
says("chunk-longer-than-said", CHUNKED, FIRST, b"5\r\nDisallow: /closed\n\r\n", LAST)
says("closed-inside-chunk", CHUNKED, FIRST, b"12\r\nDisallow")
says("closed-inside-chunk-size", CHUNKED, FIRST, b"1")
says("no-last-chunk", CHUNKED, FIRST, SECOND)
says(
    "unknown-transfer-coding",
    head("Transfer-Encoding: gzip, chunked", "Connection: close"),
    FIRST,
    SECOND,
    LAST,
)


def floods(name: str, part: bytes, *first: bytes) -> None:
    """Register a server that sends the same for ever, as fast as it is read."""

    @served(name)
    async def handler(peer: Peer) -> None:
        await peer.request()
        await peer.send(*first)
        await peer.flood(part)


floods("interim-flood", CONTINUE)
floods("endless-headers", b"X-More: and more of it\r\n", b"HTTP/1.1 200 OK\r\n")
floods("endless-header-line", b"a" * 64, b"HTTP/1.1 200 OK\r\nX-Long: ")
floods("endless-status-line", b"OK " * 32, b"HTTP/1.1 200 ")
floods("endless-chunk-extension", b";name=value" * 8, CHUNKED, FIRST, b"12")
floods("endless-trailers", b"X-More: and more of it\r\n", CHUNKED, FIRST, SECOND, b"0\r\n")
