"""Hold cells of 802.11n, ac and ax under full load against ns-3's.

Prints one table: goodput, the mean number of MPDUs in a PPDU and what the stations share, ours and
ns-3's, and how far apart they are. Rules that differ are switched at ns-3, whose flags
`peers/aggregates.cc` tells: its packets live for ever, its agreements stand before the load, what
is not acknowledged goes again without a BlockAckReq, retries have no limit. The rows of
`BY_DEFAULT` have one of these as ns-3 has it by itself, and are not held to anything. What stays
different is a matter of microseconds in a PPDU: its VHT preamble lacks VHT-SIG-B, its HE-LTFs are
8 µs long at any guard interval, symbols with short ones are not rounded up, and it waits 75 µs for
an answer instead of 45.
"""

import argparse
import datetime
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import peers
from measuring import ROOT, Broken, printed, put_table, run

import anechoic as an

PAGE = ROOT / "docs" / "validation.md"
APART = 0.03
"""How far apart the two may be."""
WARMUP_S, SECONDS = 3.0, 6.0


@dataclass(frozen=True)
class Cell:
    """A cell under full load."""

    standard: str
    stations: int = 1
    mcs: tuple[int, ...] = (7,)
    """Of all stations, or of each in turn."""
    width: int = 20
    streams: int = 1
    interval: int = 800
    is_up: bool = True
    is_tcp: bool = False
    ampdu: int | None = None
    amsdu: int = 0
    window: int = 64
    rts: bool = False
    switched: dict[str, int] = field(default_factory=dict)
    """Flags of ns-3 that have its default again."""

    @property
    def text(self) -> str:
        """Name it."""
        mcs = "/".join(map(str, self.mcs))
        what = "TCP" if self.is_tcp else "UDP"
        parts = [f"802.11{self.standard}, {self.width} MHz, MCS {mcs}"]
        parts += [f"{self.streams} streams"] if self.streams > 1 else []
        parts += [
            f"{self.interval} ns",
            f"{self.stations} × {what} {'up' if self.is_up else 'down'}",
        ]
        parts += [f"A-MPDU {self.ampdu} B"] if self.ampdu is not None else []
        parts += [f"A-MSDU {self.amsdu} B"] if self.amsdu else []
        parts += [f"window {self.window}"] if self.window != 64 else []
        parts += ["RTS"] if self.rts else []
        parts += [f"ns-3 with {name}={value}" for name, value in self.switched.items()]
        return ", ".join(parts)

    def mcs_of(self, station: int) -> int:
        """Give the MCS of a station."""
        return self.mcs[station % len(self.mcs)]

    @property
    def longest(self) -> int:
        """Give the longest A-MPDU in bytes."""
        usual = 65_535 if self.standard == "n" else 1_048_575
        return usual if self.ampdu is None else self.ampdu


N, AC, AX = Cell("n"), Cell("ac"), Cell("ax")
TWO = replace(AC, width=80, streams=2, interval=400, mcs=(9,))
CELLS: Sequence[Cell] = (
    N,
    replace(N, is_up=False),
    replace(N, ampdu=32_767),
    replace(N, ampdu=8_191),
    replace(N, ampdu=0),
    replace(N, ampdu=0, amsdu=7_935),
    replace(N, amsdu=3_839),
    replace(N, width=40, streams=2, interval=400),
    replace(N, stations=5),
    replace(N, stations=10),
    replace(N, stations=5, rts=True),
    replace(N, stations=5, mcs=(7, 5, 3, 1, 0)),
    replace(N, stations=5, ampdu=8_191),
    replace(AC, mcs=(8,)),
    TWO,
    replace(TWO, stations=5),
    replace(TWO, stations=10, rts=True),
    replace(TWO, width=160),
    replace(AX, stations=2),
    replace(AX, stations=5),
    replace(AX, stations=10),
    replace(AX, stations=20, rts=True),
    replace(AX, stations=10, ampdu=8_191),
    replace(AX, width=80, streams=2, mcs=(11,)),
    replace(AX, width=80, streams=2, mcs=(11,), window=256),
    replace(AX, width=160, streams=2, mcs=(11,), window=256, stations=5),
    replace(AX, interval=3200, stations=5),
    replace(N, is_tcp=True, is_up=False),
    replace(TWO, is_tcp=True, is_up=False),
    replace(TWO, is_tcp=True, is_up=False, stations=10),
    replace(AX, is_tcp=True, is_up=True, stations=5),
)
BY_DEFAULT: Sequence[Cell] = tuple(
    replace(AX, stations=stations, switched=switched)
    for stations in (5, 10, 20)
    for switched in ({"bar": 1}, {"retries": 7})
)


