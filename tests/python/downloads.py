"""A download through an access point, run and captured on the wire and on the air."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anechoic as an

SCENARIO = """
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
[tap.aired]
at = "ap.office"
"""


@dataclass(frozen=True)
class Download:
    """What a download left."""

    wired: Path
    aired: Path
    metrics: dict[str, float]


def download(folder: Path, values: Mapping[str, Any] | None = None) -> Download:
    """Run the scenario once, with some of its values replaced, in an empty folder."""
    scenario = folder / "download.toml"
    scenario.write_text(SCENARIO, encoding="utf-8")
    results = an.run(scenario, set=values, reps=1, out=folder / "run", progress=False)
    metrics = {name: value.mean for name, value in results.cells[0].metrics.items()}
    wired, aired = (next(folder.rglob(f"{tap}.pcapng")) for tap in ("wired", "aired"))
    return Download(wired, aired, metrics)
