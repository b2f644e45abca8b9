"""Make the stances: ready robots.txt files, and the expectations that prove them.

| written | by |
|---|---|
| python/verger/expectations/ready/ | `make docs` |
| docs/guides/stances.md | `make docs` |

In: tools/stances.toml, and the registry. Out: the same bytes from both. With `--check`, fail if a
file in the tree is stale.
"""

import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template

from verger import DIALECTS, parse
from verger.crawlers import CRAWLERS, PURPOSES, SOURCES, agents_of
from verger.crawlers.registry import by_purpose

ROOT = Path(__file__).resolve().parent.parent
STANCES = ROOT / "tools" / "stances.toml"
WRITTEN = ROOT / "python" / "verger" / "expectations" / "ready"
HEAD = ROOT / "tools" / "stances.md"
PAGE = ROOT / "docs" / "guides" / "stances.md"
READERS = [each for name, each in DIALECTS.items() if name not in ("original-1994", "koster-1996")]
"""The dialects in which crawlers of today read files."""
POLICY = [each.token for each in CRAWLERS if each.kind == "policy-token" and not each.is_hearsay]
DATE = max(source.date for source in SOURCES.values())
MOST_ROUNDS = 9


def main() -> int:
    """Write the files, or check them."""
    files = dict(made())
    there = {path for path in (*WRITTEN.rglob("*"), PAGE) if path.is_file()}
    stale = [path for path in {*files, *there} if path not in there or is_stale(path, files)]
    if "--check" not in sys.argv:
        for path in stale:
            write(path, files)
        return 0
    for path in sorted(stale):
        print(f"error: {path.relative_to(ROOT)} is stale\nhint: run `make docs`", file=sys.stderr)
    return 1 if stale else 0


def is_stale(path: Path, files: dict[Path, str]) -> bool:
    return path.read_text("utf-8") != files[path] if path in files else True


def write(path: Path, files: dict[Path, str]) -> None:
    if path not in files:
        path.unlink()
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(files[path], "utf-8")


def made() -> Iterator[tuple[Path, str]]:
    """Yield the path and the text of each file."""
    sections = []
    for name, row in tomllib.loads(STANCES.read_text("utf-8")).items():
        row["except_"] = row.pop("except", [])
        stance = Stance(**row)
        robots, expectations = stance.robots_with(stance.apart()), stance.expectations()
        yield WRITTEN / f"{name}.txt", robots
        yield WRITTEN / f"{name}.toml", expectations
        sections.append(stance.section(name, robots, expectations))
    yield PAGE, HEAD.read_text("utf-8").replace("STANCES\n", "\n".join(sections))


@dataclass
class Stance:
    """A row of tools/stances.toml."""

    about: str
    whom: str
    cannot: str
    robots: str
    expect: str
    purposes: Sequence[str] = ()
    kept: Sequence[str] = ()
    tokens: Sequence[str] = ()
    except_: Sequence[str] = ()

    @property
    def keeping(self) -> list[str]:
        """Return the crawlers that are left out for another purpose."""
        kept = tokens_for(self.kept)
        return [token for token in tokens_for(self.purposes) if token in kept]

    @property
    def selected(self) -> list[str]:
        """Return the crawlers that have a group of their own."""
        meant = {*tokens_for(self.purposes), *self.tokens} - {*self.keeping, *self.except_}
        return [each.token for each in CRAWLERS if each.token in meant]

    def robots_with(self, apart: Iterable[str]) -> str:
        """Return the file in which some crawlers are named beside `*`."""
        values = {
            "date": DATE,
            "named": starts(token for token in self.selected if token not in POLICY),
            "policy": starts(POLICY),
            "apart": starts(apart),
        }
        return Template(self.robots).substitute(values)

    def apart(self) -> list[str]:
        """Return the crawlers that do not follow the group of `*` unless it names them."""
        apart = set[str]()
        own = {*self.selected, *(POLICY if "$policy" in self.robots else ())}
        for _ in range(MOST_ROUNDS):
            text = self.robots_with(sorted(apart, key=str.lower) or ["nobody"])
            if (found := set(strayed(text, own))) <= apart:
                return sorted(apart, key=str.lower)
            apart |= found
        raise AssertionError("names in the group of `*` draw others into it again and again")

    def section(self, name: str, robots: str, expectations: str) -> str:
        """Return what the guide says of it."""
        text = f"## {name}\n\n{self.about}\n**For whom.** {self.whom}\n"
        for more, shown in (("", robots), (" --record", expectations)):
            text += f"\n```console\n$ verger test --stance {name}{more}\n{shown}```\n"
        return f"{text}\n**What it cannot do.** {self.cannot}\n"

    def expectations(self) -> str:
        """Return the expectations as TOML."""
        other = [purpose for purpose in PURPOSES if purpose not in self.purposes]
        both = tokens_for(other)
        values = {
            "other": other,
            "both": [token for token in self.selected if token in both],
            "keeping": self.keeping,
            "selected": self.purposes,
            "tokens": self.tokens,
        }
        text = Template(self.expect).substitute({n: array(each) for n, each in values.items()})
        return f'# {self.about}\nrobots = "robots.txt"\n\n{text}'.replace("except = []\n", "")


def tokens_for(purposes: Iterable[str]) -> dict[str, None]:
    return dict.fromkeys(each.token for each in by_purpose([*purposes]))


def starts(tokens: Iterable[str]) -> str:
    return "\n".join(f"User-agent: {token}" for token in tokens)


def strayed(text: str, own: set[str]) -> Iterator[str]:
    """Yield the crawlers that are to follow the group of `*`, and follow another one or none."""
    tokens = [each.token for each in CRAWLERS if each.token not in own]
    for dialect in READERS:
        robots = parse(text, dialect=dialect)
        for token, agent in zip(tokens, agents_of(robots, tokens), strict=True):
            if not any("*" in group.product_tokens for group in agent.groups):
                yield token


def array(texts: Iterable[str]) -> str:
    quoted = [f'"{text}"' for text in texts]
    line = ", ".join(quoted)
    return f"[{line}]" if len(line) < 70 else "[\n" + "".join(f"    {t},\n" for t in quoted) + "]"


if __name__ == "__main__":
    sys.exit(main())
