"""Minstrel-HT in a cell: how near it comes to the best fixed MCS, and where it is refused."""

from pathlib import Path
from typing import Any

import pytest
from refused import refusal_of

import anechoic as an

CELL = """
run = { duration = "3 s", warmup = "1 s" }
air = { standard = "802.11n", channel = 36, loss = "60 dB" }
ap.office = { width = "20 MHz", streams = 1, guard_interval = "800 ns", beacon_interval = "0 s" }
sta.laptop = { ap = "office", stack = "linux-6" }
host.server = { stack = "linux-6" }
wire.lan = { between = ["server", "office"], rate = "10 Gbit/s" }
[traffic.flood]
app = "udp"
from = "server"
to = "laptop"
payload = "1472 B"
rate = "300 Mbit/s"
"""


CONTROLS = ["fixed"] * 8 + ["minstrel-ht"]
EVERY_MCS = f"""
[[sweep]]
name = "rate"
labels = ["0", "1", "2", "3", "4", "5", "6", "7", "minstrel-ht"]
"ap.office.mcs" = {[*range(8), 7]}
"ap.office.rate_control" = {CONTROLS}
"""
WIDE = """
[[sweep]]
"ap.office.rate_control" = ["fixed", "minstrel-ht"]
"""


def goodputs(folder: Path, sweep: str, settings: dict[str, Any]) -> list[float]:
    """Give what the station gets of the flood from the second on, in Mbit/s, by cell."""
    path = folder / "cell.toml"
    path.write_text(CELL + sweep)
    told = an.run(path, set=settings, reps=1, out=folder / "out", progress=False)
    return [cell.metrics["flow.flood-1.goodput_mbps"].mean for cell in told.cells]


# From where MCS 7 loses nothing to where only the slowest are left.
LOSSES = [60, 84, 88, 92, 97]


@pytest.mark.parametrize("loss_db", LOSSES)
def test_it_comes_near_the_best_fixed_mcs(loss_db: int, tmp_path: Path) -> None:
    *fixed, found = goodputs(tmp_path, EVERY_MCS, {"air.loss": f"{loss_db} dB"})
    assert found >= 0.9 * max(fixed)


def test_streams_widths_and_intervals_are_found_beside_the_mcs(tmp_path: Path) -> None:
    """The best of a radio of 300 Mbit/s is among 64 rates, of four groups in each of two widths."""
    radio = {"ap.office.width": "40 MHz", "ap.office.streams": 2}
    radio |= {"ap.office.guard_interval": "400 ns"}
    fixed, found = goodputs(tmp_path, WIDE, radio)
    assert found >= 0.9 * fixed


REFUSED = {
    "a radio of 802.11g": (
        'air.standard = "802.11g"\nap.office.rate_control = "minstrel-ht"\n',
        'ap.office.rate_control: "minstrel-ht" is of 802.11n and later, and frames here are of '
        "802.11g; allowed: another kind; did you mean minstrel?",
    ),
    "a station of 802.11g": (
        'air.standard = "802.11g"\nap.office.to.laptop.rate_control = "minstrel-ht"\n',
        'ap.office.to.laptop.rate_control: "minstrel-ht" is of 802.11n and later, and frames here '
        "are of 802.11g; allowed: another kind; did you mean minstrel?",
    ),
}
BARE = """
host.server = {}
ap.office.queue_packets = 100
sta.laptop = { ap = "office" }
wire.lan = { between = ["server", "office"], rate = "1 Gbit/s" }
traffic.download = { app = "bulk", from = "server", to = "laptop" }
"""


@pytest.mark.parametrize("case", REFUSED)
def test_a_radio_without_mcs_is_refused(case: str, tmp_path: Path) -> None:
    written, message = REFUSED[case]
    assert message in refusal_of(tmp_path, written + BARE)
