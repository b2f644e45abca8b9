"""Build the fuzz targets, run each for some seconds, and keep a small corpus of new inputs.

In: the crate in `fuzz/`, its seeds, and the corpus of earlier runs in build/fuzz. Out: the number
of executions of each target; if one fails, exit code 1 and the command that reproduces the failure.

This is a plain `cargo build` with the coverage flags of `cargo fuzz`, so any version of Rust can
run it without other tools. `cargo fuzz run TARGET` runs the same targets with AddressSanitizer.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CRATE = ROOT / "fuzz"
BUILD = ROOT / "build" / "fuzz"
DICTIONARY = CRATE / "dictionaries" / "robots.dict"

# What `cargo fuzz` passes to rustc, but for the sanitizer, which needs a nightly Rust, and for the
# tracing of comparisons, which slows runs down: the dictionary has the words.
COVERAGE = [
    "--cfg=fuzzing",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-simplifycfg-branch-fold-threshold=0",
]

# Bytes of an input: most targets need few, and many runs find more than large inputs do.
LONGEST = 512
# Seconds and megabytes above which one input is a finding of its own.
SLOWEST, LARGEST = 10, 1024
# Executions below which a target is broken: on a busy machine the slowest makes ten times as many.
LEAST = 20


@dataclass(frozen=True)
class Run:
    """How one target fared."""

    executions: int
    per_second: int
    corpus: int
    failure: Path | None


def main() -> int:
    """Build, run, report."""
    options = read_options()
    unknown = sorted(set(options.targets) - set(names()))
    if unknown:
        print(f"error: there is no target `{unknown[0]}`", file=sys.stderr)
        print(f"hint: the targets are {', '.join(names())}", file=sys.stderr)
        return 2
    total, findings = 0, 0
    chosen = options.targets or names()
    folder = build(chosen)
    for name, run in fuzzed(folder, chosen, options.seconds):
        total += run.executions
        print(
            f"{name:<18} {run.executions:>12,} executions {run.per_second:>8,}/s"
            f" {run.corpus:>6,} inputs kept",
            flush=True,
        )
        if run.failure is not None:
            findings += 1
            report(name, folder / name, run.failure)
        elif run.executions < LEAST:
            findings += 1
            print(f"error: `{name}` is too slow to find anything", file=sys.stderr)
            print(f"hint: build/fuzz/{name}.log shows which inputs take long", file=sys.stderr)
    print(f"{'in all':<18} {total:>12,} executions, {findings or 'no'} findings")
    return 1 if findings else 0


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="by default all")
    parser.add_argument("--seconds", type=int, default=60, help="how long each runs (60)")
    return parser.parse_args()


def names() -> list[str]:
    """Return the names of all targets."""
    return sorted(path.stem for path in (CRATE / "fuzz_targets").glob("*.rs"))


def build(chosen: Sequence[str]) -> Path:
    """Compile targets; return the folder of the programs."""
    host = re.search(r"^host: (\S+)$", output(["rustc", "-vV"]), re.MULTILINE)
    assert host is not None
    target = ROOT / "target" / "fuzz"
    command = ["cargo", "build", "--quiet", "--release", "--locked"]
    command += [f"--bin={name}" for name in chosen]
    # With --target the flags are not for build scripts, which have no fuzzer to report to.
    command += [f"--target={host[1]}", f"--target-dir={target}"]
    flags = " ".join(COVERAGE)
    environment = os.environ | {"RUSTFLAGS": f"{os.environ.get('RUSTFLAGS', '')} {flags}".strip()}
    subprocess.run(command, cwd=CRATE, env=environment, check=True)
    return target / host[1] / "release"


def output(command: list[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def fuzzed(folder: Path, chosen: Sequence[str], seconds: int) -> Iterator[tuple[str, Run]]:
    """Run targets, as many at a time as there are cores; yield them in order."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = pool.map(lambda name: fuzz(folder / name, name, seconds), chosen)
        yield from zip(chosen, runs, strict=True)


def fuzz(program: Path, name: str, seconds: int) -> Run:
    """Run one target on its seeds and on what is kept of earlier runs, then keep what counts."""
    corpus, found = BUILD / "corpus" / name, BUILD / "found" / name
    failures = BUILD / "failures" / name
    shutil.rmtree(found, ignore_errors=True)
    for folder in (corpus, found, failures):
        folder.mkdir(parents=True, exist_ok=True)
    before = set(failures.iterdir())
    log = BUILD / f"{name}.log"
    with log.open("wb") as file:
        folders = [str(found), str(corpus), str(CRATE / "seeds" / name)]
        command = [str(program), *folders, *settings(failures)]
        command += [f"-max_total_time={seconds}", "-print_final_stats=1"]
        ended = subprocess.run(command, stdout=file, stderr=subprocess.STDOUT, check=False)
    text = log.read_text("utf-8", "replace")
    failed = sorted(set(failures.iterdir()) - before)
    if not failed:
        if ended.returncode != 0:
            print("\n".join(text.splitlines()[-5:]), file=sys.stderr)
            raise SystemExit(f"error: `{name}` ended with {ended.returncode} and no finding")
        keep(program, name, corpus, found)
    return Run(
        executions=statistic(text, "number_of_executed_units"),
        per_second=statistic(text, "average_exec_per_sec"),
        corpus=sum(1 for _ in corpus.iterdir()),
        failure=failed[0] if failed else None,
    )


def settings(failures: Path) -> list[str]:
    return [
        f"-artifact_prefix={failures}/",
        f"-dict={DICTIONARY}",
        f"-max_len={LONGEST}",
        f"-timeout={SLOWEST}",
        f"-rss_limit_mb={LARGEST}",
        # To weigh inputs by how rare what they cover is takes a fifth of the time.
        "-entropic=0",
    ]


def statistic(text: str, name: str) -> int:
    found = re.search(rf"^stat::{name}:\s*(\d+)$", text, re.MULTILINE)
    return int(found[1]) if found else 0


def keep(program: Path, name: str, corpus: Path, found: Path) -> None:
    """Replace a corpus by the fewest inputs that cover as much as it and what was found."""
    small = BUILD / "small" / name
    shutil.rmtree(small, ignore_errors=True)
    small.mkdir(parents=True)
    folders = [str(small), str(corpus), str(found)]
    command = [str(program), "-merge=1", f"-max_len={LONGEST}", *folders]
    merged = subprocess.run(command, capture_output=True, check=False)
    if merged.returncode == 0:
        shutil.rmtree(corpus)
        small.rename(corpus)
        shutil.rmtree(found)


def report(name: str, program: Path, failure: Path) -> None:
    """Say what failed, and how to see it again."""
    log = (BUILD / f"{name}.log").read_text("utf-8", "replace").splitlines()
    told = next((n for n, line in enumerate(log) if "panicked" in line or "ERROR" in line), 0)
    print("\n".join(log[told : told + 12]), file=sys.stderr)
    here = failure.relative_to(ROOT)
    print(f"error: `{name}` fails on {here}", file=sys.stderr)
    print(f"hint: {program.relative_to(ROOT)} {here}", file=sys.stderr)
    print(f"hint: cargo fuzz run {name} {here}", file=sys.stderr)
    print(f"hint: cargo fuzz tmin {name} {here}  # the shortest input that fails", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
