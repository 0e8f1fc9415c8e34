"""The stand-in core: what a campaign does with records can be tested without a simulator.

Its metrics are a deterministic function of plan and seed, and their spread is that of
uniform noise around a mean that the number of flows sets.
"""

import hashlib
import json
import struct
import time
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from anechoic import _core

PROFILE = {
    "mss_bytes": 1460,
    "receive_window_bytes": 17520,
    "send_buffer_bytes": 17520,
    "window_scaling": False,
    "timestamps": False,
    "delayed_ack_ms": 200,
    "delayed_ack_segments": 2,
    "sack": True,
    "rto_min_ms": 300,
    "initial_window": {"segments": 2},
    "data_retries": 5,
    "duplicate_ack_threshold": 3,
    "reordering_max": 3,
}
UNITS = {
    "mss_bytes": "bytes",
    "receive_window_bytes": "bytes",
    "send_buffer_bytes": "bytes",
    "window_scaling": "",
    "timestamps": "",
    "delayed_ack_ms": "ms",
    "delayed_ack_segments": "segments",
    "sack": "",
    "rto_min_ms": "ms",
    "initial_window": "",
    "data_retries": "attempts",
    "duplicate_ack_threshold": "ACKs",
    "reordering_max": "ACKs",
}


Column = tuple[str, bytes, list[str] | None]
Table = dict[str, Column]


class Record:
    """A record with a goodput that falls with the number of flows."""

    def __init__(self, plan: dict[str, Any], seed: int) -> None:
        digest = hashlib.sha256(str(seed).encode()).digest()
        self.noise = int.from_bytes(digest[:8], "big") / 2**64 - 0.5
        self.flows = [flow["name"] for flow in plan["flows"]]
        self.is_sampled = plan["tcp_info_step_ns"] is not None
        self.has_series = plan["series_step_ns"] is not None

    def metrics(self) -> dict[str, float]:
        goodput = 6.0 - 0.1 * len(self.flows) + self.noise
        metrics = {"goodput_mbps": goodput}
        if self.noise > 0:
            metrics["rtt_ms_mean"] = 10 + self.noise
        return metrics

    def tables(self) -> dict[str, Table]:
        timing = {
            "flow": self._names(0),
            "index": _whole(0),
            "start_s": _real(1),
            "elapsed_s": _real(2),
            "bytes": _whole(3),
        }
        tables: dict[str, Table] = {"timing": timing}
        if self.has_series:
            tables["series"] = {"time_s": _real(1, 2), "goodput": _real(5, 6)}
        if self.is_sampled:
            tables["tcp_info"] = {
                "time_s": _real(1, 1, 2, 2),
                "flow": self._names(0, 0, 0, 0),
                "end": ("text", struct.pack("<4I", 0, 1, 0, 1), ["sender", "receiver"]),
                "tcpi_snd_cwnd": _whole(10, 10, 20, 20),
            }
        return tables

    def _names(self, *places: int) -> Column:
        return "text", struct.pack(f"<{len(places)}I", *places), self.flows


def _real(*values: float) -> Column:
    return "f64", struct.pack(f"<{len(values)}d", *values), None


def _whole(*values: int) -> Column:
    return "i64", struct.pack(f"<{len(values)}q", *values), None


def run(plan_json: str, seed: int, capture_dir: str | None = None) -> Record:
    plan = json.loads(plan_json)
    if any((node["stack"] or PROFILE)["data_retries"] == 13 for node in plan["nodes"]):
        raise ValueError("thirteen retries are too many")
    if capture_dir is not None:
        for tap in plan["taps"]:
            (Path(capture_dir) / f"{tap['name']}.pcapng").write_bytes(b"frames")
    if plan["duration_ns"] == 3_600_000_000_000:
        time.sleep(20)  # an hour takes its time
    # Replications take unlike times, so that they end out of order.
    time.sleep(seed % 4 / 1000)
    return Record(plan, seed)


def metric_names(plan_json: str) -> list[str]:
    """Fill the names of the plan's flows and nodes into those of the catalogue."""
    plan = json.loads(plan_json)
    owners = {
        kind.upper(): [each["name"] for each in plan[f"{kind}s"]] for kind in ("flow", "node")
    }
    names = []
    for metric in json.loads(_core.catalogue())["metrics"]:
        owner = next((each for each in owners if f".{each}." in metric["name"]), "")
        names += [metric["name"].replace(owner, name) for name in owners.get(owner, [""])]
    return names


def module() -> ModuleType:
    """Give the stand-in as a module."""
    core = ModuleType("anechoic._core")
    core.__dict__.update(
        run=run,
        Record=Record,
        ParquetWriter=_core.ParquetWriter,
        read_parquet=_core.read_parquet,
        catalogue=_core.catalogue,
        metric_names=metric_names,
        noise_dbm=_core.noise_dbm,
        emission=_core.emission,
        frame_bytes=_core.frame_bytes,
        frame_success=_core.frame_success,
        kinds=_core.kinds,
        stack_profile_names=lambda: ["windows-2000", "windows-xp"],
        stack_profile=lambda _name: json.dumps(PROFILE),
        stack_fields=lambda: [
            (field, unit, "Something.", ["rfc5681", "rfc6928"] if field == "initial_window" else [])
            for field, unit in UNITS.items()
        ],
        describe_stack=lambda _name: [(field, "a test") for field in UNITS],
        version=lambda: "0.0.0+standin",
    )
    return core


def report() -> ModuleType:
    """Give a report that is a single word."""

    def write(
        _results: object,
        out: Path,
        claims: Sequence[Any] = (),
        note: str = "",
        taps: Sequence[Any] = (),  # noqa: ARG001 (as the report takes them)
        emulated: Sequence[Any] = (),  # noqa: ARG001 (likewise)
    ) -> Path:
        path = out / "report.html"
        said = [*(f"{claim[0]}: {claim[1]}" for claim in claims), note]
        path.write_text("\n".join(["report", *filter(None, said)]))
        return path

    reports = ModuleType("anechoic.report")
    reports.__dict__["write"] = write
    reports.__dict__["JudgedClaim"] = lambda *parts: parts
    for name in ("Claim", "Experiment", "Number", "Paper", "Part", "Value"):
        reports.__dict__[f"Scored{name}"] = lambda *parts: parts
    reports.__dict__["first_figure"] = lambda _results: "drawn"
    reports.__dict__["scorecard_page"] = lambda *_parts: "scorecard"
    reports.__dict__["Tapped"] = lambda *parts: parts
    reports.__dict__["notebook_html"] = lambda results: f"{len(results.cells)} cells, drawn"
    return reports
