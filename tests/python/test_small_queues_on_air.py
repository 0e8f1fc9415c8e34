"""TCP small queues above a radio: how much of its own a machine of Linux has waiting."""

from pathlib import Path

import pytest

import anechoic as an

CELL = """
run = { duration = "8 s", warmup = "3 s" }
air = { standard = "802.11n", channel = 36, loss = "60 dB" }
host.server.stack = "linux-6"
ap.home = { width = "40 MHz" }
sta.laptop = { ap = "home", stack = "linux-6", width = "40 MHz", queue = QUEUE }
wire.lan = { between = ["server", "home"], rate = "1 Gbit/s", delay = "10 ms" }
traffic.upload = { app = "bulk", from = "laptop", to = "server" }
"""


def upload(queue: str, folder: Path) -> an.Cell:
    """Upload through a queue."""
    folder.mkdir()
    path = folder / "cell.toml"
    path.write_text(CELL.replace("QUEUE", queue))
    return an.run(path, reps=2, progress=False, out=folder / "out").cells[0]


def test_a_shift_of_seven_lets_some_ms_more_wait_than_one_of_ten(tmp_path: Path) -> None:
    """Linux measured 10 ms instead of 3 as mac80211 made it so."""
    shifts = {
        shift: upload(f'{{ kind = "mac80211", pacing_shift = {shift} }}', tmp_path / str(shift))
        for shift in (10, 7)
    }
    rtts = {shift: found["rtt_ms_mean"].mean for shift, found in shifts.items()}
    assert rtts[7] - rtts[10] == pytest.approx(7, abs=4)
    goodputs = [found["goodput_mbps"].mean for found in shifts.values()]
    assert goodputs[0] == pytest.approx(goodputs[1], rel=0.03)


def test_a_queue_that_tells_nothing_of_what_leaves_it_fills(tmp_path: Path) -> None:
    usual, full = (
        upload(f'{{ kind = "{kind}" }}', tmp_path / kind)["rtt_ms_mean"].mean
        for kind in ("mac80211", "drop-tail")
    )
    assert full > 1.5 * usual
