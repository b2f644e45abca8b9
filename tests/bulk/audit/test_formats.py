"""Logs in the formats of servers, load balancers and networks, as their documentation has them."""

import gzip
import json
from io import BytesIO

import pytest

from verger.bulk.audit import AuditResult, audit_logs
from verger.bulk.audit.run import LOG_FORMATS
from verger.errors import InvalidOption

from .lines import ALWAYS

AGENT = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)"
PLUS = AGENT.replace("+", "%2B").replace(" ", "+").replace("%2B", "+")
PERCENT = AGENT.replace(" ", "%20")

LINES = {
    "combined": "192.0.2.7 - - [06/Jan/2026:11:30:00 +0000] "
    f'"GET /private HTTP/1.1" 200 5 "-" "{AGENT}"',
    "vhost": "shop.example 192.0.2.7 - - [06/Jan/2026:11:30:00 +0000] "
    f'"GET /private HTTP/1.1" 200 5 "-" "{AGENT}"',
    "iis": "#Software: Microsoft Internet Information Services 10.0\n"
    "#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query cs-host cs(User-Agent) sc-status\n"
    f"2026-01-06 11:30:00 192.0.2.1 GET /private - shop.example {PLUS} 200",
    "cloudfront": "#Version: 1.0\n#Fields: date time x-edge-location cs-method cs(Host) "
    "cs-uri-stem sc-status cs(User-Agent) cs-uri-query x-host-header\n"
    "2026-01-06\t11:30:00\tFRA2\tGET\td1.cloudfront.net\t/private\t200\t"
    f"{PERCENT}\t-\tshop.example",
    "alb": "h2 2026-01-06T11:30:00.186641Z app/lb/50dc6c495c0c9188 192.0.2.7:2817 10.0.0.1:80 0.0 "
    f'0.0 0.0 200 200 5 257 "GET https://shop.example:443/private HTTP/2.0" "{AGENT}" ECDHE',
    "elb": "2026-01-06T11:30:00.943958Z my-lb 192.0.2.7:2817 10.0.0.1:80 0.0 0.0 0.0 200 200 0 29 "
    f'"GET http://shop.example:80/private HTTP/1.1" "{AGENT}" - -',
    "s3": "79a59df900b949e5 shop.example [06/Jan/2026:11:30:00 +0000] 192.0.2.7 - 3E57427F3 "
    f'WEBSITE.GET.OBJECT private "GET /private HTTP/1.1" 200 - 113 - 7 - "-" "{AGENT}" - s9= - - - '
    "shop.example TLSv1.2 - -",
    "haproxy": "Jan  6 11:30:00 lb haproxy[14389]: 192.0.2.7:33317 [06/Jan/2026:11:30:00.655] "
    f"in web/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 {{shop.example|{AGENT}}} {{}} "
    '"GET /private HTTP/1.1"',
    "cloudflare": json.dumps(
        {
            "ClientRequestHost": "shop.example",
            "ClientRequestMethod": "GET",
            "ClientRequestURI": "/private",
            "ClientRequestUserAgent": AGENT,
            "EdgeResponseStatus": 200,
            "EdgeStartTimestamp": "2026-01-06T11:30:00Z",
        }
    ),
    "vercel": json.dumps(
        {
            "id": "1573817187330377061717300000",
            "timestamp": 1767699001000,
            "host": "shop-1.vercel.app",
            "path": "api/index.js",
            "statusCode": 500,
            "proxy": {
                "timestamp": 1767699000000,
                "method": "GET",
                "host": "shop.example",
                "path": "/private",
                "statusCode": 200,
                "userAgent": [AGENT],
            },
        }
    ),
    "fastly": json.dumps(
        {
            "timestamp": "2026-01-06T11:30:00+0000",
            "host": "shop.example",
            "url": "/private",
            "request_method": "GET",
            "request_user_agent": AGENT,
            "response_status": 200,
        }
    ),
    "akamai": json.dumps(
        {
            "reqTimeSec": "1767699000.000",
            "reqHost": "shop.example",
            "reqMethod": "GET",
            "reqPath": "/private",
            "queryStr": "-",
            "statusCode": "200",
            "UA": PERCENT,
        }
    ),
    "docker": json.dumps(
        {
            "log": "shop.example 192.0.2.7 - - [06/Jan/2026:11:30:00 +0000] "
            f'"GET /private HTTP/1.1" 200 5 "-" "{AGENT}"\n',
            "stream": "stdout",
            "time": "2026-01-06T11:30:00.655Z",
        }
    ),
    "nginx-proxy-manager": "[06/Jan/2026:11:30:00 +0000] - 200 200 - GET https shop.example "
    f'"/private" [Client 192.0.2.7] [Length 5] [Gzip -] [Sent-to 10.0.0.5] "{AGENT}" "-"',
}

