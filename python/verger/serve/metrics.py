"""Metrics: how many requests, how long they took, and what was fetched, for Prometheus.

In: requests that ended, and events. Out: text in Prometheus' exposition format 0.0.4, with the name
and the buckets that OpenTelemetry gives the duration of HTTP requests (semantic conventions 1.30,
HTTP metrics). No URL is a label: callers choose them. Workers share their sums through memory that
they inherit, so that whichever is asked tells of all.
"""

import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from mmap import mmap
from zlib import crc32

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0)
"""The upper bounds of durations, in seconds."""

DURATION = "http_server_request_duration_seconds"
ACTIVE = "http_server_active_requests"

METHODS = frozenset(
    ("CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE")
)
"""Those of RFC 9110 and RFC 5789; of others there may be any number."""

SLICE = 1 << 18
"""Bytes for the sums of one worker."""

HEAD = 8


class Shares:
    """The sums of all workers, in memory that they share."""

    def __init__(self, workers: int) -> None:
        self._memory = mmap(-1, workers * SLICE)
        self._workers = workers

    def put(self, worker: int, sums: bytes) -> None:
        """Write the sums of a worker; too many are left out."""
        if len(sums) <= SLICE - HEAD:
            at = worker * SLICE
            head = len(sums).to_bytes(4, "big") + crc32(sums).to_bytes(4, "big")
            self._memory[at : at + HEAD + len(sums)] = head + sums

    def others(self, worker: int) -> Iterator[bytes]:
        """Yield the sums of the other workers; those of one that is writing are left out."""
        for other in set(range(self._workers)) - {worker}:
            at = other * SLICE
            head = self._memory[at : at + HEAD]
            sums = self._memory[at + HEAD : at + HEAD + int.from_bytes(head[:4], "big")]
            if sums and crc32(sums) == int.from_bytes(head[4:], "big"):
                yield sums


class Metrics:
    """The sums of one worker, and how to write those of all."""

    def __init__(self, shares: Shares, worker: int) -> None:
        self._shares, self._worker = shares, worker
        self._known: dict[tuple[str, str, int], list[float]] = {}
        self._durations: dict[str, list[float]] = {}
        """For each set of labels the requests by bucket, the last for longer ones, and seconds."""
        self._totals = Counter[str]()

    def ended(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request that ended."""
        key = (method if method in METHODS else "_OTHER", route, status)
        if (sums := self._known.get(key)) is None:
            labels = (
                f'http_request_method="{key[0]}",http_response_status_code="{status}",'
                f'http_route="{route}",url_scheme="http"'
            )
            sums = self._known[key] = self._durations[labels] = [0.0] * (len(BUCKETS) + 2)
        sums[bisect_left(BUCKETS, seconds)] += 1
        sums[-1] += seconds

    def count(self, name: str, number: int = 1, **labels: str) -> None:
        """Count something else."""
        told = ",".join(f'{label}="{value}"' for label, value in labels.items())
        self._totals[f"verger_{name}_total{{{told}}}"] += number

    def share(self) -> None:
        """Let the other workers see the sums."""
        self._shares.put(self._worker, json.dumps([self._durations, self._totals]).encode())

    def text(self, active: int) -> str:
        """Return the sums of all workers.

        active:  how many requests this one has in work.
        """
        durations = {labels: list(sums) for labels, sums in self._durations.items()}
        totals = Counter(self._totals)
        for others in map(json.loads, self._shares.others(self._worker)):
            totals.update(others[1])
            for labels, sums in others[0].items():
                known = durations.setdefault(labels, [0.0] * len(sums))
                durations[labels] = list(map(sum, zip(known, sums, strict=True)))
        lines = [*_of_durations(durations), f"# TYPE {ACTIVE} gauge", f"{ACTIVE} {active}"]
        families = sorted({name.partition("{")[0] for name in totals})
        for family in families:
            lines.append(f"# TYPE {family} counter")
            of_it = (each for each in sorted(totals) if each.partition("{")[0] == family)
            lines += [f"{name.replace('{}', '')} {totals[name]}" for name in of_it]
        return "\n".join(lines) + "\n"


def _of_durations(durations: dict[str, list[float]]) -> Iterator[str]:
    yield f"# HELP {DURATION} Duration of HTTP server requests."
    yield f"# TYPE {DURATION} histogram"
    for labels, (*counts, seconds) in sorted(durations.items()):
        number = 0.0
        for most, count in zip((*map(str, BUCKETS), "+Inf"), counts, strict=True):
            number += count
            yield f'{DURATION}_bucket{{{labels},le="{most}"}} {number:.0f}'
        yield f"{DURATION}_sum{{{labels}}} {seconds:.6f}"
        yield f"{DURATION}_count{{{labels}}} {number:.0f}"
