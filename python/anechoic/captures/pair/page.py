"""The report of two captures of one path: one page that needs nothing else, and its figures."""

from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure as Drawing

from anechoic.captures.doubts.notes import warning_text
from anechoic.captures.pair.comparison import WAYS, Pair
from anechoic.captures.pair.figures import (
    draw_air,
    draw_delays,
    draw_distribution,
)
from anechoic.captures.pair.page_tables import (
    FATES,
    air_table,
    clock_table,
    connections_part,
    delays_table,
    fates_table,
    times_table,
)
from anechoic.captures.pair.screen import between, clock_text, doubling, names, not_read, way_lines
from anechoic.captures.text.counts import counted
from anechoic.files import write_whole
from anechoic.report.html import document, figure_of, head, section, warning_list
from anechoic.report.render import inline, save
from anechoic.scenario.core import build

if TYPE_CHECKING:
    import pyarrow


def write_page(pair: Pair, connections: "pyarrow.Table", out: Path) -> Path:
    """Write ``report.html`` and ``figures/`` into a folder, and give the page's path."""
    page = _Page(pair, out / "figures")
    page.figures.mkdir(exist_ok=True)
    sections = [
        _head(pair),
        warning_list(list(_notes(pair))),
        section("What happened", page.words()),
        section("Clocks", f"<p>{escape(_clocks(pair))}</p>\n{clock_table(pair.clock)}"),
        section("Delays", page.delays()),
        section("Losses", fates_table(page.ways) + times_table(page.ways)),
        section("Queue and air", page.air()),
        section("Connections", connections_part(connections)),
    ]
    script = (Path(__file__).parents[1] / "page" / "sort.js").read_text(encoding="utf-8")
    path = out / "report.html"
    write_whole(path, document(_title(pair), sections, page.drawn, script).encode())
    return path


class _Page:
    """The sections that go by the ways."""

    def __init__(self, pair: Pair, figures: Path) -> None:
        self.pair = pair
        self.figures = figures
        self.drawn: list[str] = []
        self.start_ns = int(pair.document["over_time"]["start_ns"])
        first, second = names(pair)
        self.about = f"{first} and {second}"
        called = (f"{first} → {second}", f"{second} → {first}")
        told = dict(zip(called, (pair.forth, pair.back), strict=True))
        self.names = dict(zip(WAYS, called, strict=True))
        self.ways = {name: way for name, way in told.items() if any(way[fate] for fate in FATES)}

    def figure(self, drawing: Drawing, slug: str, label: str, caption: str) -> str:
        """Keep a drawing and give it as a part of the page."""
        text = inline(save(drawing, self.figures, slug), slug, escape(label))
        figure = figure_of(text, slug, caption)
        self.drawn.append(figure)
        return figure

    def words(self) -> str:
        """Say what happened on each way, and what lies between the points."""
        lists = {name: way_lines(way) for name, way in self.ways.items()}
        lists["Between the points"] = between(self.pair)
        return "\n".join(
            f"<h3>{escape(name)}</h3>\n<ul>\n{_items(lines)}\n</ul>"
            for name, lines in lists.items()
            if lines
        )

    def named(self, ways: dict[str, Any]) -> dict[str, str]:
        """Give the names of some ways, as the tables call them."""
        return {way: name for way, name in self.names.items() if name in ways}

    def delays(self) -> str:
        """Give the delays of either way: their spread, over time, and their distribution."""
        told = {name: way for name, way in self.ways.items() if way["delay"]}
        if not told:
            return ""
        step_ns = int(self.pair.document["over_time"]["step_ns"])
        caption = f"In steps of {step_ns / 1e6:g} ms, as in over_time.csv."
        over_time = draw_delays(
            self.pair.over_time, self.start_ns, step_ns, self.named(told), self.about
        )
        spread = draw_distribution(self.pair.packets, self.named(told), self.about)
        return (
            delays_table(told)
            + self.figure(over_time, "delays", "Delays over time", caption)
            + self.figure(spread, "distribution", "Distribution of delays", "")
        )

    def air(self) -> str:
        """Give how long packets waited for the air, and were on it."""
        told = {name: way["air"] for name, way in self.ways.items() if way["air"]}
        sides = [capture["is_air"] for capture in self.pair.document["captures"]]
        # There is a queue before the air where the way begins at a wire.
        if not told or all(sides):
            return air_table(told)
        at = sides.index(True)
        way, air = WAYS[1 - at], ("first", "second")[at]
        drawing = draw_air(self.pair.packets, self.start_ns, way, air, self.names[way])
        if drawing is None:
            return air_table(told)
        caption = (
            "A point for each packet that was acknowledged on the air. In the queue: from the "
            "wire to its first frame, the wait for a free medium included. On the air: from "
            "there to the acknowledgment of its last frame, retries included."
        )
        return air_table(told) + self.figure(drawing, "air", "Queue and air", caption)


def _items(lines: list[str]) -> str:
    return "\n".join(f"<li>{escape(line.strip())}</li>" for line in lines)


def _title(pair: Pair) -> str:
    first, second = names(pair)
    return f"{first} and {second}: the path between"


def _head(pair: Pair) -> str:
    captures = zip(("First", "Second"), pair.files, pair.document["captures"], strict=True)
    facts = [(f"{which} capture", f"{file}: {_holds(each)}") for which, file, each in captures]
    listed = len(pair.connections) + pair.document["unlisted"]
    facts.append(("Connections", f"{listed:,} in both"))
    return head(_title(pair), [*facts, ("Version", f"Anechoic {build()}")])


def _holds(capture: dict[str, Any]) -> str:
    tally = capture["tally"]
    air = ", 802.11 frames" if capture["is_air"] else ""
    seconds = (capture["last_ns"] - capture["first_ns"]) / 1e9
    packets = counted(tally["packets"], "packet")
    return f"{packets} in {seconds:,.3f} s, {tally['tcp']:,} of them TCP{air}"


def _notes(pair: Pair) -> Iterator[str]:
    """Say what to know before trusting the page."""
    for file, capture in zip(pair.files, pair.document["captures"], strict=True):
        for warning in capture["warnings"]:
            yield f"{file} could not be read as it stood: {warning_text(warning)}."
    if pair.is_one_capture or pair.clock["clocks"] in ("one_way", "uneven"):
        yield _clocks(pair)
    for each in not_read(pair):
        yield each
    for each in doubling(pair):
        yield f"{each}."
    if pair.document["evicted"]:
        what = counted(pair.document["evicted"], "connection")
        yield f"{what} had to make room for others and are told as they stood."


def _clocks(pair: Pair) -> str:
    text = clock_text(pair)
    return f"{text[:1].upper()}{text[1:]}."
