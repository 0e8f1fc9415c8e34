"""How the claims of Janevski and Petrov are decided that no kind of check can say."""

from itertools import pairwise, product
from statistics import fmean

from anechoic.papers.comparisons import below, best, figures, in_band
from anechoic.papers.mechanisms import Context
from anechoic.papers.medium import heard
from anechoic.papers.packet_rules import rows_of, rule
from anechoic.papers.points import Point
from anechoic.papers.verdict import Figure, Status, Verdict, all_of

FTP = "flow.ftp-1.goodput_mbps"
LIMITS = (1, 2, 3, 4)
VARIANTS = ("Tahoe", "Reno", "NewReno", "SACK", "Vegas")
SPEEDS = ("fig2", "fig3", "fig4")
"""The experiments of the grid, one for each speed."""


def _grid(context: Context) -> list[str]:
    view = "-standard" if context.experiment.endswith("-standard") else ""
    return [f"janevski-{figure}{view}" for figure in SPEEDS]


def _spread(points: list[Point], what: str) -> Point:
    """Give the best over the worst mean, in replications that did not choose which these are.

    The largest of several means lies above the smallest whatever is behind them. So the even
    replications choose for the odd ones, and the odd ones for the even.
    """
    values = [point.summary.values for point in points]
    found = []
    for replication, run in enumerate(zip(*values, strict=True)):
        others = [fmean(each[1 - replication % 2 :: 2] or each) for each in values]
        best, worst = others.index(max(others)), others.index(min(others))
        found.append(1 + (run[best] - run[worst]) / fmean(values[worst]))
    return Point.of(what, found)


def throughput_depends_on_the_queue(context: Context) -> Verdict:
    """fig5-c: at some speed the best queue gives 2 % more than the worst."""
    spreads = []
    for speed in ("4.16", "7", "14"):
        points = [context.point(FTP, speed=speed, queue=each) for each in context.values("queue")]
        spreads.append(_spread(points, f"best over worst queue at {speed} m/s"))
    largest = max(spreads, key=lambda point: point.mean)
    others = [each for each in spreads if each is not largest]
    return all_of([in_band(largest, 1.02, None), Verdict(Status.AGREES, figures(*others))])


def queues_matter_most_near_by(context: Context) -> Verdict:
    """conclusions-c: the best queue over the worst, at 50 m and at 100 m, with three attempts."""
    near, far = (
        _spread(
            [
                context.point(FTP, distance=distance, retries=3, queue=each)
                for each in context.values("queue")
            ],
            f"best over worst queue at {distance} m",
        )
        for distance in ("50", "100")
    )
    return below(far, near)


def variants_differ(context: Context) -> Verdict:
    """conclusions-d: with three attempts and 50 packets some variant gets 5 % more than another."""
    parts = []
    for experiment in _grid(context):
        points = [
            context.point(FTP, of=experiment, tcp=each, retries=3, queue="50") for each in VARIANTS
        ]
        spread = _spread(points, f"best over worst variant, {experiment}")
        shown = Verdict(Status.AGREES, figures(*points))
        parts.append(all_of([in_band(spread, 1.05, None), shown]))
    return all_of(parts)


def three_and_fifty_are_best(context: Context) -> Verdict:
    """conclusions-e: of all limits and queues, over variants and speeds, within 1 % of the best."""
    settings = {
        setting: _over_speeds_and_variants(context, *setting)
        for setting in product(LIMITS, ("25", "50", "100"))
    }
    return best(list(settings.values()), [settings[3, "50"]], within=0.01, sign=1)


def _over_speeds_and_variants(context: Context, retries: int, queue: str) -> Point:
    replications = [
        context.point(FTP, of=experiment, tcp=tcp, retries=retries, queue=queue).summary.values
        for experiment in _grid(context)
        for tcp in VARIANTS
    ]
    means = [fmean(values) for values in zip(*replications, strict=True)]
    return Point.of(f"{retries} attempts, {queue} packets", means, "Mbit/s")


