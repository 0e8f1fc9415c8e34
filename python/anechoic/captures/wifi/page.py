"""The Wi-Fi of a capture as a part of its report."""

from collections.abc import Callable, Mapping
from html import escape
from typing import Any

from matplotlib.figure import Figure as Drawing

from anechoic.captures.html.html_table import (
    Cell,
    arrow_cell,
    count_cell,
    html_table,
    number_cell,
    text_cell,
)
from anechoic.captures.text.counts import counted
from anechoic.captures.verdicts.causes import CAUSES
from anechoic.captures.wifi import bursts, tables
from anechoic.captures.wifi.codes import meaning
from anechoic.captures.wifi.events import happening, series, who
from anechoic.captures.wifi.figures import draw_ledger, draw_stations
from anechoic.captures.wifi.screen import overheard

MOST_ROWS = 100
"""Stations, events and links on the page; all are in the folder's tables."""

Figure = Callable[[Drawing, str, str, str], str]
"""Keeps a drawing under a name, with label and caption, and gives it as a part of the page."""


def wifi_section(document: Mapping[str, Any], name: str, figure: Figure) -> str:
    """Give cells, stations, airtime, who joined and left, and what TCP felt of the air.

    ``name`` is that of the capture.
    """
    wifi = document["wifi"]
    if wifi is None:
        return ""
    parts = [
        _cells(wifi),
        _stations(wifi),
        _ledger(wifi, name, figure),
        _over_time(wifi, name, figure),
    ]
    return "\n".join([*parts, _events(wifi), _bursts(document)])


def _cells(wifi: dict[str, Any]) -> str:
    cells = tables.cells(wifi).to_pylist()
    heads = ("Cell", "Name", "Channel", "Beacons", "Missed", "Encrypted")
    rows = (
        [
            text_cell(cell["bssid"]),
            text_cell(cell["ssid"] or ""),
            number_cell(cell["channel"]),
            count_cell(cell["beacons"]),
            count_cell(cell["beacons_missed"]),
            text_cell("yes" if cell["has_privacy"] else "no"),
        ]
        for cell in cells[:MOST_ROWS]
    )
    return "<h3>Cells</h3>\n" + html_table(heads, rows, texts={0, 1, 5}) if cells else ""


def _stations(wifi: dict[str, Any]) -> str:
    stations = tables.stations(wifi).to_pylist()
    heads = (
        *("Station", "Cell", "Data frames", "Retried (%)", "Given up", "Missed by the sniffer"),
        *("Airtime (s)", "Mean Mbit/s", "Mean dBm"),
    )
    rows = (_station(station) for station in stations[:MOST_ROWS])
    table = html_table(heads, rows, texts={0, 1})
    more = _more(len(stations), "station", "stations")
    note = f"<p>{escape(said)}</p>\n" if (said := overheard(wifi)) else ""
    return f"<h3>Stations on the air</h3>\n{note}{table}{more}"


def _station(station: dict[str, Any]) -> list[Cell]:
    retried = station["retry_share"]
    return [
        text_cell(f"{station['address']}{tables.known_as(station)}"),
        text_cell(station["bssid"] or ""),
        count_cell(station["data_frames"]),
        number_cell(None if retried is None else 100 * retried),
        count_cell(station["msdus_given_up"]),
        count_cell(station["frames_missed"]),
        number_cell(station["airtime_ns"] / 1e9),
        number_cell(station["rate_mbps_mean"]),
        number_cell(station["signal_dbm_mean"]),
    ]


def _ledger(wifi: dict[str, Any], name: str, figure: Figure) -> str:
    if not any(row["airtime_s"] for row in tables.ledger(wifi).to_pylist()):
        return ""
    caption = (
        "What this antenna heard; the parts add up to the time from the first frame to the last. "
        "A sniffer cannot tell a collision from an error at the receiver, and knows a frame that "
        "it missed by the response only."
    )
    return figure(draw_ledger(wifi, name), "airtime", "Where the airtime went", caption)


def _over_time(wifi: dict[str, Any], name: str, figure: Figure) -> str:
    drawing = draw_stations(wifi, name)
    return "" if drawing is None else figure(drawing, "wifi-stations", "Stations over time", "")


def _events(wifi: dict[str, Any]) -> str:
    events = series(tables.events(wifi).to_pylist())
    if not events:
        return ""
    start_ns = events[0]["time_ns"]
    heads = (
        *("Since the first (s)", "Station", "What", "Cell", "From", "Why", "Times"),
        "Without data (ms)",
    )
    rows = (
        [
            number_cell((event["time_ns"] - start_ns) / 1e9),
            text_cell(who(event)),
            text_cell(happening(event)),
            text_cell(event["bssid"]),
            text_cell(event["previous_bssid"] or ""),
            text_cell(meaning(event) or ""),
            count_cell(event["times"]),
            number_cell(event["interruption_ms"]),
        ]
        for event in events[:MOST_ROWS]
    )
    # What happened and why are sentences: in one line each they would not fit the page.
    table = html_table(heads, rows, texts={1, 3, 4}, wrapped={2, 5})
    return f"<h3>Joining, leaving, moving</h3>\n{table}{_more(len(events), 'line', 'events')}"


def _bursts(document: Mapping[str, Any]) -> str:
    told = bursts.with_payload(document["wifi"])
    if not told:
        return ""
    links = bursts.links(told)
    causes = bursts.causes_of(links)
    heads = (
        *("Tried", "Segments", "Given up", "Retransmitted", "Median wait (ms)", "Longest (ms)"),
        *(_capital(CAUSES[cause]) for cause in causes),
    )
    rows = (
        [
            arrow_cell(link.name),
            *(count_cell(count) for count in (link.bursts, link.given_up, len(link.waits_ns))),
            *(number_cell(None if wait is None else wait / 1e6) for wait in link.wait_ns),
            *(count_cell(link.causes[cause]) for cause in causes),
        ]
        for link in links[:MOST_ROWS]
    )
    items = "\n".join(
        f"<li>{escape(_capital(bursts.sentence(each)))}.</li>" for each in bursts.examples(told)
    )
    longest = f"<ul>\n{items}\n</ul>\n" if items else ""
    link = '<a href="wifi/bursts.csv">wifi/bursts.csv</a>'
    return (
        f"<h3>From the air to TCP</h3>\n<p>{escape(_capital(bursts.summary(document)))}.</p>\n"
        f"{html_table(heads, rows, texts={0})}{longest}"
        f'<p class="faint">Each segment is in {link}.</p>'
    )


def _more(found: int, what: str, table: str) -> str:
    left = found - MOST_ROWS
    if left <= 0:
        return ""
    link = f'<a href="wifi/{table}.csv">wifi/{table}.csv</a>'
    return f'<p class="faint">{counted(left, what)} more in {link}.</p>'


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
