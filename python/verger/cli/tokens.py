"""Which crawlers are asked about: the values of `--agent`, else that of `--user-agent`.

In: a word. Out: product tokens, each checked by the core for every requested dialect; else a
`Failure`, or the core's InvalidProductToken. No option may accept a word that cannot name a
crawler: the answer would be that everything is allowed.
"""

from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence

from verger import InvalidProductToken, check_product_token
from verger.cli.options import ONE_CRAWLER
from verger.cli.output import Failure, refuse_if
from verger.crawlers import remark_on
from verger.crawlers.binding import dialect_for
from verger.options import is_token, own_token, tokens_in
from verger.untrusted_text import printable, quoted

EXAMPLE = "ExampleBot/1.0 (+https://example.com/bot)"

MOST_REPEATED = 3
"""The most values for which a hint repeats an option."""

Tokens = tuple[str, ...]


def tokens_of(option: str, word: str, dialects: Sequence[str]) -> Tokens:
    """Return the product tokens of one crawler, such as `a,b`."""
    _expect_a_name(option, word)
    names = tokens_in(word)
    refuse_if(
        not all(name.strip() for name in names),
        f"`{option} {printable(word)}` has an empty name between its commas",
        ONE_CRAWLER,
    )
    _expect_tokens(option, names, dialects)
    return names


def crawlers_of(args: Namespace, dialects: Sequence[str], *, hint: str) -> list[Tokens]:
    """Return the product tokens of each crawler: those given, else that in `--user-agent`."""
    if words := dict.fromkeys([*args.agent, *tokens_for(args)]):
        return list(dict.fromkeys(tokens_of("--agent", word, dialects) for word in words))
    refuse_if(args.user_agent is None, "no crawler given", hint)
    return [(_token_in(args.user_agent),)]


def tokens_named(args: Namespace, dialects: Sequence[str]) -> list[str]:
    """Return the tokens that `--agent` names, and those of known crawlers for `--purpose`."""
    named = [token_of("--agent", word, dialects) for word in args.agent]
    return list(dict.fromkeys([*named, *tokens_for(args)]))


def tokens_for(args: Namespace) -> list[str]:
    """Return the tokens of all known crawlers for the requested purposes."""
    purposes = getattr(args, "purpose", ())
    if not purposes:
        return []
    from verger.crawlers.registry import by_purpose

    return [crawler.token for crawler in by_purpose(purposes)]


def crawler_of(args: Namespace, dialect: str) -> Tokens:
    """Return the product tokens of the one crawler that is asked about."""
    first, *others = crawlers_asked(args, dialect)
    refuse_if(others, "one crawler at a time: `--agent` is given twice", ONE_CRAWLER)
    return first


def crawlers_asked(args: Namespace, dialect: str) -> list[Tokens]:
    """Return the product tokens of each crawler that is asked about; there is at least one."""
    hint = f'pass its identification string, such as `--user-agent "{EXAMPLE}"`'
    if getattr(args, "snapshot", None) is not None:  # nothing is sent
        hint = "pass its product token, such as `--agent ExampleBot`"
    return crawlers_of(args, [dialect], hint=hint)


def _token_in(identification: str) -> str:
    """Return the product token of an identification string, which may be a bare token."""
    if (token := own_token(identification)) is None:
        raise Failure(
            f"{quoted(identification)} names no product token (RFC 9309 section 2.2.1)",
            f'pass one with `--agent`, or an identification string such as "{EXAMPLE}"',
        )
    return token


def token_of(option: str, word: str, dialects: Sequence[str]) -> str:
    """Return the product token that a word names; a word with several is refused."""
    _expect_a_name(option, word)
    _expect_tokens(option, (word,), dialects)
    return word


def one_crawler_notes(crawlers: Sequence[Tokens]) -> Iterator[str]:
    """Yield a note for each crawler with several tokens, which looks like several crawlers."""
    for tokens in dict.fromkeys(crawlers):
        if len(tokens) > 1:
            repeated = " ".join(f"--agent {token}" for token in tokens)
            yield (
                f"note: {quoted(','.join(tokens))} is one crawler with {len(tokens)} names; "
                f"for {len(tokens)} crawlers, pass {quoted(repeated)}"
            )


def binding_notes(crawlers: Sequence[Tokens]) -> Iterator[str]:
    """Yield a note for each crawler that the rules of a file do not bind."""
    remarks = (remark_on(tokens[0]) for tokens in dict.fromkeys(crawlers) if len(tokens) == 1)
    yield from (f"note: {remark}" for remark in remarks if remark is not None)


def _expect_tokens(option: str, names: Tokens, dialects: Iterable[str]) -> None:
    """Raise the core's error; if a word holds several tokens, with a hint for several crawlers."""
    try:
        for dialect in dialects:
            check_product_token(names, dialect=dialect_for(dialect, names))
    except InvalidProductToken as error:
        parts = " ".join(names).replace(",", " ").replace(";", " ").split()
        if len(parts) <= 1 or not all(map(is_token, parts)):
            raise
        if parts == names[0].split() and not all(map(_is_known, parts)):
            read = f"crawlers read only `{parts[0]}` from it: pass `{option} {parts[0]}`"
            hint = f"{read}, or repeat the option for several crawlers"
            raise Failure(error.message, hint) from None
        repeated = " ".join(f"{option} {part}" for part in parts[:MOST_REPEATED])
        more = " ..." if len(parts) > MOST_REPEATED else ""
        hint = f"repeat the option: `{repeated}{more}`"
        if names == (",".join(parts),):  # elsewhere `a,b` is one crawler with two tokens
            number = "two" if len(parts) == 2 else f"{len(parts):,}"
            what = f"`{repeated}{more}` are {number} crawlers"
            hint = f"this command asks about one token at a time: {what}"
        raise Failure(error.message, hint) from None


def _is_known(token: str) -> bool:
    from verger.crawlers import find  # the registry, which few commands need

    return find(token) is not None


def _expect_a_name(option: str, word: str) -> None:
    refuse_if(
        not word.strip(),
        f"`{option}` is empty",
        f"pass a product token, such as `{option} ExampleBot`",
    )
