"""The Wi-Fi of a capture for people."""

from datetime import UTC, datetime
from typing import Any

from anechoic.captures import wifi as tables
from anechoic.captures.table import CAUSES

MOST_STATIONS = 20
"""Stations shown of a cell; the others are added up."""
MOST_LINES = 20
"""Events and bursts shown; the others are counted."""

EVENTS = {
    "authentication": "authenticates",
    "association_request": "asks to join",
    "association_response": "is answered",
    "reassociation_request": "asks to move",
    "reassociation_response": "is answered",
    "disassociation": "disassociated",
    "deauthentication": "deauthenticated",
    "roamed": "roamed",
}
"""What happened to a station."""


def text(wifi: dict[str, Any]) -> str:
    """Write the cells with their stations, what happened, the air's use, and the bursts."""
    parts = [_cell(wifi, cell) for cell in _cells(wifi)]
    parts += [_events(wifi), *(_ledger(wifi, channel) for channel in wifi["channels"])]
    parts.append(_bursts(wifi))
    return "\n\n".join(part for part in parts if part)


def _cells(wifi: dict[str, Any]) -> list[dict[str, Any] | None]:
    """Give the cells, those whose beacons were not captured, and what is in none."""
    known = {cell["bssid"]: cell for cell in wifi["cells"]}
    for station in wifi["stations"]:
        if station["bssid"] and station["bssid"] not in known:
            known[station["bssid"]] = {"bssid": station["bssid"], "beacons": 0}
    return [*known.values(), None]


def _cell(wifi: dict[str, Any], cell: dict[str, Any] | None) -> str:
    bssid = cell["bssid"] if cell else None
    members = [
        station
        for station in wifi["stations"]
        if station["bssid"] == bssid and (cell or station["frames"])
    ]
    if not members:
        return ""
    title = _cell_title(cell) if cell else f"In no cell: {len(members)} stations"
    shown = members[:MOST_STATIONS]
    rows = [_station(station, _heard_ns(wifi)) for station in shown]
    lines = [title, *_aligned([_HEAD, *rows])]
    if len(members) > len(shown):
        lines.append(f"  and {len(members) - len(shown)} more, with --json")
    return "\n".join(lines)


def _cell_title(cell: dict[str, Any]) -> str:
    if not cell["beacons"]:
        return f"Cell {cell['bssid']}: no beacon captured"
    name = f"“{_printable(cell['ssid'])}”" if cell["ssid"] else "with a hidden name"
    facts = [f"{cell['beacons']:,} beacons, {cell['beacons_missed']:,} missed"]
    if cell["channel"]:
        facts.insert(0, f"channel {cell['channel']}")
    if cell["has_privacy"]:
        facts.append("encrypted")
    return f"Cell {cell['bssid']} {name}: {', '.join(facts)}"


_HEAD = ["", "data", "retried", "given up", "missed", "airtime", "Mbit/s", "dBm"]


def _station(station: dict[str, Any], heard_ns: int) -> list[str]:
    row = tables.station_row(station)
    role = " (access point)" if station["is_access_point"] else ""
    return [
        f"{station['address']}{role}",
        f"{station['data_frames']:,}",
        _share(row["retry_share"]),
        f"{station['msdus_given_up']:,}",
        f"{station['frames_missed']:,}",
        _share(station["airtime_ns"] / heard_ns if heard_ns else None),
        _number(row["rate_mbps_mean"], ".3g"),
        _number(row["signal_dbm_mean"], ".0f"),
    ]


def _heard_ns(wifi: dict[str, Any]) -> int:
    return sum(sum(channel["ledger"].values()) for channel in wifi["channels"])


def _events(wifi: dict[str, Any]) -> str:
    events = wifi["events"]
    if not events:
        return ""
    lines = [_event(event) for event in events[:MOST_LINES]]
    left = len(events) - len(lines) + wifi["events_unlisted"]
    if left:
        lines.append(f"  and {left:,} more")
    return "\n".join(["Joining, leaving, moving", *lines])


