"""Papers' benches in emulated cells: endpoints, console and an snmpd, beside simulator and iperf3.

    python benches/measured_cell.py thesis|goel-1|torino [--reps 12] [--seconds 8] [--out FOLDER]

`thesis` sweeps the access point's fragmentation threshold over SNMP, as the thesis did, by v2c with
bulk transfers and by v3 with IxChariot's throughput script; iperf3 runs in the same cell, and in
an emulation of its own. `goel-1` is the thesis's baseline, with both access points; `torino` is
the Torino paper's table II, GenTraGen's downlink to four laptops. Printed is each one's goodput
with its 95 % interval, how far it is off the simulator's, and what the papers' claims come to on
what was measured. Needs root, iperf3 and snmpd. With 12 repetitions of 8 s, `thesis` and `goel-1`
take half an hour each; `torino` takes as long with 60 s.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from measuring import Broken
from measuring import run as run_program

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "python"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "python" / "measuring"))

from emulated_machines import emulated
from machines import Machine

import anechoic as an
from anechoic.campaign.replication import Summary, summarise
from anechoic.emulating.api import prepared, run

STUDIES = Path(an.__file__).parent / "studies"
THRESHOLDS = (2346, 1024, 512, 256)
PAIRS = 4
TRIES = 5
"""How often iperf3 is begun whose server is busy yet with the end of the one before."""
WARMUP_S = 2

THESIS = """
run = {{ duration = "{duration} s", warmup = "{warmup} s" }}
host.server = {{ stack = "linux-6", port = true }}
ap.office = {{ profile = "vendor-a", queue_packets = 500, port = true }}
sta.laptop = {{ ap = "office", stack = "linux-6", rate_control = "fallback", port = true }}
wire.lan = {{ between = ["server", "office"], rate = "100 Mbit/s", delay = "0.1 ms" }}
air = {{ standard = "802.11b", channel = 6, loss = "48 dB" }}
traffic.pairs = {{ app = "{app}", from = "server", to = "laptop", count = {pairs} }}
replication = {{ metric = "goodput_mbps", min = {reps}, max = 60, precision = 0.02 }}

[[sweep]]
name = "fragments"
"ap.office.fragmentation_threshold" = {thresholds}
"""
GOEL_1 = """
extends = "{study}"
run = {{ duration = "{duration} s", warmup = "{warmup} s" }}
host.server.port = true
ap.office = {{ profile = "{vendor}", port = true }}
sta.laptop = {{ preamble = "{preamble}", port = true }}

[[sweep]]
name = "vendor"
"ap.office.profile" = ["{vendor}"]
"sta.laptop.preamble" = ["{preamble}"]

[[sweep]]
name = "connections"
"traffic.pairs.count" = [2, 4, 8, 16, 32]
"traffic.pairs.transactions_per_record" = [16, 8, 4, 2, 1]
"""
VENDORS = {"vendor-a": "long", "vendor-b": "short"}
"""The thesis's access points, with the preamble that each announces."""

TORINO = """
extends = "{study}"
run = {{ duration = "{duration} s", warmup = "{warmup} s" }}
host.router = {{ stack = "linux-6", port = true }}
window.together = {{ from = "{warmup} s", until = "{duration} s" }}
replication = {{ metric = "goodput_mbps", min = {reps}, max = {reps} }}

[[sweep]]
name = "limit"
labels = ["{limit} kB"]
"host.router.tcp.send_buffer_bytes" = ["{limit} KiB"]
"""
LAPTOPS = ("lasagna", "spaghetti", "pizza", "maccherone")
LAPTOP = """
[sta.{name}]
stack = "linux-6"
port = true
"""
WINDOW = """
[window.until-{name}]
until = "{duration} s"
"""
LIMITS = (64, 32)
"""What the server's send buffer may grow to, in KiB (tcp_wmem)."""

SET = """
import json, sys
from anechoic.measuring.access_points import AccessPoints
from anechoic.measuring.agents import known_agents
AccessPoints(known_agents()).put(json.loads(sys.argv[1]))
"""


@dataclass(frozen=True)
class Asked:
    """How often and how long, and where all is kept."""

    reps: int
    seconds: int
    out: Path

    def written(self, name: str, text: str) -> Path:
        """Write a scenario."""
        path = self.out / f"{name}.toml"
        path.write_text(text)
        return path


