"""Logs in the formats of servers, load balancers and networks, as their documentation has them."""

import gzip
import json
from io import BytesIO

import pytest

from verger.bulk.audit import AuditResult, audit_logs
from verger.bulk.audit.run import LOG_FORMATS, SAME
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
    f'WEBSITE.GET.OBJECT private "GET /private HTTP/1.1" 200 - 113 - 7 - "-" "{AGENT}" - s9= - - h',
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
    assert (name in ("combined", "s3")) == (not result.log.hosts)


def test_every_format_has_a_line() -> None:
    """No name of a format is without a case."""
    named = {*LOG_FORMATS, *SAME}

    assert {"common", "jsonl", "w3c"} == named - set(LINES)


def test_format_that_cannot_be_read() -> None:
    """A format is refused before anything is read."""
    with pytest.raises(InvalidOption, match=r"`\$path` in the format of the log is not known"):
        audit_logs(["no-such.log"], ALWAYS, log_format="$path $request")
