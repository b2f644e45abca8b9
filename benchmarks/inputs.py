"""What is measured: real files, files with many rules, hostile files, and URLs to ask about.

In: the folder of real robots.txt files that `make corpus` fetches, one per site, named by host;
or a folder that another generator of the same kinds has written. Out: `Inputs`. The same
folder gives the same inputs on every machine: all chance comes from seeds named after what they
choose.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote

LIMIT = 512_000
"""Bytes of the synthetic file: 500 KiB, which every parser reads (RFC 9309 section 2.5)."""
URLS_PER_CASE = 1_000
TOKENS = ("Googlebot", "ExampleBot")
LARGE_FILES = {
    "51 rules": "www.optus.com.au",
    "1,208 rules": "www.sophos.com",
    "4,997 rules": "www.runescape.com",
}

RULE = re.compile(rb"^[ \t]*(?:dis)?allow[ \t]*:[ \t]*([^\s#]+)", re.IGNORECASE | re.MULTILINE)
NAME = re.compile(rb"^[ \t]*user-?agent[ \t]*:[ \t]*([A-Za-z_-]+)", re.IGNORECASE | re.MULTILINE)
PRINTABLE = "".join(chr(byte) for byte in range(0x21, 0x7F))
# fmt: off
WORDS = (
    "about", "account", "archive", "article", "author", "basket", "blog", "brand", "catalogue",
    "category", "checkout", "comment", "contact", "download", "event", "feed", "forum",
    "gallery", "guide", "help", "image", "job", "library", "login", "map", "media", "news",
    "offer", "order", "page", "photo", "press", "price", "product", "profile", "review",
    "search", "store", "tag", "theme", "user",
)
# fmt: on


@dataclass(frozen=True, slots=True)
class Question:
    """One file, one crawler, one URL."""

    name: str
    body: bytes
    token: str
    url: str


@dataclass(frozen=True, slots=True)
class Case:
    """One file, and URLs of which half are derived from its rules."""

    name: str
    body: bytes
    urls: Sequence[str]


@dataclass(frozen=True, slots=True)
class Inputs:
    """Everything that is measured."""

    bodies: Sequence[bytes]
    contacts: Sequence[Question]
    """One question for each real file."""
    cases: Sequence[Case]
    hostile: Sequence[Question]

    @property
    def size(self) -> int:
        """The bytes of all real files."""
        return sum(map(len, self.bodies))


def generate(folder: Path) -> Inputs:
    """Make the inputs from a folder of real files."""
    sites = {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}
    return Inputs(
        bodies=list(sites.values()),
        contacts=[question(host, body) for host, body in sites.items()],
        cases=[*real_cases(sites), synthetic_case()],
        hostile=list(hostile_files()),
    )


def read(folder: Path, corpus: Path) -> Inputs:
    """Read inputs in the layout of another generator, whose real files stand in `corpus`.

    `manifest.txt` names the real files; `w3.tsv` holds number, token and URL of each contact;
    `w2_*.robots` and `w2_*.urls` are the cases; `w4/*.robots` and `w4/*.url` the hostile files.
    """
    names = [Path(line).name for line in lines_of(folder / "manifest.txt")]
    bodies = [(corpus / name).read_bytes() for name in names]
    contacts = [line.split("\t") for line in lines_of(folder / "w3.tsv")]
    return Inputs(
        bodies=bodies,
        contacts=[
            Question(names[int(n)], bodies[int(n)], token, url) for n, token, url in contacts
        ],
        cases=[read_case(name, folder / f"w2_{stem}.robots") for name, stem in STEMS.items()],
        hostile=[read_hostile(path) for path in sorted((folder / "w4").glob("*.robots"))],
    )


STEMS = {"51 rules": "a", "1,208 rules": "b", "4,997 rules": "b2", "16,700 rules": "c"}


def read_case(name: str, path: Path) -> Case:
    """Read a file with many rules and its URLs."""
    return Case(name, path.read_bytes(), lines_of(path.with_suffix(".urls")))


def read_hostile(path: Path) -> Question:
    """Read a hostile file and its URL."""
    [url] = lines_of(path.with_suffix(".url"))
    return Question(path.stem, path.read_bytes(), "ExampleBot", url)


def lines_of(path: Path) -> list[str]:
    """Return the lines of a text file."""
    return path.read_text(encoding="utf-8").splitlines()


def thinned(inputs: Inputs, step: int) -> Inputs:
    """Keep every `step`-th real file, for a quick look."""
    return replace(inputs, bodies=inputs.bodies[::step], contacts=inputs.contacts[::step])


# --- real files ---------------------------------------------------------------------------


def question(host: str, body: bytes) -> Question:
    """Make the question that is asked of one real file."""
    chance = random.Random(host)
    named = [name.decode() for name in NAME.findall(body)]
    token = chance.choice([*TOKENS, chance.choice(named)] if named else TOKENS)
    return Question(host, body, token, url_for(host, RULE.findall(body), chance))


def real_cases(sites: dict[str, bytes]) -> Iterator[Case]:
    """Yield the real files with many rules that the folder holds."""
    for name, host in LARGE_FILES.items():
        if host in sites:
            yield case(name, host, sites[host])


def case(name: str, host: str, body: bytes) -> Case:
    """Make the URLs that are asked of one file."""
    chance = random.Random(name)
    rules = RULE.findall(body)
    return Case(name, body, [url_for(host, rules, chance) for _ in range(URLS_PER_CASE)])


def url_for(host: str, rules: Sequence[bytes], chance: random.Random) -> str:
    """Make a URL: one in two that a rule suggests, where there are rules."""
    derived = rules and chance.random() < 0.5
    path = path_from(chance.choice(rules), chance) if derived else plain_path(chance)
    return f"https://{host.partition('_')[0]}{path}"


def path_from(rule: bytes, chance: random.Random) -> str:
    """Make a path that a rule matches, or just misses: stars filled, the end changed or not."""
    text = rule.decode("utf-8", "ignore").removesuffix("$")
    filled = "".join(chance.choice(("", *WORDS)) if char == "*" else char for char in text)
    path = "/" + quote(filled.lstrip("/"), safe=PRINTABLE.replace("#", ""))
    endings = (
        path,
        path + chance.choice(WORDS),
        f"{path}/{chance.choice(WORDS)}",
        path[:-1] or "/",
    )
    return chance.choice(endings)


def plain_path(chance: random.Random) -> str:
    """Make a path such as sites have."""
    steps = [chance.choice(WORDS) for _ in range(chance.randint(1, 5))]
    endings = ("", "/", ".html", f"-{chance.randrange(9_999)}", f"?page={chance.randrange(99)}")
    return "/" + "/".join(steps) + chance.choice(endings)


def synthetic_case() -> Case:
    """Make the file that fills the parsing limit with literal rules, all different."""
    chance = random.Random("synthetic")
    lines, size = ["User-agent: *"], len("User-agent: *\n")
    while True:
        path = f"/{chance.choice(WORDS)}/{chance.choice(WORDS)}{len(lines):05}"
        line = f"Disallow: {path}{chance.choice(('', '', '/', '?x', '/item'))}"
        size += len(line) + 1
        if size > LIMIT:
            break
        lines.append(line)
    return case("16,700 rules", "synthetic.example", "\n".join([*lines, ""]).encode())


# --- hostile files ------------------------------------------------------------------------


def hostile_files() -> Iterator[Question]:
    """Yield twelve files on which a careless parser or matcher takes seconds, or for ever."""
    a_url, dots, words = "/" + "a" * 2_000, "/" + "." * 2_000, words_url()
    eight = "/*a*a*a*a*a*a*a*a*b"
    yield star("100 rules of 8 stars", [f"{eight}{n}$" for n in range(100)], a_url)
    yield star("1 rule of 8 stars", [f"{eight}$"], a_url)
    yield star("1 rule of 50 stars", ["/" + "*a" * 50 + "*b$"], a_url)
    yield star("10 rules of 1,000 stars in a row", [f"/{'*' * 1_000}b$"] * 10, a_url)
    yield star("100 rules of 20 stars and dots", [f"/{'*.' * 20}php{n}$" for n in range(100)], dots)
    yield star("1 rule of 3 stars, open", ["/*a*a*a*b"], a_url)
    yield star("1 rule of 2 stars, open", ["/*a*a*b"], a_url)
    yield star("14,000 rules /*/word*x$", [f"/*/{word}*x$" for word in tail_words()], words)
    yield hostile("23,000 agents, 1 rule", starts(23_000) + "Disallow: /x\n", "/x")
    rules = "".join(f"Disallow: /p{n:05}\n" for n in range(5_000))
    yield hostile("5,000 agents x 5,000 rules", starts(5_000) + rules, "/p1")
    yield star("1 rule of 512,000 bytes", ["/" + "a" * 512_000], a_url)
    groups = "".join(f"User-agent: b{n:05}\nDisallow: /\n" for n in range(17_000))
    yield hostile("17,000 groups", groups, "/x")


def star(name: str, rules: Sequence[str], path: str) -> Question:
    """Make a file whose rules hold for every crawler."""
    return hostile(name, "User-agent: *\n" + "".join(f"Disallow: {r}\n" for r in rules), path)


def hostile(name: str, text: str, path: str) -> Question:
    """Make a question to a hostile site."""
    return Question(name, text.encode(), "ExampleBot", f"https://hostile.example{path}")


def starts(count: int) -> str:
    """Make start-group lines of as many crawlers."""
    return "".join(f"User-agent: bot{n:05}\n" for n in range(count))


def tail_words() -> list[str]:
    """Return 14,000 words that differ."""
    chance = random.Random("tail words")
    return [f"{chance.choice(WORDS)}{n:05}" for n in range(14_000)]


def words_url() -> str:
    """Make a path of 2,000 bytes from some 180 of those words; it ends in `x`, as the rules do."""
    path = "/q"
    for word in random.Random("words in the URL").sample(tail_words(), 400):
        if len(path) + len(word) + 2 > 2_000:
            break
        path += f"/{word}"
    return path + "x"
