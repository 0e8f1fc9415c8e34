"""Hold saturated stations that do not hear each other against ns-3's, and print one table.

`python benches/hidden.py` builds `peers/bss.cc`, runs it and the same cell of ours, stations that
hear each other and stations that do not, without and with RTS/CTS, and gives the goodput of both.
`--write` puts the table into docs/validation.md.
"""

import argparse
import datetime
import itertools
import os
import statistics
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import peers
from measuring import ROOT, printed, put_table, run

import anechoic as an

PAGE = ROOT / "docs" / "validation.md"

STATIONS = (2, 3, 4)
RUNS, SECONDS, WARMUP = 4, 65, 5
PAYLOAD, OFFERED_MBPS = 1472, 8
# ns-3's default loss over its default 5 m: 46.68 dB at a metre, exponent 3.
LOSS_DB = 67.65
# Where nothing arrives any more.
WALL_DB = 200

APART = 0.05
"""How far apart the two may be."""


def ns3(program: Path, stations: int, is_hidden: bool, has_rts: bool) -> float:
    """Give ns-3's mean goodput in Mbit/s."""
    traffic = ["--dir=up", "--proto=udp", f"--udpMbps={OFFERED_MBPS}", f"--udpPayload={PAYLOAD}"]
    cell = [f"--nSta={stations}", f"--hidden={is_hidden:d}", f"--rts={has_rts:d}"]
    times = [f"--simTime={SECONDS}", f"--warm={WARMUP}"]

    def one(seed: int) -> float:
        command = [program, *traffic, *cell, *times, f"--seed={seed}"]
        return printed(run(command).output, "goodput")

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return statistics.mean(pool.map(one, range(1, RUNS + 1)))


def scenario(stations: int, is_hidden: bool, has_rts: bool) -> an.Scenario:
    """Describe the same cell for us."""
    pairs = itertools.combinations(range(1, stations + 1), 2) if is_hidden else ()
    walls = {
        f"wall-{one}-{other}": an.AirLink(
            between=[f"station-{one}", f"station-{other}"], loss=f"{WALL_DB} dB"
        )
        for one, other in pairs
    }
    station = an.Station(ap="point", count=stations, rts_threshold=0 if has_rts else 2347)
    return an.Scenario(
        run=an.Run(duration=f"{SECONDS} s", warmup=f"{WARMUP} s"),
        host={"server": an.Host()},
        ap={"point": an.AccessPoint()},
        sta={"station": station},
        wire={"lan": an.Wire(between=["server", "point"])},
        air=an.Air(loss=f"{LOSS_DB} dB", link=walls),
        traffic={"up": an.Udp(from_="station", to="server", payload=PAYLOAD)},
    )


def ours(stations: int, is_hidden: bool, has_rts: bool) -> float:
    """Give our mean goodput in Mbit/s."""
    cell = scenario(stations, is_hidden, has_rts)
    with tempfile.TemporaryDirectory() as folder:
        results = an.run(cell, reps=RUNS, progress=False, out=Path(folder))
        return results.cells[0]["goodput_mbps"].mean


def line(program: Path, stations: int, is_hidden: bool) -> str:
    """Measure one cell without and with RTS; give its row."""
    columns = [str(stations), "hidden" if is_hidden else "heard"]
    for has_rts in (False, True):
        theirs = ns3(program, stations, is_hidden, has_rts)
        mine = ours(stations, is_hidden, has_rts)
        apart = mine / theirs - 1
        mark = "" if abs(apart) <= APART else " **apart**"
        said = f"{apart:+.1%}".replace("-", "\N{MINUS SIGN}") + mark
        columns += [f"{theirs:.3f}", f"{mine:.3f}", said]
    row = f"| {' | '.join(columns)} |"
    print(row, file=sys.stderr, flush=True)
    return row


def table(rows: Sequence[str]) -> str:
    """Lay the rows out as Markdown, under the date and what was run."""
    head = ["stations", "", *("ns-3", "ours", ""), *("ns-3, RTS", "ours, RTS", "")]
    today = datetime.date.today().isoformat()
    return "\n".join(
        [
            f"{today}, Mbit/s of UDP payload, means of {RUNS} runs of {SECONDS} s",
            "",
            f"| {' | '.join(head)} |",
            "|---" * len(head) + "|",
            *rows,
        ]
    )


def main() -> None:
    """Measure all cells."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help=f"put the table into {PAGE.name}")
    arguments = parser.parse_args()
    program = peers.built_ns3("bss", ROOT / "target" / "peers")
    if program is None:
        raise SystemExit("ns-3 is not here: Debian's libns3-dev and g++ are needed")
    rows = [
        line(program, stations, is_hidden) for is_hidden in (False, True) for stations in STATIONS
    ]
    if arguments.write:
        put_table(PAGE, "python benches/hidden.py", table(rows))
    print(table(rows))


if __name__ == "__main__":
    main()
