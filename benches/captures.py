"""Race the analysis of captures against tshark, tcptrace and a bare loop.

All read the same generated traffic: bulk transfers that take turns, with losses, cut to 96 bytes a
packet as `tcpdump -s 96` does. tshark would take minutes for the whole file, so it gets the front;
a rate is packets over wall time, process start included.
Our own runs over one connection, many, and the air take turns, and more of them than the others'
do, because a machine that others share may be twice as fast in one second as in the next; their
files need 4 GiB for that long.
"""

import os
import shutil
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from measuring import ABSENT, ROOT, Row, counted, peak_kb, printed, run, turns

OURS = ROOT / "target" / "release" / "examples" / "bench_capture"

MEBIBYTES = 1024
"""The size of a capture."""

TURNS_A_ROUND = 4
"""Runs of ours in the time of one of another program: they take a second."""

COUNTED_MEBIBYTES = (16, 48)
"""The sizes of captures whose analyses are compared by their instructions."""


@dataclass(frozen=True)
class Rival:
    """A program beside ours: its command, how much of the capture it gets, and our goal."""

    command: str
    mebibytes: int
    times: float | None


# What the table is held against: the figures the project set itself before it began. That of
# tcptrace with many connections fits only a run that looked up the name of every address, as
# tcptrace does without -n: the time of a lookup is the network's, so it gets a short capture.
# Beside its analysis alone (-n) we have set ourselves no figure.
TSHARK = Rival("tshark -n -q -z conv,tcp -r", 64, 40.0)
RIVALS = {
    1: [TSHARK, Rival("tcptrace -n -l -r", MEBIBYTES, 2.0)],
    200: [
        TSHARK,
        Rival("tcptrace -n -l -r", MEBIBYTES, None),
        Rival("tcptrace -l -r", 32, 100.0),
    ],
    20_000: [],
}
SHARE_OF_ONE = 0.7
SHARE_OF_BARE = 0.25
SHARE_OF_WIRED = 0.5
FLOOD_FLOWS = 10_000_000
FLOOD_MEBIBYTES = 4096

# The peak of equal runs differs by some hundred kilobytes: see `speed.MEMORY_SLACK_KB`.
MEMORY_SLACK_KB = 1024

PEAKS = 5
"""Runs whose least peak counts: by chance of its addresses, the kernel gives one in four of them a
huge page of 2 MiB more (AnonHugePages in `/proc/PID/smaps_rollup`)."""