@dataclass(frozen=True)
class Found:
    """What a simulator gives of a cell."""

    goodput_mbps: float
    aggregate: float
    shares: tuple[float, ...]


def scenario(cell: Cell) -> an.Scenario:
    """Write a cell for us."""
    radio = {
        "streams": cell.streams,
        "width": f"{cell.width} MHz",
        "guard_interval": f"{cell.interval} ns",
        "ampdu_limit": f"{cell.longest} B",
        "amsdu_limit": f"{cell.amsdu} B",
        "block_ack_window": cell.window,
        "rts_threshold": 200 if cell.rts else 2347,
        "short_retry_limit": 255,
        "queue_packets": 1000,
    }
    names = [f"s{number}" for number in range(1, 1 + cell.stations)]
    mcs = {name: cell.mcs_of(number) for number, name in enumerate(names)}
    ends = [("server", name)[:: -1 if cell.is_up else 1] for name in names]
    if cell.is_tcp:
        traffic = {name: an.Bulk(from_=a, to=b) for name, (a, b) in zip(names, ends, strict=True)}
    else:
        rate = None if cell.is_up else "1 Gbit/s"
        traffic = {
            name: an.Udp(from_=a, to=b, payload=1472, **({"rate": rate} if rate else {}))
            for name, (a, b) in zip(names, ends, strict=True)
        }
    own = {"sack": True, "receive_window_bytes": 4_194_304, "send_buffer_bytes": 4_194_304}
    stack = {"stack": "rfc", "tcp": {**own, "window_scaling": True, "timestamps": True}}
    return an.Scenario(
        run=an.Run(
            duration=f"{WARMUP_S + SECONDS} s",
            warmup=f"{WARMUP_S} s",
            time_series=False,
            distributions=False,
        ),
        air=an.Air(standard=f"802.11{cell.standard}", channel=36, loss="40 dB"),
        host={"server": an.Host(**stack)},
        ap={
            "point": an.AccessPoint(
                **radio, mcs=max(mcs.values()), to={name: {"mcs": of} for name, of in mcs.items()}
            )
        },
        sta={name: an.Station(ap="point", mcs=of, **radio, **stack) for name, of in mcs.items()},
        wire={"lan": an.Wire(between=["server", "point"], rate="10 Gbit/s", delay="1 ms")},
        traffic=traffic,
    )


def ours(cell: Cell, seeds: int) -> Found:
    """Simulate a cell."""
    with tempfile.TemporaryDirectory() as out:
        told = an.run(scenario(cell), reps=seeds, progress=False, out=Path(out)).cells[0].metrics

    def mean(name: str) -> float:
        return told[name].mean

    flows = [mean(f"flow.s{number}-1.goodput_mbps") for number in range(1, 1 + cell.stations)]
    senders = [f"s{number}" for number in range(1, 1 + cell.stations)] if cell.is_up else ["point"]

    def count(name: str) -> float:
        return sum(mean(f"node.{sender}.{name}") for sender in senders)

    ppdus = count("aggregates") + count("attempts") - count("aggregated_mpdus")
    whole = sum(flows)
    return Found(whole, count("attempts") / ppdus, tuple(flow / whole for flow in flows))


