"""The folder of a campaign: what is finished stays, whatever happens next.

    campaign.json                  the scenario, the seed, the version, the cells
    records/<cell>/plan.json       the plan of a cell
    records/<cell>/0000.parquet    metrics of replication 0; it is finished when this exists
    records/<cell>/0000.series.parquet, 0000.tcp_info.parquet, 0000.timing.parquet, 0000.captures/

Every file appears whole or not at all: it is written under another name, flushed to the
disk and then renamed.
"""

import hashlib
import json
import math
import shutil
import sys
from array import array
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anechoic.campaign.replication import StoppingRule
from anechoic.campaign.results import Axis, Results
from anechoic.campaign.sweep import CellPlan
from anechoic.files import closed_folder, flush_names, write_parquet, write_whole
from anechoic.scenario.core import Record
from anechoic.scenario.errors import Problem, ScenarioError, shown

if TYPE_CHECKING:
    import pyarrow

    from anechoic.scenario.model import Scenario

FORMAT = 1
MANIFEST = "campaign.json"

Metrics = dict[str, float]


class Store:
    """One campaign's folder."""

    def __init__(self, root: Path, manifest: dict[str, Any]) -> None:
        """Tie a folder and what its campaign.json says."""
        self.root = root
        self.manifest = manifest
        self.hashes: list[str] = [cell["hash"] for cell in manifest["cells"]]

    @classmethod
    def open(cls, root: Path) -> "Store":
        """Open the folder of a campaign that was begun before."""
        manifest = _read_manifest(root)
        if manifest is None:
            raise _refused(root, f"there is no {MANIFEST}", "the folder of a campaign")
        return cls(root, manifest)

    @classmethod
    def prepare(cls, root: Path, manifest: dict[str, Any], plans: Sequence[str]) -> "Store":
        """Begin a campaign's folder, or go on with it; refuse the folder of another."""
        check_free_for(root, manifest)
        store = cls(root, manifest)
        try:
            for name, plan in zip(store.hashes, plans, strict=True):
                folder = store._folder(name)
                folder.mkdir(parents=True, exist_ok=True)
                _clear_unfinished(folder)
                if not (folder / "plan.json").exists():
                    write_whole(folder / "plan.json", plan.encode())
            write_whole(root / MANIFEST, _json(manifest).encode())
            flush_names(root)
        except OSError as error:
            reason = f"cannot be written: {error.strerror or error}"
            raise _refused(root, reason, "a folder to write to") from None
        return store

    def is_finished(self, cell: int, replication: int) -> bool:
        """Say whether a replication was run to its end and kept."""
        return self._path(cell, replication, "").exists()

    def plan(self, cell: int) -> str:
        """Give the plan of a cell as JSON."""
        return (self._folder(self.hashes[cell]) / "plan.json").read_text(encoding="utf-8")

    def metrics(self, cell: int, replication: int) -> Metrics | None:
        """Give the metrics of a replication; None if it is not finished or not readable."""
        import pyarrow
        import pyarrow.parquet

        try:
            table = pyarrow.parquet.read_table(self._path(cell, replication, ""))
        except (OSError, pyarrow.ArrowException):
            return None
        names, values = table.column("metric").to_pylist(), table.column("value").to_pylist()
        return dict(zip(names, values, strict=True))

    def read_table(self, cell: int, replication: int, kind: str) -> "pyarrow.Table":
        """Give the timing records, the series or the samples of TCP_INFO of a replication."""
        import pyarrow.parquet

        path = self._path(cell, replication, f".{kind}")
        if not path.exists():
            raise LookupError(f"there is no {kind} of replication {replication} in {self.root}")
        return pyarrow.parquet.read_table(path)

    def write(
        self, cell: int, replication: int, record: Record, flows: Sequence[str] = ()
    ) -> Metrics:
        """Keep a record, its flows by name; the metrics come last and make it finished."""
        import pyarrow

        if columns := record.series():
            table = pyarrow.table({name: _floats(data) for name, data in columns.items()})
            write_parquet(self._path(cell, replication, ".series"), table)
        if (columns := record.tcp_info())["time_s"]:
            table = _tcp_info_table(columns, flows)
            write_parquet(self._path(cell, replication, ".tcp_info"), table)
        if columns := record.timing_records():
            table = _timing_table(columns, flows)
            write_parquet(self._path(cell, replication, ".timing"), table)
        metrics = {name: _number(value) for name, value in record.metrics().items()}
        table = pyarrow.table({"metric": list(metrics), "value": list(metrics.values())})
        write_parquet(self._path(cell, replication, ""), table)
        flush_names(self._folder(self.hashes[cell]))
        return metrics

    def capture_folder(self, cell: int, replication: int) -> Path:
        """Make the folder that a run's captures are written to."""
        folder = self._captures(cell, replication)
        unfinished = folder.with_name(f".{folder.name}.tmp")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir()
        return unfinished

    def keep_captures(self, cell: int, replication: int) -> None:
        """Give a run's captures their final name."""
        folder = self._captures(cell, replication)
        shutil.rmtree(folder, ignore_errors=True)
        folder.with_name(f".{folder.name}.tmp").rename(folder)

    def discard(self, cell: int, replication: int) -> None:
        """Remove a replication that the stopping rule turned out not to need."""
        for kind in ("", ".series", ".tcp_info", ".timing"):
            self._path(cell, replication, kind).unlink(missing_ok=True)
        shutil.rmtree(self._captures(cell, replication), ignore_errors=True)

    def write_results(self, results: Results) -> None:
        """Write the results document and the table of all summaries."""
        write_whole(self.root / "results.json", results.to_json().encode())
        write_whole(self.root / "results.csv", results.to_csv().encode())
        if results.scenario.run.tcp_info_step is not None:
            write_whole(self.root / "connections.csv", _csv(results.connections()))
        flush_names(self.root)

    def _folder(self, name: str) -> Path:
        return self.root / "records" / name

    def _path(self, cell: int, replication: int, kind: str) -> Path:
        return self._folder(self.hashes[cell]) / f"{replication:04d}{kind}.parquet"

    def _captures(self, cell: int, replication: int) -> Path:
        return self._folder(self.hashes[cell]) / f"{replication:04d}.captures"


