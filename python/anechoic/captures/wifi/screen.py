"""The Wi-Fi of a capture for people."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from anechoic.captures.text.aligned import aligned, without_empty
from anechoic.captures.text.counts import counted
from anechoic.captures.wifi import bursts, tables
from anechoic.captures.wifi.events import line, series
from anechoic.fitting import wrapped

MOST_STATIONS = 20
"""Stations shown of a cell; the others are added up."""
MOST_CELLS = 20
"""Cells shown with their stations, and as many without data."""
MOST_LINES = 20
"""Events shown; the others are counted."""


Cell = dict[str, Any]
Stations = list[dict[str, Any]]


def text(document: Mapping[str, Any]) -> str:
    """Write the cells with their stations, what happened, the air's use, and the bursts."""
    wifi = document["wifi"]
    members = _members(wifi)
    cells = _cells(wifi, members)
    busy = [cell for cell in cells if _has_data(members[cell["bssid"]])]
    others = [cell for cell in cells if not _has_data(members[cell["bssid"]])]
    parts = [_cell(wifi, cell, members[cell["bssid"]]) for cell in busy[:MOST_CELLS]]
    if len(busy) > MOST_CELLS:
        parts.append(f"And {counted(len(busy) - MOST_CELLS, 'more cell')}, with --json")
    parts += [_neighbours(wifi, others, members), _outside(wifi, members[None])]
    parts += [wrapped(overheard(wifi)), _events(wifi)]
    parts += [_ledger(wifi, channel) for channel in wifi["channels"]]
    parts.append(bursts.text(document))
    return "\n\n".join(part for part in parts if part)


def _members(wifi: dict[str, Any]) -> defaultdict[str | None, Stations]:
    """Give the stations of each cell, and of none."""
    members: defaultdict[str | None, Stations] = defaultdict(list)
    for station in wifi["stations"]:
        members[station["bssid"]].append(station)
    return members


_UNHEARD = {"beacons": 0, "ssid": None, "channel": None, "has_privacy": False}
"""A cell of which neither a beacon nor a probe response was captured."""


def _cells(wifi: dict[str, Any], members: Mapping[str | None, Stations]) -> list[Cell]:
    """Give the cells, also those that only their stations speak of."""
    heard = {cell["bssid"] for cell in wifi["cells"]}
    others = (bssid for bssid in members if bssid and bssid not in heard)
    return [*wifi["cells"], *({**_UNHEARD, "bssid": bssid} for bssid in others)]


def _has_data(stations: Stations) -> bool:
    return any(station["data_frames"] for station in stations)


def _cell(wifi: dict[str, Any], cell: Cell, members: Stations) -> str:
    return "\n".join([_cell_title(cell), *_stations(wifi, members)])


def _stations(wifi: dict[str, Any], stations: Stations) -> list[str]:
    shown = stations[:MOST_STATIONS]
    heard_ns = _heard_ns(wifi)
    table = [_HEAD, *(_station(station, heard_ns) for station in shown)]
    lines = aligned(without_empty(table))
    if len(stations) > len(shown):
        lines.append(f"  and {len(stations) - len(shown)} more, with --json")
    return lines


def _neighbours(
    wifi: dict[str, Any], cells: list[Cell], members: Mapping[str | None, Stations]
) -> str:
    """Write the cells that were heard, but none of their data."""
    if not cells:
        return ""
    heard_ns = _heard_ns(wifi)
    shown = cells[:MOST_CELLS]
    rows = [_neighbour(cell, members[cell["bssid"]], heard_ns) for cell in shown]
    head = ["", "channel", "beacons", "missed", "airtime", "dBm"]
    lines = aligned(without_empty([head, *rows]))
    if len(cells) > len(shown):
        lines.append(f"  and {len(cells) - len(shown)} more, with --json")
    return "\n".join([f"{counted(len(cells), 'cell')} without data, as far as heard", *lines])


def _neighbour(cell: Cell, members: Stations, heard_ns: int) -> list[str]:
    name = f" “{_printable(cell['ssid'])}”" if cell["ssid"] else ""
    own = next((each for each in members if each["address"] == cell["bssid"]), None)
    spent_ns = sum(each["airtime_ns"] for each in members)
    return [
        f"{cell['bssid']}{name}",
        _number(cell["channel"], "d"),
        f"{cell['beacons']:,}",
        f"{cell['beacons_missed']:,}" if cell["beacons"] else "",
        _share(spent_ns / heard_ns if heard_ns else None),
        _number(tables.station_row(own)["signal_dbm_mean"] if own else None, ".0f"),
    ]


