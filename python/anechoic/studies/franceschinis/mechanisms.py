"""How those claims of M. Franceschinis and others are decided that no check can say.

The paper's instrument is Tstat, which tells of each transfer what it sees of it at the router; ours
is the analysis of what the router sends and takes.
"""

from collections.abc import Callable, Mapping, Sequence
from math import log10
from statistics import fmean, median, stdev

from anechoic.papers.comparisons import below, in_band, not_above
from anechoic.papers.mechanisms import Context
from anechoic.papers.points import Point
from anechoic.papers.verdict import Verdict, all_of

LAPTOPS = ("lasagna", "spaghetti", "pizza", "maccherone")
ROUTER = "stack.router"

# What is told of each transfer is read from so many replications.
REPLAYED = 3

# Bytes of a transfer: what is shorter is a registration.
TRANSFER = 2**20

# Table I, in dB, and how far a meter that shows whole dBm may be off.
TABLE_1 = {"lasagna": 31.5, "spaghetti": 26.4, "pizza": 11.9, "maccherone": 29.1}
METER = 1.0

# Thermal noise at 290 K in 22 MHz, and the scenario's noise figure.
NOISE_DBM = -100.55 + 7

# Table II: how round trips deviate over the transfers, mean of four laptops; 1.6 times either way.
DEVIATIONS_MS = {"64 kB": (30, 77), "32 kB": (19, 48)}

# Segments of 1448 bytes.
LIMITS = {"64 kB": 64 * 1024, "32 kB": 32 * 1024}


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
    loss_db = 15 - (_signals(context)["pizza"].mean + NOISE_DBM)
    beyond = Point.exactly("dB of Pizza's loss beyond 15 m of office", loss_db - office_db)
    return in_band(beyond, 5, None)


def _signals(context: Context) -> dict[str, Point]:
    """Give the mean signal to noise ratio at each laptop."""
    found = {}
    for name in LAPTOPS:
        frames = context.analysis(f"sta.{name}").frames()
        levels = [level for level in frames["signal_dbm"].to_pylist() if level is not None]
        found[name] = Point.exactly(f"signal to noise at {name}, dB", fmean(levels) - NOISE_DBM)
    return found


def round_trips_deviate_as_in_table_2(context: Context) -> Verdict:
    """franceschinis-tab2-e, -f: the deviations of the laptops' mean round trips per transfer."""
    low, high = DEVIATIONS_MS[str(context.place["limit"])]
    spread = _over_replications(
        "round trips deviate, ms", lambda each: fmean(_deviations(context, each))
    )
    return in_band(spread, low, high)


def round_trips_vary_more_with_the_large_window(context: Context) -> Verdict:
    """franceschinis-fig3-a: by a factor of at least 1.2, at every laptop."""
    large = [_deviations(context, each, limit="64 kB") for each in range(REPLAYED)]
    small = [_deviations(context, each, limit="32 kB") for each in range(REPLAYED)]
    ratios = [
        Point.of(
            f"{name}: deviation of round trips, large window over limited",
            [one[place] / other[place] for one, other in zip(large, small, strict=True)],
        )
        for place, name in enumerate(LAPTOPS)
    ]
    return all_of([in_band(ratio, 1.2, None) for ratio in ratios])


def windows_stay_below_the_limit_and_spread(context: Context) -> Verdict:
    """franceschinis-fig4-a: the median below 64 kB, and 8 kB between the outer tenths."""
    limit = LIMITS["64 kB"]
    middle = _over_replications(
        "median of the largest windows", lambda each: median(_windows(context, each))
    )
    spread = _over_replications(
        "between the tenths of the largest windows",
        lambda each: _between_tenths(_windows(context, each)),
    )
    return all_of([in_band(middle, None, 0.99 * limit), in_band(spread, 8 * 1024, None)])


def windows_reach_the_limit(context: Context) -> Verdict:
    """franceschinis-fig4-b: nine transfers of ten reach 95 % of 32 kB."""
    least = 0.95 * LIMITS["32 kB"]

    def part(replication: int) -> float:
        windows = _windows(context, replication)
        return sum(window >= least for window in windows) / len(windows)

    return in_band(
        _over_replications("part of the transfers that reach the limit", part), 0.9, None
    )


def uplink_round_trips_vary_more(context: Context) -> Verdict:
    """franceschinis-fig8-a: their coefficient of variation, beside the limited downlink's."""
    down = _over_replications(
        "variation of round trips, downlink",
        lambda each: _variation(_downlink(context, each, "32 kB")),
    )
    up = _over_replications(
        "variation of round trips, uplink", lambda each: _variation(_uplink(context, each))
    )
    return below(down, up)


def uplink_round_trips_are_half_at_the_router(context: Context) -> Verdict:
    """franceschinis-fig8-b: where the paper measured, so without the way over the radio."""
    down = _over_replications(
        "half the downlink's median round trip, ms",
        lambda each: median(_downlink(context, each, "64 kB")) / 2,
    )
    up = _over_replications(
        "uplink's median round trip, ms", lambda each: median(_uplink(context, each))
    )
    return not_above(up, down)


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


def _over_replications(what: str, value: Callable[[int], float]) -> Point:
    return Point.of(what, [value(each) for each in range(REPLAYED)])


def _transfers(
    context: Context, tap: str, column: str, replication: int, of: str | None = None, **where: str
) -> Mapping[str, Sequence[float]]:
    """Give what is told of who sends the data, transfer by transfer, by the laptop's address."""
    wanted = ["client_address", "server_address", "server_bytes_unique", f"server_{column}"]
    rows = context.analysis(tap, of, replication, **where).connections().select(wanted).to_pylist()
    found: dict[str, list[float]] = {}
    for row in rows:
        laptop = max(row["client_address"], row["server_address"])  # the router's is the lowest
        if row["server_bytes_unique"] >= TRANSFER and row[f"server_{column}"] is not None:
            found.setdefault(laptop, []).append(row[f"server_{column}"])
    return dict(sorted(found.items()))


def _all(by_laptop: Mapping[str, Sequence[float]]) -> list[float]:
    return [each for values in by_laptop.values() for each in values]


def _deviations(context: Context, replication: int, **where: str) -> list[float]:
    """Give how the mean round trips of each laptop's transfers deviate, in the laptops' order."""
    found = _transfers(context, ROUTER, "rtt_mean_ms", replication, **where)
    return [stdev(each) for each in found.values()]


def _windows(context: Context, replication: int) -> list[float]:
    return _all(_transfers(context, ROUTER, "flight_max", replication))


def _downlink(context: Context, replication: int, limit: str) -> list[float]:
    there = {"of": "franceschinis-tab2", "limit": limit}
    return _all(_transfers(context, ROUTER, "rtt_mean_ms", replication, **there))


def _uplink(context: Context, replication: int) -> list[float]:
    return _all(_transfers(context, ROUTER, "rtt_mean_ms", replication))


def _variation(values: Sequence[float]) -> float:
    return stdev(values) / fmean(values)


def _between_tenths(values: Sequence[float]) -> float:
    ordered = sorted(values)
    return ordered[int(0.9 * len(ordered))] - ordered[int(0.1 * len(ordered))]