def _event(event: dict[str, Any]) -> str:
    at = datetime.fromtimestamp(event["time_ns"] / 1e9, UTC).strftime("%H:%M:%S.%f")[:-3]
    facts = [f"  {at}  {event['station']} {EVENTS[event['what']]}, cell {event['bssid']}"]
    if event["previous_bssid"]:
        facts.append(f"from {event['previous_bssid']}")
    if event["code"] is not None:
        ends = event["what"] in ("disassociation", "deauthentication")
        facts.append(f"{'reason' if ends else 'status'} {event['code']}")
    if event["interruption_ms"] is not None:
        facts.append(f"{_span(event['interruption_ms'])} without data")
    return ", ".join(facts)


def _ledger(wifi: dict[str, Any], channel: dict[str, Any]) -> str:
    total_ns = sum(channel["ledger"].values())
    untimed, frames = channel["frames_untimed"], channel["frames"]
    if not total_ns:
        return "" if not untimed else "The capture tells no rates, and so no airtime."
    several = f" at interface {channel['interface']}" if len(wifi["channels"]) > 1 else ""
    frequencies = ", ".join(str(each) for each in channel["frequencies_mhz"])
    where = f", {frequencies} MHz" if frequencies else ""
    rows = [
        [f"{meaning} ({use})", f"{spent_ns / 1e9:.6f} s", f"{spent_ns / total_ns:.1%}"]
        for use, meaning in tables.LEDGER.items()
        if (spent_ns := channel["ledger"][f"{use}_ns"])
    ]
    title = f"What the air was spent on{several}{where}: {total_ns / 1e9:.3f} s"
    lines = [title, *_aligned(rows)]
    if untimed:
        lines.append(
            f"  {untimed:,} of {frames:,} frames are left out: no rate, or no known duration"
        )
    return "\n".join(lines)


def _bursts(wifi: dict[str, Any]) -> str:
    told = [burst for burst in wifi["bursts"] if burst["payload"]]
    if not told:
        return ""
    # First those that TCP felt.
    told.sort(key=lambda burst: (burst["again"] is None, burst["is_delivered"]))
    shown = sorted(told[:MOST_LINES], key=lambda burst: int(burst["first_ns"]))
    lines = [f"  {sentence(burst)}" for burst in shown]
    left = len(told) - len(lines) + wifi["bursts_unlisted"]
    if left:
        lines.append(f"  and {left:,} more")
    return "\n".join(["From the air to TCP", *lines])


def sentence(burst: dict[str, Any]) -> str:
    """Say what became of a segment that was tried many times on the air."""
    first = burst["seq"] if burst["relative_seq"] is None else burst["relative_seq"]
    which = f"segment {first}:{first + burst['payload']}"
    if burst["connection"] is not None:
        which += f" of connection {burst['connection'] + 1}"
    took_ms = (burst["last_ns"] - burst["first_ns"]) / 1e6
    tried = f"was tried {burst['attempts']} times on the air in {_span(took_ms)}"
    fate = "then acknowledged" if burst["is_delivered"] else "and never acknowledged"
    again = burst["again"]
    if again is None:
        return f"{which} {tried}, {fate}"
    cause = CAUSES.get(again["cause"] or "")
    why = f" ({cause})" if cause else ""
    return f"{which} {tried}, {fate}; TCP sent it again {_span(again['after_ms'])} later{why}"


def _printable(text: str) -> str:
    """Replace what a terminal might obey: a name on the air is anybody's."""
    return "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in text)


def _span(milliseconds: float) -> str:
    if milliseconds < 1000:
        return f"{milliseconds:.3g} ms"
    return f"{milliseconds / 1e3:.3g} s"


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.1%}"


def _number(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)


def _aligned(rows: list[list[str]]) -> list[str]:
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return [
        "  "
        + "  ".join(
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
