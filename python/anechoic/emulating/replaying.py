"""An emulation run again offline, much faster than it went by."""

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anechoic.campaign.store import cell_folder
from anechoic.emulating.console import LOG, PLAN
from anechoic.emulating.process import OUTCOME
from anechoic.scenario.core import Record, core
from anechoic.scenario.errors import Problem, ScenarioError


@dataclass(frozen=True, slots=True)
class Replay:
    """What an emulation gave when it was run again."""

    record: Record
    is_same: bool
    ran_s: float
    took_s: float
    frames: int

    def text(self) -> str:
        """Say what it gave."""
        faster = f"{self.ran_s:.1f} s replayed in {self.took_s:.2f} s"
        if self.is_same:
            return f"{faster}: all {self.frames} frames left at the same nanosecond, byte for byte"
        return (
            f"{faster}: what left is not what the emulation has noted: its files were "
            "changed, or this is another build"
        )


def replay(folder: Path, captures: Path | None = None) -> Replay:
    """Run an emulation again; ``folder`` is that of a run, or of a campaign of a single one."""
    place = _place_of(folder)
    outcome = json.loads((place / OUTCOME).read_text())
    plan: dict[str, Any] = json.loads((place / PLAN).read_text())
    began = time.perf_counter()
    log = place / LOG
    kept = None if captures is None else str(captures)
    try:
        with log.open("rb"):
            record, egress = core().replay(
                json.dumps(plan), outcome["seed"], str(log), outcome["ran_ns"], kept
            )
    except OSError as error:
        if error.filename not in (None, str(log)):
            raise
        what = f"it cannot be replayed: {error.strerror or error}"
        allowed = "the log that the emulation has left, whole"
        raise ScenarioError(str(log), [Problem("", what, allowed)]) from None
    took = time.perf_counter() - began
    frames = sum(each["frames_out"] for each in outcome["ports"])
    return Replay(record, egress == outcome["egress"], outcome["ran_ns"] / 1e9, took, frames)


def _place_of(folder: Path) -> Path:
    if (folder / OUTCOME).is_file():
        return folder
    found = sorted(cell_folder(folder, "*").parent.glob(f"*/*.emulation/{OUTCOME}"))
    if len(found) == 1:
        return found[0].parent
    what = "it holds no emulation" if not found else f"it holds {len(found)} emulations"
    allowed = ", ".join(str(each.parent) for each in found[:3]) or "the folder of an emulation"
    raise ScenarioError(str(folder), [Problem("", what, allowed)])
