"""The columns about use: they count what `verger.crawlers.may_use` says to each crawler."""

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given, strategies as st

import verger
from bulk.scan.test_kernel import captures, files, rows_of
from verger import RFC9309, UseDecision
from verger.bulk.scan import Scanner
from verger.crawlers import LISTED, USES, agent_of, find, may_use, policy_tokens, survey_of
from verger.crawlers.uses import uses_of

PAGE = "https://site.example/~zq9x7\U0010fffd~"
"""A page that no file speaks of."""
READS_ALL = RFC9309.replace(extensions=(*RFC9309.extensions, "content-usage"))
MECHANISMS = ("crawl-rules", "policy-token", "content-signal", "content-usage")

ABOUT_USE = [
    b"User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n",
    b"User-agent: *\nContent-Signal: search=yes, ai-train=yes\nDisallow: /\n",
    b"Content-Signal: ai-train=no\nUser-agent: GPTBot\nContent-Signal: ai-train=yes\n",
    b"User-agent: Google-Extended\nDisallow: /\n\nUser-agent: *\nContent-Signal: ai-input=yes\n",
    b"User-agent: Google-Extended\nDisallow: /z\n\nUser-agent: *\nDisallow: /\n",
    b"User-agent: Google-Extended\nAllow: /\nDisallow: /no\n\nUser-agent: Googlebot\nDisallow: /\n",
    b"User-agent: Applebot-Extended\nDisallow:\n\nUser-agent: Applebot\nDisallow: /\n",
    b"User-agent: __usage_ai-training\nAllow: /\n\nUser-agent: Google-Extended\nDisallow: /\n",
    b"User-agent: CCBot\nUser-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nAllow: /\n",
    b"User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /z train-ai=y\n"
    b"Content-Signal: ai-train=yes\n",
    b"User-agent: *\nContent-Usage: /a* train-ai=y\nDisallow: /\n",
    b"License: https://a.example/l.xml\nLicense: no URL\nLicense: https://b.example/l\xff\n",
    b"User-agent: Googlebot\nDisallow: /\nContent-Signal: search=yes\n",
    b"User-agent: googlebot\nDisallow: /\n" * 500
    + b"User-agent: Google-Extended\nAllow: /\n" * 500,
]


def heard(decisions: Sequence[UseDecision]) -> dict[str, object]:
    """Return what several crawlers hear, as a row has it; the first is one that no group names."""
    conflicts: Counter[tuple[str, str]] = Counter()
    for each in decisions:
        conflicts.update({(yes.mechanism, no.mechanism) for yes, no in each.conflicts})
    return {
        "allowed": decisions[0].allowed,
        **{
            name.replace("-", "_"): {
                f"{verdict}s": sum(says(each, name, verdict) for each in decisions)
                for verdict in ("allow", "disallow")
            }
            for name in MECHANISMS
        },
        "conflicts": dict(conflicts),
    }


def says(decision: UseDecision, mechanism: str, verdict: str) -> bool:
    return any((each.mechanism, each.verdict) == (mechanism, verdict) for each in decision.signals)


def asked(robots: verger.RobotsTxt, use: str, tokens: Sequence[str]) -> list[UseDecision]:
    anyone = robots.agent("*").may_use(PAGE, use, policy_tokens=policy_tokens((), use))  # type: ignore[arg-type]
    return [anyone, *(may_use(robots, PAGE, token, use) for token in tokens)]  # type: ignore[arg-type]


def shown(said: dict[str, object]) -> dict[str, object]:
    conflicts = said["conflicts"]
    assert isinstance(conflicts, list)
    pairs = {(each["allows"], each["disallows"]): each["crawlers"] for each in conflicts}
    return said | {"conflicts": pairs}


@pytest.mark.parametrize("dialect", [READS_ALL, "google", "googlebot-cpp", "original-1994"])
def test_columns_count_decisions(dialect: "str | verger.Dialect") -> None:
    """For each use, each crawler that fetches for it is asked as one file would be."""
    scanner = Scanner(dialect=dialect, threads=2)
    bodies = [*ABOUT_USE, *files()]
    batch = captures(*(("https://site.example/robots.txt", 200, body) for body in bodies))
    for body, row in zip(bodies, rows_of(scanner, batch), strict=True):
        robots = verger.parse(body, dialect=dialect)
        uses = row["uses"]
        assert isinstance(uses, dict)
        expected = {use: heard(asked(robots, use, scanner.uses[use])) for use in USES}
        licenses = robots.agent("*").may_use(PAGE, "search").licenses

        assert {use: shown(uses[use.replace("-", "_")]) for use in USES} == expected
        assert row["licenses"] == [
            text.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for text in licenses
        ]