def manifest_of(
    scenario: "Scenario",
    name: str,
    version: str,
    rule: StoppingRule,
    axes: Sequence[Axis],
    cells: Sequence[CellPlan],
) -> dict[str, Any]:
    """Say what a campaign is: all that its results depend on, and where it comes from."""
    return {
        "format": FORMAT,
        "campaign": {
            "name": name,
            "title": scenario.title,
            "file": scenario.source,
            "seed": scenario.run.seed,
            "version": version,
            "replication": {
                "metric": rule.metric,
                "min": rule.minimum,
                "max": rule.maximum,
                "precision": rule.precision,
            },
            "set": dict(scenario.overrides),
        },
        "axes": [{"name": axis.name, "values": list(axis.values)} for axis in axes],
        "cells": [{"parameters": cell.parameters, "hash": cell_hash(cell)} for cell in cells],
        "scenario": scenario.document(),
        "text": scenario.text,
    }


def cell_hash(cell: CellPlan) -> str:
    """Name a cell by its parameters and its plan."""
    text = json.dumps([cell.parameters, cell.plan], sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def rule_of(manifest: Mapping[str, Any]) -> StoppingRule:
    """Give the stopping rule that a campaign was run by."""
    rule = manifest["campaign"]["replication"]
    return StoppingRule(rule["metric"], rule["min"], rule["max"], rule["precision"])


def load_results(root: Path) -> Results:
    """Give the results of a finished campaign from its folder alone."""
    from anechoic.campaign.runner import finished_results
    from anechoic.scenario.load import from_data

    store = Store.open(root)
    campaign = store.manifest["campaign"]
    scenario = from_data(store.manifest["scenario"], campaign["file"], store.manifest["text"])
    return finished_results(store, scenario)


def is_free_for(root: Path, wanted: Mapping[str, Any]) -> bool:
    """Say whether a folder is unused, or holds the same campaign."""
    try:
        known = _read_manifest(root)
    except ScenarioError:
        return False
    return known is None or _difference(known, wanted) is None


def check_free_for(root: Path, wanted: Mapping[str, Any]) -> None:
    """Refuse a folder that holds another campaign, or cannot hold one."""
    known = _read_manifest(root)
    difference = None if known is None else _difference(known, wanted)
    if difference is not None:
        raise _refused(root, f"it holds another campaign: {difference}", "another --out")


def _difference(known: Mapping[str, Any], wanted: Mapping[str, Any]) -> str | None:
    for field in ("version", "seed"):
        old, new = known["campaign"][field], wanted["campaign"][field]
        if old != new:
            return f"its {field} is {shown(old)}, not {shown(new)}"
    old_cells = [cell["hash"] for cell in known["cells"]]
    if old_cells != [cell["hash"] for cell in wanted["cells"]]:
        return f"{known['campaign']['file']} with other values or another sweep"
    return None


def _read_manifest(root: Path) -> dict[str, Any] | None:
    try:
        manifest = json.loads((root / MANIFEST).read_bytes())
    except FileNotFoundError:
        return None
    except NotADirectoryError:
        raise _refused(root, "this is a file", "a folder") from None
    except OSError as error:
        what = f"{MANIFEST} cannot be read: {error.strerror or error}"
        raise _refused(root, closed_folder(root / MANIFEST) or what, "another --out") from None
    except ValueError as error:
        raise _refused(root, f"{MANIFEST} cannot be read: {error}", "another --out") from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        what = f"{MANIFEST} is not of this program's format, {FORMAT}"
        raise _refused(root, what, "another --out")
    return manifest


def _refused(root: Path, what: str, allowed: str) -> ScenarioError:
    return ScenarioError(str(root), [Problem("", what, allowed)])


def _clear_unfinished(folder: Path) -> None:
    # What a killed run left behind under a preliminary name.
    for path in sorted(folder.glob(".*.tmp")):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _number(value: float) -> float:
    # A ratio over nothing, which no mean and no JSON document can hold.
    return value if math.isfinite(value) else math.nan


def _json(document: Any) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _floats(data: bytes) -> "pyarrow.Array":
    import pyarrow

    values = array("d")
    values.frombytes(data)
    if sys.byteorder == "big":
        values.byteswap()
    return pyarrow.array(memoryview(values), type=pyarrow.float64())


def _timing_table(columns: Mapping[str, bytes], flows: Sequence[str]) -> "pyarrow.Table":
    """Give the timing records with counts as whole numbers, and each flow by its name."""
    import pyarrow

    table = {name: _floats(data) for name, data in columns.items()}
    for name in ("flow", "index", "bytes"):
        table[name] = table[name].cast(pyarrow.int64())
    names = pyarrow.array(flows, type=pyarrow.string())
    return pyarrow.table({**table, "flow": names.take(table["flow"])})


def _tcp_info_table(columns: Mapping[str, bytes], flows: Sequence[str]) -> "pyarrow.Table":
    """Give the samples of TCP_INFO as whole numbers, flow and end by their names."""
    import pyarrow

    table = {
        name: _floats(data) if name == "time_s" else _floats(data).cast(pyarrow.int64())
        for name, data in columns.items()
    }
    initiator = table.pop("initiator")
    ends = pyarrow.array(["receiver", "sender"], type=pyarrow.string())
    flow = pyarrow.array(flows, type=pyarrow.string()).take(table.pop("flow"))
    time = table.pop("time_s")
    return pyarrow.table({"time_s": time, "flow": flow, "end": ends.take(initiator), **table})


def _csv(table: "pyarrow.Table") -> Any:
    import pyarrow
    import pyarrow.csv

    buffer = pyarrow.BufferOutputStream()
    pyarrow.csv.write_csv(table, buffer)
    return buffer.getvalue()
