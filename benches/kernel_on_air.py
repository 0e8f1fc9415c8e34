"""The simulated Linux against this machine's kernel on the same simulated cell.

    python benches/kernel_on_air.py [RUNS [ROW ...]]

Each row is a scenario that is run twice: whole in the simulator, with the stack linux-6, and
emulated, with the kernel's TCP and iperf3 in its nodes. Printed are goodput and mean round trip of
both with their 95 % intervals, and how many emulations were valid. Needs root and iperf3; a row of
12 runs takes three minutes.
"""

import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anechoic as an
from anechoic.campaign.replication import Summary
from anechoic.emulating.api import prepared, run
from anechoic.emulating.outcome import is_valid

SECONDS = 12


@dataclass(frozen=True)
class Row:
    """A cell with its stations, and what differs from the plain one."""

    name: str
    standard: str = "802.11g"
    control: str = "cubic"
    is_upload: bool = False
    stations: int = 1
    loss: float = 0.0
    values: Mapping[str, Any] = field(default_factory=dict)

    def text(self) -> str:
        """Give the scenario."""
        names = [f"s{number}" for number in range(1, self.stations + 1)]
        stack = f'stack = "linux-6", port = true, tcp.congestion_control = "{self.control}"'
        lines = [
            f'run = {{ duration = "{SECONDS} s", warmup = "2 s" }}',
            f"host.server = {{ {stack} }}",
            "ap.office = {}",
            f'wire.lan = {{ between = ["server", "office"], delay = "5 ms"{self.impaired()} }}',
            f'air = {{ loss = "60 dB", standard = "{self.standard}" }}',
        ]
        for number, name in enumerate(names):
            ends = (name, "server") if self.is_upload else ("server", name)
            lines += [
                f'sta.{name} = {{ ap = "office", {stack} }}',
                f'traffic.{name} = {{ app = "bulk", from = "{ends[0]}", to = "{ends[1]}" }}',
                f'program.listen-{name} = {{ node = "server", '
                f'command = "iperf3 -s -1 -p {5201 + number}" }}',
                f'program.send-{name} = {{ node = "{name}", start = "300 ms", '
                f'command = "iperf3 -c server -p {5201 + number} {self.options()}" }}',
            ]
        return "\n".join(lines)

    def impaired(self) -> str:
        """Give what drops data on the wire."""
        if not self.loss:
            return ""
        drop = f'kind = "drop", towards = "office", match = "tcp-data", probability = {self.loss}'
        return f", impair.loss = {{ {drop} }}"

    def options(self) -> str:
        """Give what iperf3 is told beside where to go."""
        return f"-t {SECONDS} -i 0{'' if self.is_upload else ' -R'}"


ROWS = [
    Row("download, Cubic"),
    Row("download, Reno", control="reno"),
    Row("upload, Cubic", is_upload=True),
    Row("upload, Reno", control="reno", is_upload=True),
    Row("four downloads", stations=4),
    Row("four uploads", stations=4, is_upload=True),
    Row("802.11b download", standard="802.11b"),
    Row("802.11b upload", standard="802.11b", is_upload=True),
    Row("RTS", values={"ap.office.rts_threshold": 500}),
    Row("fragments", standard="802.11b", values={"ap.office.fragmentation_threshold": 512}),
    Row("50 ms", values={"wire.lan.delay": "50 ms"}),
    Row("1 % loss, Cubic", loss=0.01),
    Row("1 % loss, Reno", control="reno", loss=0.01),
    Row("download, BBR", control="bbr"),
]


def measured(row: Row, runs: int, folder: Path) -> tuple[list[Summary], list[Summary], int]:
    """Give goodput and round trip of the simulator and of the kernel, and the valid runs."""
    path = folder / f"{row.name.replace(' ', '-').replace(',', '')}.toml"
    path.write_text(row.text())
    wanted = ("goodput_mbps", "rtt_ms_mean")
    told = an.run(path, set=row.values, reps=runs, out=folder / f"{path.stem}-sim", progress=False)
    scenario = prepared(path, set=row.values)
    results, ran = run(scenario, reps=runs, out=folder / f"{path.stem}-emu")
    both = [[each.cells[0].metrics[name] for name in wanted] for each in (told, results)]
    return both[0], both[1], sum(is_valid(each.outcome) for each in ran)


def main() -> None:
    """Print the table."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 12
    asked = sys.argv[2:] or [row.name for row in ROWS]
    print(f"{'':20}  Mbit/s: simulated     kernel          ms: simulated     kernel        valid")
    with tempfile.TemporaryDirectory() as folder:
        for row in (row for row in ROWS if row.name in asked):
            simulated, real, valid = measured(row, runs, Path(folder))
            columns = [
                f"{one.mean:8.2f} ± {one.ci95:4.2f}  {other.mean:8.2f} ± {other.ci95:4.2f} "
                f"{100 * (other.mean / one.mean - 1):+5.1f} %"
                for one, other in zip(simulated, real, strict=True)
            ]
            print(f"{row.name:20}  {'   '.join(columns)}   {valid} of {runs}", flush=True)


if __name__ == "__main__":
    main()