Found = Mapping[str, Summary]
"""Goodputs in Mbit/s, by what they are of."""


def goodputs(results: an.Results) -> dict[str, Summary]:
    """Give the goodput of each cell, and of each flow where there is one cell."""
    if len(results.cells) > 1:
        named = ((", ".join(map(str, cell.parameters.values())), cell) for cell in results.cells)
        return {name: cell["goodput_mbps"] for name, cell in named}
    metrics = results.cells[0].metrics
    names = [name for name in metrics if name.endswith("goodput_mbps")]
    return {name.removesuffix(".goodput_mbps"): metrics[name] for name in names}


def measured(desk: Machine, file: Path, out: Path, *options: str) -> dict[str, Summary]:
    """Measure a scenario's campaign between the endpoints of an emulated cell."""
    desk.patience_s = None
    done = desk.anechoic("measure", file, "--out", out, *options)
    if done.returncode:
        raise Broken(done.stderr)
    return goodputs(an.Results.load(out))


def simulated(file: Path, asked: Asked) -> dict[str, Summary]:
    """Simulate the same, with the stack of today's Linux at all ends."""
    stacks = {f"{path}.stack": "linux-6" for path in ends_of(an.load(file))}
    return goodputs(an.run(file, set=stacks, reps=asked.reps, out=asked.out / f"{file.stem}-sim"))


def ends_of(scenario: an.Scenario) -> list[str]:
    """Give the paths of the machines with a stack."""
    return [*(f"host.{name}" for name in scenario.host), *(f"sta.{name}" for name in scenario.sta)]


def iperf3_within(desk: Machine, emulation: an.Emulation, asked: Asked) -> dict[str, Summary]:
    """Run iperf3 in the cell that was measured, with every threshold set by SNMP."""
    emulation["server"].start("iperf3 -s")
    found = {}
    for threshold in THRESHOLDS:
        settings = json.dumps({"office": {"fragmentation_threshold": threshold}})
        done = desk.run(sys.executable, "-c", SET, settings)
        if done.returncode:
            raise Broken(done.stderr)
        found[str(threshold)] = summarise([iperf3(emulation, asked) for _ in range(asked.reps)])
    return found


def iperf3(emulation: an.Emulation, asked: Asked) -> float:
    """Give the goodput of as many streams as the scenario has, in Mbit/s."""
    words = f"iperf3 -c server -R -P {PAIRS} -t {asked.seconds} -O {WARMUP_S} -J"
    for _ in range(TRIES):
        told = json.loads(emulation["laptop"].run(f"sleep 0.5; {words}").stdout)
        if "error" not in told:
            return float(told["end"]["sum_received"]["bits_per_second"]) / 1e6
    raise Broken(f"iperf3: {told['error']}")


def iperf3_alone(asked: Asked) -> dict[str, Summary]:
    """Emulate the cell by itself, with iperf3 as its programs."""
    text = thesis_text("bulk", asked)
    seconds = asked.seconds + WARMUP_S
    programs = [
        ("server", "iperf3 -s -1"),
        ("laptop", f"sleep 0.3; iperf3 -c server -R -P {PAIRS} -i 0 -t {seconds}"),
    ]
    file = asked.written("emulated", text)
    length = f"{seconds} s"
    scenario = prepared(file, programs=programs, length=length)
    results, _ = run(scenario, reps=asked.reps, out=asked.out / "emulated")
    return goodputs(results)


def thesis_text(app: str, asked: Asked) -> str:
    """Give the thesis's cell with one of its applications."""
    return THESIS.format(
        app=app,
        duration=asked.seconds + WARMUP_S,
        warmup=WARMUP_S,
        pairs=PAIRS,
        reps=asked.reps,
        thresholds=list(THRESHOLDS),
    )


