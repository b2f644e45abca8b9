"""The clients of the guide ask a real service; what runs one is read by the programs for it."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from patience import LONG
from support import CHECKOUT
from verger.cli.grammar import grammar_of
from verger.cli.options import Option

from .conftest import Serving

GUIDE = (CHECKOUT / "docs/guides/serve.md").read_text("utf-8")
EXAMPLES = CHECKOUT / "examples/serve"
CLIENTS = {
    "check.sh": ("curl", ["sh", "check.sh"]),
    "check.go": ("go", ["go", "run", "check.go"]),
    "Check.java": ("java", ["java", "Check.java"]),
    "check.mjs": ("node", ["node", "check.mjs"]),
}
"""The tool that each needs, and how it is run."""


def block(name: str) -> str:
    """Return the file of this name in the guide."""
    [found] = re.findall(rf"^```\w+ file={re.escape(name)}\n(.*?)^```", GUIDE, re.DOTALL | re.M)
    return str(found)


@pytest.mark.parametrize("name", CLIENTS)
def test_clients(service: Serving, name: str, tmp_path: Path) -> None:
    """Each ends with 0 if the crawler may fetch the URL, with 1 if not, and tells what is wrong."""
    tool, command = CLIENTS[name]
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    base = str(service.client.base_url).rstrip("/")
    (tmp_path / name).write_text(block(name).replace("http://127.0.0.1:8080", base))
    urls = ("https://a.example/private/ü?a=b&c#d", "https://a.example/", "nix")
    done = [
        subprocess.run(
            [*command, "ExampleBot", url],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=LONG,
            check=False,
        )
        for url in urls
    ]

    said = [each.stdout + each.stderr for each in done]
    # `go run` has an exit code of its own, and tells that of the program
    told = [re.findall(r"exit status (\d+)", each.stderr) for each in done]
    codes = [int(own[0]) if own else each.returncode for own, each in zip(told, done, strict=True)]
    assert [1, 0, 2] == codes, said
    assert "MOST_SPECIFIC_RULE" in said[0]
    assert "not a URL" in said[2]
    assert len(block(name).splitlines()) <= 40


# What runs the service


def words_of(option: str, text: str) -> list[str]:
    """Return the words behind `option` of a unit, whose lines may go on."""
    [found] = re.findall(rf"^{option}=((?:.*\\\n)*.*)$", text, re.M)
    return shlex.split(found.replace("\\\n", " "))


def test_unit() -> None:
    """systemd reads the unit, and the command reads its options."""
    unit = EXAMPLES / "verger-serve.service"
    words = words_of("ExecStart", unit.read_text())
    args = grammar_of("serve").read(words[2:])

    assert words[:2] == ["/usr/bin/verger", "serve"]
    assert args.user_agent == "ExampleBot/1.0 (+https://example.com/bot)"
    if shutil.which("systemd-analyze"):
        done = subprocess.run(
            ["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False
        )
        other = [line for line in done.stderr.splitlines() if "is not executable" not in line]
        assert not other


def test_compose_file() -> None:
    """The command reads the options, and what is mounted is there."""
    found = yaml.safe_load((EXAMPLES / "compose.yaml").read_text())
    service = found["services"]["verger"]
    args = grammar_of("serve").read(service["command"])

    assert (True, "redis://redis:6379/0", 2) == (args.behind_proxy, args.cache, args.workers)
    assert (CHECKOUT / service["build"]["dockerfile"]).is_file()
    assert service["read_only"] is True
    assert (EXAMPLES / "prometheus.yml").is_file()
    scraped = yaml.safe_load((EXAMPLES / "prometheus.yml").read_text())
    assert scraped["scrape_configs"][0]["static_configs"][0]["targets"] == ["verger:8080"]


def test_container_file() -> None:
    """It is not root that serves, and the command reads the options."""
    text = (EXAMPLES / "Containerfile").read_text()
    [words] = re.findall(r"^ENTRYPOINT (\[.*?\])$", text, re.DOTALL | re.M)
    args = grammar_of("serve").read(
        [*yaml.safe_load(words.replace("\\\n", ""))[2:], "--user-agent", "A/1"]
    )

    assert "USER verger" in text
    assert args.cache == "/var/lib/verger/robots.sqlite3"
    assert "Untried" in text


def test_options_in_the_guide() -> None:
    """Every option of the service's own stands in the guide."""
    from verger.cli.commands import serve

    own: list[Option] = list(serve.OPTIONS)[:8]
    for names, _ in own:
        assert names[-1] in GUIDE or names[-1] in ("--agent", "--quiet")