ENTRY = '192.0.2.7 - - [06/Jan/2026:11:30:00 +0000] {}"GET /private HTTP/1.1" 200 5 "-" "{}"'
OBJECT = {"request": "GET /private HTTP/1.1", "status": 200, "user_agent": AGENT}

KIN = {
    "a number before the request": ENTRY.format("0.123 ", AGENT),
    "a missing field before the request": ENTRY.format("- ", AGENT),
    "the host before the request": ENTRY.format("shop.example ", AGENT),
    "the host in quotation marks": ENTRY.format('"shop.example" ', AGENT),
    "a blank before the request": ENTRY.format(" ", AGENT),
    "nginx-proxy-manager, by itself": "[06/Jan/2026:11:30:00 +0000] 200 - GET http shop.example "
    f'"/private" [Client 192.0.2.7] [Length 5] [Gzip 2.1] "{AGENT}" "-"',
    "nginx-proxy-manager, a second server": "[06/Jan/2026:11:30:00 +0000] - 502, 200 200 "
    '- GET https shop.example "/private" [Client 192.0.2.7] [Length 5] [Gzip -] '
    f'[Sent-to 10.0.0.5] "{AGENT}" "-"',
    "Docker, JSON within": json.dumps(
        {"log": json.dumps(OBJECT), "stream": "stdout", "time": "2026-01-06T11:30:00.655Z"}
    ),
    "Elastic": json.dumps(
        {"@timestamp": "2026-01-06T12:00:00Z", "message": ENTRY.format("", AGENT), "agent": {}}
    ),
    "Fluent Bit": json.dumps({"date": 1767699000.5, "log": ENTRY.format("", AGENT)}),
    "the file of the log beside the line": json.dumps(
        {"log": ENTRY.format("", AGENT), "path": "/var/log/open/access.log", "stream": "stdout"}
    ),
    "Kubernetes": f"2026-01-06T11:30:00.655Z stdout F {ENTRY.format('', AGENT)}",
    "a date that is a time": json.dumps({"date": "2026-01-06T11:30:00Z", **OBJECT}),
    "HTTP/2": json.dumps(
        {
            ":method": "GET",
            ":path": "/private",
            ":authority": "shop.example",
            "time": "2026-01-06T11:30:00Z",
            "status": 200,
            "user_agent": AGENT,
        }
    ),
    "Envoy": json.dumps(
        {
            "start_time": "2026-01-06T11:30:00.655Z",
            "method": "GET",
            "path": "/private",
            "authority": "shop.example",
            "response_code": 200,
            "user_agent": AGENT,
        }
    ),
}


def told(result: AuditResult) -> tuple[object, ...]:
    """Return what an audit says of its one request."""
    [crawler] = result.crawlers
    requests = crawler.closed
    return (crawler.token, requests.count, requests.answered, str(requests.first)[:19])


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("is_named", [False, True], ids=["detected", "named"])
def test_format(name: str, is_named: bool) -> None:
    """A line is judged alike whether its format is detected or named, and in gzip."""
    log = gzip.compress(LINES[name].encode() + b"\n")
    result = audit_logs([BytesIO(log)], ALWAYS, log_format=name if is_named else None)

    assert ("GPTBot", 1, 1, "2026-01-06 11:30:00") == told(result)
    assert {"shop.example": 1} == (result.log.hosts or {"shop.example": 1})
    assert (name == "combined") == (not result.log.hosts)


@pytest.mark.parametrize("name", KIN)
def test_kin_of_a_format(name: str) -> None:
    """What a server or a collector adds to a line changes nothing, and a host is seen."""
    result = audit_logs([BytesIO(KIN[name].encode() + b"\r\n")], ALWAYS)

    assert ("GPTBot", 1, 1, "2026-01-06 11:30:00") == told(result)
    assert ("shop.example" in KIN[name]) == bool(result.log.hosts)
    assert not result.problems


