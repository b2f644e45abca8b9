"""A folder with one file of each kind that a command reads.

In: a folder. Out: the same site in each: files, folders, tables, archives, a store; URLs, a log,
expectations. Made where all packages are, and read by installs that lack some. No test lives here.
"""

import json
import re
import time
from pathlib import Path

import pyarrow as pa
from backports import zstd
from pyarrow import csv, parquet

from bulk.report import scans
from bulk.scan.archives import packed, record, response
from cache.samples import filled
from support import CHECKOUT
from verger.access.entry import Entry
from verger.access.result import AccessResult
from verger.watch.archive import Archive, Vantage

ORIGIN = "http://shop.example"
README = (CHECKOUT / "README.md").read_text("utf-8")

LOG = """\
192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] "GET /basket/1 HTTP/1.1" 200 9 "-" "GPTBot/1.2"
192.0.2.1 - - [10/Oct/2026:13:55:37 +0000] "GET /lamps HTTP/1.1" 200 9 "-" "Mozilla/5.0"
"""

EXPECTATIONS = """\
robots = "shop.txt"

[[expect]]
agent = "GPTBot"
url = "/lamps"
allowed = false
"""


def write_samples(folder: Path) -> None:
    """Write them all."""
    (shop,) = re.findall(r"^```text file=shop.txt\n(.*?)^```$", README, re.M | re.S)
    later = shop.replace("Allow: /basket/help\n", "")
    texts = {
        "shop.txt": shop,
        "new.txt": later,
        "sites/shop.example": shop,
        "later/shop.example": later,
        "urls.txt": f"{ORIGIN}/lamps\n{ORIGIN}/basket/1\n",
        "urls.csv": f"url,id\n{ORIGIN}/lamps,1\n",
        "access.log": LOG,
        "ok.robots.toml": EXPECTATIONS,
        "sites.jsonl": json.dumps({"origin": ORIGIN, "body": shop}) + "\n",
    }
    for name, text in texts.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    sites = pa.table({"origin": [ORIGIN], "body": [shop], "time": ["2026-10-01T00:00:00Z"]})
    csv.write_csv(sites, folder / "sites.csv")
    parquet.write_table(sites, folder / "sites.parquet")
    parquet.write_table(pa.table({"url": [f"{ORIGIN}/lamps"]}), folder / "urls.parquet")
    captured = record(response(shop.encode()), target=f"{ORIGIN}/robots.txt")
    (folder / "sites.warc.gz").write_bytes(packed(captured))
    (folder / "sites.warc.zst").write_bytes(zstd.compress(captured))
    scans.write(folder / "scanned.parquet", [scans.Capture()])
    fetched = AccessResult(f"{ORIGIN}/robots.txt", time.time(), status=200, body=shop.encode())
    filled(folder / "store.sqlite3", [Entry(ORIGIN, fetched)])
    archive = Archive(str(folder / "past.archive"))
    with archive.transaction():
        archive.add(ORIGIN, archive.vantage(Vantage("ExampleBot/1.0")), fetched)
