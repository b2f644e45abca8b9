"""Ask `verger check` about thousands of real sites: what may four crawlers fetch there?

In: the robots.txt files that tools/corpus.py fetched, one per site, named by host.
Out: `build/run/urls.txt`, the questions; `build/run/decisions.csv`, the command's answers;
on stderr the command's own progress and summary.

The questions are the same on every run: up to six URLs a site that its own rules suggest,
and as many that they do not. Nothing is decided here.
"""

from __future__ import annotations

import random
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

ROOT = Path(__file__).resolve().parent.parent
SITES = Path(".cache/protego-0.7.0/tests/test_data")
FOLDER = Path("build/run")
AGENTS = ["Googlebot", "GPTBot", "CCBot", "ExampleBot"]
DERIVED_PER_SITE = 6

RULE = re.compile(rb"^[ \t]*(?:dis)?allow[ \t]*:[ \t]*([^\s#]+)", re.IGNORECASE | re.MULTILINE)
PRINTABLE = "".join(chr(octet) for octet in range(0x21, 0x7F))
WORDS = ["about", "archive", "blog", "contact", "feed", "help", "login", "news", "tag", "user"]
COMMON = ["/", "/index.html", "/sitemap.xml", "/search?q=verger", "/admin/", "/wp-login.php"]


def main() -> int:
    """Write the questions, run the command on them, and pass its failure on."""
    (ROOT / FOLDER).mkdir(parents=True, exist_ok=True)
    questions = ROOT / FOLDER / "urls.txt"
    questions.write_text("".join(f"{url}\n" for url in urls()), encoding="ascii")
    return answer(questions, ROOT / FOLDER / "decisions.csv")


def urls() -> Iterator[str]:
    """Yield the questions about every site, in the order of the sites' names."""
    for path in sorted((ROOT / SITES).iterdir()):
        chance = random.Random(path.name)
        paths = [*derived_paths(path.read_bytes(), chance)]
        paths += plain_paths(max(len(paths), 1), chance)
        for url_path in dict.fromkeys(paths):
            yield f"https://{authority(path.name)}{url_path}"


def authority(file_name: str) -> str:
    """Return the host of a file, without the port that some of Protego's names carry."""
    return file_name.removesuffix("_443")


def derived_paths(body: bytes, chance: random.Random) -> Iterator[str]:
    """Yield paths that rules of this file might match: stars filled in, ends now and then."""
    patterns = sorted(set(RULE.findall(body)))
    for pattern in chance.sample(patterns, min(DERIVED_PER_SITE, len(patterns))):
        filled = re.sub(r"\*+", lambda _: chance.choice(WORDS), quote(pattern, safe=PRINTABLE))
        longer = filled + chance.choice(["", "x", "/a.html"])
        yield "/" + (filled[:-1] if filled.endswith("$") else longer).lstrip("/")


def plain_paths(count: int, chance: random.Random) -> Iterator[str]:
    """Yield paths that sites have whatever their rules say."""
    for _ in range(count):
        if chance.random() < 0.5:
            yield chance.choice(COMMON)
        else:
            yield f"/{chance.choice(WORDS)}/{chance.choice(WORDS)}-{chance.randrange(1_000)}"


def answer(questions: Path, answers: Path) -> int:
    """Run the real command; that some crawler may not fetch some URL (exit 1) is an answer."""
    verger = Path(sys.executable).with_name("verger")
    options = ["check", "--robots-dir", str(SITES), "--agent", *AGENTS, "--format", "csv", "-"]
    shown = f"{shlex.join(['verger', *options])} < {questions} > {answers}"
    print(f"$ {shown.replace(f'{ROOT}/', '')}", file=sys.stderr)
    with questions.open("rb") as stdin, answers.open("wb") as stdout:
        done = subprocess.run([verger, *options], stdin=stdin, stdout=stdout, cwd=ROOT, check=False)
    return 0 if done.returncode in {0, 1} else done.returncode


if __name__ == "__main__":
    sys.exit(main())