def test_every_format_has_a_line() -> None:
    """No name of a format is without a case."""
    assert {"common", "jsonl", "w3c"} == set(LOG_FORMATS) - set(LINES)


def test_format_that_cannot_be_read() -> None:
    """A format is refused before anything is read."""
    with pytest.raises(InvalidOption, match=r"`\$path` in the format of the log is not known"):
        audit_logs(["no-such.log"], ALWAYS, log_format="$path $request")


TIME = "[06/Jan/2026:11:30:00 +0000]"
REQUEST = f'{TIME} "GET /private HTTP/1.1" 200 5 "-" "{AGENT}"'
HAPROXY = (
    "192.0.2.7:33317 [06/Jan/2026:11:30:00.655] in web/srv1 10/0/30/69/109 200 2750 - - ---- "
    '1/1/1/1/0 0/0 {%s} "GET /private HTTP/1.1"'
)

HOSTS = {
    "lighttpd": (f"192.0.2.7 shop.example - {REQUEST}", "shop.example"),
    "lighttpd with a port": (f"2001:db8::7 shop.example:8080 - {REQUEST}", "shop.example"),
    "in quotation marks": (f'"shop.example" 192.0.2.7 - - {REQUEST}', "shop.example"),
    "client with a port": (f"192.0.2.7:33317 - - {REQUEST}", None),
    "client with brackets and a port": (f"[2001:db8::7]:33317 - - {REQUEST}", None),
    "forwarded addresses": (f"192.0.2.7, 192.0.2.8 - - {REQUEST}", None),
    "address before the client": (f"192.0.2.7 192.0.2.8 - - {REQUEST}", None),
    "name of a program from syslog": (f"nginx[1]: 192.0.2.7 - - {REQUEST}", None),
    "identity and user": (f"192.0.2.7 ident jane {REQUEST}", None),
    "S3 before it had hosts": (LINES["s3"].partition(" - s9=")[0], None),
    "HAProxy, agent first": (HAPROXY % f"{AGENT}|shop.example:80", "shop.example"),
    "HAProxy, addresses and URLs": (
        HAPROXY % f"192.0.2.9|shop.example|{AGENT}|https://other.example/",
        "shop.example",
    ),
    "HAProxy, HTTPS": (
        HAPROXY % f"shop.example|{AGENT}"
        + " 0/0/0/0/0 shop.example/TLSv1.3/TLS_AES_256_GCM_SHA384",
        "shop.example",
    ),
    "HAProxy, agent alone": (HAPROXY % AGENT, None),
}


@pytest.mark.parametrize("name", HOSTS)
def test_host(name: str) -> None:
    """A host is found wherever servers write it, and nothing else is taken for one."""
    line, host = HOSTS[name]
    result = audit_logs([BytesIO(line.encode())], ALWAYS)

    assert ("GPTBot", 1, 1, "2026-01-06 11:30:00") == told(result)
    assert ({} if host is None else {host: 1}) == result.log.hosts
    assert "/private" == result.crawlers[0].examples[0]


def test_host_alone_of_haproxy() -> None:
    """One captured header that may be a host is one (HAProxy manual, HTTP log format)."""
    result = audit_logs([BytesIO((HAPROXY % "shop.example").encode())], ALWAYS, everyone=True)

    assert {"shop.example": 1} == result.log.hosts


def test_two_columns_of_one_name() -> None:
    """Nobody knows which of them says what was requested, so no line is read."""
    log = (
        "#Fields: date time cs-method cs-uri-stem cs-uri-stem cs(User-Agent)\n"
        "2026-01-06 11:30:00 GET /private / ExampleBot/1.0\n"
    )
    result = audit_logs([BytesIO(log.encode())], ALWAYS, everyone=True)

    assert [2] == [line.line for line in result.log.unreadable_lines]


