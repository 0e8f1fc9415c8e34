"""The colours of figures and pages.

They are those of Okabe and Ito (2008), which people with any colour vision tell apart; the yellow
is left out, since a line of it is lost on white. Ordered series take a ramp instead.
"""

from collections.abc import Sequence
from colorsys import hls_to_rgb, rgb_to_hls
from functools import cache

INK = "#1f2328"
"""Text."""
FAINT = "#8b949e"
"""Notes, ticks and axes."""
RULE = "#d8dee4"
"""Grid lines."""
STRIPE = "#fdfdfd"
"""The lines of a hatch; not quite white, which a dark page takes for its ground."""
RAMP = (
    *("#471365", "#463480", "#3b528b", "#2f6c8e", "#25848e"),
    *("#1e9c89", "#2fb47c", "#5ec962", "#9bd93c"),
)
"""Nine colours of viridis (van der Walt and Smith), without its yellow end."""
DISTINCT = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#5c636b")

MARKERS = ("o", "s", "D", "^", "v", "P", "X")
"""Shapes of points, by the names that matplotlib has for them."""

AIRTIME_COLOURS = {
    "payload": "#0072b2",
    "header": "#56b4e9",
    "preamble": "#a6d5ef",
    "ack": "#009e73",
    "rts_cts": "#7fcfb6",
    "ifs": "#b8a98c",
    "backoff": "#e69f00",
    "collision": "#d55e00",
    "error": "#a63d00",
    "duplicate": "#e8926a",
    "timeout": "#f3c3a5",
    "beacon": "#cc79a7",
    "energy": "#b3b9c1",
    "noise": "#7a7a7a",
    "idle": "#dfe3e8",
}
"""Blue carries data, green answers, ochre waits, red is lost."""

_ON_DARK = {
    "#ffffff": "transparent",
    INK: "#e6edf3",
    FAINT: "#9198a1",
    RULE: "#30363d",
    # What is quiet on paper stays quiet.
    AIRTIME_COLOURS["idle"]: "#2a3038",
}
_DARKEST = 0.35
"""Lightness of what is black on paper: darker lines are hard to see on a dark page."""


def colours(values: Sequence[object]) -> list[str]:
    """Give a colour for each series: a ramp if more than two are ordered by a number."""
    ordered = all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values)
    if (ordered and len(values) > 2) or len(values) > len(DISTINCT):
        steps = max(len(values) - 1, 1)
        return [_along_ramp(i / steps) for i in range(len(values))]
    return [DISTINCT[i] for i in range(len(values))]


def on_dark(colour: str) -> str:
    """Give what stands for a colour on a dark page: the same hue, lighter."""
    if colour in _ON_DARK:
        return _ON_DARK[colour]
    hue, lightness, saturation = rgb_to_hls(*_parts(colour))
    # All colours move, so that those that differ in lightness alone still differ.
    return _hex(hls_to_rgb(hue, _DARKEST + (1 - _DARKEST) * lightness, saturation))


@cache
def _along_ramp(place: float) -> str:
    below = min(int(place * (len(RAMP) - 1)), len(RAMP) - 2)
    part = place * (len(RAMP) - 1) - below
    ends = zip(_parts(RAMP[below]), _parts(RAMP[below + 1]), strict=True)
    return _hex(tuple(a + part * (b - a) for a, b in ends))


def _parts(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return red, green, blue


def _hex(parts: Sequence[float]) -> str:
    return "#" + "".join(f"{round(255 * part):02x}" for part in parts)
