"""A STAMP reflector in the place of a node: pings to it, of which it says how long it had them."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from machines import PORT, Machine, machines

import anechoic as an

SCENARIO = """
run.duration = "2 s"
host.box.stack = "linux-6"
host.laptop.stack = "linux-6"
wire.lan.between = ["box", "laptop"]
"""
PING = 'traffic.ping = { app = "ping", from = "laptop", to = "box", interval = "100 ms" }'
UDP = 'traffic.load = { app = "udp", from = "laptop", to = "box", rate = "1 Mbit/s" }'
KEPT_MS = 50
OWN, SLOW, NOBODY = 862, 863, 864


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Machine]:
    """The console; it knows an endpoint, whose owner knows a reflector of ours and another one."""
    with machines(tmp_path, names=("laptop", "box")) as (laptop, box):
        home = laptop.home / "desk"
        home.mkdir()
        found = Machine("desk", laptop.address, home, laptop.process)
        laptop.pair(found.pair(), "desk")
        for name, port in (("box", OWN), ("slow", SLOW), ("attic", NOBODY)):
            laptop.pair("stamp", name, f"{box.address}:{port}")
        found.pair(laptop.pair(), "laptop", f"{laptop.address}:{PORT}")
        laptop.listen()
        box.listen("--reflect", f"{box.address}:{OWN}")
        script = Path(__file__).parent / "reflector.py"
        box.start(sys.executable, script, box.address, str(SLOW), str(KEPT_MS / 1e3))
        while f":{SLOW}" not in box.run("ss", "-lun").stdout:
            pass
        yield found


def written(folder: Path, traffic: str = PING) -> Path:
    path = folder / "ping.toml"
    path.write_text(f"{SCENARIO}{traffic}\n")
    return path


@pytest.mark.parametrize("name", ["box", "slow"])
def test_how_long_a_reflector_has_a_packet_is_no_part_of_its_way(
    name: str, desk: Machine, tmp_path: Path
) -> None:
    words = [written(tmp_path), "--stamp", f"box={name}", "--reps", "1"]
    done = desk.anechoic("measure", *words, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    (cell,) = an.Results.load(tmp_path / "out").cells
    # A pair of interfaces in one kernel; what a busy machine adds is far less than was kept.
    assert 0 < cell.metrics["flow.ping-1.rtt_ms_p50"].mean < KEPT_MS / 3


@pytest.mark.parametrize(
    ("traffic", "name", "said"),
    [
        (PING, "box=garden", "the owner's list has no STAMP reflector"),
        (PING, "box=attic", "STAMP at 10.39.0.2:864: "),
        (PING, "bx=box", '"bx=box" names no node of those'),
        (UDP, "box=box", "a STAMP reflector answers, and no more"),
        (PING.replace('"100 ms"', '"100 ms", flood = true'), "box=box", "and no more"),
    ],
)
def test_what_a_reflector_cannot_be_is_told_in_one_line(
    traffic: str, name: str, said: str, desk: Machine, tmp_path: Path
) -> None:
    words = [written(tmp_path, traffic), "--stamp", name, "--reps", "1"]
    done = desk.anechoic("measure", *words, "--out", tmp_path / "out")
    assert done.returncode == 2
    assert said in done.stderr, done.stderr
