"""A polite crawler: it asks before each page, waits its turn, and says who it is."""

import sys
import time
from http.client import HTTPException
from urllib.request import HTTPHandler, HTTPSHandler, OpenerDirector, Request

from verger import Client, Pacer

USER_AGENT = "ExampleBot/1.0 (+https://example.com/bot)"


def crawl(urls: list[str]) -> None:
    pacer, web = Pacer(), OpenerDirector()
    for handler in (HTTPHandler(), HTTPSHandler()):  # where a redirect leads is to be asked first
        web.add_handler(handler)
    with Client(USER_AGENT, store="robots.sqlite3") as robots:
        for url in urls:
            answer = robots.decide(url)
            if not answer.allowed:
                print(f"left alone {url}: {answer.reason} ({answer.section})")
                continue
            turn = pacer.reserve(url, robots.site(url).my_rules, now=time.time())
            time.sleep(max(0.0, turn - time.time()))
            try:
                with web.open(Request(url, headers={"User-Agent": USER_AGENT}), timeout=30) as page:
                    print(f"fetched {url}: {page.status}, {len(page.read())} bytes")
            except (OSError, HTTPException) as error:
                print(f"failed {url}: {error}")


crawl(sys.argv[1:])
