"""How many log lines a second `verger audit` reads: python -m benchmarks.audit [LINES]

Writes a log of LINES lines (default: 2,000,000) in combined format, the same packed with gzip, and
the same requests as JSON, below the temporary folder; then audits each in a process of its own by
a file of 51 rules. Prints lines a second (the best of three runs), of how many bytes, and the most
memory that a run took, beside that of a run over a tenth of the lines: it must not grow.
"""

import gzip
import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

LINES = 2_000_000
RUNS = 3

CRAWLERS = (
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; "
    "+https://openai.com/gptbot)",
    "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
    "CCBot/2.0 (https://commoncrawl.org/faq/)",
    "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)",
    "python-requests/2.32.3",
)
PEOPLE = tuple(
    f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
    f"Chrome/{major}.0.{minor}.0 Safari/537.36"
    for major in range(100, 130)
    for minor in range(10)
)
ROBOTS = "User-agent: *\n" + "".join(
    f"{'Allow' if number % 5 == 0 else 'Disallow'}: /section-{number}/"
    f"{'*/print' if number % 3 == 0 else ''}\n"
    for number in range(51)
)

AUDIT = """
import resource, sys, time
from verger.cli.app import main
before = time.perf_counter()
main(["audit", "--robots", sys.argv[1], "--format", "json", "--quiet", "--output", sys.argv[3],
      sys.argv[2]])
print(time.perf_counter() - before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def requests(lines: int) -> Iterator[tuple[str, str, int, str]]:
    """Yield time, target, status and user agent; half of the requests are of crawlers."""
    chance = random.Random(9309)
    paths = [
        f"/section-{chance.randrange(120)}/page-{number}"
        f"{'/print' if number % 7 == 0 else ''}{'?ref=' + str(number) if number % 4 == 0 else ''}"
        for number in range(20_000)
    ]
    for number in range(lines):
        second, minute, hour = number // 50 % 60, number // 3_000 % 60, number // 180_000 % 24
        agents = CRAWLERS if chance.random() < 0.5 else PEOPLE
        time = f"{hour:02}:{minute:02}:{second:02}"
        yield (
            time,
            chance.choice(paths),
            200 if chance.random() < 0.9 else 404,
            chance.choice(agents),
        )


def write_logs(folder: Path, lines: int) -> dict[str, Path]:
    """Write the three logs."""
    logs = {name: folder / f"{lines}.{name}" for name in ("combined", "gzip", "json")}
    with logs["combined"].open("w") as combined, logs["json"].open("w") as objects:
        for time, target, status, agent in requests(lines):
            combined.write(
                f'192.0.2.17 - - [05/Jan/2026:{time} +0000] "GET {target} HTTP/1.1" {status} 5120 '
                f'"https://example.com/" "{agent}"\n'
            )
            entry = {
                "time": f"2026-01-05T{time}+00:00",
                "remote_addr": "192.0.2.17",
                "host": "example.com",
                "request": f"GET {target} HTTP/1.1",
                "status": status,
                "body_bytes_sent": 5120,
                "http_referer": "https://example.com/",
                "http_user_agent": agent,
            }
            objects.write(json.dumps(entry) + "\n")
    with logs["combined"].open("rb") as source, gzip.open(logs["gzip"], "wb", 6) as packed:
        shutil.copyfileobj(source, packed)
    return logs


def audit(robots: Path, log: Path) -> tuple[float, float]:
    """Return the seconds and the MiB of one run."""
    command = [sys.executable, "-c", AUDIT, str(robots), str(log), str(log.with_suffix(".out"))]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, kibibytes = done.stdout.split()
    return float(seconds), int(kibibytes) / 1024


def main() -> None:
    """Measure and print."""
    lines = int(sys.argv[1]) if len(sys.argv) > 1 else LINES
    with TemporaryDirectory() as name:
        folder = Path(name)
        robots = folder / "robots.txt"
        robots.write_text(ROBOTS)
        logs, tenths = write_logs(folder, lines), write_logs(folder, lines // 10)
        print(f"{lines:,} lines, {len(os.sched_getaffinity(0))} cores, best of {RUNS}")
        for kind, log in logs.items():
            runs = [audit(robots, log) for _ in range(RUNS)]
            seconds, memory = min(run[0] for run in runs), max(run[1] for run in runs)
            size = log.stat().st_size / 1e6
            print(
                f"{kind:<9}{lines / seconds:>12,.0f} lines/s  {size:>6,.0f} MB  "
                f"{memory:>5.0f} MiB ({audit(robots, tenths[kind])[1]:.0f} MiB for a tenth)"
            )


if __name__ == "__main__":
    main()
