"""A scan of a list: many archives, some at a time, which goes on after a kill.

In: a list of paths and addresses, one a line. Out: the table that a scan of them writes, one after
the other. The rows of an archive are kept in a journal next to the output once it is read to its
end, and the next run with the same list takes them over, but for those of files that have changed.
An archive that cannot be read is told and counted; it is read again by the next run, unless this
one comes to its end.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from itertools import islice
from time import monotonic

import pyarrow as pa

from verger.bulk.filter.blocks import Kind
from verger.bulk.filter.journal import VERSION, Journal
from verger.bulk.scan.inputs import captures_of
from verger.bulk.scan.run import count_scanned
from verger.bulk.scan.scanner import Scanner
from verger.captures.batches import MOST_SHOWN, ScanReport, Skip
from verger.errors import InvalidTable, UnknownName, UnusableInput, UnusableOutput
from verger.files.addresses import state_of
from verger.files.formats import CAPTURED, format_by_name
from verger.files.input_errors import unreadable
from verger.files.lines import numbered_lines
from verger.files.parquet import ArrowSink
from verger.files.paths import is_address, is_stream
from verger.files.same_file import expect_no_overwriting
from verger.files.stdio import LONGEST
from verger.options import AnyPath, path_of
from verger.untrusted_text import octets_of, quoted

AT_ONCE = 8
"""Archives that are read at the same time."""

AT_FIRST = 20
"""If so many archives cannot be read before the first that can, none can: it is no use to try all,
and a table without rows would look like an answer."""


@dataclass(slots=True)
class ListedArchive:
    """One archive of a list, and its rows once it is read.

    number:   its place in the list.
    name:     its path or address.
    digest:   that of its name, and of a file what changes with its content.
    counts:   the numbers of its report.
    problem:  why it cannot be read.
    """

    number: int
    name: str
    digest: str
    rows: bytes = b""
    counts: Counter[Kind] = field(default_factory=Counter)
    skips: list[Skip] = field(default_factory=list)
    problem: UnusableInput | None = None


def read_list(path: AnyPath, base: str = "") -> list[str]:
    """Return the paths and addresses that a list names, one a line; plain, or gzip by its name.

    base:  the folder, or the address of one, of each name that is neither an address nor absolute.
    Raises UnusableInput; UnknownName for a line whose ending tells no format of captures.
    """
    name = path_of("inputs", path)
    base = f"{base.removesuffix('/')}/" if base else ""
    found: list[str] = []
    for number, line in numbered_lines(name, LONGEST, what="a list of archives"):
        if not (word := line.strip()):
            continue
        found.append(word if is_address(word) or word.startswith("/") else base + word)
        if format_by_name(found[-1]) not in CAPTURED:
            what = quoted(found[-1], 200)
            why = f"line {number:,} of {quoted(name)} names no archive or table: {what}"
            raise UnknownName(why, "a list has one name a line, such as `crawl/1.warc.gz`")
    if not found:
        raise InvalidTable(f"{quoted(name)} names no archive", "is it the right list?")
    return found


def scan_list(
    names: Sequence[str],
    output: AnyPath,
    *,
    scanner: Scanner | None = None,
    columns: Mapping[str, str] | None = None,
    strict: bool = False,
    restart: bool = False,
    at_once: int = AT_ONCE,
    on_archive: Callable[[ScanReport, int, int], None] = lambda *_: None,
) -> ScanReport:
    """Scan many archives or tables into one Parquet file, and return a report.

    names:       paths and addresses, such as `read_list` returns.
    output:      the table of captures, written when it is complete; a file, or an address. Rows
                 have the order of the names.
    strict:      whether the first archive that cannot be read ends the run. What was read is kept.
    restart:     discard what an interrupted run has kept.
    at_once:     how many archives are read at the same time.
    on_archive:  called after each archive with the counts so far, how many archives of this run are
                 done, and how many it has.
    The rows of an archive are in memory until it is read. Raises what `scan` raises.
    """
    began, scanner = monotonic(), scanner or Scanner()
    report, recalled = ScanReport(), scanner.recalled
    written_to = path_of("output", output)
    if is_stream(written_to):
        why = "what is finished of a list is kept beside the output, and a stream has no place"
        raise UnusableOutput(why, "name a file, or an address")
    expect_no_overwriting([written_to], inputs=[each for each in names if not is_address(each)])
    manifest = {
        "version of the journal": VERSION,
        "list of archives": sha256(octets_of("\0".join(names))).hexdigest(),
        "scanner": repr(scanner.schema.metadata),
        "columns": columns or {},
    }
    sink_on = partial(ArrowSink, schema=scanner.schema, packed=PACKED)
    journal = Journal(written_to, manifest, sink_on, restart=restart)
    with ExitStack() as at_end:
        at_end.callback(journal.close)
        todo: list[ListedArchive] = []
        for number, name in enumerate(names):
            found, digest = journal.finished.get(number), _digest_of(name)
            # what is gone was read when it was there
            if found is None or digest not in (None, found.digest):
                todo.append(ListedArchive(number, name, digest or name))
            else:
                _add(found.counts, report)
        read = partial(_read, scanner=scanner, columns=columns or {})
        is_any_read = bool(journal.finished)
        for done, archive in enumerate(_each(read, todo, at_once), start=1):
            is_any_read |= archive.problem is None
            is_hopeless = not is_any_read and done >= min(len(todo), AT_FIRST)
            if archive.problem is not None and (strict or is_hopeless):
                raise archive.problem
            if archive.problem is None:
                journal.put(archive, archive.rows)
                archive.rows = b""
            report.skips += archive.skips[: MOST_SHOWN - len(report.skips)]
            _add(archive.counts, report)
            on_archive(report, done, len(todo))
        for archive in todo:
            if archive.problem is not None:
                journal.put(archive, b"")
        journal.complete(len(names))
    report.recalled, report.seconds = scanner.recalled - recalled, monotonic() - began
    return report


def _digest_of(name: str) -> str | None:
    """Return the digest of the name of an archive, with the size and time of a file: one that has
    changed since it was finished is read again; None for one that is not there. Objects are not
    asked for: a list has 100,000 of them."""
    with suppress(OSError):
        state = "" if is_address(name) else state_of(name)
        return sha256(octets_of(f"{name} {state}")).hexdigest()
    return None


def _each(
    read: Callable[[ListedArchive], ListedArchive], archives: Sequence[ListedArchive], at_once: int
) -> Iterator[ListedArchive]:
    """Yield archives as they are read, some at a time."""
    left = iter(archives)
    with ThreadPoolExecutor(at_once, "verger-read") as workers:
        running = {workers.submit(read, each) for each in islice(left, at_once)}
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            running |= {workers.submit(read, each) for each in islice(left, len(done))}
            yield from (each.result() for each in done)


def _read(archive: ListedArchive, *, scanner: Scanner, columns: Mapping[str, str]) -> ListedArchive:
    """Read an archive to its end, and keep its rows, or why it cannot be read."""
    name, report, out = archive.name, ScanReport(), pa.BufferOutputStream()
    try:
        packed = pa.CompressedOutputStream(out, PACKED)
        with packed, pa.ipc.new_stream(packed, scanner.schema) as rows:
            captures = captures_of([(name, format_by_name(name) or "")], report, columns)
            for batch in scanner.larger(captures):
                scanned = scanner.scan(batch)
                count_scanned(scanned, report)
                for each in scanned.rows:
                    rows.write_batch(each)
        archive.rows = out.getvalue().to_pybytes()
    except UnusableOutput:  # no room for temporary files, which is no fault of the archive
        raise
    except (UnusableInput, OSError) as error:
        told = unreadable(name, error) if isinstance(error, OSError) else error
        archive.problem, report = told, ScanReport()
        report.skip(name, None, told.message)
    archive.skips = report.skips
    archive.counts.update({key: getattr(report, key[1]) for key in COUNTED})
    archive.counts.update({(True, kind or ""): count for kind, count in report.access.items()})
    return archive


PACKED = "zstd"
"""As a whole: rows have a hundred buffers, and to pack each took longer than to scan them."""
COUNTED = tuple((None, n) for n in ("captures", "skipped", "revisits", "others", "cut", "bytes"))
"""The numbers of a report that the journal keeps, besides the captures by kind of access."""


def _add(counts: Counter[Kind], report: ScanReport) -> None:
    for (is_access, name), count in counts.items():
        if is_access:
            report.access[name or None] += count
        else:
            setattr(report, name, getattr(report, name) + count)
