"""Kills at random instants of `run`, `claims run` and `run --on dask`: nothing lost, no litter.

Each time the same command goes on to its end, and the folder has the bytes of an undisturbed run.
Of Dask the client, a worker or the scheduler is killed, which also must end, and say so.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from trials.outcomes import SCENARIO, files_of, scratch

CLAIMS = """
[more]
text = "A faster access point carries more."
experiment = "lab"
check = { rises = "goodput_mbps", along = "ap.office.rate" }
"""
_REPS = ("--reps", "2", "--jobs", "2")
_HANG_S = 120
_KINDS = ("run", "claims", "dask client", "dask worker", "dask scheduler")
_NODE = "anechoic.campaign.silent_nodes"


@dataclass(frozen=True)
class Bench:
    """A command, and what an undisturbed run of it leaves and takes."""

    words: Sequence[str]
    folder: Path
    right: dict[str, bytes]
    took_s: float


def trial(count: int, seed: int) -> list[str]:
    """Kill so often; give what went wrong."""
    rng = random.Random(seed)
    wrong: list[str] = []
    with scratch() as folder:
        benches = {kind: _bench(kind, folder) for kind in ("run", "claims", "dask")}
        for number in range(count):
            kind = _KINDS[number % len(_KINDS)]
            bench = benches[kind.split()[0]]
            after_s = rng.uniform(0.0, bench.took_s)
            found = [*_killed(kind, bench, after_s, rng)]
            wrong += [f"kill {number} of {kind} after {after_s:.2f} s: {each}" for each in found]
    return wrong


def _bench(kind: str, folder: Path) -> Bench:
    """Run a command undisturbed."""
    out = folder / kind / "out"
    study = folder / kind / "mine"
    study.mkdir(parents=True)
    (study / "lab.toml").write_text(SCENARIO, encoding="utf-8")
    (study / "claims.toml").write_text(CLAIMS, encoding="utf-8")
    if kind == "claims":
        words = ["claims", "run", str(study), *_REPS, "--out", str(out)]
    else:
        words = ["run", str(study / "lab.toml"), *_REPS, "--out", str(out)]
        words += ["--on", "dask"] if kind == "dask" else []
    begin = time.monotonic()
    status, said = _finished(_begun(words, folder / kind))
    assert status == 0, said
    took_s = time.monotonic() - begin
    right = files_of(out)
    shutil.rmtree(out)
    return Bench(words, folder / kind, right, took_s)


def _killed(kind: str, bench: Bench, after_s: float, rng: random.Random) -> Iterator[str]:
    out = bench.folder / "out"
    process = _begun(bench.words, bench.folder)
    time.sleep(after_s)
    if kind in ("dask worker", "dask scheduler"):
        # The scheduler is the first of them, whose parent is the command.
        nodes = sorted(_children(process.pid))
        victims = nodes[1:] if kind == "dask worker" else nodes[:1]
        for victim in victims[: rng.randint(1, max(1, len(victims)))]:
            os.kill(victim, signal.SIGKILL)
    else:
        process.send_signal(rng.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGTERM)))
    status, said = _finished(process)
    if status is None:
        yield "it hangs"
    if "Traceback" in said:
        yield f"a traceback: {said.strip().splitlines()[-1]}"
    kept = {path: path.stat().st_mtime_ns for path in out.glob("*records/*/*.sha256")}
    status, said = _finished(_begun(bench.words, bench.folder))
    if status != 0:
        yield f"the same command ends with {status}: {said.strip()[-300:]}"
    if any(not path.exists() or path.stat().st_mtime_ns != then for path, then in kept.items()):
        yield "what was finished was run again"
    now = files_of(out)
    yield from (f"another {each}" for each in bench.right if now.get(each) != bench.right[each])
    yield from (f"litter: {each}" for each in now.keys() - bench.right.keys())
    time.sleep(0.2)  # Workers end just after their parent.
    left = [path.name for path in (bench.folder / "tmp").iterdir()]
    yield from (f"litter in the temporary folder: {each}" for each in left)
    shutil.rmtree(out, ignore_errors=True)


def _begun(words: Sequence[str], folder: Path) -> "subprocess.Popen[str]":
    temporary = folder / "tmp"
    temporary.mkdir(exist_ok=True)
    piped = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    # Where drawing keeps its fonts is no litter.
    cache = {"MPLCONFIGDIR": tempfile.gettempdir()}
    return subprocess.Popen(
        [sys.executable, "-m", "anechoic.cli", *words],
        **piped,
        text=True,
        env=os.environ | cache | {"TMPDIR": str(temporary)},
    )


def _finished(process: "subprocess.Popen[str]") -> tuple[int | None, str]:
    """Wait for the end; without a status if there is none."""
    try:
        _, said = process.communicate(timeout=_HANG_S)
        return process.returncode, said
    except subprocess.TimeoutExpired:
        process.kill()
        return None, process.communicate()[1]


def _children(parent: int) -> Iterator[int]:
    """Give the nodes that a command has begun."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            about = path.read_text("utf-8").rpartition(")")[2].split()
            words = path.with_name("cmdline").read_bytes()
        except OSError:
            continue
        if int(about[1]) == parent and _NODE.encode() in words:
            yield int(path.parent.name)
