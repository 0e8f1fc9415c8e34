"""How near a rate control comes to the best fixed MCS, and what its tries of other rates cost.

    python benches/rate_control.py [CONTROL] [--standard STANDARD]... [--step DB]

A lone station takes a flood on a still channel, from 0 to 40 dB in steps of 2, at each fixed MCS
and under the control, without name `minstrel-ht`. A row gives for a ratio of signal to noise the
best fixed MCS, what it brings from the second second on, and what part of that the control does. A
goal is missed below 90 %; and below 95 % where only tries of other rates cost, as the best MCS
loses nothing and the next one brings less than half as much. Exit status 1 if one is.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from measuring import Row

import anechoic as an
from anechoic.scenario.load import load
from anechoic.scenario.radio_links import radio_links

HIGHEST_DB = 40
ENVELOPE, SAMPLING = 0.90, 0.95
"""What part of the best there shall be at every ratio, and where nothing but tries costs."""
CLEAR = 0.99
"""An MCS that brings this part of what it does without noise loses nothing that matters."""
APART = 0.5
"""An MCS that brings less than this part of the best is not taken for it."""
QUIET_DB = 60
"""A ratio without losses."""

CELL = """
run = {{ duration = "4 s", warmup = "1 s" }}
air = {{ standard = "{standard}", channel = 36, loss = "60 dB", preamble_detection = "-110 dBm" }}
ap.office = {{ {radio}, beacon_interval = "0 s" }}
sta.laptop = {{ ap = "office", stack = "linux-6" }}
host.server = {{ stack = "linux-6" }}
wire.lan = {{ between = ["server", "office"], rate = "10 Gbit/s" }}
[traffic.flood]
app = "udp"
from = "server"
to = "laptop"
payload = "1472 B"
rate = "1 Gbit/s"
[[sweep]]
name = "rate"
labels = {labels}
"ap.office.mcs" = {mcs}
"ap.office.rate_control" = {controls}
"""


@dataclass(frozen=True)
class Kind:
    """A radio of an amendment, and how many MCS it has."""

    standard: str
    radio: str
    mcs: int

    def cell(self, control: str) -> str:
        """Give the scenario with every MCS fixed, and with the control."""
        each = list(range(self.mcs))
        return CELL.format(
            standard=self.standard,
            radio=self.radio,
            labels=[*map(str, each), control],
            mcs=[*each, self.mcs - 1],
            controls=["fixed"] * self.mcs + [control],
        )


KINDS = (
    Kind("802.11n", 'width = "20 MHz", streams = 1, guard_interval = "800 ns"', 8),
    Kind("802.11ac", 'width = "80 MHz", streams = 1, guard_interval = "800 ns"', 10),
    Kind("802.11ax", 'width = "20 MHz", streams = 1, guard_interval = "800 ns"', 12),
)


@dataclass(frozen=True)
class Bench:
    """A radio whose ratio of signal to noise is set."""

    path: Path
    lossless_db: float
    """The loss at which the station hears the access point at 0 dB."""

    def goodputs(self, snr_db: float) -> list[float]:
        """Give what the station gets at each MCS, and last under the control, in Mbit/s."""
        loss = f"{self.lossless_db - snr_db} dB"
        told = an.run(
            self.path,
            set={"air.loss": loss},
            reps=1,
            out=self.path.parent / f"{snr_db}",
            progress=False,
        )
        return [cell.metrics["flow.flood-1.goodput_mbps"].mean for cell in told.cells]


def bench(folder: Path, kind: Kind, control: str) -> Bench:
    """Write a radio's scenario, and find the loss at which nothing is above the noise."""
    path = folder / f"{kind.standard}.toml"
    path.write_text(kind.cell(control))
    down = next(link for link in radio_links(load(path)).links if link.sender.name == "office")
    return Bench(path, down.loss_db + down.snr_db)


def rows(bench: Bench, step_db: int) -> Iterator[Row]:
    """Compare the control with the best fixed MCS at every ratio."""
    *quiet, _ = bench.goodputs(QUIET_DB)
    for snr_db in range(0, HIGHEST_DB + 1, step_db):
        *fixed, found = bench.goodputs(snr_db)
        best = max(range(len(fixed)), key=fixed.__getitem__)
        if fixed[best] == 0:
            yield Row(f"{snr_db} dB", "nothing arrives")
            continue
        part = found / fixed[best]
        goal = SAMPLING if only_tries_cost(best, fixed, quiet) else ENVELOPE
        figure = f"{part:.1%} of {fixed[best]:.2f} Mbit/s (MCS {best})"
        yield Row(f"{snr_db} dB", figure, f"at least {goal:.0%}", part >= goal)


def only_tries_cost(best: int, fixed: Sequence[float], quiet: Sequence[float]) -> bool:
    """Say whether nobody can take another MCS for the best, and that loses nothing."""
    after = fixed[best + 1] if best + 1 < len(fixed) else 0
    return fixed[best] >= CLEAR * quiet[best] and after < APART * fixed[best]


def main(control: str, standards: Sequence[str], step_db: int) -> int:
    """Print a row for each ratio of each radio; give the exit status."""
    all_met = True
    for kind in KINDS:
        if standards and kind.standard not in standards:
            continue
        print(f"{control}, {kind.standard}, {kind.radio}")
        with tempfile.TemporaryDirectory() as folder:
            for row in rows(bench(Path(folder), kind, control), step_db):
                missed = "  MISSED" if row.met is False else ""
                print(f"{row.what:>6}  {row.figure:40} {row.goal}{missed}", flush=True)
                all_met = all_met and not missed
    return 0 if all_met else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("control", nargs="?", default="minstrel-ht")
    parser.add_argument("--standard", action="append", default=[], dest="standards")
    parser.add_argument("--step", type=int, default=2, dest="step_db", help="between ratios, in dB")
    sys.exit(main(**vars(parser.parse_args())))
