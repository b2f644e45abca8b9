"""The pytest plugin, in pytest: `*.robots.toml` files as tests, and the fixture."""

import os
import re
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from support import CHECKOUT
from verger.expectations import expectations_in
from verger.expectations.pytest_plugin import ENDING as COLLECTED
from verger.expectations.reading import ENDING

pytest_plugins = ["pytester"]

MODULE = "verger.expectations.pytest_plugin"
WITH_PLUGIN = ("-p", MODULE, "-p", "no:cacheprovider", "--color=no")
IS_INSTALLED = any(each.value == MODULE for each in entry_points(group="pytest11"))
"""Whether this checkout was installed since it has the entry point."""

GUIDE = (CHECKOUT / "docs" / "guides" / "test.md").read_text("utf-8")
FILES = dict(re.findall(r"^```\w+ file=(\S+)\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL))

ROBOTS = "User-agent: *\nDisallow: /private\nAllow: /private/page\n"
ONE = '[[expect]]\nagent = "A"\nurl = "/private"\nallowed = false\n'


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> "Run":
    """Run pytest with the plugin and no other."""
    monkeypatch.setenv("PYTHONPATH", str(CHECKOUT / "python"), prepend=os.pathsep)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    pytester.path.joinpath("robots.txt").write_text(ROBOTS)
    return Run(pytester)


class Run:
    """Runs pytest in a folder."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.folder = pytester.path
        self._pytester = pytester

    def __call__(self, *words: str) -> pytest.RunResult:
        return self._pytester.runpytest_inprocess(*WITH_PLUGIN, *words)

    def apart(self, *words: str) -> pytest.RunResult:
        """Run it in a process of its own, which has loaded nothing."""
        return self._pytester.runpytest_subprocess(*WITH_PLUGIN, *words)

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path


def test_entry_point() -> None:
    """pytest finds the plugin by itself where verger is installed."""
    import tomllib

    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]

    assert {"pytest11": {"verger": MODULE}} == project["entry-points"]
    assert ENDING == COLLECTED


@pytest.mark.skipif(not IS_INSTALLED, reason="verger was installed before it had the entry point")
def test_loaded_by_itself(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without `-p`, `pytest --fixtures` knows the fixture."""
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")

    assert "verger_robots" in run._pytester.runpytest_subprocess("--fixtures").stdout.str()


def test_beside_all_other_plugins(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of this environment, pytest-lsp among them, look for attributes that items may lack."""
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    run.write("x.robots.toml", f'robots = "robots.txt"\n{ONE}')

    run._pytester.runpytest_subprocess("x.robots.toml").assert_outcomes(passed=1)


def test_costs_nothing_unused(run: Run) -> None:
    """Where no test uses it, nothing is imported but the plugin and what `import verger` is."""
    run.write("test_x.py", "def test_x():\n    pass\n")
    run.write(
        "conftest.py",
        "import sys\n"
        "def pytest_unconfigure():\n"
        "    print(*sorted(name for name in sys.modules if name.startswith('verger')))\n",
    )
    names = run.apart("-q").outlines[-1].split()

    assert names == [
        *("verger", "verger._core", "verger.dialects", "verger.errors"),
        *("verger.expectations", MODULE),
    ]


def test_guide(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the guide shows of pytest is what it prints."""
    monkeypatch.delenv("CI", raising=False)  # where pytest prints longer lines
    for name, text in FILES.items():
        run.write(name, text)
    shown = re.search(r"^```text\n\$ pytest (.*)\n((?s:.*?))^```$", GUIDE, re.MULTILINE)
    assert shown is not None
    printed = "\n".join(run(*shown[1].split()).outlines)

    assert timeless(shown[2]) == timeless(f"{printed}\n")
    run("test_robots.py").assert_outcomes(passed=2)


def timeless(text: str) -> str:
    return re.sub(r"\d+\.\d\ds", "0.00s", text)


def test_passes_and_fails(run: Run) -> None:
    """One test for each crawler and URL, with the reason as text and without a traceback."""
    run.write(
        "deep/x.robots.toml",
        'robots = "../robots.txt"\n'
        '[[expect]]\nagent = ["A", "B"]\nurl = ["/private", "/private/page"]\nallowed = false\n'
        'because = "so"\n',
    )
    done = run("-v")
    text = done.stdout.str()

    done.assert_outcomes(passed=2, failed=2)
    assert "deep/x.robots.toml::A /private PASSED" in text
    assert "deep/x.robots.toml::B /private/page FAILED" in text
    assert (
        "expected disallowed\n"
        "but it is allowed by line 3, `Allow: /private/page` (RFC 9309 section 2.2.2)\n"
        "because: so\n" in text
    )
    assert "Traceback" not in text
    assert "pytest_plugin.py" not in text


def test_many_crawlers_and_urls(run: Run) -> None:
    """One test for all crawlers for the purposes and each pattern."""
    many = '[[expect]]\npurpose = "search"\npaths = ["/private/", "/private/p"]\nallowed = false\n'
    run.write("x.robots.toml", f'robots = "robots.txt"\n{many}')
    done = run("-v")

    done.assert_outcomes(failed=2)
    done.stdout.fnmatch_lines(["*x.robots.toml::search crawlers /private/ FAILED*"])
    done.stdout.fnmatch_lines(["but for * more, /private/page is allowed by line 3, *"])


def test_one_by_name(run: Run) -> None:
    """A test is run by its id."""
    run.write("x.robots.toml", f'robots = "robots.txt"\n{ONE}{ONE.replace("/private", "/[a]")}')

    run("x.robots.toml::A /private").assert_outcomes(passed=1)
    run("x.robots.toml::A /[a]").assert_outcomes(failed=1)
    run("-k", "private").assert_outcomes(passed=1, deselected=1)


def test_same_question_twice(run: Run) -> None:
    """Tests have names of their own, and dialects are in them."""
    google = f'{ONE}dialect = "google"\n'
    run.write("x.robots.toml", f'robots = "robots.txt"\n{ONE}{ONE}{google}')
    names = [line for line in run("--collect-only", "-q").outlines if "::" in line]

    assert [
        "x.robots.toml::A /private",
        "x.robots.toml::A /private #2",
        "x.robots.toml::A /private (google)",
    ] == names


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ("", "`{}` has no expectations"),
        (ONE + "urls = 1\n", "line 5 of `{}`: unknown key `urls`\nhint: did you mean `url`?"),
        ("[[expect]\n", "line 1 of `{}`: "),
        (b"\xff", "line 1 of `{}`: byte 0xff is not UTF-8"),
    ],
)
def test_broken_file(run: Run, document: str | bytes, said: str) -> None:
    """A file that cannot be read is an error of the collection, as text."""
    path = run.write("x.robots.toml", document)
    done = run()

    done.assert_outcomes(errors=1)
    assert said.format(path) in done.stdout.str()
    assert "Traceback" not in done.stdout.str()


def test_without_a_robots_file(run: Run) -> None:
    """A file that is not there, or not named, fails each test with what to do."""
    run.write("gone.robots.toml", f'robots = "robot.txt"\n{ONE}')
    run.write("none.robots.toml", ONE)
    done = run()

    done.assert_outcomes(failed=2)
    assert "robots.txt`?" in done.stdout.str()
    assert "pass `--verger-robots FILE`" in done.stdout.str()
    run("--verger-robots", "robots.txt").assert_outcomes(passed=2)


def test_nothing_acts(run: Run) -> None:
    """Names, rules and reasons of strangers do nothing on a terminal, nor in JUnit XML."""
    url = '"/\\u001b[31m\\n\\u202e"'
    rest = 'allowed = false\nbecause = "\\u0007\\n"\n'
    run.write("robots.txt", b"User-agent: *\nAllow: /\x1b[31m\xff\n")
    run.write(
        "x.robots.toml", f'robots = "robots.txt"\n[[expect]]\nagent = "A"\nurl = {url}\n{rest}'
    )
    done = run("--junit-xml=out.xml", "-v")

    done.assert_outcomes(failed=1)
    assert all(line.isprintable() for line in done.outlines)
    assert "A /\\x1b[31m\\n\\u202e" in done.stdout.str()


FIXTURE = {
    "a path": ('verger_robots("../robots.txt").expect("A", "/private", allowed=False)', 0),
    "bytes": ('verger_robots(b"").expect("A", "/private", allowed=False)', 1),
    "a line": ('verger_robots("../robots.txt").expect("A", "/private", allowed=False, line=3)', 1),
    "a rule": (
        'verger_robots("../robots.txt").expect("A", "/private/page", allowed=True, '
        'rule="allow:/private/page")',
        0,
    ),
    "a dialect": (
        'verger_robots("../robots.txt", dialect="original-1994")'
        '.expect("A", "/private/page", allowed=False)',
        0,
    ),
    "several tokens": ('verger_robots("../robots.txt").expect(["A", "B"], "/", allowed=True)', 0),
}


@pytest.mark.parametrize("name", FIXTURE)
def test_fixture(name: str, run: Run) -> None:
    """The fixture reads files, relative to the test's folder, and bytes."""
    call, failures = FIXTURE[name]
    run.write("deep/test_x.py", f"def test_x(verger_robots):\n    {call}\n")
    done = run()

    done.assert_outcomes(failed=failures, passed=1 - failures)
    if failures:
        assert f">   {call}" in "".join(done.outlines).replace(">       ", ">   ")
        assert "expected disallowed" in done.stdout.str()
        assert "judge_one" not in done.stdout.str()


@pytest.mark.parametrize(
    "call",
    [
        'verger_robots("gone.txt")',
        'verger_robots(b"", dialect="goggle").expect("A", "/", allowed=True)',
        'verger_robots(b"").expect("A/1", "/", allowed=True)',
        'verger_robots(b"").expect("A", "/", allowed="yes")',
        'verger_robots(b"").expect("A", "/", allowed=None)',
        'verger_robots(b"").expect("A", "/", allowed=True, line="2")',
        'verger_robots(b"").expect("A", "/", allowed=True, line=True)',
        'verger_robots(b"").expect("A", "/", allowed=True, rule="/")',
        'verger_robots(b"").expect("A", "/", allowed=True, rule="")',
        'verger_robots(b"").expect("A", "/", allowed=True, rule=False)',
        'verger_robots(b"").expect("A", "/", allowed=True, rule=[])',
        'verger_robots(b"").expect("A", "/", allowed=True, rule=5)',
    ],
)
def test_fixture_misused(call: str, run: Run) -> None:
    """What cannot be meant is verger's own error, with its hint."""
    run.write(
        "test_x.py",
        "import pytest, verger\ndef test_x(verger_robots):\n"
        f"    with pytest.raises(verger.RobotsError) as caught:\n        {call}\n"
        "    assert caught.value.hint\n",
    )

    run().assert_outcomes(passed=1)


def test_a_misuse_is_shown_where_it_stands(run: Run) -> None:
    """The traceback of a wrong rule has no line of verger."""
    call = 'verger_robots(b"").expect("A", "/", allowed=True, rule="no rule")'
    run.write("test_x.py", f"def test_x(verger_robots):\n    {call}\n")
    done = run()

    assert "`rule` is `no rule`, which is not a rule" in done.stdout.str()
    assert "reading.py" not in done.stdout.str()
    assert "pytest_plugin.py" not in done.stdout.str()


@pytest.mark.slow
def test_many(run: Run) -> None:
    """Ten thousand expectations are ten thousand tests."""
    urls = [f"/private/{number}" for number in range(10_000)]
    document = f'robots = "robots.txt"\n[[expect]]\nagent = "A"\nurl = {urls}\nallowed = false\n'
    run.write("x.robots.toml", document)
    done = run("-q")

    assert 10_000 == len(expectations_in(document).expectations)
    done.assert_outcomes(passed=10_000)
