"""`verger mcp`: answers for AI agents, over the Model Context Protocol.

In: the protocol on stdin. Out: the protocol on stdout; errors on stderr.
"""

from argparse import Namespace

from verger.cache.opening import usable_store
from verger.cache.sqlite import default_path
from verger.cli import options
from verger.cli.live import client, network_of, problem_lines
from verger.cli.output import FINE, refuse_if, tell
from verger.cli.tokens import crawler_of
from verger.client import Event
from verger.files.paths import STANDARD
from verger.files.stdio import stdin_bytes

HELP = """\
usage: verger mcp --user-agent STRING [--agent TOKEN]
                  [--cache PATH|URL|none] [OPTION...]

Answers for AI agents, over the Model Context Protocol on stdin and stdout.

An agent can ask whether it may fetch a URL and which line says so, what a
crawler may do on a site, and what a robots.txt file says; and it can fetch
pages that these answers allow. It connects only to public addresses.

exit code:
  0    the agent hung up
  2    bad usage, or the server cannot start
  130  interrupted

example:
  verger mcp --user-agent "ExampleBot/1.0 (+https://example.com/bot)"

how a program that uses MCP servers starts it:
  {"mcpServers": {"verger": {"command": "verger",
    "args": ["mcp", "--user-agent",
             "ExampleBot/1.0 (+https://example.com/bot)"]}}}
"""

OPTIONS = (
    options.shared("--agent", unless="the one in --user-agent"),
    options.shared("--dialect"),
    options.shared("--cache", unless="the one of `verger cache`"),
    *options.NETWORK_WITH_NAME,
)


def run(args: Namespace) -> int:
    """Serve until stdin ends, and return the exit code."""
    refuse_if(
        not args.user_agent,
        "no identification string given",
        'pass one, such as `--user-agent "ExampleBot/1.0 (+https://example.com/bot)"`',
    )
    options.expect_separate_outputs(args, [STANDARD])
    stdin_bytes("the protocol", "an AI agent starts this command and writes to its stdin")
    from verger.service.mcp import server

    store = usable_store(options.cache_of(args, default_path))
    fetching = client(
        args,
        network_of(args, store, public_only=True),
        tokens=crawler_of(args, args.dialect),
        dialect=args.dialect,
        on_event=_note,
    )
    server(fetching, public_only=True).run("stdio")
    return FINE


def _note(event: Event) -> None:
    if event.kind == "store-problem":
        tell(problem_lines(event.detail).rstrip("\n"))
