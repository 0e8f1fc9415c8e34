"""What all these benches do: have endpoints measure a scenario, and read what they gave."""

import tempfile
from pathlib import Path

from machines import Machine, program_of
from measuring import Broken

import anechoic as an

UNLIMITED = ("--max-mbps", "1000000")
LIFE_S = 7200
"""How long a bench may take."""


def measured(desk: Machine, text: str, folder: Path, reps: int = 1) -> an.Results:
    """Measure a scenario from the console's machine."""
    file = folder / "load.toml"
    file.write_text(text)
    out = Path(tempfile.mkdtemp(dir=folder)) / "out"
    done = desk.anechoic("measure", file, "--reps", str(reps), "--out", out)
    if done.returncode:
        raise Broken(done.stderr)
    return an.Results.load(out)


def processor_s(machine: Machine) -> float:
    """Give the time that a machine's endpoint has had of processors."""
    number = program_of(machine.running[0], "python")
    # What stands behind the name, which may hold blanks (proc(5)).
    fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
    ticks = int(fields[11]) + int(fields[12])
    return ticks / 100
