"""What values say of themselves, where people print them: a line, and not all that they hold."""

import verger
from verger.analysis import block, prove
from verger.testing import client

SITES = {"https://example.com": b"User-agent: *\nDisallow: /a\n", "https://down.example": 503}


def test_an_answer_is_a_line() -> None:
    """With the line and the rule, or the reason alone."""
    with client(SITES) as robots:
        by_rule, by_policy = (
            repr(robots.decide(url)) for url in ("https://example.com/a", "https://down.example/")
        )

    assert by_rule == (
        "Answer(disallowed, line=2, rule='Disallow: /a', reason=MOST_SPECIFIC_RULE, "
        "url='https://example.com/a')"
    )
    assert "Answer(disallowed, reason=SERVER_ERROR, url='https://down.example/')" == by_policy


def test_an_edit_and_its_proof_are_a_line() -> None:
    """With how much was proved, and not for whom."""
    robots = verger.parse(SITES["https://example.com"])
    made = block(robots, ["GPTBot"])
    number = len(made.proof.crawlers)
    changed = prove(robots, verger.parse(b""))

    assert repr(made).startswith("Outcome(RobotsTxt(")
    assert repr(made).endswith(f"1 edit, Proof({number - 1} of {number} crawlers unchanged))")
    assert f"Proof({changed.unchanged} of {len(changed.crawlers)} crawlers unchanged)" == repr(
        changed
    )