W3C = "#Fields: date time cs-method cs-uri-stem cs(User-Agent) sc-status\n"
WRITTEN = {
    "spaces between columns": W3C + f"2026-01-06  11:30:00 GET   /private {PLUS} 200",
    "escaped twice": (W3C + f"2026-01-06 11:30:00 GET /private {PERCENT} 200")
    .replace("%20", "%2520")
    .replace(" ", "\t"),
    "date and time in JSON": json.dumps(
        {
            "date": "2026-01-06",
            "time": "11:30:00",
            "cs-method": "GET",
            "cs-uri-stem": "/private",
            "sc-status": "200",
            "cs(User-Agent)": PERCENT,
        }
    ),
    "target called request": json.dumps(
        {
            "timestamp": "06/Jan/2026:11:30:00 +0000",
            "verb": "GET",
            "request": "/private",
            "response": "200",
            "agent": AGENT,
        }
    ),
    "path of Cloudflare": LINES["cloudflare"].replace("ClientRequestURI", "ClientRequestPath"),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_what_servers_write(name: str) -> None:
    """Variants of the formats that are detected."""
    assert ("GPTBot", 1, 1, "2026-01-06 11:30:00") == told(
        audit_logs([BytesIO(WRITTEN[name].encode())], ALWAYS)
    )


@pytest.mark.parametrize("time", ["05", "11:30", "11:30:0"])
def test_time_that_is_cut_off(time: str) -> None:
    """Behind a date it is the beginning of a clock, and no seconds since the epoch."""
    log = f"#Fields: cs-uri-stem cs(User-Agent) date time\n/private {PLUS} 2026-01-06 {time}"

    assert 1 == audit_logs([BytesIO(log.encode())], ALWAYS).log.unreadable


def test_request_that_could_not_be_read() -> None:
    """It is not one by the method `-`."""
    line = LINES["alb"].replace("GET https://shop.example:443/private HTTP/2.0", "- http://a:80- -")
    log = audit_logs([BytesIO(line.encode())], ALWAYS).log

    assert (1, {}) == (log.no_url, log.other_methods)


PLAIN = "192.0.2.7 %s GET /private HTTP/1.1|200|" + AGENT
AS_CONFIGURED = {
    "nginx, double quotes": (
        r'log_format main "$remote_addr [$time_local] \"$request\" "'
        r' "$status \"$http_user_agent\"";',
        f'192.0.2.7 {TIME} "GET /private HTTP/1.1" 200 "{AGENT}"',
    ),
    "nginx, single quotes": (
        "log_format  main\n  '$remote_addr [$time_local] '\n"
        "  '\"$request\" $status $http_user_agent';",
        f'192.0.2.7 {TIME} "GET /private HTTP/1.1" 200 {AGENT}',
    ),
    "nginx, host last": (
        '[$time_local] "$request" $status "$http_user_agent" $host',
        f'{TIME} "GET /private HTTP/1.1" 200 "{AGENT}" shop.example -',
    ),
    "Apache, single quotes": (
        'LogFormat \'%h %t "%r" %>s "%{User-Agent}i"\' mine',
        f'192.0.2.7 {TIME} "GET /private HTTP/1.1" 200 "{AGENT}"',
    ),
    "Apache, fraction and zone": (
        "%h [%{%d/%b/%Y %T}t.%{usec_frac}t %{%z}t] %r|%>s|%{User-Agent}i",
        PLAIN % "[06/Jan/2026 12:30:00.655000 +0100]",
    ),
    "Apache, zone at once": (
        "%h %{%Y-%m-%dT%T}t.%{msec_frac}t%{%z}t %r|%>s|%{User-Agent}i",
        PLAIN % "2026-01-06T12:30:00.655+0100",
    ),
    "Apache, since the epoch": (
        "%h %{sec}t%{msec_frac}t %r|%>s|%{User-Agent}i",
        PLAIN % "1767699000655",
    ),
    "agent before text": (
        "$time_iso8601 $request - $http_user_agent - $status",
        f"2026-01-06T11:30:00Z GET /private HTTP/1.1 - {AGENT} - 200",
    ),
}


@pytest.mark.parametrize("name", AS_CONFIGURED)
def test_format_as_configured(name: str) -> None:
    """A format may be copied from a configuration as it stands there."""
    log_format, line = AS_CONFIGURED[name]
    result = audit_logs([BytesIO(line.encode())], ALWAYS, log_format=log_format)

    assert ("GPTBot", 1, 1, "2026-01-06 11:30:00") == told(result)


@pytest.mark.parametrize("log_format", ["$request $http_user_agent $status", "%{User-Agent}i %r"])
def test_agent_that_does_not_end(log_format: str) -> None:
    """Only the first word of it would be read: crawlers would count as people."""
    with pytest.raises(InvalidOption, match=r"nothing tells where a value of .* ends") as error:
        audit_logs(["no-such.log"], ALWAYS, log_format=log_format)
    assert "in quotation marks" in error.value.hint
