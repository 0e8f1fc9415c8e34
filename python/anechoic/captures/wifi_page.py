"""The Wi-Fi of a capture as a part of its report."""

from collections.abc import Callable
from html import escape
from typing import Any

from matplotlib.figure import Figure as Drawing

from anechoic.captures import wifi as tables
from anechoic.captures.codes import meaning
from anechoic.captures.html_table import Cell, count_cell, html_table, number_cell, text_cell
from anechoic.captures.table import counted
from anechoic.captures.wifi_events import happening, series, who
from anechoic.captures.wifi_figures import draw_ledger, draw_stations
from anechoic.captures.wifi_table import overheard, sentence

MOST_ROWS = 100
"""Stations, events and bursts on the page; all are in the folder's tables."""

Figure = Callable[[Drawing, str, str, str], str]
"""Keeps a drawing under a name, with label and caption, and gives it as a part of the page."""


def wifi_section(wifi: dict[str, Any] | None, name: str, figure: Figure) -> str:
    """Give cells, stations, airtime, who joined and left, and what TCP felt of the air.

    ``name`` is that of the capture.
    """
    if wifi is None:
        return ""
    parts = [
        _cells(wifi),
        _stations(wifi),
        _ledger(wifi, name, figure),
        _over_time(wifi, name, figure),
    ]
    return "\n".join([*parts, _events(wifi), _bursts(wifi)])


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
    role = " (access point)" if station["is_access_point"] else ""
    retried = station["retry_share"]
    return [
        text_cell(f"{station['address']}{role}"),
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
    table = html_table(heads, rows, texts={1, 2, 3, 4, 5})
    return f"<h3>Joining, leaving, moving</h3>\n{table}{_more(len(events), 'line', 'events')}"


def _bursts(wifi: dict[str, Any]) -> str:
    told = [burst for burst in wifi["bursts"] if burst["payload"]]
    if not told:
        return ""
    # First those that TCP felt.
    ranked = sorted(told, key=lambda burst: (burst["again"] is None, burst["is_delivered"]))
    shown = sorted(ranked[:MOST_ROWS], key=lambda burst: int(burst["first_ns"]))
    items = "\n".join(f"<li>{escape(_capital(sentence(burst)))}.</li>" for burst in shown)
    more = _more(len(told), "burst", "bursts")
    return f"<h3>From the air to TCP</h3>\n<ul>\n{items}\n</ul>\n{more}"


def _more(found: int, what: str, table: str) -> str:
    left = found - MOST_ROWS
    if left <= 0:
        return ""
    link = f'<a href="wifi/{table}.csv">wifi/{table}.csv</a>'
    return f'<p class="faint">{counted(left, what)} more in {link}.</p>'


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
