"""The marks of packets on the wire, as a scenario says them."""

import time
from pathlib import Path

from machines import PATIENCE_S, paired

SCENARIO = """
run.duration = "2 s"
host.server.stack = "linux-6"
host.laptop.stack = "linux-6"
wire.lan.between = ["server", "laptop"]
traffic.down = { app = "bulk", from = "server", to = "laptop", dscp = 8 }
traffic.film = { app = "udp", from = "laptop", to = "server", rate = "1 Mbit/s", dscp = 40 }
traffic.ping = { app = "ping", from = "laptop", to = "server", interval = "100 ms", dscp = 46 }
"""
FLOWS = "icmp or tcp port 5302 or udp port 5303"
"""The ports of flows follow that of the endpoint, in the scenario's order."""
FIELDS = ("ip.src", "ip.proto", "ip.dsfield.dscp")
ICMP, TCP, UDP = "1", "6", "17"


def test_every_packet_of_a_flow_has_its_mark_both_ways(tmp_path: Path) -> None:
    path = tmp_path / "marks.toml"
    path.write_text(SCENARIO)
    with paired(tmp_path) as (desk, laptop, server):
        fields = [word for name in FIELDS for word in ("-e", name)]
        captured = server.start("tshark", "-l", "-i", "any", "-f", FLOWS, "-T", "fields", *fields)
        deadline = time.monotonic() + PATIENCE_S
        while "Capturing on" not in server.log():
            assert time.monotonic() < deadline, server.log()
            time.sleep(0.05)
        done = desk.anechoic("measure", path, "--reps", "1", "--out", tmp_path / "out")
        assert done.returncode == 0, done.stderr
        captured.terminate()
        captured.wait()
        lines = [line.split("\t") for line in server.log().splitlines() if "\t" in line]
    found = {tuple(line) for line in lines}
    marks = {(TCP, "8"), (UDP, "40"), (ICMP, "46")}
    assert found == {(machine.address, *mark) for machine in (laptop, server) for mark in marks}
