"""Which crawlers follow the same groups: as their agents say."""

from itertools import combinations

from hypothesis import given, strategies as st

import verger
from verger.crawlers import agent_of, agents_of, alike

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