@contextmanager
def capture(*arguments: int | str) -> Iterator[Path]:
    """Make a capture that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="anechoic-bench-") as folder:
        file = Path(folder) / "bench.pcap"
        what, *rest = map(str, arguments)
        run([OURS, what, file, *rest])
        yield file


def packets(file: Path) -> float:
    """Count the packets of a capture."""
    return printed(run([OURS, "walk", file]).output, "packets")


@dataclass(frozen=True)
class Race:
    """The packets per second of programs that ran in turns, in every round."""

    rates: dict[str, list[float]]

    def rate(self, name: str) -> float:
        """Give the median rate of one."""
        return statistics.median(self.rates[name])

    def share(self, name: str, other: str) -> float:
        """Give the median of one's rate over another's, each quotient from a single round.

        Both ran within seconds there, while from one round to the next the machine may have
        become half as fast.
        """
        pairs = zip(self.rates[name], self.rates[other], strict=True)
        return statistics.median(one / another for one, another in pairs)


def race(commands: dict[str, tuple[Sequence[str | Path], Path]], rounds: int) -> Race:
    """Run programs in turns, each over a capture."""
    walls = turns({name: [*command, file] for name, (command, file) in commands.items()}, rounds)
    counts = {file: packets(file) for _, file in commands.values()}
    rates = {
        name: [counts[file] / wall for wall in walls[name]] for name, (_, file) in commands.items()
    }
    return Race(rates)


def millions(rate: float) -> str:
    """Write a rate."""
    return f"{rate / 1e6:.2f} M packets/s"


def named(connections: int) -> str:
    """Say which capture a row is of."""
    return f"captures, {connections:,} connection{'' if connections == 1 else 's'}"


def beside(rival: Rival, connections: int, ours: float, rounds: int) -> Row:
    """Give another program the front of the same traffic."""
    what = f"{named(connections)}: `{rival.command}`, {rival.mebibytes} MiB"
    goal = f"≥ {rival.times:g} ×" if rival.times else ""
    command = rival.command.split()
    if shutil.which(command[0]) is None:
        return Row(what, ABSENT, goal)
    with capture("make", connections, rival.mebibytes) as file:
        theirs = race({rival.command: (command, file)}, rounds).rate(rival.command)
    ratio = ours / theirs
    met = ratio >= rival.times if rival.times else None
    return Row(what, f"{millions(theirs)}, {ratio:.0f} ×", goal, met)


def ours(rounds: int) -> Race:
    """Race our analysis over all captures, and the bare loop beside it."""
    with ExitStack() as stack:
        commands: dict[str, tuple[Sequence[str | Path], Path]] = {}
        for connections in RIVALS:
            file = stack.enter_context(capture("make", connections, MEBIBYTES))
            for name in ("analyse", "walk"):
                commands[f"{name} {connections}"] = ([OURS, name], file)
        air = stack.enter_context(capture("make", 200, MEBIBYTES, "wifi"))
        for name in ("analyse", "walk"):
            commands[f"{name} air"] = ([OURS, name], air)
        # What the system still has to write would be written while the first runs are timed.
        os.sync()
        return race(commands, TURNS_A_ROUND * rounds)


def speed(rounds: int) -> list[Row]:
    """Race with one connection and with many."""
    ran = ours(rounds)
    rows = []
    for connections in RIVALS:
        analysis, loop = f"analyse {connections}", f"walk {connections}"
        found = ran.rate(analysis)
        what = named(connections)
        if connections == 1:
            rows.append(Row(f"{what}, {MEBIBYTES} MiB", millions(found)))
        else:
            share = ran.share(analysis, "analyse 1")
            figure = f"{millions(found)}, {share:.2f} of the rate with one"
            rows.append(Row(what, figure, f"≥ {SHARE_OF_ONE}", share >= SHARE_OF_ONE))
        share = ran.share(analysis, loop)
        figure = f"{millions(ran.rate(loop))}, we {share:.3f} of it"
        rows.append(Row(f"{what}: bare loop", figure, f"≥ {SHARE_OF_BARE}", share >= SHARE_OF_BARE))
        rows += [beside(rival, connections, found, rounds) for rival in RIVALS[connections]]
    share = ran.share("analyse air", "analyse 200")
    figure = f"{millions(ran.rate('analyse air'))}, {share:.2f} of the wired"
    what = "captures, 802.11 with radiotap, 200 connections"
    rows.append(Row(what, figure, f"≥ {SHARE_OF_WIRED}", share >= SHARE_OF_WIRED))
    share = ran.share("analyse air", "walk air")
    goal = SHARE_OF_WIRED * SHARE_OF_BARE
    figure = f"{millions(ran.rate('walk air'))}, we {share:.3f} of it"
    rows.append(Row(f"{what}: bare loop", figure, f"≥ {goal}", share >= goal))
    return rows


def instructions() -> list[Row]:
    """Count instructions per packet, wired and of the air, start-up taken off."""
    rows = []
    for what, medium in (("wired", []), ("802.11 with radiotap", ["wifi"])):
        what = f"captures, {what}, 200 connections: instructions per packet"
        if shutil.which("valgrind") is None:
            rows.append(Row(what, ABSENT))
            continue
        counts = []
        for size in COUNTED_MEBIBYTES:
            with capture("make", 200, size, *medium) as file:
                count, output = counted([OURS, "analyse", file])
            counts.append((count, printed(output, "packets")))
        (short, few), (long, many) = counts
        rows.append(Row(what, f"{(long - short) / (many - few):,.0f}"))
    return rows


def memory() -> list[Row]:
    """Compare the peak for a capture with that for one four times as large, and flood it."""
    peaks = []
    for size in (MEBIBYTES, 4 * MEBIBYTES):
        with capture("make", 200, size) as file:
            peaks.append(min(peak_kb([OURS, "analyse", file]) for _ in range(PEAKS)))
    figure = " and ".join(
        f"{peak / 1024:.1f} MiB ({size} GiB)" for peak, size in zip(peaks, (1, 4), strict=True)
    )
    grows = peaks[1] - peaks[0] >= MEMORY_SLACK_KB
    rows = [Row("captures, 200 connections: peak memory", figure, "no growth", not grows)]
    for kind, fate in (("flood", "that nobody answers"), ("scan", "that are refused")):
        with capture(kind, FLOOD_FLOWS) as file:
            flooded = peak_kb([OURS, "analyse", file]) / 1024
        what = f"captures, {FLOOD_FLOWS:,} SYNs {fate}: peak memory"
        goal = f"< {FLOOD_MEBIBYTES:,} MiB"
        rows.append(Row(what, f"{flooded:,.0f} MiB", goal, flooded < FLOOD_MEBIBYTES))
    return rows


def rows(rounds: int) -> list[Row]:
    """Measure all of it."""
    return [*speed(rounds), *instructions(), *memory()]
