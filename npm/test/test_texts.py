"""Texts in both languages: what a value shows of itself, host names, and lone surrogates."""

import json
import random
import re
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from questions import TOKENS, urls_of

import verger
from conftest import HERE
from verger._core import _is_robots_txt, _leading_name
from verger.access.answer import Question, decide
from verger.crawlers.binding import agent_of
from verger.crawlers.uses import may_use

Asked = dict[str, Any]


def said_by_javascript(asked: list[Asked]) -> Iterator[Any]:
    text = "".join(f"{json.dumps(each)}\n" for each in asked)
    command = ["node", str(HERE / "texts.mjs")]
    done = subprocess.run(command, input=text.encode(), stdout=subprocess.PIPE, check=True)
    return map(json.loads, done.stdout.decode("ascii").splitlines())


def raised(ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except verger.RobotsError as error:
        return [type(error).__name__, error.message, error.hint]


def said_by_python(asked: Asked) -> Asked:
    url, token, value = asked["url"], asked["token"], asked["value"]
    robots = raised(lambda: verger.parse(asked["robots"], url=asked["file"]))

    def of_file(ask: Callable[[verger.RobotsTxt], Any]) -> Any:
        return None if isinstance(robots, list) else raised(lambda: ask(robots))

    return {
        "shown": [
            of_file(repr),
            of_file(lambda robots: repr(robots.dialect)),
            of_file(lambda robots: repr(robots.agent(token))),
            of_file(lambda robots: repr(robots.decide(url, token))),
            of_file(lambda robots: repr(may_use(robots, url, token, "ai-train"))),
            of_file(lambda robots: repr(answer(robots, url, token)).replace("=None", "=null")),
        ],
        "file": robots if isinstance(robots, list) else robots.url,
        "target": of_file(lambda robots: robots.decide(url, token).target),
        "many": of_file(lambda robots: list(robots.allowed_many([url, "/a"], token))),
        "clean": of_file(lambda robots: robots.clean(url)),
        "governs": of_file(lambda robots: robots.governs(url)),
        "requested": raised(lambda: verger.requested_url(url)),
        "origin": raised(lambda: str(verger.origin(url))),
        "is_file": _is_robots_txt(url),
        "name": _leading_name(value),
        "token": verger.product_token(value),
    }


def as_bytes(said: Asked) -> Asked:
    """The URL of a file as bytes: Python keeps these, and JavaScript the text as given."""
    file = said["file"]
    if not isinstance(file, str):
        return said
    all_are_bytes = not re.search("[\ud800-\udc7f\udd00-\udfff]", file)
    return said | {"file": file.encode("utf-8", ERRORS[all_are_bytes])}


ERRORS = {True: "surrogateescape", False: "surrogatepass"}


def answer(robots: verger.RobotsTxt, url: str, token: str) -> object:
    question = Question((token,), robots.dialect, "operators")
    return decide(url, question, agent_of(robots, token), None, None)


def expect_same(asked: list[Asked]) -> None:
    wrong = [
        (question, given, wanted)
        for question, given in zip(asked, said_by_javascript(asked), strict=True)
        if as_bytes(given) != as_bytes(wanted := said_by_python(question))
    ]

    assert not wrong[:2], len(wrong)


ROBOTS = """\
User-agent: *
Disallow: /it's
Disallow: /"both's"
Allow: /b\\n\u202e\u3164
Content-Signal: ai-train=no
"""


def test_values_show_themselves_alike(real_files: list[bytes]) -> None:
    """`console.log` and templates show what Python's `repr` shows."""
    urls = ("/it's", '/"both\'s"/\u200b', "/b\\n\u202e\u3164x", "/other", "/robots.txt", "x:y")
    texts = [(ROBOTS, url) for url in urls]
    for number, body in enumerate(real_files[::60]):
        text, chance = body.decode("utf-8", "replace"), random.Random(number)
        texts += [(text, chance.choice(urls_of(verger.parse(text), chance))) for _ in range(4)]
    asked = [
        {"robots": text, "file": None, "url": url, "token": TOKENS[at % len(TOKENS)], "value": url}
        for at, (text, url) in enumerate(texts)
    ]

    expect_same(asked)


SURROGATES = [*map(chr, range(0xD800, 0xE000, 0x91)), "\udcff"]
CHARACTERS = [*"a/\xe9*$%?&= #.", "/../", "\udcc3\udca9", *SURROGATES]
CHARACTERS += ["\ufffd", "\ufeff", "\U0001f600", "\x7f", "\x85"]


def test_lone_surrogates_cross_alike() -> None:
    """What stands for a byte, and what stands for none, in a file, its URL, a URL, and a name."""
    chance = random.Random(44)

    def text(most: int, before: str = "") -> str:
        characters = before + "".join(chance.choices(CHARACTERS, k=chance.randint(1, most)))
        joined: str = json.loads(json.dumps(characters))  # two that are a pair in JavaScript
        return joined

    asked = [
        {
            "robots": text(6, f"User-agent: {text(3)}\nDisallow: /{text(6)}\nAllow: /"),
            "file": text(3, "https://e.example/robots.txt") if number % 3 else None,
            "url": text(6, "https://e.example/") if number % 2 else text(6, "/"),
            "token": f"a{chance.choice(SURROGATES)}" if number % 5 == 0 else "ExampleBot",
            "value": text(6),
        }
        for number in range(4_000)
    ]

    expect_same(asked)


HOSTS = {
    "xn--a-.com": None,
    "XN--A-.com": None,
    "xn--a--.com": None,
    "xn---o8hefc.com": None,
    "xn--.com": None,
    "a.xn---.com": None,
    "\u1e9e.de": "https://xn--zca.de",
    "STRA\u1e9eE.de": "https://xn--strae-oqa.de",
    "\xdf.de": "https://xn--zca.de",
    "ss.de": "https://ss.de",
    "xn--zca.de": "https://xn--zca.de",
    "xn--a-b.com": None,
    "a--b.com": "https://a--b.com",
    "aa--b-.com": "https://aa--b-.com",
    "b\xfccher-.example": "https://xn--bcher--3ya.example",
}


@pytest.mark.parametrize("host", HOSTS)
def test_host_names_are_mapped_alike(host: str) -> None:
    """Platforms that are older than the tables of Python give its answer, too."""
    url = f"https://{host}/a"
    (given,) = said_by_javascript(
        [{"robots": "", "file": None, "url": url, "token": "a", "value": "a"}]
    )

    wanted = HOSTS[host]
    assert (wanted is None) == isinstance(raised(lambda: verger.origin(url)), list)
    assert raised(lambda: str(verger.origin(url))) == given["origin"]
    assert wanted is None or wanted == given["origin"]
