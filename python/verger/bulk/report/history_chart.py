"""The picture of a site's history: what crawlers for each purpose could fetch, over time.

In: rows with a name, what it was, and from when to when. Out: a page that needs no network, an SVG,
or the specification for Vega-Lite, by the name of the file.
"""

import json
from collections.abc import Mapping, Sequence

from verger.bulk.report.summary import resource
from verger.errors import MissingExtra
from verger.files.writing import writing


def write(path: str, title: str, rows: Sequence[Mapping[str, str]]) -> None:
    """Write the picture, complete or not at all. Raises UnusableOutput, MissingExtra."""
    with MissingExtra.unless_installed("report", "a picture"):
        import vl_convert
    spec = json.loads(resource("charts.json"))["history"]
    spec |= {"title": title, "data": {"values": rows}}
    text = json.dumps(spec)
    if path.endswith(".svg"):
        text = vl_convert.vegalite_to_svg(spec)
    elif not path.endswith(".json"):
        text = vl_convert.vegalite_to_html(spec, bundle=True)
    with writing(path) as file:
        file.write(text.encode("utf-8", "backslashreplace"))
