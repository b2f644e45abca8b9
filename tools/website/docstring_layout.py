"""A docstring of verger as Markdown.

In: a docstring as `help` shows it. Out: the same with its examples as code, its lists of names and
meanings as lists, and what is drawn with spaces as it stands.
"""

import re
from inspect import cleandoc

LABEL = re.compile(r"(?P<name>[\w`*, .\[\]/]+?):(?: +|$)(?P<text>.*)")
COLUMN = re.compile(r"(?P<name>[\w.`]+) {2,}(?P<text>\S.*)")
SENTENCE = re.compile(r".*?[.?!](?= [A-Z]|$)")
SPOKEN = {"Returns", "Return", "Raises", "Warns", "Yields", "Calls"}
"""Labels that are words and not names."""


def first_sentence(docstring: str) -> str:
    """Return the first sentence of a docstring, on one line."""
    paragraph = " ".join(docstring.partition("\n\n")[0].split())
    sentence = SENTENCE.match(paragraph)
    return sentence[0] if sentence else paragraph


def laid_out(docstring: str) -> str:
    """Return a docstring as Markdown."""
    blocks = re.split(r"\n\s*\n", cleandoc(docstring))
    return "\n\n".join(_block(block) for block in blocks)


def _block(block: str) -> str:
    if block.lstrip().startswith(">>>"):
        return f"```pycon\n{block}\n```"
    for pattern in (LABEL, COLUMN):
        if items := _items(block, pattern):
            return "\n".join(items)
    if re.search(r"^(  |\|)|  \S+  ", block, re.MULTILINE):
        return f"```text\n{block}\n```"
    return block


def _items(block: str, pattern: re.Pattern[str]) -> list[str]:
    """Return a block as a list, if each of its lines begins an item or continues one."""
    items: list[str] = []
    for line in block.splitlines():
        found = pattern.fullmatch(line)
        if found and len(found["name"].split()) <= 3:
            items.append(f"- {_name(found['name'])}: {found['text']}")
        elif items and line.startswith("  "):
            items[-1] += f" {line.strip()}"
        else:
            return []
    return items


def _name(name: str) -> str:
    """Return what stands before the meaning: a name of Python as code."""
    if name in SPOKEN:
        return f"**{name}**"
    return name if "`" in name else ", ".join(f"`{part}`" for part in name.split(", "))
