"""What reppy has and the drop-in has not, and what to use now."""

_INSTEAD = {
    **dict.fromkeys(
        ("TTLPolicyBase", "HeaderWithDefaultPolicy"),
        "`verger.Client` keeps a file as its server says, for at least `least_fresh` seconds",
    ),
    **dict.fromkeys(
        ("CachePolicyBase", "DefaultObjectPolicy", "ReraiseExceptionPolicy"),
        "`verger.Client` closes a site that fails; its `overrides` decide otherwise",
    ),
    **dict.fromkeys(
        ("BaseCache", "ExpiringObject"),
        "`verger.Client` keeps files, and shares them in its `store`",
    ),
    **dict.fromkeys(
        ("AllowAll", "AllowNone"), "`allowed` says it; `access` of a `verger.Site` also says why"
    ),
    "logger": "`on_event` of `verger.Client` tells of each fetch",
    "parse_date": "`email.utils.parsedate_to_datetime` reads the dates of HTTP",
}


def refuse(name: str) -> object:
    """Raise ImportError with what to use now; AttributeError for what reppy never had."""
    if name in _INSTEAD:
        raise ImportError(f"the drop-in for reppy has no `{name}`: {_INSTEAD[name]}", name=name)
    raise AttributeError(f"the drop-in for reppy has no `{name}`", name=name)
