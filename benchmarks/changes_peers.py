"""What other tools say of changes of files; it runs where they are installed, without verger.

In: pairs of files on stdin, as JSON, each with paths to look at. Out: on stdout, as JSON, the
versions of the tools, and for each pair what each says: crawlers by product tokens, before, after.
Each is asked as its README shows: susbot by `susbot.diff`, ai-crawler-robots by `diff`, which asks
about `/`; and once more about each of the paths.
"""

import json
import sys
from importlib.metadata import version
from typing import Any

import ai_crawler_robots
import susbot

SITE = "https://example.com/"

Said = list[tuple[list[str], str, str]]


def main() -> None:
    """Ask, and tell."""
    pairs = json.load(sys.stdin)
    said = [{"susbot": of_susbot(pair), "ai-crawler-robots": of_ai(pair)} for pair in pairs]
    at_paths = [[of_ai(pair, path) for path in pair["paths"]] for pair in pairs]
    names = ("susbot", "ai-crawler-robots")
    versions = {name: version(name) for name in names}
    answer = {"versions": versions, "lists": lists(), "said": said, "at_paths": at_paths}
    json.dump(answer, sys.stdout)


def lists() -> dict[str, list[str]]:
    """Return the crawlers that each tool looks at, by product token."""
    tokens = [each["tokens"][0] for each in susbot.Analysis("", site_url=SITE).crawlers]
    ai = ai_crawler_robots.crawlers(ai_only=True)
    slugs = [ai_crawler_robots.crawler(slug)["token"] for slug in ai]
    return {"susbot": tokens, "ai-crawler-robots": slugs}


def of_susbot(pair: dict[str, Any]) -> Said:
    old, new = (susbot.Analysis(pair[part], site_url=SITE) for part in ("old", "new"))
    tokens = {crawler["name"]: crawler["tokens"] for crawler in new.crawlers}
    return [
        (tokens[change["name"]], change["old_verdict"], change["new_verdict"])
        for change in susbot.diff(old, new)["bot_changes"]
    ]


def of_ai(pair: dict[str, Any], path: str = "/") -> Said:
    found = ai_crawler_robots.diff(pair["old"], pair["new"], path)
    return [
        ([ai_crawler_robots.crawler(change["slug"])["token"]], change["was"], change["now"])
        for change in found["changed"]
    ]


if __name__ == "__main__":
    main()
