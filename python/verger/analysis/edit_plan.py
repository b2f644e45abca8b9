"""One way to change whom a file lets fetch what: which groups get which rules.

In: a file, the crawlers and rules that are asked for, and a way. Out: the `Outcome` with its proof,
or `Refused`. A crawler that shares a group with others gets a group of its own, with the rules that
it had. So does a crawler whose answers would change because it follows another crawler's group.

Policy tokens are crawlers in name only: they have no answers about fetching, but what the groups
that name them say about use. Those of `*` do not speak for them, so none of their rules is copied
for one. A group for one of them, or one that some dialect would take for theirs, must not say more.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product, starmap
from typing import Literal, TypeAlias

from verger._core import (
    _VERDICTS,
    DIALECTS,
    Agent,
    Dialect,
    Group,
    RobotsTxt,
    _agents_named,
    _binding_lines,
    _placed_records,
    _places,
    parse,
)
from verger.analysis.editor import Editor, NewGroup, NewRule, RuleField, rules_of
from verger.analysis.proof import (
    Changed,
    Outcome,
    Proof,
    crawlers_alike,
    cut_names,
    cuts_of,
    differences,
    prove,
)
from verger.analysis.readings import readings
from verger.analysis.rule_lists import OTHER, AskedRules, Recipe, Rulebook, is_same
from verger.analysis.rules import Change, Difference, redundant
from verger.crawlers import CRAWLERS, agent_of, agents_of, alike, find
from verger.crawlers.binding import read_again
from verger.crawlers.purposes import USES
from verger.crawlers.uses import is_policy_token, policy_tokens
from verger.errors import RobotsError
from verger.grouping import by_key
from verger.options import is_token
from verger.untrusted_text import listed, printable, quoted

SITE = ("/",)

MOST_RECORDS = 256
"""The most records that are copied to a new group."""

MOST_KEPT_AS_THEY_ARE = 32
"""The most crawlers that get a group of their own only to keep their answers."""

MOST_ROUNDS = 3
"""How often others get groups: who follows one of these crawlers may need one then."""

MOST_NAMED = 4

UNKNOWN = Difference((), is_exact=False)

Records = tuple[tuple[str, str], ...]


class Refused(RobotsError):
    """An edit was not made, because it would also change other answers.

    proof:  what would change for whom, with a witness; empty if the dialect cannot express the
            request.
    """

    def __init__(self, message: str, hint: str | None = None, proof: Proof | None = None) -> None:
        super().__init__(message, hint)
        self.proof = proof or Proof(())


WAYS = ((False, False), (True, False), (False, True), (True, True))
"""The ways to give crawlers a group of their own: whether it goes before all others, for dialects
in which the first one counts; and whether the lines of other groups that name the crawlers stay.
Where all groups of a crawler are merged, the new one then has only the new rules."""

Manner: TypeAlias = Literal["copied", "trimmed", "silenced"]

MANNERS: Sequence[Manner] = ("copied", "trimmed", "silenced")
"""What is done about policy tokens that some dialect takes for names in a new group: nothing; the
rules that decide nothing are not copied into it, so that it allows nothing; or they get a group
that says nothing. The next is tried if they would say more."""

Way: TypeAlias = tuple[bool, bool, Manner, bool]
"""One of the `WAYS`, a manner, and whether other crawlers get groups to keep the answers that they
have in any dialect in which crawlers can be listed, or only in those where they must."""


@dataclass(slots=True)
class Followers:
    """Crawlers that follow the same groups."""

    tokens: list[str]
    agent: Agent
    groups: Sequence[int]
    """Their groups, by index."""


def crowd_of(robots: RobotsTxt, more: Sequence[str]) -> tuple[list[str], dict[str, Followers]]:
    """Return the policy tokens, and all crawlers with those that follow the same groups."""
    crawlers, partition = crawlers_alike([robots], more)
    policies = [token for token in crawlers if is_policy_token((token,))]
    heard = dict(zip(policies, _agents_named(robots, policies), strict=True))
    unheard = {token for token, agent in heard.items() if not agent.named}
    heeding = [[token for token in same if token not in unheard] for same in partition]
    partition = [same for same in heeding if same]
    agents = agents_of(robots, [tokens[0] for tokens in partition])
    classes = {
        token: each
        for tokens, agent in (
            *zip(partition, agents, strict=True),
            *(([token], heard[token]) for token in unheard),
        )
        for each in [Followers(tokens, agent, _places(agent))]
        for token in tokens
    }
    return policies, classes


class EditPlan:
    """One way to change a file."""

    def __init__(
        self,
        robots: RobotsTxt,
        editor: Editor,
        crowd: tuple[list[str], dict[str, "Followers"]],
        asked: Sequence[str],
        wish: AskedRules,
        way: Way,
        book: Rulebook,
    ) -> None:
        self._robots = robots
        self._asked = asked
        self._kept = frozenset(token.lower() for token in wish.kept)
        self._wish = wish
        self._is_first, self._lines_stay, self._manner, self._is_for_all = way
        self._book = book
        own = robots.dialect.name
        self._dialects = {each.name: each for each in wish.dialects}
        self._dialects |= {each.name: each for each in DIALECTS.values() if each.name != own}
        self._hard = {own, *(each.name for each in wish.dialects)}
        self._served = self._hard.union(
            name
            for name, each in self._dialects.items()
            if self._is_for_all and not Rulebook(each).names_are_parts
        )
        self._failed: set[str] = set()
        """The dialects in which more changes than was asked for."""
        self.gives_voice = False
        """Whether policy tokens would say something else in some dialect."""
        self.serves_others = False
        """Whether others need groups in some dialect: otherwise it does not matter in which."""
        self._given: set[str] = set()
        """Crawlers that got a group to keep their answers."""
        self._old = editor.robots
        self._old_records = _records_of_groups(self._old)
        self._editor = editor.copy()
        self._also = {name for name in _nameless(robots, asked) if name.lower() not in self._kept}
        self._groups: list[NewGroup | None] = [
            (group.product_tokens, rules_of(group)) for group in self._old.groups
        ]
        """The groups of the file as they will be; None for those that go."""
        self._policies, self._classes = crowd
        self._followers: dict[int, list[Followers]] = {}
        for each in {id(each): each for each in self._classes.values()}.values():
            for place in each.groups:
                self._followers.setdefault(place, []).append(each)
        self._new: dict[tuple[tuple[NewRule, ...], Records], list[str]] = {}

    def outcome(self) -> Outcome:
        """Make the edit, and prove it. Raises Refused."""
        shared = [each for each in self._changing() if not self._change_own(each)]
        for each in shared:
            self._plan_group(each)
        if not self._lines_stay:
            self._leave_groups([token for each in shared for token in each.tokens])
        self._editor.replace_groups(self._groups)
        self._add_groups()
        if len(self._classes) > 2 * len(CRAWLERS):  # most plans fail for these, in less time
            self._keeping_others(named=False)
        robots, proof = self._keeping_others()
        in_own = self._within(proof, {self._robots.dialect.name})
        also = {token for each in in_own.changed for token in each.crawlers} & self._also
        if "*" in self._asked:  # which stands for all names that nobody knows
            also = {token for token in also if agent_of(self._old, token).named}
        in_vain = self._given.difference(self._policies) and self._served & self._failed
        if self._is_for_all and in_vain:
            raise self._unasked(proof)
        held = self._within(proof, {*self._hard, *self._dialects} - self._failed)
        nobodys = self._also - also
        if "*" not in self._asked:
            nobodys.difference_update(held.affected)
        proof = held.without(nobodys)
        return Outcome(robots, self._editor.edits, proof, tuple(self._asked), tuple(sorted(also)))

    def _asked_policies(self) -> list[str]:
        """Return the policy tokens among the selected crawlers."""
        return [token for token in self._policies if token in self._asked]

    def _within(self, proof: Proof, dialects: Collection[str]) -> Proof:
        """Return a proof in some dialects, with all readings of each."""
        return proof.within([name for name in proof.dialects if name.split("+")[0] in dialects])

    def _of_others(self, proof: Proof) -> Proof:
        """Return what a proof says that was not asked for: of other crawlers, without those that
        keep their answers by name where a dialect cannot name them; of policy tokens only what they
        say, as they fetch nothing."""
        left_out = [*self._asked, *self._also, *self._unheard_of(proof)]
        rest = proof.without([*left_out, *self._policies])
        changed = tuple(each for each in rest.changed if not self._is_beyond_names(each))
        unspoken = proof.without([*left_out, *self._wish.also])
        uses = tuple(
            each
            for source, is_wanted in ((unspoken.uses, True), (proof.uses, False))
            for each in source
            if each.policy not in self._asked and self._is_for(each) is is_wanted
        )
        records = unspoken.without(self._policies).records
        return replace(rest, changed=changed, uses=uses, records=records)

    def _is_for(self, told: Changed) -> bool:
        """Whether records may say that to the selected crawlers: what may not be fetched needs no
        signal. For a policy token that is no reason: it speaks of /robots.txt, too, which is never
        closed to the crawlers that it stands for."""
        is_closed = self._wish.field == "disallow" and SITE[0] in self._wish.paths
        if not {*self._policies}.isdisjoint(told.crawlers):
            is_closed &= not any(change.opened for change in told.changes)
        return told.policy is None and (is_closed or self._wish.uses.issuperset(told.uses))

    def _unheard_of(self, proof: Proof) -> Iterator[str]:
        """Yield the names for which `*` stands, of those that are only the beginning of others."""
        if "*" in self._asked:
            values = (value for group in self._old.groups for value in group.product_tokens)
            known = self._kept.union(map(str.lower, values))
            for token in proof.crawlers:
                if find(token) is None and token.lower() not in known:
                    yield token

    def _is_beyond_names(self, changed: Changed) -> bool:
        if not self._kept.issuperset(token.lower() for token in changed.crawlers):
            return False
        return all(
            any(
                name == dialect.name and not _is_named(token, dialect)
                for dialect in self._wish.dialects
            )
            for name, token in product(changed.dialects, changed.crawlers)
        )

    def _changing(self) -> list[Followers]:
        """Return the selected crawlers for which something must change."""
        found: dict[object, Followers] = {}
        for token in self._asked:
            each = self._classes[token]
            # `*` and those that are named beside it follow the same groups.
            same = found.setdefault(tuple(each.groups) or id(each), replace(each, tokens=[]))
            same.tokens.append(token)
        classes = list(found.values())
        if wanted := {*self._wish.records}:
            return [each for each in classes if not wanted <= {*self._records_of(each.agent)}]
        agents = [each.agent for each in classes]
        # A policy token that no group names may still follow `*`, as every name.
        fetching = agents_of(self._old, [each.tokens[0] for each in classes])
        both = (self._book.budget.compare(it, it, self._wish.over) for it in (agents, fetching))
        missing = zip(classes, *both, strict=True)
        return [each for each, *found in missing if not all(map(is_same, found))]

    # groups that no other crawler follows

    def _change_own(self, crawlers: Followers) -> bool:
        """Change the groups of crawlers if no other crawler follows them; return whether so."""
        meant = {*crawlers.tokens, *self._also, *self._wish.also}
        if not crawlers.groups or not self._bound(crawlers) <= meant:
            return False
        rules = rules_of(crawlers.agent)
        recipe = self._recipe(crawlers, rules, [OTHER[self._wish.field]])
        at = 0
        for place in crawlers.groups:
            group = self._old.groups[place]
            size = len(group.rules)
            kept = [rules[i] for i in range(at, at + size) if i not in recipe.dropped]
            front = recipe.front if place == crawlers.groups[0] else ()
            back = recipe.back if place == crawlers.groups[-1] else ()
            self._groups[place] = group.product_tokens, [*front, *kept, *back]
            at += size
        if self._wish.records:
            own = self._editor.robots.groups[crawlers.groups[0]]
            self._editor.add_records(self._wish.records, own)
        return True

    def _bound(self, crawlers: Followers) -> set[str]:
        """Return the crawlers that follow the same groups; of a group for all others, those that it
        names: who keeps another answer than `*` gets a group afterwards."""
        if "*" in crawlers.tokens:
            return {name for at in crawlers.groups for name in self._old.groups[at].product_tokens}
        followers = {id(each): each for at in crawlers.groups for each in self._followers[at]}
        return {token for each in followers.values() for token in each.tokens}

    def _recipe(
        self, crawlers: Followers, rules: Sequence[NewRule], droppable: Collection[RuleField]
    ) -> Recipe:
        found = UNKNOWN
        policy = self._speaks(crawlers)
        if policy:  # what allows something is dropped only where it is to be disallowed
            droppable = [name for name in droppable if name == OTHER[self._wish.field]]
        for recipe in self._book.recipes(rules, self._wish, droppable=droppable):
            agent = self._book.agent(recipe.of(rules))
            if policy:
                (found,) = self._misspoken([crawlers.agent], [agent])
            else:
                (found,) = self._book.budget.compare([agent], [crawlers.agent], self._wish.over)
            if is_same(found):
                return recipe
        raise self._unsayable(crawlers.tokens, found)

    def _speaks(self, crawlers: Followers) -> bool:
        """Whether some of these crawlers are policy tokens."""
        return not {*self._policies}.isdisjoint(crawlers.tokens)

    def _misspoken(self, old: Sequence[Agent], new: Sequence[Agent]) -> list[Difference]:
        """Return where the rules of policy tokens do not say what is wished: that paths are
        disallowed, or no more disallowed; where they said nothing they are not to allow."""
        compare, over = self._book.budget.compare, self._wish.over
        if self._wish.field == "disallow" or not over:
            return compare(new, old, over, policy=True)
        book = Rulebook(new[0].robots.dialect)
        allowing = [book.agent(("allow", path) for _, path in rules_of(agent)) for agent in old]
        three = compare(new, old, over), compare(old, new, policy=True)
        return [
            Difference((*found.changes, *less.closed, *more.opened), is_exact=found.is_exact)
            if less.is_exact and more.is_exact
            else UNKNOWN
            for found, less, more in zip(*three, compare(allowing, new, policy=True), strict=True)
        ]

    # groups of their own

    def _plan_group(self, crawlers: Followers) -> None:
        """Record the rules that crawlers will have in a group of their own."""
        rules = rules_of(crawlers.agent)
        is_added = self._lines_stay and self._book.merges
        recipe = self._recipe(crawlers, rules, () if is_added else tuple(OTHER))
        wanted = recipe.of([] if is_added else rules)
        if self._manner == "trimmed" and not (is_added or self._speaks(crawlers)):
            idle = {rule.line for rule in redundant(self._book.agent(wanted)).rules}
            wanted = [rule for line, rule in enumerate(wanted, 2) if line not in idle]
        if self._manner == "trimmed" or self._speaks(crawlers):
            wanted = wanted or [*self._silence]
        if "*" in crawlers.tokens:  # which applies to the others of its class as well
            crawlers.tokens[:] = ["*"]
        _expect_names(crawlers.tokens, self._robots.dialect)
        is_closed = wanted == [("disallow", SITE[0])]
        records = () if is_closed or is_added else self._records_of(crawlers.agent)
        if len(records) > MOST_RECORDS:
            why = f"the group of {_names(crawlers.tokens)} has {len(records):,} other records"
            raise Refused(f"{why}, too many to copy", "remove those that repeat by hand first")
        records = (*records, *self._wish.records)
        self._new.setdefault((tuple(wanted), records), []).extend(crawlers.tokens)

    @property
    def _silence(self) -> tuple[NewRule, ...]:
        """The rules of a group that says nothing: an empty `Allow:`, as an empty `Disallow:` allows
        everything to Yandex; where a group needs a `Disallow`, that."""
        is_read = self._book.agent([("allow", "")]).named
        return (("allow" if is_read else "disallow", ""),)

    def _records_of(self, agent: Agent) -> Records:
        """Return the keys and values of the records in the groups that a crawler follows."""
        groups = set(_places(agent))
        found = self._old_records.items()
        return tuple(record for place, records in found if place in groups for record in records)

    def _leave_groups(self, tokens: Sequence[str]) -> None:
        """Remove the start-group lines that name only these crawlers."""
        named = _binding_lines(self._old, [*self._classes])
        lines = {token: own for token, (_, own) in zip(self._classes, named, strict=True)}
        staying = lines.keys() - {*tokens, *self._also}
        # Many crawlers share one list of lines.
        meant, kept = (
            {id(lines[token]): lines[token] for token in each} for each in (tokens, staying)
        )
        gone = set().union(*meant.values()).difference(*kept.values())
        for place, group in enumerate(self._old.groups):
            leaves = {self._old.lines[n - 1].value or "" for n in group.start_lines if n in gone}
            if leaves:
                is_emptied = gone.issuperset(group.start_lines)
                stay = [each for each in group.product_tokens if each not in leaves]
                self._groups[place] = None if is_emptied else (stay, rules_of(group))

    def _add_groups(self) -> None:
        added: list[tuple[list[str], tuple[NewRule, ...]]] = []
        for (rules, records), tokens in self._new.items():
            group = self._home(rules, records)
            if group is not None:
                self._editor.replace_group(group, [*group.product_tokens, *tokens], rules_of(group))
            elif records:
                self._add_at_once(added)
                self._add_group(tokens, rules, records)
            else:
                added.append((tokens, rules))
        self._add_at_once(added)
        self._new.clear()

    def _add_at_once(self, groups: list[tuple[list[str], tuple[NewRule, ...]]]) -> None:
        """Add groups without records: the file is read once, and not once for each."""
        before = self._first
        in_order = groups if before is None else groups[::-1]  # each would go before all others
        if groups:
            self._editor.add_groups(in_order, before=before)
        groups.clear()

    @property
    def _first(self) -> Group | None:
        """The group before which new ones go; None if they go behind all others."""
        groups = self._editor.robots.groups
        return groups[0] if self._is_first and groups else None

    def _home(self, rules: tuple[NewRule, ...], records: Records) -> Group | None:
        """Return a group that already has these rules and records."""
        if self._is_first or self._lines_stay:
            return None
        of_groups = _records_of_groups(self._editor.robots)
        for place, group in enumerate(self._editor.robots.groups):
            names = group.product_tokens
            is_named = bool(names) and not any(token.startswith("*") for token in names)
            is_like = rules_of(group) == [*rules] and (*of_groups.get(place, ()),) == records
            if is_named and rules and is_like:
                return group
        return None

    def _add_group(self, tokens: Sequence[str], rules: Sequence[NewRule], records: Records) -> None:
        before = self._first
        self._editor.add_group(tokens, rules, before=before)
        place = 0 if before else -1
        if records:
            self._editor.add_records(records, self._editor.robots.groups[place])

    # proof

    def _keeping_others(self, *, named: bool = True) -> tuple[RobotsTxt, Proof]:
        """Give others groups until their answers are kept. Raises Refused."""
        robots, proof = self._proof(named=named)
        for _ in range(MOST_ROUNDS):
            if not self._keep_others(self._of_others(proof)):
                break
            robots, proof = self._proof(named=named)
        self._expect_goals(robots, proof)
        return robots, proof

    def _proof(self, *, named: bool) -> tuple[RobotsTxt, Proof]:
        robots = read_again(self._editor.robots, self._robots.dialect)
        # To keep the answers of a crawler that follows another it may get a group of its own: for
        # who reads its name alone, and not what its operator says, this is another group.
        return robots, prove(
            self._robots,
            robots,
            [*self._asked, *self._wish.kept],
            bindings=["operators"],
            budget=self._book.budget,
            dialects=self._dialects.values(),
            named=named,
        )

    def _keep_others(self, others: Proof) -> bool:
        """Give other crawlers that would be affected a group of their own, with their old rules;
        return whether one got it. Raises Refused."""
        spoken = others.uses
        others = self._within(others, self._served)
        affected = [token for each in others.changed for token in each.crawlers]
        affected += others.other_records if self._wish.records else ()
        unnamed = [token for token in dict.fromkeys(affected) if token.lower() not in self._kept]
        self.serves_others |= affected != []
        if "*" in affected or len(unnamed) > MOST_KEPT_AS_THEY_ARE:
            raise self._unasked(others)
        agents = {token: agent_of(self._old, token) for token in affected}
        for policy in [each.policy for each in spoken if each.policy]:
            heard = self._classes[policy].agent
            if heard.named or self._manner == "silenced":
                agents[policy] = heard
        given = [token for token in agents if token not in self._given]
        for token in given:
            rules = (*rules_of(agents[token]),)
            rules = rules or (self._silence if token in self._policies else ())
            self._new.setdefault((rules, self._records_of(agents[token])), []).append(token)
        self._given.update(given)
        self._add_groups()
        return bool(given)

    def _expect_goals(self, robots: RobotsTxt, proof: Proof) -> None:
        """Refuse an edit that changes more than was requested, or less, in one of the readings of
        the dialect of the file; and one after which crawlers may fetch more or less in those where
        that was ruled out, or after which more is said to be allowed in any, or policy tokens say
        what was not asked for."""
        others = self._of_others(proof)
        in_hard = self._within(others, self._hard)
        self.gives_voice = any(each.policy for each in others.uses)
        own = {name for name in proof.dialects if name.split("+")[0] == self._robots.dialect.name}
        more = tuple(
            each
            for each in others.uses
            if not own.isdisjoint(each.dialects)
            or (any(change.opened for change in each.changes) and not self._is_said_already(each))
            or not each.is_exact
        )
        if in_hard.changed or in_hard.records or more:
            raise self._unasked(replace(in_hard, uses=more))
        for name, old, new in readings(self._robots, robots):
            also = self._half_done(old, new, self._also)
            for tokens, found in (*self._missing(old, new, self._asked), *also):
                raise self._unsayable(tokens, found, name)
        both = (*others.changed, *others.uses, *others.records)
        self._failed |= {name.split("+")[0] for each in both for name in each.dialects}
        for name, dialect in self._dialects.items():
            pair = read_again(self._robots, dialect), read_again(robots, dialect)
            for reading, old, new in readings(*pair):
                for tokens, found in self._half_done(old, new, (*self._asked, *self._also)):
                    if name in self._hard or tokens[0] in self._policies:
                        raise self._unsayable(tokens, found, reading)
                    self._failed.add(name)

    def _is_said_already(self, told: Changed) -> bool:
        """Whether the dialect of the file already hears the permissions that another will hear:
        that of 1994 skips a group, with its signals, until the group has a `Disallow`."""
        if told.policy is not None or not {*self._policies}.isdisjoint(told.crawlers):
            return False
        return all(starmap(self._is_permitted, product(told.crawlers, told.uses)))

    def _is_permitted(self, token: str, use: str) -> bool:
        """Whether signals permit a crawler a use, and no policy token takes that back anywhere."""
        agent = agent_of(self._robots, token)
        if use not in USES:
            return bool(getattr(agent.content_signals, use))
        policies = [self._classes[name].agent for name, _ in policy_tokens((token,), use)]
        return (
            getattr(agent.content_signals, use.replace("-", "_")) is True
            and agent.may_use("/robots.txt", use).allowed is True
            and all(_closes_nothing(each) for each in policies)
        )

    def _missing(
        self, old: RobotsTxt, new: RobotsTxt, names: Iterable[str]
    ) -> Iterator[tuple[Sequence[str], Difference]]:
        """Yield selected crawlers that do not get exactly the requested answers."""
        over, budget = self._wish.over, self._book.budget
        tokens = [
            token
            for token in names
            if token not in self._policies and is_token(token, [old.dialect])
        ]
        same = alike([old, new], tokens)
        for those, _, _, found in differences(new, old, same, budget, over=over):
            if not is_same(found):
                yield those, found
        if policies := self._asked_policies():
            heard = self._misspoken(_agents_named(old, policies), _agents_named(new, policies))
            for token, found in zip(policies, heard, strict=True):
                if not is_same(found):
                    yield [token], found

    def _half_done(
        self, old: RobotsTxt, new: RobotsTxt, names: Iterable[str]
    ) -> Iterator[tuple[Sequence[str], Difference]]:
        """Yield selected crawlers that neither get the requested answers nor keep theirs; and names
        that a dialect takes for theirs, as `AI` for `AI2Bot`."""
        policies = self._asked_policies()
        both = _agents_named(old, policies), _agents_named(new, policies)
        heard = self._book.budget.compare(*both, policy=True)
        same = {token for token, what in zip(policies, heard, strict=True) if is_same(what)}
        for tokens, found in self._missing(old, new, names):
            changes = differences(old, new, [tokens], self._book.budget)
            if tokens[0] not in self._policies:
                same |= {tokens[0] for *_, what in changes if is_same(what)}
            if tokens[0] not in same:
                yield tokens, found

    def _unsayable(
        self, tokens: Sequence[str], found: Difference, dialect: str | None = None
    ) -> Refused:
        name = dialect or self._robots.dialect.name
        paths = ", ".join(quoted(path) for path in self._wish.paths)
        why = f"`{printable(name)}` cannot {self._wish.field} {paths} only for {_names(tokens)}"
        where = self._where(tokens[0], found.changes)
        changed = Changed(tuple(tokens), found.changes, found.is_exact, (name,))
        return Refused(
            f"{why}{where}",
            "pass other paths, or edit the rules by hand",
            Proof(tuple(tokens), (changed,)),
        )

    def _where(self, token: str, changes: Sequence[Change]) -> str:
        """Return what a change would be, and the line that decides it so far, or that names the
        crawler."""
        if not changes:
            return ""
        witness = changes[0].witness
        ((_, named),) = _binding_lines(self._robots, [token])
        line = agent_of(self._robots, token).decide(witness).line or next(iter(named), None)
        in_the_way = f"; line {line} is in the way" if line else ""
        return f" (see {quoted(witness)}{in_the_way})"

    def _line_for(self, token: str) -> str:
        """Return which line names a crawler, if one does."""
        ((_, named),) = _binding_lines(self._robots, [token])
        return f"; line {named[0]} is for {quoted(token)}" if named else ""

    def _unasked(self, proof: Proof) -> Refused:
        if not proof.changed and proof.uses:
            said = proof.uses[0]
            where = [f" of {quoted(change.witness)}" for change in said.changes[:1]]
            why = f"other things would be said about {listed(said.uses)}{''.join(where)}"
            why = f"{why} to {_names(said.crawlers)}"
            return Refused(why, "edit the rules by hand", proof)
        if not proof.changed:
            why = f"other records would apply to {_names(proof.other_records)}"
            line = self._line_for(proof.other_records[0])
            return Refused(f"{why}{line}", "edit the rules by hand", proof)
        who = _names([token for each in proof.changed for token in each.crawlers])
        first = next((change for each in proof.changed for change in each.changes), None)
        if first is None:
            why = f"it cannot be proved that nothing changes for {who}"
            return Refused(why, "edit the rules by hand", proof)
        line = self._line_for(proof.changed[0].crawlers[0])
        why = f"{quoted(first.witness)} would also be {_VERDICTS[first.opened]} for {who}{line}"
        return Refused(why, "include these crawlers, or edit the rules by hand", proof)


def _closes_nothing(policy: Agent) -> bool:
    """Whether no group that names a policy token disallows anything."""
    return not policy.named or all(rule.allow or not rule.pattern for rule in policy.rules)


def _expect_names(tokens: Iterable[str], dialect: Dialect) -> None:
    """Refuse crawlers that no group can name: the dialect reads only a part of their names."""
    unnamed = [token for token in tokens if token != "*" and not _is_named(token, dialect)]
    if not unnamed:
        return
    reads = "reads names only up to the first character that is no letter, `_` or `-`"
    raise Refused(
        f"no group can name {_names(unnamed)}: {quoted(dialect.name)} {reads}",
        "pass a dialect that reads whole names, such as `rfc9309`, or leave them out",
    )


def _is_named(token: str, dialect: Dialect) -> bool:
    robots = parse(f"User-agent: {token}\nDisallow: /\n", dialect=dialect)
    return agent_of(robots, token).named


def _nameless(robots: RobotsTxt, asked: Iterable[str]) -> Iterator[str]:
    """Yield names that a dialect may find at the beginning of selected ones, and that are those of
    no crawler in the registry or in the file; and selected ones with their version."""
    values = [value for group in robots.groups for value in group.product_tokens]
    yield from cut_names(cuts_of(each for each in asked if _is_named(each, robots.dialect)), values)
    own = {token.lower() for token in asked}
    names = (value for value in values if value.lower() not in own)
    yield from (value for value in names if value.partition("/")[0].lower() in own)


@lru_cache(4)  # one plan after another is about the same file
def _records_of_groups(robots: RobotsTxt) -> Mapping[int | None, list[tuple[str, str]]]:
    """Return the keys and values of records by the index of their group, None if they have none."""
    return by_key(
        (place, ((robots.lines[line - 1].key or field).lower(), raw))
        for place, line, field, raw in _placed_records(robots)
    )


def _names(tokens: Sequence[str]) -> str:
    return listed(tokens, quoted, most=MOST_NAMED)
