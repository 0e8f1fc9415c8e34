"""What round trips, datagrams and transfers took, in words."""

from collections.abc import Iterator, Sequence
from statistics import fmean

from anechoic.campaign.cells import Cell
from anechoic.campaign.numbers import plain
from anechoic.campaign.results import Results
from anechoic.report.owners import is_ping


def in_short(results: Results) -> list[str]:
    """Give a sentence on each that there is, over all cells."""
    return [*_round_trips(results), *_datagrams(results), *_transfers(results)]


def _round_trips(results: Results) -> Iterator[str]:
    """Tell of pings, or else of what TCP measured."""
    names = {cell.name: _pings(cell) for cell in results.cells}
    is_pinged = any(names.values())
    flows = names if is_pinged else {cell.name: [""] for cell in results.cells}

    def of(metric: str, unit: str = "") -> str:
        return _span(results.cells, [_mean(c, flows[c.name], metric) for c in results.cells], unit)

    half, most = of("rtt_ms_p50", " ms"), of("rtt_ms_p99", " ms")
    rate = of("responsiveness_rpm")
    if not half:
        return
    what = "pings were back" if is_pinged else "round trips of TCP were over"
    yield (
        f"Half of the {what} within {half}, 99 % within {most}. By the shortest 95 % that is "
        f"a responsiveness of {rate} round trips a minute."
    )


def _datagrams(results: Results) -> Iterator[str]:
    cells = results.cells
    half, most = (
        _span(cells, [_mean(cell, [""], name) for cell in cells], " ms")
        for name in ("delay_ms_p50", "delay_ms_p99")
    )
    if not half:
        return
    flows = [_with(cell, "datagram_loss") for cell in cells]
    losses = [_mean(cell, own, "datagram_loss") for cell, own in zip(cells, flows, strict=True)]
    jitters = [_mean(cell, own, "jitter_ms_mean") for cell, own in zip(cells, flows, strict=True)]
    varied = _span(cells, jitters, " ms")
    lost = _span(cells, [None if loss is None else 100 * loss for loss in losses], " %")
    yield (
        f"Half of the datagrams arrived within {half}, 99 % within {most}; of a flow "
        f"{lost} were lost, and their delay varied by {varied} on average (jitter)."
    )


def _transfers(results: Results) -> Iterator[str]:
    cells = results.cells
    half, most, count = (
        _span(cells, [_mean(cell, ["tcp"], name) for cell in cells], unit)
        for name, unit in (("transfer_s_p50", " s"), ("transfer_s_p99", " s"), ("transfers", ""))
    )
    if half:
        yield (
            f"On average {count} transfers were completed in a run, half of them within {half}, "
            f"99 % within {most}."
        )


def _pings(cell: Cell) -> list[str]:
    """Name the flows whose round trips are timed, and that are none of TCP."""
    trips = _with(cell, "rtt_ms_p50")
    return [flow for flow in trips if is_ping(cell, flow.removeprefix("flow."))]


def _with(cell: Cell, metric: str) -> list[str]:
    names = (name.rpartition(".") for name in cell.metrics if name.startswith("flow."))
    return [flow for flow, _, own in names if own == metric]


def _mean(cell: Cell, whose: Sequence[str], metric: str) -> float | None:
    """Give the mean of a metric over those who have it; None if nobody does."""
    names = (f"{name}.{metric}" if name else metric for name in whose)
    found = [cell.metrics[name] for name in names if name in cell.metrics]
    values = [each.mean for each in found if each.n]
    return fmean(values) if values else None


def _span(cells: Sequence[Cell], values: Sequence[float | None], unit: str = "") -> str:
    """Write a value, or the least and the largest with their cells; nothing without any."""
    given = [(value, cell) for value, cell in zip(values, cells, strict=True) if value is not None]
    if not given:
        return ""
    low, high = min(given, key=lambda each: each[0]), max(given, key=lambda each: each[0])
    if _written(low[0]) == _written(high[0]):
        return _written(low[0]) + unit
    least, most = (f"{_written(value)}{unit} ({cell.name})" for value, cell in (low, high))
    return f"{least} to {most}"


def _written(value: float) -> str:
    return plain(float(f"{value:.3g}"))
