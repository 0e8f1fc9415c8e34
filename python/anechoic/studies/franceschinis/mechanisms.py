"""How those claims of M. Franceschinis and others are decided that no check can say.

The paper's instrument is Tstat, which tells of each transfer what it sees of it at the router; ours
is the analysis of what the router sends and takes. The paper shows one run of each experiment, and
what is told of transfers is that of the first replication.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from math import log10
from statistics import fmean, median, stdev

from anechoic.papers.comparisons import below, every_step, in_band, not_above
from anechoic.papers.mechanisms import Context
from anechoic.papers.packet_rules import rows_of
from anechoic.papers.points import Point
from anechoic.papers.verdict import Verdict, all_of
from anechoic.scenario.compile import compile_scenario
from anechoic.scenario.core import core

LAPTOPS = ("lasagna", "spaghetti", "pizza", "maccherone")
# Bytes of a transfer: what is shorter is a registration.
TRANSFER = 2**20

# Table I, in dB, and how far a meter that shows whole dBm may be off.
TABLE_1 = {"lasagna": 31.5, "spaghetti": 26.4, "pizza": 11.9, "maccherone": 29.1}
METER = 1.0

# The access point's transmit power, which the paper does not give.
POWER_DBM = 15.0

# Table II: how round trips deviate over the transfers, mean of four laptops; 1.6 times either way.
DEVIATIONS_MS = {"64 kB": (30, 77), "32 kB": (19, 48)}

# What the buffers of 64 and of 32 kB hold: segments of 1448 bytes, of which each takes 376 beside.
LARGE, LIMITED = (-(-kilobytes * 1024 // (1448 + 376)) * 1448 for kilobytes in (64, 32))

# Of heavy-tailed transfers of 100 kB in the mean, which have 33 kB at least: half of them, two in
# five and one in ten.
SIZES = ((33e3, 53e3), (53e3, 150e3), (150e3, 1e9))

# The experiment of the downlink that the uplink is held against.
DOWNLINK = "franceschinis-tab2"


def meters_show_table_1(context: Context) -> Verdict:
    """franceschinis-tab1-a: the signal of the access point's frames, over the receivers' noise."""
    signals = _signals(context)
    return all_of(
        [in_band(signals[name], ratio - METER, ratio + METER) for name, ratio in TABLE_1.items()]
    )


def pizza_is_far_below(context: Context) -> Verdict:
    """franceschinis-tab1-b: by more than 10 dB."""
    signals = _signals(context)
    others = [signals[name].mean - 10 for name in LAPTOPS if name != "pizza"]
    return below(signals["pizza"], Point.exactly("the others less 10 dB", min(others)))


def distance_does_not_explain_pizza(context: Context) -> Verdict:
    """franceschinis-tab1-c: 15 m of an office, by ITU-R P.1238 at 2.437 GHz, lose far less.

    The distances of the others are not stated, so that a law through them cannot be had.
    """
    office_db = 20 * log10(2437) + 30 * log10(15) - 28
    loss_db = POWER_DBM - _levels(context)["pizza"]
    beyond = Point.exactly("dB of Pizza's loss beyond 15 m of office", loss_db - office_db)
    return in_band(beyond, 5, None)


def larger_transfers_take_longer(context: Context) -> Verdict:
    """fra-realistic-down-a: what transfers of a size take, in each replication."""
    results = context.results[context.experiment]
    cell = results.select(dict(context.place))
    times: list[list[float]] = [[] for _ in SIZES]
    for replication in range(cell.replications):
        rows = rows_of(results.timing_records(cell, replication), "bytes", "elapsed_s")
        for found, (low, high) in zip(times, SIZES, strict=True):
            found.append(fmean(r["elapsed_s"] for r in rows if low <= r["bytes"] < high) * 1e3)
    points = [
        Point.of(f"a transfer of {low / 1e3:.0f} to {high / 1e3:.0f} kB takes", found, "ms")
        for (low, high), found in zip(SIZES, times, strict=True)
    ]
    return all_of([every_step(points, 1), in_band(points[0], 100, None)])


def _signals(context: Context) -> dict[str, Point]:
    """Give the mean signal to noise ratio at each laptop."""
    plan = compile_scenario(context.results[context.experiment].scenario)
    noise_dbm = core().noise_dbm(json.dumps(plan))
    assert noise_dbm is not None
    return {
        name: Point.exactly(f"signal to noise at {name}, dB", level - noise_dbm)
        for name, level in _levels(context).items()
    }


def _levels(context: Context) -> dict[str, float]:
    """Give the mean level of the access point's frames at each laptop, in dBm.

    A laptop overhears the others' as well, which a card's meter leaves out.
    """
    found = {}
    for name in LAPTOPS:
        frames = rows_of(
            context.analysis(f"sta.{name}").frames(), "kind", "transmitter", "signal_dbm"
        )
        access_points = {frame["transmitter"] for frame in frames if frame["kind"] == "beacon"}
        found[name] = fmean(
            frame["signal_dbm"] for frame in frames if frame["transmitter"] in access_points
        )
    return found


def round_trips_deviate_as_in_table_2(context: Context) -> Verdict:
    """franceschinis-tab2-e, -f: the deviations of the laptops' mean round trips per transfer."""
    low, high = DEVIATIONS_MS[str(context.place["limit"])]
    spread = fmean(_deviations(context).values())
    return in_band(Point.exactly("round trips deviate, ms", spread), low, high)