def theirs(cell: Cell, program: Path, seeds: int) -> Found:
    """Have ns-3 simulate it."""
    offered = 1.5 * 1300 * cell.streams * cell.width / 160 / max(1, cell.stations // 2)
    flags = {
        "standard": cell.standard,
        "stations": cell.stations,
        "mcs": ",".join(map(str, cell.mcs)),
        "width": cell.width,
        "streams": cell.streams,
        "interval": cell.interval,
        "direction": "up" if cell.is_up else "down",
        "protocol": "tcp" if cell.is_tcp else "udp",
        "ampdu": cell.longest,
        "amsdu": cell.amsdu,
        "window": cell.window,
        "rts": int(cell.rts),
        "offered": offered,
        "seconds": SECONDS,
        **cell.switched,
    }
    runs = []
    for seed in range(1, 1 + seeds):
        told = [f"--{name}={value}" for name, value in {**flags, "seed": seed}.items()]
        runs.append(run([program, *told]).output)

    def mean(key: str) -> float:
        return statistics.fmean(printed(output, key) for output in runs)

    shares = tuple(mean(f"share-{number}") for number in range(1, 1 + cell.stations))
    return Found(mean("goodput_mbps"), mean("aggregate"), shares)


def apart(one: float, other: float) -> float:
    """Give how far one figure is from another, as a part of that."""
    return one / other - 1


def line(cell: Cell, mine: Found, other: Found) -> tuple[str, bool]:
    """Give a row of the table, and whether the two agree."""
    goodput = apart(mine.goodput_mbps, other.goodput_mbps)
    aggregate = apart(mine.aggregate, other.aggregate)
    share = max(abs(a - b) for a, b in zip(mine.shares, other.shares, strict=True))
    # Among equals the shares of one run are chance.
    told = share if len(set(cell.mcs)) > 1 else 0
    agrees = max(abs(goodput), abs(aggregate), told) <= APART
    columns = [
        cell.text,
        f"{mine.goodput_mbps:.2f}",
        f"{other.goodput_mbps:.2f}",
        f"{100 * goodput:+.1f} %",
        f"{mine.aggregate:.1f}",
        f"{other.aggregate:.1f}",
        f"{100 * aggregate:+.1f} %",
        f"{100 * share:.1f}",
    ]
    return f"| {' | '.join(columns)} |", agrees


def rows(cells: Sequence[Cell], program: Path, seeds: int) -> Iterator[tuple[Cell, str, bool]]:
    """Measure cells one after the other."""
    for cell in cells:
        text, agrees = line(cell, ours(cell, seeds), theirs(cell, program, seeds))
        print(text, file=sys.stderr, flush=True)
        yield cell, text, agrees


def main() -> None:
    """Measure everything, or what was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", default="", help="cells with this in their name")
    parser.add_argument("--seeds", type=int, default=3, help="runs of each (3)")
    parser.add_argument("--write", action="store_true", help=f"put the table into {PAGE.name}")
    arguments = parser.parse_args()
    program = peers.built_ns3("aggregates", ROOT / "target" / "peers")
    if program is None:
        raise Broken("ns-3 3.37 is needed (Debian: libns3-dev)")
    chosen = [each for each in (*CELLS, *BY_DEFAULT) if arguments.only in each.text]
    found = list(rows(chosen, program, arguments.seeds))
    head = (
        "| cell | Mbit/s | ns-3 | | MPDUs in a PPDU | ns-3 | | shares apart, points |",
        "|---|---|---|---|---|---|---|---|",
    )
    today = datetime.date.today().isoformat()
    text = "\n".join([f"{today}, ns-3 3.37", "", *head, *(row for _, row, _ in found)])
    print(text)
    if arguments.write:
        put_table(PAGE, "python benches/aggregates.py", text)
    if any(not agrees for cell, _, agrees in found if not cell.switched):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
