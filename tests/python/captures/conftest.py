"""A capture of our own tap, made once."""

from pathlib import Path

import pytest

import anechoic as an

DOWNLOAD = """
title = "a download through a short queue"
[run]
duration = "5 s"
warmup = "0 s"
[host.server]
stack = "windows-xp"
[ap.office]
profile = "plain"
queue_packets = 8
[sta.laptop]
ap = "office"
stack = "windows-xp"
[wire.lan]
between = ["server", "office"]
[air]
loss = "48 dB"
[traffic.down]
app = "bulk"
from = "server"
to = "laptop"
[tap.wired]
at = "wire.lan"
"""


@pytest.fixture(scope="session")
def capture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the capture of a download in which segments were lost."""
    folder = tmp_path_factory.mktemp("download")
    scenario = folder / "download.toml"
    scenario.write_text(DOWNLOAD)
    an.run(scenario, reps=1, out=folder / "out", progress=False)
    return next(folder.rglob("wired.pcapng"))
