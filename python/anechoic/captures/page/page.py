"""The report of a capture: one page that needs nothing else, and its figures as files."""

from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from matplotlib.figure import Figure as Drawing

from anechoic.captures.analysis import Analysis
from anechoic.captures.doubts.notes import notes
from anechoic.captures.figures.capture import (
    MOST_POINTS,
    draw_losses,
    draw_transfers,
    largest_of,
    worth_showing,
)
from anechoic.captures.figures.connection import draw_over_time, draw_sequence
from anechoic.captures.html.in_words import in_words, worth_telling
from anechoic.captures.html.page_tables import (
    connections_table,
    correlations_table,
    regimes_table,
    stations_table,
)
from anechoic.captures.signal.figure import draw_signal
from anechoic.captures.signal.transfers import correlations
from anechoic.captures.text.counts import counted
from anechoic.captures.text.durations import period
from anechoic.captures.text.ends import title
from anechoic.captures.verdicts.direction import is_small
from anechoic.captures.verdicts.telling import telling
from anechoic.captures.verdicts.verdict import round_trip_ms
from anechoic.captures.verdicts.words import what_way
from anechoic.captures.wifi.page import wifi_section
from anechoic.files import write_whole
from anechoic.report.html import document, figure_of, head, section, warning_list
from anechoic.report.render import inline, save
from anechoic.scenario.core import build
from anechoic.scenario.signal_log import Reading

if TYPE_CHECKING:
    import pyarrow

_ALL_CONNECTIONS = (
    '<p class="faint">All, with every counter, are in '
    '<a href="connections.csv">connections.csv</a>.</p>'
)
"""The file lies beside the page."""
_FEWEST_TRANSFERS = 4
"""Transfers of which more can be seen in a figure than in the tables."""
_FEWEST_LOSSES = 3
"""Losses whose times between each other are worth a figure."""


@dataclass(frozen=True)
class SignalLog:
    """A log of signal levels and the transfers beside it."""

    name: str
    readings: list[Reading]
    offset_s: float
    joined: "pyarrow.Table"


def write_page(analysis: Analysis, out: Path, log: SignalLog | None) -> Path:
    """Write ``report.html`` and ``figures/`` into a folder, and give the page's path."""
    page = _Page(analysis, out / "figures")
    page.figures.mkdir(exist_ok=True)
    sections = [
        _head(analysis),
        warning_list(notes(analysis.document, analysis.unlisted())),
        section("Connections", _connections(analysis)),
        section("Stations", page.stations()),
        section("Losses", page.losses()),
        section("Wi-Fi", wifi_section(analysis.document, page.name, page.figure)),
        section("Signal", page.signal(log)),
        section("A closer look", page.closer_look()),
    ]
    name = f"{Path(analysis.file).name}: its TCP connections"
    script = Path(__file__).with_name("sort.js").read_text(encoding="utf-8")
    path = out / "report.html"
    write_whole(path, document(name, sections, page.drawn, script).encode())
    return path


