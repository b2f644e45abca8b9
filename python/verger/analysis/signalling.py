"""Signals: say for what crawlers may use what they fetch, and change no other answer.

In: a file, crawlers, and a use. Out: an `Outcome` with a `Content-Signal` line in the groups that
they follow, and the proof that no URL changed; or `Refused`, if a line would also speak to others.
draft-romm-aipref-contentsignals-00.
"""

from collections.abc import Collection, Iterable, Sequence

from verger._core import Dialect, RobotsTxt, _places
from verger.analysis.blocking import Refused
from verger.analysis.edit import Editor
from verger.analysis.proof import Outcome, prove
from verger.analysis.selecting import selected
from verger.analysis.writable import expect_editable
from verger.crawlers import agents_of, binding_of, find
from verger.crawlers.uses import is_policy_token
from verger.plain import listed, quoted

FIELD = "content-signal"

MOST_NAMED = 4


def signal(
    robots: RobotsTxt,
    agents: Sequence[str],
    use: str,
    *,
    allowed: bool,
    meant: Iterable[str] = (),
    dialects: Iterable[Dialect] = (),
) -> Outcome:
    """Say whether crawlers may use what they fetch.

    agents:    product tokens; `*` for all crawlers that follow only the groups of `*`.
    use:       one of `verger.crawlers.USES`.
    meant:     further crawlers to which the line may speak.
    dialects:  further dialects in which it is proved that no other answer changes.
    Raises:    Refused, InvalidOption.
    """
    expect_editable(robots)
    given = {*agents}
    agents = selected(robots, agents, (), (), policy_tokens=False)
    editor = Editor(robots)
    value = f"{use}={'yes' if allowed else 'no'}"
    found = list(zip(agents, agents_of(robots, agents), strict=True))
    for place in sorted({_places(agent)[0] for _, agent in found if agent.groups}):
        editor.add_record(FIELD, value, group=editor.robots.groups[place])
    unled = [token for token, agent in found if not agent.groups]
    if names := [token for token in unled if "*" not in unled or _is_apart(token, given)]:
        editor.add_group(names)
        editor.add_record(FIELD, value, group=editor.robots.groups[-1])
    proof = prove(robots, editor.robots, agents, bindings=["operators"], dialects=dialects)
    others = [each for each in proof.without((*agents, *meant)).other_records if find(each)]
    if others or proof.changed:
        who = listed(others or [*proof.changed[0].crawlers], quoted, most=MOST_NAMED)
        why = f"a line `{FIELD}: {value}` would also change what is said to {who}"
        raise Refused(why, "name those that are meant, and these, in groups of their own", proof)
    return Outcome(editor.robots, editor.edits, proof, tuple(agents))


def _is_apart(token: str, given: Collection[str]) -> bool:
    """Whether a group for `*` has to name a crawler as well."""
    _, by_star = binding_of(token)
    return token == "*" or not by_star or (token in given and is_policy_token((token,)))
