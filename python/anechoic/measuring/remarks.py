"""What a person should know who reads the figures of a measurement."""

from collections.abc import Iterator, Mapping
from itertools import chain

from anechoic.campaign.results import Results

NOTICED = 0.01
"""A ceiling that held a flow back for less of a run is not mentioned."""

_CEILING, _BAND, _LOST = "ceiling_share", "clock_band_ms", "rows_lost"


def remarks(results: Results) -> Iterator[str]:
    """Say what held flows back, and which delays are not known well enough."""
    largest = _largest(results)
    for name, value in largest.items():
        flow, _, metric = name.removeprefix("flow.").rpartition(".")
        if metric == _CEILING and value > NOTICED:
            yield (
                f"{flow} was held back by the ceiling of an endpoint's owner (--max-mbps) for "
                f"{value:.0%} of a run"
            )
        if metric == _LOST and value > 0:
            yield f"{flow}: endpoints had no room for {value:.0f} rows of a run, which are missing"
        if metric == _BAND and f"flow.{flow}.delay_ms_mean" not in largest:
            yield (
                f"{flow}: how long datagrams take one way is not given, as the clocks of its ends "
                f"are compared to ±{value:.2g} ms, and that is no small part of it"
            )


def _largest(results: Results) -> Mapping[str, float]:
    """Give the largest mean that a metric of flows has in any cell."""
    found: dict[str, float] = {}
    for name, summary in chain.from_iterable(cell.metrics.items() for cell in results.cells):
        wanted = name.endswith((_CEILING, _BAND, _LOST, "delay_ms_mean"))
        if name.startswith("flow.") and wanted:
            found[name] = max(found.get(name, 0.0), summary.mean)
    return found