class _Page:
    """The sections that draw."""

    def __init__(self, analysis: Analysis, figures: Path) -> None:
        self.analysis = analysis
        self.figures = figures
        self.drawn: list[str] = []
        self.name = Path(analysis.file).name

    def figure(self, drawing: Drawing, slug: str, label: str, caption: str) -> str:
        """Keep a drawing and give it as a part of the page."""
        text = inline(save(drawing, self.figures, slug), slug, escape(label))
        figure = figure_of(text, slug, caption)
        self.drawn.append(figure)
        return figure

    def stations(self) -> str:
        """Give what each station sent and got, and its transfers over time."""
        transfers = worth_showing(self.analysis.transfers())
        table = stations_table(self.analysis.stations())
        if transfers.num_rows < _FEWEST_TRANSFERS:
            return table
        drawing = draw_transfers(transfers, self.analysis.station_of(), self.name)
        caption = (
            "A line for each transfer, with a point at its end: what a sender sent until it had "
            "nothing more to send for longer than its retransmission timeout. Transfers of less "
            "than a hundredth of the largest are left out, and all but the "
            f"{MOST_POINTS:,} largest; of equal ones some all along."
        )
        return table + self.figure(drawing, "transfers", "Transfers over time", caption)

    def losses(self) -> str:
        """Give the time between losses and the regimes they speak of."""
        losses = self.analysis.losses()
        if losses.num_rows < _FEWEST_LOSSES:
            return ""
        caption = (
            "Left, the losses of one window count as one. Right, a loss is the same segment again "
            "where the copy that was lost was itself a retransmission. A full queue is inferred "
            "where a sender's losses stand together at its longest round trips, the path itself "
            "where they are spread as by chance. Too few losses leave it undecided."
        )
        table = regimes_table(losses)
        if losses["since_last_s"].null_count == losses.num_rows:
            return table
        drawing = draw_losses(losses, self.name)
        return table + self.figure(drawing, "losses", "Time between losses", caption)

    def signal(self, log: SignalLog | None) -> str:
        """Give the transfers beside the signal."""
        if log is None:
            return ""
        start_ns = self.analysis.start_ns
        shown = largest_of(worth_showing(log.joined))
        about = f"{self.name} and {log.name}"
        drawing = draw_signal(shown, log.readings, log.offset_s, start_ns, about)
        offset = f", {log.offset_s:+g} s" if log.offset_s else ""
        caption = (
            f"Signal from {log.name}{offset}: {counted(len(log.readings), 'reading')}. The figure "
            "and the table have the transfers of at least a hundredth of the largest."
        )
        figure = self.figure(drawing, "signal", "Transfers and signal", caption)
        return figure + correlations_table(correlations(shown))

    def closer_look(self) -> str:
        """Give the most telling connections: what happened, and their figures."""
        connections = self.analysis.document["connections"]
        numbers = telling(connections)
        self.analysis.trace(numbers)
        return "\n".join(self.connection(number) for number in numbers)

    def connection(self, number: int) -> str:
        """Give one connection: what happened in words, and the figures of its busier end."""
        connection = self.analysis.document["connections"][number - 1]
        told = worth_telling(connection)
        parts = [f'<h3 id="connection-{number}">{number}. {escape(title(connection))}</h3>']
        parts += [in_words(connection, sender) for sender in told]
        if not is_small(connection[told[0]]):
            parts += self.of_a_direction(number, told[0])
        return "\n".join(parts)

    def of_a_direction(self, number: int, sender: str) -> list[str]:
        """Give the figures of what one end of a connection sent."""
        connection = self.analysis.document["connections"][number - 1]
        segments = self.analysis.segments(number)
        losses = _losses_of(self.analysis.losses(), number, sender)
        about = f"{self.name}, connection {number}, {what_way(connection, sender)}"
        growth = draw_sequence(segments, losses, sender, about)
        label, caption = f"Sequence numbers of connection {number}", _xplot(number, sender)
        round_trip_s = round_trip_ms(connection[sender]) / 1e3
        life = draw_over_time(segments, sender, about, round_trip_s)
        return [
            self.figure(growth, f"sequence-{number}", label, caption),
            self.figure(life, f"over-time-{number}", f"Connection {number} over time", ""),
        ]


def _xplot(number: int, sender: str) -> str:
    return f"For xplot: xplot/{number}_{sender}.xpl; every segment: segments/{number}.parquet."


def _losses_of(losses: "pyarrow.Table", number: int, sender: str) -> "pyarrow.Table":
    import pyarrow.compute as pc

    is_of = pc.and_(pc.equal(losses["connection"], number), pc.equal(losses["sender"], sender))
    return losses.filter(is_of)


def _head(analysis: Analysis) -> str:
    connections, tally = analysis.document["connections"], analysis.document["tally"]
    ends = [each[end] for each in connections for end in ("client", "server")]
    total = sum(end["bytes_unique"] for end in ends)
    seen_twice = counted(sum(end["packets_retransmitted"] for end in ends), "segment")
    late = sum(end["packets_out_of_order"] for end in ends)
    last_ns = max((each["last_ns"] for each in connections), default=analysis.start_ns)
    facts = [
        ("Capture", analysis.file),
        ("Packets", f"{tally['packets']:,}, {tally['tcp']:,} of them TCP"),
        ("Connections", f"{len(connections):,}"),
        ("Time", period(analysis.start_ns, last_ns) if connections else ""),
        ("Data", f"{counted(total, 'byte')}, each counted once" if connections else ""),
        ("Retransmitted", f"{seen_twice} seen twice, {late:,} late" if connections else ""),
        ("Version", f"Anechoic {build()}"),
    ]
    return head(Path(analysis.file).name, facts)


def _connections(analysis: Analysis) -> str:
    connections = analysis.document["connections"]
    if not connections:
        return '<p class="faint">There is no TCP connection in this capture.</p>'
    return connections_table(connections, telling(connections)) + _ALL_CONNECTIONS
