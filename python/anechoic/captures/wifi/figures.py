"""The figures of a capture's Wi-Fi: what the air was spent on, and the stations over time."""

from math import nan
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing

from anechoic.captures.figures.drawing import STATION_COLOURS
from anechoic.captures.figures.layout import Heading, lay_out, time_axis
from anechoic.captures.wifi import tables
from anechoic.report.palette import AIRTIME_COLOURS, MARKERS
from anechoic.report.style import from_zero, house_style

_COLOURS = {
    **AIRTIME_COLOURS,
    "collision_or_error": AIRTIME_COLOURS["collision"],
    "management": "#e3b8cd",
    "control": "#b7e0d2",
    "undecodable": "#a63d00",
    "missed": "#8b949e",
}
"""As in the ledgers of simulations, and shades for what only a sniffer tells apart."""
_BAR_INCHES = 0.55

_DASH = 5.0
"""Length of a dash, in widths of its line."""

_LEAST_POINTS = 3
"""Fewer of each station make no curve."""
_PANELS = {
    "airtime_share": ("Airtime\n(%)", 100.0),
    "retry_share": ("Retried\n(%)", 100.0),
    "rate_mbps_mean": ("Rate\n(Mbit/s)", 1.0),
    "signal_dbm_mean": ("Signal\n(dBm)", 1.0),
}


def draw_ledger(wifi: dict[str, Any], about: str) -> Drawing:
    """Draw the shares of the air's time, a bar for each interface that tells of it."""
    rows = [row for row in tables.ledger(wifi).to_pylist() if row["share"]]
    interfaces = sorted({row["interface"] for row in rows})
    uses = [use for use in tables.LEDGER if any(row["use"] == use for row in rows)]
    with house_style():
        drawing = Drawing()
        grid = drawing.subplots(squeeze=False)
        axes = grid[0, 0]
        left = [0.0] * len(interfaces)
        for use in uses:
            shares = [_share(rows, interface, use) for interface in interfaces]
            label = tables.LEDGER[use]
            # White edges part what is alike in grey.
            look: Any = {"color": _COLOURS[use], "edgecolor": "#ffffff", "lw": 0.6}
            axes.barh(range(len(interfaces)), shares, 0.7, left, label=label, **look)
            left = [start + share for start, share in zip(left, shares, strict=True)]
        names = [
            f"interface {interface}" if len(interfaces) > 1 else "" for interface in interfaces
        ]
        axes.set_yticks(range(len(interfaces)), names)
        axes.set_xlim(0, 100)
        axes.set_xlabel("Share of the time from the first frame to the last (%)")
        axes.grid(visible=False)
        axes.spines["left"].set_visible(False)
        height = _BAR_INCHES * len(interfaces)
        lay_out(drawing, grid, [height], Heading("Where the airtime went", about))
    return drawing


def _share(rows: list[dict[str, Any]], interface: int, use: str) -> float:
    found = (row for row in rows if (row["interface"], row["use"]) == (interface, use))
    return 100 * next((row["share"] for row in found), 0.0)


def draw_stations(wifi: dict[str, Any], about: str) -> Drawing | None:
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
    roles = {
        station["address"]: " (access point)" if station["is_access_point"] else ""
        for station in wifi["stations"]
    }
    unnamed = {name: f"{name}{roles[name]}" for name in order}
    with house_style():
        drawing = Drawing()
        grid = drawing.subplots(len(shown), 1, sharex=True, squeeze=False)
        for axes, (name, curves) in zip(grid[:, 0], shown.items(), strict=True):
            quantity, factor = _PANELS[name]
            for curve in curves:
                # The first curve of a station stands for all in the key.
                label = unnamed.pop(curve.name, None)
                turn = (order.index(curve.name), len(order))
                same = [each.name for each in curves if each.values == curve.values]
                dashes = _dashes(same.index(curve.name), len(same))
                _draw_curve(axes, curve, factor, turn, label, dashes)
            axes.set_ylabel(quantity)
            if name != "signal_dbm_mean":
                from_zero(axes)
        time_axis(grid, "Time since the first frame (s)")
        lay_out(drawing, grid, [1.3] * len(shown), Heading("Stations over time", about))
    return drawing


Dashes = tuple[float, tuple[float, float] | None]
"""Where in its pattern a line begins, and its ink and gap in widths of the line."""


def _dashes(at: int, count: int) -> Dashes:
    """Give one of so many equal curves its part of the ink, so that all of them are seen."""
    if count == 1:
        return 0, None
    return _DASH * (count - at), (_DASH, _DASH * (count - 1))


def _draw_curve(
    axes: Axes,
    curve: tables.Curve,
    factor: float,
    turn: tuple[int, int],
    label: str | None,
    dashes: Dashes,
) -> None:
    """Draw one of so many curves; taking turns, the marks of those that coincide are all seen."""
    values = [nan if value is None else factor * value for value in curve.values]
    at, count = turn
    axes.plot(
        curve.time_s,
        values,
        markevery=(at % max(len(values), 1), count),
        label=label,
        color=STATION_COLOURS[at],
        marker=MARKERS[at],
        ms=3.6,
        lw=1.2,
        ls=dashes,
        dash_capstyle="butt",
    )