def round_trips_vary_more_with_the_large_window(context: Context) -> Verdict:
    """franceschinis-fig3-a: by a factor of at least 1.2, at every laptop."""
    large, small = _deviations(context, limit="64 kB"), _deviations(context, limit="32 kB")
    what = "deviation of round trips, large window over limited"
    ratios = [
        Point.exactly(f"{name}: {what}", large[address] / small[address])
        for name, address in zip(LAPTOPS, large, strict=True)
    ]
    return all_of([in_band(ratio, 1.2, None) for ratio in ratios])


def windows_stay_below_the_limit_and_spread(context: Context) -> Verdict:
    """franceschinis-fig4-a: the median below the limit, and 8 kB between the outer tenths."""
    windows = _all_together(context, "flight_max")
    middle = Point.exactly("median of the largest windows", median(windows))
    spread = Point.exactly("between the outer tenths of them", _between_tenths(windows))
    return all_of([in_band(middle, None, 0.99 * LARGE), in_band(spread, 8 * 1024, None)])


def windows_reach_the_limit(context: Context) -> Verdict:
    """franceschinis-fig4-b: nine transfers of ten reach 95 % of the limit."""
    windows = _all_together(context, "flight_max")
    part = sum(window >= 0.95 * LIMITED for window in windows) / len(windows)
    return in_band(Point.exactly("part of the transfers that reach the limit", part), 0.9, None)


def uplink_round_trips_vary_more(context: Context) -> Verdict:
    """franceschinis-fig8-a: their coefficient of variation, beside the limited downlink's."""
    down = _variation(_all_together(context, "rtt_mean_ms", of=DOWNLINK, limit="32 kB"))
    up = _variation(_of_all(context, "rtt_mean_ms"))
    return below(
        Point.exactly("variation of round trips, downlink", down),
        Point.exactly("variation of round trips, uplink", up),
    )


def uplink_round_trips_are_half_at_the_router(context: Context) -> Verdict:
    """franceschinis-fig8-b: where the paper measured, so without the way over the radio."""
    down = median(_all_together(context, "rtt_mean_ms", of=DOWNLINK, limit="64 kB"))
    up = median(_of_all(context, "rtt_mean_ms"))
    return not_above(
        Point.exactly("uplink's median round trip, ms", up),
        Point.exactly("half the downlink's median round trip, ms", down / 2),
    )


def spaghetti_is_mostly_first(context: Context) -> Verdict:
    """franceschinis-fig11-e: the part of the steps, with all at work, in which it has most."""
    results = context.results[context.experiment]
    cell = results.select(context.place)
    parts = []
    for replication in range(cell.replications):
        series = results.series(cell, replication)
        until = cell["measured_s@together"].values[replication] + 10
        steps = [step for step, at in enumerate(series["time_s"].to_pylist()) if 20 <= at <= until]
        got = {name: series[f"flow.{name}-1.goodput_mbps"].to_pylist() for name in LAPTOPS}
        first = [
            all(got["spaghetti"][step] > got[name][step] for name in LAPTOPS if name != "spaghetti")
            for step in steps
        ]
        parts.append(sum(first) / len(first))
    return in_band(Point.of("part of the time in which Spaghetti has most", parts), 0.8, None)


@dataclass(frozen=True)
class Transfer:
    """What is told of who sends the data, and when it ended."""

    value: float
    end_ns: int


def _transfers(
    context: Context, column: str, of: str | None = None, **where: str
) -> dict[str, list[Transfer]]:
    """Give what is told of each transfer, by the laptop's address."""
    told = f"server_{column}"
    wanted = ["client_address", "server_address", "server_bytes_unique", "last_ns", told]
    rows = context.analysis("stack.router", of, 0, **where).connections().select(wanted).to_pylist()
    found: dict[str, list[Transfer]] = {}
    for row in rows:
        laptop = max(row["client_address"], row["server_address"])  # the router's is the lowest
        if row["server_bytes_unique"] >= TRANSFER and row[told] is not None:
            found.setdefault(laptop, []).append(Transfer(row[told], row["last_ns"]))
    return dict(sorted(found.items()))


def _together(transfers: dict[str, list[Transfer]]) -> dict[str, list[float]]:
    """Keep those that ended while all laptops were at work: before the first had all of its own."""
    until_ns = min(max(each.end_ns for each in of_one) for of_one in transfers.values())
    return {
        laptop: [each.value for each in of_one if each.end_ns <= until_ns]
        for laptop, of_one in transfers.items()
    }


def _all_together(
    context: Context, column: str, of: str | None = None, **where: str
) -> list[float]:
    by_laptop = _together(_transfers(context, column, of, **where))
    return [each for values in by_laptop.values() for each in values]


def _of_all(context: Context, column: str, of: str | None = None, **where: str) -> list[float]:
    by_laptop = _transfers(context, column, of, **where)
    return [each.value for transfers in by_laptop.values() for each in transfers]


def _deviations(context: Context, **where: str) -> dict[str, float]:
    """Give how the mean round trips of each laptop's transfers deviate."""
    found = _together(_transfers(context, "rtt_mean_ms", **where))
    return {laptop: stdev(values) for laptop, values in found.items()}


def _variation(values: Sequence[float]) -> float:
    return stdev(values) / fmean(values)


def _between_tenths(values: Sequence[float]) -> float:
    ordered = sorted(values)
    return ordered[int(0.9 * len(ordered))] - ordered[int(0.1 * len(ordered))]
