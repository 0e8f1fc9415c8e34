"""The stand-in core: what a campaign does with records can be tested without a simulator.

Its metrics are a deterministic function of plan and seed, and their spread is that of
uniform noise around a mean that the plan sets.
"""

import hashlib
import json
import struct
import time
from types import ModuleType
from typing import Any

PROFILES = {
    "windows-xp": {
        "receive_window_bytes": 17520,
        "sack": True,
        "rto_min_ns": 300_000_000,
        "data_retransmissions": 5,
    },
    "windows-2000": {
        "receive_window_bytes": 17520,
        "sack": True,
        "rto_min_ns": 300_000_000,
        "data_retransmissions": 5,
    },
}
UNITS = {
    "receive_window_bytes": "bytes",
    "sack": "",
    "rto_min_ns": "ns",
    "data_retransmissions": "attempts",
}


class Record:
    """A record with one connection-dependent goodput, one series and one timing record."""

    def __init__(self, plan: dict[str, Any], seed: int) -> None:
        luck = hashlib.sha256(str(seed).encode()).digest()
        self.noise = int.from_bytes(luck[:8], "big") / 2**64 - 0.5
        self.flows = plan["flows"]
        self.has_series = plan["series_step_ns"] is not None

    def metrics(self) -> dict[str, float]:
        goodput = 6.0 - 0.1 * len(self.flows) + self.noise
        return {"goodput_mbps": goodput, "tcp.retransmissions": round(40 * (self.noise + 0.5))}

    def series(self) -> dict[str, bytes]:
        if not self.has_series:
            return {}
        return {"time_s": struct.pack("<2d", 1.0, 2.0), "goodput": struct.pack("<2d", 5.0, 6.0)}

    def timing_records(self) -> dict[str, bytes]:
        names = ("flow", "index", "start_s", "elapsed_s", "bytes")
        return {name: struct.pack("<d", value) for name, value in zip(names, (0, 0, 1, 2, 3))}


def run(plan_json: str, seed: int, capture_dir: str | None = None) -> Record:
    plan = json.loads(plan_json)
    if capture_dir is not None:
        for tap in plan["taps"]:
            with open(f"{capture_dir}/{tap['name']}.pcapng", "wb") as file:
                file.write(b"frames")
    # Replications take unlike times, so that they end out of order.
    time.sleep(seed % 4 / 1000)
    return Record(plan, seed)


def module() -> ModuleType:
    """Give the stand-in as a module."""
    core = ModuleType("anechoic._core")
    core.__dict__.update(
        run=run,
        Record=Record,
        stack_profile_names=lambda: sorted(PROFILES),
        stack_profile=lambda name: json.dumps(PROFILES[name]),
        describe_stack=lambda name: [(field, unit, "a test") for field, unit in UNITS.items()],
        version=lambda: "0.0.0+standin",
    )
    return core
