"""Stations that foresee fades: their TCP tells its peers of no window (Freeze-TCP)."""

import json
from pathlib import Path
from typing import Any

import pytest
from recorded import tshark
from refused import refusal_of

from anechoic.scenario.compile import compile_scenario
from anechoic.scenario.core import core
from anechoic.scenario.load import load

# Clear for three seconds, gone for two; what decides is the level at which 11 Mbit/s get lost.
FADES = """\
run.duration = "20 s"

[host.server]
stack = "bsd-4.4"

[ap.airport]
rate = "11 Mbit/s"
rate_control = "fixed"

[sta.terminal]
ap = "airport"
rate = "11 Mbit/s"
rate_control = "fixed"
stack = "linux-2.4"
freeze_below = "-85.3 dBm"

[wire.lan]
between = ["server", "airport"]

[air]
standard = "802.11b"
preamble_detection = "-94 dBm"

[air.link.cabinets]
between = ["airport", "terminal"]
loss = "97.3 dB"

[air.link.cabinets.fading.shadow]
kind = "fades"
depth = "10 dB"
faded = ["2 s", "2 s"]
clear = ["3 s", "3 s"]
transition = "500 ms"

[traffic.download]
app = "bulk"
from = "server"
to = "terminal"

[tap]
terminal = { at = "stack.terminal" }
card = { at = "events.terminal" }
"""
THRESHOLD = 'freeze_below = "-85.3 dBm"\n'


def run(folder: Path, text: str) -> Any:
    """Run a scenario, its captures into the folder."""
    path = folder / "lab.toml"
    path.write_text(text, encoding="utf-8")
    return core().run(json.dumps(compile_scenario(load(path))), 1, str(folder)).metrics()


@pytest.fixture(scope="module")
def frozen(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path]:
    """Give the metrics of a run and the folder of its captures."""
    folder = tmp_path_factory.mktemp("frozen")
    return run(folder, FADES), folder


def test_a_terminal_that_foresees_fades_keeps_its_servers_timer_from_running(
    frozen: tuple[Any, Path], tmp_path: Path
) -> None:
    without = run(tmp_path, FADES.replace(THRESHOLD, ""))
    assert frozen[0]["tcp.timeouts"] < without["tcp.timeouts"] / 3
    assert frozen[0]["goodput_mbps"] > 1.5 * without["goodput_mbps"]


def test_it_tells_of_no_window_and_three_times_of_its_own(frozen: tuple[Any, Path]) -> None:
    acknowledgments = "tcp.len == 0 && tcp.flags.syn == 0"
    fields = ("-T", "fields", "-e", "tcp.ack", "-e", "tcp.window_size")
    windows = tshark(frozen[1] / "terminal.pcapng", "-Y", acknowledgments, *fields)
    told = [tuple(map(int, line.split("\t"))) for line in windows]
    shut = [place for place, (_, window) in enumerate(told) if window == 0]
    ends = [place + 1 for place in shut if place + 1 not in shut and place + 3 < len(told)]
    assert len(ends) >= 2, "one for each fade that is over"
    for first, second, third in (told[end : end + 3] for end in ends):
        assert first == second == third
        assert first[1] > 0


def test_it_goes_by_the_level_that_its_card_reports(frozen: tuple[Any, Path]) -> None:
    lines = (frozen[1] / "card.iwevent").read_text("utf-8").splitlines()
    levels = [
        (float(line.split()[0].split(":")[-1]), int(line.split("level=")[1].split()[0]))
        for line in lines
        if "level=" in line
    ]
    windows = ("-T", "fields", "-e", "frame.time_epoch", "-e", "tcp.window_size")
    told = [line.split("\t") for line in tshark(frozen[1] / "terminal.pcapng", *windows)]
    warned = next(float(at) for at, window in told if window == "0")
    *_, (_, level_before), (at, level_then) = (each for each in levels if each[0] <= warned)
    assert level_before >= -85 >= level_then
    assert warned - at < 0.002, "at once, but for a frame's time"


def test_a_level_that_is_none_is_refused(tmp_path: Path) -> None:
    text = FADES.replace("-85.3 dBm", "-85.3 dB")
    assert "sta.terminal.freeze_below" in refusal_of(tmp_path, text)