def sack_ranks_first(context: Context) -> Verdict:
    """conclusions-f: the mean rank over 36 settings of limit, queue and speed, 1 being the best.

    Of each replication, so that it has an interval.
    """
    ranks: dict[str, list[list[int]]] = {tcp: [] for tcp in VARIANTS}
    for experiment, retries, queue in product(_grid(context), LIMITS, ("25", "50", "100")):
        runs = [
            context.point(FTP, of=experiment, tcp=tcp, retries=retries, queue=queue).summary.values
            for tcp in VARIANTS
        ]
        for tcp, place in ranks.items():
            own = runs[VARIANTS.index(tcp)]
            pairs = zip(own, zip(*runs, strict=True), strict=True)
            place.append([1 + sum(other > mine for other in run) for mine, run in pairs])
    mean = [
        Point.of(f"mean rank of {tcp}", [fmean(run) for run in zip(*each, strict=True)])
        for tcp, each in ranks.items()
    ]
    return best(mean, [mean[VARIANTS.index("SACK")]], within=0, sign=-1)


def limit_interacts_with_speed_and_queue(context: Context) -> Verdict:
    """conclusions-h: two-way interactions of an analysis of variance on SACK's throughput."""
    cells = {
        (speed, retries, queue): context.point(
            FTP, of=experiment, tcp="SACK", retries=retries, queue=queue
        ).summary.values
        for speed, experiment in enumerate(_grid(context))
        for retries in LIMITS
        for queue in ("25", "50", "100")
    }
    by_speed = _interaction({(cell[0], cell[1], cell[2]): each for cell, each in cells.items()})
    by_queue = _interaction({(cell[2], cell[1], cell[0]): each for cell, each in cells.items()})
    shown = (
        Figure("p of speed x limit", by_speed),
        Figure("p of queue x limit", by_queue),
    )
    open_ = [str(each) for each in shown if not each.value < 0.05]
    status = Status.UNRESOLVED if open_ else Status.AGREES
    return Verdict(status, shown, f"{' and '.join(open_)}, less than 0.05 asked" if open_ else "")


def _interaction(cells: dict[tuple[object, ...], tuple[float, ...]]) -> float:
    """Give the p of the interaction of the first two factors (balanced, a third one crossed)."""
    from scipy.stats import f

    first, second, third = (sorted({cell[at] for cell in cells}, key=str) for at in range(3))
    count = len(next(iter(cells.values())))

    def mean(**fixed: object) -> float:
        names = dict(enumerate(("a", "b", "c")))
        chosen = (
            values
            for cell, values in cells.items()
            if all(fixed.get(names[at], part) == part for at, part in enumerate(cell))
        )
        return fmean([fmean(values) for values in chosen])

    whole = mean()
    squares = sum(
        (mean(a=a, b=b) - mean(a=a) - mean(b=b) + whole) ** 2 for a in first for b in second
    )
    freedom = (len(first) - 1) * (len(second) - 1)
    between = squares * count * len(third) / freedom
    within = fmean(
        [sum((value - fmean(each)) ** 2 for value in each) / (count - 1) for each in cells.values()]
    )
    return float(f.sf(between / within, freedom, len(cells) * (count - 1)))


def losses_halve_the_window(context: Context) -> Verdict:
    """background-a: queues overflow, and a loss leaves half of the window, within a segment.

    Of losses in congestion avoidance: in slow start the window doubles between two samples.
    """
    overflows = context.point("node.bs0.drops_queue@on + node.bs1.drops_queue@on")
    left = []
    for replication in range(2):
        samples = rows_of(
            context.tcp_info(replication=replication),
            *("flow", "end", "tcpi_snd_cwnd", "tcpi_snd_ssthresh"),
        )
        own = [row for row in samples if row["flow"] == "ftp-1" and row["end"] == "sender"]
        left += [
            (before["tcpi_snd_cwnd"], after["tcpi_snd_ssthresh"])
            for before, after in pairwise(own)
            if after["tcpi_snd_ssthresh"] != before["tcpi_snd_ssthresh"] <= before["tcpi_snd_cwnd"]
        ]
    wrong = [f"{after} of {before}" for before, after in left if abs(after - before / 2) > 1]
    halved = rule("losses that leave half of the window", len(left), wrong)
    return all_of([in_band(overflows, 1, None), halved])


def successful_frames_of_a_cell_never_overlap(context: Context) -> Verdict:
    """background-e: data frames that are acknowledged, as either base station hears its cell."""
    parts = []
    for station in ("ap.bs0", "ap.bs1"):
        frames = heard(context.analysis(station).frames())
        delivered = [each for each in frames if each.kind == "data" and each.is_acknowledged]
        over = [
            f"at {after.start / 1e9:.6f} s"
            for before, after in pairwise(delivered)
            if after.start < before.end
        ]
        parts.append(rule(f"frames delivered in turn at {station}", len(delivered), over))
    return all_of(parts)
