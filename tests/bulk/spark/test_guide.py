"""What the pages about Spark show is what happens."""

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from bulk.spark.archives import write_archives

pytestmark = pytest.mark.slow

DOCS = Path(__file__).resolve().parents[3] / "docs"
BLOCK = re.compile(r"^```(\w+)(?: file=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MONTH = BLOCK.findall((DOCS / "annex" / "common-crawl.md").read_text(encoding="utf-8"))
COMMANDS = [text.strip() for language, _, text in MONTH if language == "sh"]


@pytest.mark.usefixtures("spark")
def test_the_session_of_the_guide_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python of the guide is one session, which begins with nothing defined."""
    monkeypatch.chdir(tmp_path)
    page = (DOCS / "guides" / "spark.md").read_text(encoding="utf-8")
    session = "\n".join(text for language, _, text in BLOCK.findall(page) if language == "py")
    test = doctest.DocTestParser().get_doctest(session, {}, "spark.md", "spark.md", 0)
    result = doctest.DocTestRunner(optionflags=doctest.REPORT_ONLY_FIRST_FAILURE).run(test)

    assert 17 <= result.attempted
    assert 0 == result.failed


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.split()[3])
def test_the_commands_for_a_month_run(spark: SparkSession, tmp_path: Path, command: str) -> None:
    """Both programs run under `spark-submit`, as shown, on archives of a thousand captures."""
    for _, name, text in MONTH:
        if name:
            (tmp_path / name).write_text(text, encoding="utf-8")
    paths = write_archives(tmp_path / "archives")
    (tmp_path / "robotstxt.paths").write_text("\n".join(paths) + "\n", encoding="utf-8")
    pages = [(f"https://h0-{n}.example/page-{n}/x",) for n in range(10)]
    spark.createDataFrame(pages, "url string").write.parquet(str(tmp_path / "index"))
    program, *arguments = shlex.split(command)
    # As many partitions as a small table needs: by default a shuffle has two hundred.
    settings = ("spark.driver.bindAddress=127.0.0.1", "spark.sql.shuffle.partitions=3")
    options = ["--master", "local[2,4]", *(word for each in settings for word in ("--conf", each))]
    done = subprocess.run(
        [str(Path(sys.executable).with_name(program)), *options, *arguments],
        cwd=tmp_path,
        env=os.environ
        | {"PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    told = {
        "scan_month.py": ["captures 1000", "skipped 1"],
        "decide_month.py": [
            "|  false|MOST_SPECIFIC_RULE|    4|",
            "|   NULL|   NOT_IN_SNAPSHOT|    2|",
            "|  false|      SERVER_ERROR|    2|",
            "|   true|       UNAVAILABLE|    2|",
        ],
    }

    assert 0 == done.returncode, done.stderr[-3_000:]
    assert [] == [line for line in told[arguments[2]] if line not in done.stdout], done.stdout


def test_there_are_two_commands() -> None:
    """The test above has something to run."""
    assert 2 == len(COMMANDS)
