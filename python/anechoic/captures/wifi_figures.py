"""The figures of a capture's Wi-Fi: what the air was spent on, and the stations over time."""

from math import nan
from typing import Any

from matplotlib.figure import Figure as Drawing

from anechoic.captures import wifi as tables
from anechoic.captures.drawing import STATION_COLOURS, title
from anechoic.report.style import AIRTIME_COLOURS, MARKERS, from_zero, house_style, new_figure

_COLOURS = {
    **AIRTIME_COLOURS,
    "collision_or_error": AIRTIME_COLOURS["collision"],
    "management": "#e3b8cd",
    "control": "#b7e0d2",
    "undecodable": "#a63d00",
    "missed": "#8b949e",
}
"""As in the ledgers of simulations, and shades for what only a sniffer tells apart."""
_KEYS_PER_LINE = 3
_KEY_INCHES = 0.19
_BAR_INCHES = 0.45

_LEAST_POINTS = 3
"""Fewer of each station make no curve."""
_PANELS = {
    "airtime_share": ("Airtime (%)", 100.0),
    "retry_share": ("Retried (%)", 100.0),
    "rate_mbps_mean": ("Rate\n(Mbit/s)", 1.0),
    "signal_dbm_mean": ("Signal\n(dBm)", 1.0),
}


def draw_ledger(wifi: dict[str, Any]) -> Drawing:
    """Draw the shares of the air's time, a bar for each interface that tells of it."""
    rows = [row for row in tables.ledger(wifi).to_pylist() if row["share"]]
    interfaces = sorted({row["interface"] for row in rows})
    uses = [use for use in tables.LEDGER if any(row["use"] == use for row in rows)]
    lines = -(-len(uses) // _KEYS_PER_LINE)
    with house_style():
        height = 1.2 + _BAR_INCHES * len(interfaces) + _KEY_INCHES * lines
        drawing = new_figure(8.6, height)
        axes = drawing.subplots()
        left = [0.0] * len(interfaces)
        for use in uses:
            shares = [_share(rows, interface, use) for interface in interfaces]
            label = tables.LEDGER[use]
            axes.barh(range(len(interfaces)), shares, 0.7, left, color=_COLOURS[use], label=label)
            left = [start + share for start, share in zip(left, shares, strict=True)]
        names = [
            f"interface {interface}" if len(interfaces) > 1 else "" for interface in interfaces
        ]
        axes.set_yticks(range(len(interfaces)), names)
        axes.set_xlim(0, 100)
        axes.set_xlabel("Share of the time from the first frame to the last (%)")
        axes.grid(visible=False)
        axes.spines["left"].set_visible(False)
        drawing.legend(loc="outside lower center", ncols=_KEYS_PER_LINE)
        title(drawing, "Where the airtime went")
    return drawing


def _share(rows: list[dict[str, Any]], interface: int, use: str) -> float:
    found = (row for row in rows if (row["interface"], row["use"]) == (interface, use))
    return 100 * next((row["share"] for row in found), 0.0)


def draw_stations(wifi: dict[str, Any]) -> Drawing | None:
    """Draw airtime, retries, rate and signal over time of the busiest stations, if known."""
    found = {name: tables.curves(wifi, name, len(STATION_COLOURS)) for name in _PANELS}
    shown = {
        name: curves
        for name, curves in found.items()
        if any(len(curve.values) >= _LEAST_POINTS for curve in curves)
    }
    if not shown:
        return None
    order = list(dict.fromkeys(curve.name for curves in shown.values() for curve in curves))
    places = {name: at for at, name in enumerate(order)}
    roles = {
        station["address"]: " (access point)" if station["is_access_point"] else ""
        for station in wifi["stations"]
    }
    with house_style():
        drawing = new_figure(8.6, 0.8 + 1.5 * len(shown))
        grid = drawing.subplots(len(shown), 1, sharex=True, squeeze=False)[:, 0]
        for axes, (name, curves) in zip(grid, shown.items(), strict=True):
            quantity, factor = _PANELS[name]
            for curve in curves:
                values = [nan if value is None else factor * value for value in curve.values]
                label = f"{curve.name}{roles[curve.name]}"
                at = places[curve.name]
                colour = STATION_COLOURS[at]
                axes.plot(curve.time_s, values, ".-", color=colour, lw=1.2, ms=2, label=label)
                # Taking turns, the marks of curves that coincide are all seen.
                turns = slice(at % max(len(values), 1), None, len(order))
                look: Any = {"color": colour, "marker": MARKERS[at], "ms": 3.6, "ls": ""}
                axes.plot(curve.time_s[turns], values[turns], **look)
            axes.set_ylabel(quantity)
            if name != "signal_dbm_mean":
                from_zero(axes)
        grid[-1].set_xlabel("Time since the first frame (s)")
        drawing.legend(
            *grid[0].get_legend_handles_labels(), loc="outside lower center", ncols=_KEYS_PER_LINE
        )
        title(drawing, "Stations over time")
    return drawing
