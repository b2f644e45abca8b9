"""Which crawlers follow the same groups: as their agents say."""

from itertools import combinations

from hypothesis import given, strategies as st

import verger
from verger.crawlers import agent_of, agents_of, alike
from verger.grouping import by_key
from verger.options import is_token

TOKENS = [
    *("*", "Googlebot", "Googlebot-Image", "Applebot", "AdsBot-Google", "AdsBot-Google-Mobile"),
    *("Google-Agent", "Google-Extended", "GPTBot", "gptbot", "bingbot", "a", "ab", "Nobody"),
]
NAMES = st.lists(st.sampled_from([*TOKENS, "Google", "a/1"]), min_size=1, max_size=3)
FILES = st.lists(NAMES, max_size=4).map(
    lambda groups: "".join(
        "".join(f"User-agent: {name}\n" for name in names) + f"Disallow: /{place}\n\n"
        for place, names in enumerate(groups)
    )
)


@given(FILES, st.sampled_from(list(verger.DIALECTS)))
def test_says_what_agents_say(body: str, dialect: str) -> None:
    """Crawlers have the same mark where the same rules bind them, by name or not."""
    robots = verger.parse(body, dialect=dialect)
    parts = enumerate(alike([robots], TOKENS))
    marks = {token: number for number, tokens in parts for token in tokens}

    for one, other in combinations(TOKENS, 2):
        agents = agent_of(robots, one), agent_of(robots, other)
        are_alike = len({(agent.named, agent.rules) for agent in agents}) == 1
        if marks[one] == marks[other]:
            assert are_alike
        elif are_alike:  # without a group of `*`, who follows it and who follows nobody are alike
            assert agents[0].rules == ()


@given(FILES, st.sampled_from(list(verger.DIALECTS)))
def test_agents_of_many(body: str, dialect: str) -> None:
    """Rules that are looked up together are those that are looked up one by one."""
    robots = verger.parse(body, dialect=dialect)

    assert [agent_of(robots, token) for token in TOKENS] == agents_of(robots, TOKENS)


CROWD = [f"{head}{at}{tail}" for head in ("x", "bot", "") for tail in ("", "-a") for at in "0123"]
SOME = st.lists(st.sampled_from([*CROWD, "*", "b", "o"]), min_size=3, max_size=9)


def large(lines: int, names: list[str]) -> str:
    """Return a file with so many start lines, which repeat names; seven share a group."""
    return "".join(
        f"User-agent: {names[at * at % len(names)]}\n" + ("" if at % 7 else f"Disallow: /{at}\n")
        for at in range(lines)
    )


LARGE = st.builds(large, st.integers(65, 90), SOME)


@given(LARGE, LARGE, st.sampled_from(list(verger.DIALECTS)))
def test_files_together_are_files_one_by_one(one: str, other: str, dialect: str) -> None:
    """What a value names is known to the next file, unless only some crawlers were looked for."""
    files = [verger.parse(body, dialect=dialect) for body in (one, other)]
    tokens = [token for token in CROWD if is_token(token, [files[0].dialect])]
    by_file = [alike([file], tokens) for file in files]

    marks = [{each: at for at, same in enumerate(part) for each in same} for part in by_file]
    expected = by_key(((marks[0][each], marks[1][each]), each) for each in tokens)
    assert alike(files, tokens) == [*expected.values()]
    assert alike(files[::-1], tokens) == [*expected.values()]
