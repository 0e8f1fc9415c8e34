"""Run programs, time them, and say what they took: what all benches share."""

import re
import statistics
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ABSENT = "absent"


class Broken(Exception):
    """A program failed, or printed something else than agreed."""


@dataclass(frozen=True)
class Row:
    """One line of the table; `met` is None where there is no figure to meet."""

    what: str
    figure: str
    goal: str = ""
    met: bool | None = None


@dataclass(frozen=True)
class Run:
    """What one run of a program took, and what it printed."""

    wall_s: float
    output: str


def run(command: Sequence[str | Path]) -> Run:
    """Run a program to its end; its failure is ours."""
    start = time.perf_counter()
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    wall_s = time.perf_counter() - start
    if done.returncode != 0:
        raise Broken(f"{' '.join(map(str, command))} failed:\n{done.stderr}")
    return Run(wall_s, done.stdout + done.stderr)


def counted(command: Sequence[str | Path]) -> tuple[int, str]:
    """Count the instructions of a program; give its output too."""
    with tempfile.TemporaryDirectory() as folder:
        tool = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out"]
        output = run([*tool, *command]).output
    collected = re.search(r"Collected\s*:\s*(\d+)", output)
    if collected is None:
        raise Broken(f"callgrind reported no count: {output!r}")
    return int(collected.group(1)), output


def peak_kb(command: Sequence[str | Path]) -> int:
    """Run a program and give the peak of its memory.

    Looks at the kernel's high-water mark until the program ends. The peak that `wait` reports
    will not do: it starts from the memory of the process that started the program, ours.
    """
    peak = 0
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL) as process:
        status = Path(f"/proc/{process.pid}/status")
        while process.poll() is None:
            mark = re.search(r"VmHWM:\s*(\d+) kB", status.read_text())
            peak = max(peak, int(mark.group(1))) if mark else peak
            time.sleep(0.001)
    if process.returncode != 0:
        raise Broken(f"{' '.join(map(str, command))} failed")
    return peak


def printed(output: str, key: str) -> float:
    """Give the value of a key=value pair in a program's output."""
    found = re.search(rf"\b{key}=([0-9.eE+-]+)", output)
    if found is None:
        raise Broken(f"no {key}= in {output!r}")
    return float(found.group(1))


def turns(commands: dict[str, list[str | Path]], rounds: int) -> dict[str, list[float]]:
    """Run the programs in turns; give the wall seconds of each in every round."""
    walls: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            walls[name].append(run(command).wall_s)
    return walls


def in_turns(commands: dict[str, list[str | Path]], rounds: int) -> dict[str, float]:
    """Run the programs in turns; give each one's median wall seconds."""
    walls = turns(commands, rounds)
    return {name: statistics.median(times) for name, times in walls.items()}


def put_table(page: Path, command: str, text: str) -> None:
    """Put a table between the marks that name its command on a page."""
    start, end = f"<!-- table: {command} -->", "<!-- end of table -->"
    before, _, rest = page.read_text().partition(start)
    _, found, after = rest.partition(end)
    if not found:
        raise SystemExit(f"{page} has lost the marks around its table")
    page.write_text(f"{before}{start}\n\n{text}\n\n{end}{after}")
