"""The numbers that a paper prints, as a picture: what was simulated over what is printed."""

from collections.abc import Sequence
from math import ceil, log2

from anechoic.report.judged import ScoredNumber
from anechoic.report.palette import FAINT, INK, colours
from anechoic.report.render import svg
from anechoic.report.style import house_style, new_figure

_ROW_INCHES = 0.2
_FRAME_INCHES = 0.9
_WIDTH_INCHES = 8.0
_LEAST, _MOST = 1 / 16, 16
"""Ratios beyond which a mark stands at the edge."""


def numbers_drawing(numbers: Sequence[ScoredNumber]) -> str:
    """Draw a row for each number, with its interval, about the line of those that are equal."""
    with house_style():
        drawing = new_figure(_WIDTH_INCHES, _FRAME_INCHES + _ROW_INCHES * len(numbers))
        axes = drawing.subplots()
        axes.axvline(1, color=INK, linewidth=1)
        rows = range(len(numbers))
        own, held_out = colours(["not held out", "held out"])
        for row, number in zip(rows, numbers, strict=True):
            ratio = min(max(number.ratio, _LEAST), _MOST)
            axes.errorbar(
                [ratio],
                [row],
                xerr=[number.half_width],
                marker="o",
                color=held_out if number.is_held_out else own,
                markerfacecolor="none" if number.is_held_out else None,
                elinewidth=1.1,
                capsize=2.5,
            )
        axes.set_yticks(rows, [number.name for number in numbers])
        axes.set_ylim(len(numbers) - 0.5, -0.5)
        axes.set_xscale("log", base=2)
        reach = max(abs(log2(min(max(each.ratio, _LEAST), _MOST))) for each in numbers)
        most = max(1, ceil(reach + 0.1))
        ticks = [2.0**power for power in range(-most, most + 1)]
        axes.set_xlim(ticks[0], ticks[-1])
        axes.set_xticks(ticks, [_told(power) for power in range(-most, most + 1)])
        axes.set_xlabel("simulated over printed; hollow: held out", color=FAINT)
        return svg(drawing)


def _told(power: int) -> str:
    return f"1/{2**-power}" if power < 0 else f"{2**power}"