def thesis(asked: Asked) -> None:
    """Print the thesis's sweep, of bulk transfers and of the throughput script."""
    file = asked.written("bulk", thesis_text("bulk", asked))
    with emulated(asked.out / "bulk", file, "v2c") as (desk, emulation):
        live = measured(desk, file, asked.out / "bulk-live")
        beside = iperf3_within(desk, emulation, asked)
    print(f"lateness of the cell: {emulation.outcome['lateness_out']['p99_ns'] / 1e3:.0f} µs (p99)")
    ours = simulated(file, asked)
    columns = {"sim": ours, "emulate": iperf3_alone(asked), "live, v2c": live, "iperf3": beside}
    print_table("bulk", columns)
    file = asked.written("script", thesis_text("chariot-throughput", asked))
    with emulated(asked.out / "script", file, "v3") as (desk, _):
        live = measured(desk, file, asked.out / "script-live")
    ours = simulated(file, asked)
    print_table("throughput script", {"sim": ours, "live, v3": live})


def goel_1(asked: Asked) -> None:
    """Print the thesis's baseline, and what its claims come to on what was measured."""
    folders = []
    for vendor, preamble in VENDORS.items():
        text = GOEL_1.format(study=STUDIES / "goel2006" / "goel-1.toml", vendor=vendor,
            preamble=preamble, duration=asked.seconds + WARMUP_S, warmup=WARMUP_S)  # fmt: skip
        file = asked.written(vendor, text)
        with emulated(asked.out / f"{vendor}-cell", file, "v2c") as (desk, _):
            live = measured(desk, file, asked.out / vendor, "--reps", str(asked.reps))
        print_table(vendor, {"sim": simulated(file, asked), "live": live})
        folders.append(f"goel-1={asked.out / vendor}")
    judge("goel-1", folders)


def torino(asked: Asked) -> None:
    """Print the Torino paper's downlink, and what the claims of its table II come to."""
    study = STUDIES / "franceschinis" / "franceschinis-tab2.toml"
    times = {"duration": asked.seconds + WARMUP_S, "warmup": WARMUP_S}
    folders = []
    for limit in LIMITS:
        text = TORINO.format(study=study, limit=limit, reps=asked.reps, **times)
        text += "".join(LAPTOP.format(name=name) for name in (*LAPTOPS, "others"))
        text += "".join(WINDOW.format(name=name, **times) for name in LAPTOPS)
        file = asked.written(f"torino-{limit}", text)
        with emulated(asked.out / f"torino-{limit}-cell", file, "v3") as (desk, emulation):
            buffers = f"4096 16384 {limit * 1024}"
            emulation["router"].run(f"echo {buffers} >/proc/sys/net/ipv4/tcp_wmem", check=True)
            live = measured(desk, file, asked.out / f"torino-{limit}")
        print_table(f"window of {limit} kB", {"sim": simulated(file, asked), "live": live})
        folders.append(f"franceschinis-tab2={asked.out / f'torino-{limit}'}")
    judge("franceschinis-tab2", folders)


def judge(experiment: str, folders: Sequence[str]) -> None:
    """Print what an experiment's claims come to on campaigns that were measured."""
    given = [word for folder in folders for word in ("--on", folder)]
    command = [sys.executable, "-m", "anechoic.cli", "claims", "judge", experiment, *given]
    print(run_program(command).output, flush=True)


def print_table(title: str, columns: Mapping[str, Found]) -> None:
    """Print goodputs side by side, each with its distance from the first."""
    (_, first), *_ = columns.items()
    print(f"{title}: goodput in Mbit/s, and how far it is off {next(iter(columns))}")
    for what in first:
        print(f"  {what:16}", "   ".join(cells_of(what, columns, first)), flush=True)


def cells_of(what: str, columns: Mapping[str, Found], first: Found) -> Iterator[str]:
    """Give the text of each column."""
    for name, found in columns.items():
        mean, half_width = found[what].mean, found[what].ci95
        off = 100 * (mean / first[what].mean - 1)
        yield f"{name} {mean:.3f} ± {half_width:.3f} ({off:+.1f} %, n = {len(found[what].values)})"


def main(words: Sequence[str] | None = None) -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    kinds = {"thesis": thesis, "goel-1": goel_1, "torino": torino}
    parser.add_argument("what", choices=kinds)
    parser.add_argument("--reps", type=int, default=12)
    parser.add_argument("--seconds", type=int, default=8)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args(words)
    out = given.out or Path(tempfile.mkdtemp(prefix="measured-cell-"))
    out.mkdir(parents=True, exist_ok=True)
    kinds[given.what](Asked(given.reps, given.seconds, out))


if __name__ == "__main__":
    main()
