"""Questions about real files, which the package of JavaScript and the tester page are asked."""

import os
import random
from pathlib import Path
from typing import Any

import verger

CHECKOUT = Path(__file__).parent.parent.parent
TOKENS = (
    "ExampleBot",
    "GPTBot",
    "Googlebot",
    "AdsBot-Google",
    "Googlebot-Image",
    "Google-Extended",
)
PURPOSES = (None, None, None, "search", "ai-input", "ai-train")
DIALECTS = tuple(verger.DIALECTS)
QUESTIONS = 24
"""Of each of the 4,231 files: 100,000 in all."""
EVERYTHING = os.environ.get("VERGER_EVERYTHING") == "1"
"""Whether every file is asked about, which takes minutes, or some."""


def real_files() -> list[bytes]:
    """The real files that `make corpus` fetches."""
    folder = CHECKOUT / ".cache" / "protego-0.7.0" / "tests" / "test_data"
    files = [path.read_bytes() for path in sorted(folder.iterdir())]
    assert len(files) > 4_000, "run `make corpus`"
    return files


def urls_of(robots: verger.RobotsTxt, chance: random.Random) -> list[str]:
    """URLs that rules match, almost match and do not match, and some that are none."""
    rules = [rule.pattern for group in robots.groups for rule in group.rules][:400]
    patterns = chance.choices(rules or ["/"], k=QUESTIONS - 3)
    ends = ("", "x", "/index.html?a=b#c", "%41%e4é", "/../a", "\udcff")
    paths = [pattern.replace("*", "a/b").removesuffix("$") for pattern in patterns]
    urls = [f"{path}{chance.choice(ends)}" for path in paths]
    absolute = (f"https://example.com{url}" if url.startswith("/") else url for url in urls)
    return [*absolute, "/robots.txt", "https://bücher.example:443/a", "http://example.com/"]


def questions_of(robots: verger.RobotsTxt, chance: random.Random) -> list[Any]:
    names = [name for group in robots.groups for name in group.product_tokens][:50]
    tokens = [name for name in names if name.replace("-", "").isalnum()] + [*TOKENS]
    urls = urls_of(robots, chance)
    return [(url, chance.choice(tokens), chance.choice(PURPOSES)) for url in urls]