def _outside(wifi: dict[str, Any], stations: Stations) -> str:
    """Write the stations in no cell: those with data, and how many are without."""
    busy = [station for station in stations if station["data_frames"]]
    quiet = sum(station["frames"] > 0 for station in stations) - len(busy)
    lines = [f"In no cell: {counted(len(busy), 'station')}", *_stations(wifi, busy)] if busy else []
    if quiet:
        lines.append(f"In no cell and without data, as far as heard: {counted(quiet, 'station')}")
    return "\n".join(lines)


def overheard(wifi: dict[str, Any]) -> str:
    """Say that the sniffer's sums are not the air's, if it missed more data than it heard."""
    heard = sum(station["data_frames"] for station in wifi["stations"])
    missed = sum(station["frames_missed"] for station in wifi["stations"])
    if missed <= heard:
        return ""
    why = (
        "it was filtered, or its sniffer was too far away, changed channels, or does not know "
        "their modulation"
    )
    if wifi["frames_illegible"] >= missed:
        illegible = counted(wifi["frames_illegible"], "frame")
        why = f"likely, they are among {illegible} with a wrong check sequence or a cut header"
    return (
        f"The capture has {counted(heard, 'data frame')}, and at least {missed:,} frames are "
        f"missing by the numbers of those it has: {why}. Airtime, retries and rates are those "
        "of what it has."
    )


def _cell_title(cell: Cell) -> str:
    facts = ["no beacon captured"]
    name = f" “{_printable(cell['ssid'])}”" if cell["ssid"] else ""
    if cell["beacons"]:
        facts = [f"{counted(cell['beacons'], 'beacon')}, {cell['beacons_missed']:,} missed"]
        name = name or " with a hidden name"
    if cell["channel"]:
        facts.insert(0, f"channel {cell['channel']}")
    if cell["has_privacy"]:
        facts.append("encrypted")
    return f"Cell {cell['bssid']}{name}: {', '.join(facts)}"


_HEAD = ["", "data", "retried", "given up", "missed", "airtime", "Mbit/s", "dBm"]


def _station(station: dict[str, Any], heard_ns: int) -> list[str]:
    row = tables.station_row(station)
    return [
        f"{station['address']}{tables.known_as(row)}",
        f"{station['data_frames']:,}",
        _share(row["retry_share"]),
        f"{station['msdus_given_up']:,}",
        f"{station['frames_missed']:,}",
        _share(station["airtime_ns"] / heard_ns if heard_ns else None),
        _rate(row["rate_mbps_mean"]),
        _number(row["signal_dbm_mean"], ".0f"),
    ]


def _heard_ns(wifi: dict[str, Any]) -> int:
    return sum(sum(channel["ledger"].values()) for channel in wifi["channels"])


def _events(wifi: dict[str, Any]) -> str:
    events = series(wifi["events"])
    if not events:
        return ""
    shown = events[:MOST_LINES]
    lines = [f"  {line(event)}" for event in shown]
    left = len(wifi["events"]) - sum(event["times"] for event in shown) + wifi["events_unlisted"]
    if left:
        lines.append(f"  and {left:,} more")
    return "\n".join(["Joining, leaving, moving", *lines])


def _ledger(wifi: dict[str, Any], channel: dict[str, Any]) -> str:
    total_ns = sum(channel["ledger"].values())
    untimed, frames = channel["frames_untimed"], channel["frames"]
    if not total_ns:
        return _without_airtime(wifi) if untimed else ""
    several = f" at interface {channel['interface']}" if len(wifi["channels"]) > 1 else ""
    frequencies = ", ".join(str(each) for each in channel["frequencies_mhz"])
    where = f", {frequencies} MHz" if frequencies else ""
    rows = [
        [f"{meaning} ({use})", f"{spent_ns / 1e9:.6f} s", f"{spent_ns / total_ns:.1%}"]
        for use, meaning in tables.LEDGER.items()
        if (spent_ns := channel["ledger"][f"{use}_ns"])
    ]
    title = f"What the air was spent on{several}{where}: {total_ns / 1e9:.3f} s"
    lines = [title, *aligned(rows)]
    if untimed:
        of_all = f"{untimed:,} of {counted(frames, 'frame')}"
        lines.append(f"  without {of_all}: no rate, or no known duration")
    return "\n".join(lines)


def _without_airtime(wifi: dict[str, Any]) -> str:
    rates = (rate for each in wifi["stations"] for rate in each["rates"])
    has_rates = any(rate["rate_kbps"] for rate in rates)
    if has_rates:
        return "How long frames of these rates take (802.11ax) is not known here: no airtime."
    return "The capture tells no rates, and so no airtime."


def _printable(text: str) -> str:
    """Replace what a terminal might obey: a name on the air is anybody's."""
    return "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in text)


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.1%}"


def _rate(mbps: float | None) -> str:
    # Four digits would be written as a power of ten.
    return _number(mbps, ",.0f" if mbps and mbps >= 1000 else ".3g")


def _number(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)