def test_who_is_asked() -> None:
    """Crawlers of a purpose, those with a policy token of their operator, and unknown ones."""
    uses = Scanner().uses

    assert "GPTBot" in uses["ai-train"]
    assert "GPTBot" not in uses["search"]
    assert {"Googlebot", "Applebot"} < {*uses["ai-train"]}
    assert "Google-Extended" not in {token for tokens in uses.values() for token in tokens}
    assert Scanner(crawlers=["NobodyKnowsThisBot"]).uses == dict.fromkeys(
        USES, ("NobodyKnowsThisBot",)
    )
    for use, tokens in uses.items():
        for token in tokens:
            known = find(token)
            own = policy_tokens((token,), use) != policy_tokens((), use)  # type: ignore[arg-type]
            assert known
            assert token in LISTED
            assert own or USES[use] in known.purposes


def test_a_policy_token_without_its_operator() -> None:
    """It is heard although no crawler of its operator is asked, and follows no groups."""
    scanner = Scanner(crawlers=["GPTBot", "Google-Extended"])
    body = b"User-agent: Google-Extended\nDisallow: /\n"
    (row,) = rows_of(scanner, captures(("https://site.example/robots.txt", 200, body)))
    train = row["uses"]["ai_train"]  # type: ignore[index]

    assert scanner.uses["ai-train"] == ("GPTBot", "Google-Extended")
    assert train["policy_token"] == {"allows": 0, "disallows": 1}
    assert train["crawl_rules"] == {"allows": 0, "disallows": 0}


def test_without_a_file_nobody_says_anything() -> None:
    """The columns are null where there is no file, and not where it is empty."""
    url = "https://site.example/robots.txt"
    rows = rows_of(Scanner(), captures((url, 404, b"x"), (url, 503, None), (url, 200, b"")))

    assert [row["licenses"] for row in rows] == [None, None, []]
    assert [row["uses"] is None for row in rows] == [True, True, False]
    assert {said["allowed"] for said in rows[2]["uses"].values()} == {None}  # type: ignore[attr-defined]


def test_metadata_says_who_was_asked() -> None:
    """Numbers of crawlers mean something only beside all that were asked."""
    scanner = Scanner(crawlers=["GPTBot", "Googlebot"])

    assert scanner.schema.metadata[b"verger.use.ai-train"] == b"GPTBot,Googlebot"
    assert scanner.schema.metadata[b"verger.use.search"] == b"Googlebot"


def test_rules_of_a_crawler_that_is_followed() -> None:
    """Applebot follows the groups of Googlebot where none names it."""
    body = b"User-agent: Googlebot\nDisallow: /\n"
    (row,) = rows_of(
        Scanner(crawlers=["Applebot"]), captures(("https://a.example/robots.txt", 200, body))
    )
    robots = verger.parse(body)

    assert row["uses"]["search"]["crawl_rules"]["disallows"] == 1  # type: ignore[index]
    assert not agent_of(robots, "Applebot").allowed("/")


WHOM = ["GPTBot", "Googlebot", "Googlebot-Image", "AdsBot-Google"]
HEARD = [
    *(f"User-agent: {name}" for name in ("*", "Google-Extended", "GPTBot", "Googlebot")),
    *("Disallow: /", "Disallow: /~", "Allow: /", "Disallow: /a*!", "Content-Signal: ai-train=no"),
    *(f"Content-Usage: {said}" for said in ("/~ train-ai=n", "/! search=n", "train-ai=y")),
    "",
]


@given(st.lists(st.sampled_from(HEARD), max_size=10), st.sampled_from(list(verger.DIALECTS)))
def test_a_scan_says_what_a_survey_does(lines: list[str], name: str) -> None:
    """How much crawlers may fetch, and what others may use, of pages that no pattern means."""
    extensions = (*verger.DIALECTS[name].extensions, "content-signal", "content-usage")
    dialect = verger.DIALECTS[name].replace(extensions=tuple(dict.fromkeys(extensions)))
    url, body = "https://a.example/robots.txt", "\n".join(lines).encode()
    [row] = rows_of(Scanner(dialect=dialect, crawlers=WHOM), captures((url, 200, body)))
    robots = verger.parse(body, dialect=dialect, url=url)
    survey = survey_of(robots, crawlers=WHOM)
    used = [uses_of(robots, ["Nobody"], use)[0].allowed for use in USES]  # type: ignore[arg-type]

    assert survey.default.extent == row["posture"]
    assert {each.token: each.posture for each in survey.standings} == {
        token: told["posture"] for token, told in row["crawlers"].items()
    }
    assert used == [told["allowed"] for told in row["uses"].values()]
