"""Signals: say for what crawlers may use what they fetch, and change no other answer.

In: a file, crawlers, and a use. Out: an `Outcome` with a `Content-Signal` line in groups that only
they follow, with the rules that they had, and the proof that no URL changed; or `Refused`.
draft-romm-aipref-contentsignals-00.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from verger._core import Dialect, RobotsTxt, parse
from verger.analysis.blocking import Refused, change
from verger.analysis.draft import compose
from verger.analysis.edit import Editor
from verger.analysis.proof import Outcome, prove
from verger.analysis.rule_lists import Wish
from verger.analysis.selecting import selected
from verger.analysis.writable import expect_editable
from verger.crawlers import agents_of
from verger.crawlers.purposes import USES
from verger.crawlers.uses import is_policy_token, uses_of
from verger.plain import listed, quoted

FIELD = "content-signal"


def signal(
    robots: RobotsTxt,
    agents: Sequence[str],
    use: str,
    *,
    allowed: bool,
    meant: Sequence[str] = (),
    dialects: Sequence[Dialect] = (),
) -> Outcome:
    """Say whether crawlers may use what they fetch.

    agents:    product tokens; `*` for all crawlers that follow only the groups of `*`.
    use:       one of `verger.crawlers.USES`.
    meant:     further crawlers to which the line may speak.
    dialects:  further dialects in which it is proved that no other answer changes.
    Raises:    Refused, InvalidOption.
    """
    expect_editable(robots)
    records = [(FIELD, f"{use}={'yes' if allowed else 'no'}")]
    _with_group(parse(b"", dialect=robots.dialect), ["*"], records)  # which the dialect must read
    asked = selected(robots, agents, (), (), policy_tokens=False)
    found = zip(asked, agents_of(robots, asked), strict=True)
    # The groups of `*` do not speak for them.
    unnamed = {token for token, agent in found if is_policy_token((token,)) and not agent.named}
    policies = [token for token in agents if token in unnamed]
    rest = [token for token in asked if token not in unnamed]
    wish = Wish("allow", (), (), dialects, records, (*meant, *unnamed))
    if not policies:
        return _checked(robots, change(robots, rest, wish), use)
    named = _named(robots, policies, wish)
    if not rest:
        return named
    done = _checked(named.robots, change(named.robots, rest, wish), use)
    edits = compose(named.edits, done.edits, len(robots.body))
    spoken_to = tuple(token for token in asked if token in {*policies, *rest})
    return replace(done, edits=edits, crawlers=spoken_to)


def _checked(old: RobotsTxt, done: Outcome, use: str) -> Outcome:
    """Return an outcome, or refuse it if a URL changes, or what is said about another use: a line
    gives a group contents that some readers skipped before, as it had none."""
    changed = {token for each in done.proof.changed for token in each.crawlers}
    for other in USES.keys() - {use}:
        pairs = zip(
            *(uses_of(file, done.crawlers, other) for file in (old, done.robots)), strict=True
        )
        for token, (before, after) in zip(done.crawlers, pairs, strict=True):
            changed |= {token} if before.allowed is not after.allowed else set()
    if changed:
        why = f"other answers would change for {listed(sorted(changed), quoted, most=4)}"
        raise Refused(why, "name those that are meant in groups of their own first", done.proof)
    return done


def _with_group(
    robots: RobotsTxt, tokens: Sequence[str], records: Iterable[tuple[str, str]]
) -> Editor:
    editor = Editor(robots)
    editor.add_group(tokens)
    for name, value in records:
        editor.add_record(name, value, group=editor.robots.groups[-1])
    return editor


def _named(robots: RobotsTxt, tokens: Sequence[str], wish: Wish) -> Outcome:
    """Add a group for policy tokens that no group names. It has no rules: those of `*` do not speak
    for policy tokens, and would, in a group that names them, speak about every use."""
    editor = _with_group(robots, tokens, wish.records)
    proof = prove(robots, editor.robots, tokens, bindings=["operators"], dialects=wish.dialects)
    others = proof.without(tokens)
    if others.changed:
        who = listed(others.changed[0].crawlers, quoted)
        why = f"a group for {listed(tokens, quoted)} would also be one for {who}"
        raise Refused(why, "edit the file by hand", others)
    return Outcome(editor.robots, editor.edits, proof, tuple(tokens))
