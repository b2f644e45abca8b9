"""Answers as JSON: what all schemas say of rules, decisions and signals.

In: values of the core. Out: objects that JSON can hold.
"""

from verger._core import Decision, Rule, UseDecision, UseSignal


def decided(decision: Decision | None) -> dict[str, object]:
    """Return the members of an answer that tell of its rule; null if there is no decision."""
    if decision is None:
        return {"rule": None, "group": None, "target": None, "matched": ()}
    group = decision.group
    return {
        "rule": decision.rule and rule_object(decision.rule),
        "group": group
        and {"product_tokens": group.product_tokens, "start_lines": group.start_lines},
        "target": decision.target,
        "matched": [{"pattern": pattern, "target": target} for pattern, target in decision.matched],
    }


def rule_object(rule: Rule) -> dict[str, object]:
    """Return a rule as an object, with the span of its value in the file."""
    return {**rule_facts(rule), "span": rule.span}


def rule_facts(rule: Rule) -> dict[str, object]:
    """Return a rule as an object, as all schemas have it."""
    return {"line": rule.line, "allow": rule.allow, "pattern": rule.pattern}


def signalled(decision: UseDecision | None) -> dict[str, object]:
    """Return the members of an answer about use that tell of its signals."""
    if decision is None:
        return {"signals": [], "conflicts": [], "licenses": (), "extent": None}
    signals = decision.signals
    return {
        "signals": list(map(_signal_object, signals)),
        "conflicts": [[signals.index(each) for each in pair] for pair in decision.conflicts],
        "licenses": decision.licenses,
        "extent": decision.use,
    }


def _signal_object(signal: UseSignal) -> dict[str, object]:
    names = ("mechanism", "verdict", "line", "pattern", "section", "token", "span")
    return {name: getattr(signal, name) for name in names}
