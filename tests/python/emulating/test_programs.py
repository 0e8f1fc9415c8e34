"""Programs that everybody has, over the simulated cell: iperf3, ping, curl, a browser."""

import json
import os
import re
from pathlib import Path

import pytest

import anechoic as an

HOME = """
run.duration = "60 s"
host.server = { stack = "linux-6", port = true }
ap.office = {}
sta.laptop = { ap = "office", stack = "linux-6", port = true }
wire.lan = { between = ["server", "office"], delay = "5 ms" }
air = { loss = "60 dB", standard = "802.11g" }
"""
BEHIND_NAT = """
run.duration = "60 s"
host.server = { stack = "linux-6", port = true }
router.gate.nat = "wire.dsl"
sta.laptop = { ap = "home", stack = "linux-6", port = true }
ap.home = {}
air = { loss = "60 dB", standard = "802.11g" }
wire.lan = { between = ["gate", "home"], rate = "1 Gbit/s" }
wire.dsl = { between = ["gate", "server"], rate = "20 Mbit/s", delay = "10 ms" }
"""
SERVE = "python3 -m http.server 80 --directory"


def written(folder: Path, text: str) -> Path:
    """Write a scenario; by its name its emulation is told from others on this machine."""
    path = folder / f"programs-{os.getpid()}-{folder.name}.toml"
    path.write_text(text)
    return path


def median_ms(told: str) -> float:
    """Give the median of the round trips that a ping has printed."""
    trips = sorted(float(each) for each in re.findall(r"time=([0-9.]+) ms", told))
    return trips[len(trips) // 2]


@pytest.mark.parametrize(
    ("queue", "least", "most"),
    [("queue_packets = 300", 60, 400), ('queue = { kind = "fq-codel" }', 10, 35)],
)
def test_a_download_fills_the_queue_of_the_access_point_unless_it_is_managed(
    tmp_path: Path, queue: str, least: float, most: float
) -> None:
    """Bufferbloat and its cure: pings of 10 ms beside a download by CUBIC."""
    text = HOME.replace("ap.office = {}", f"ap.office = {{ {queue} }}")
    with an.emulate(written(tmp_path, text)) as emulation:
        server, laptop = emulation["server"], emulation["laptop"]
        server.start("iperf3 -s -1")
        download = laptop.start("sleep 0.5; iperf3 -c server -R -t 6 >/dev/null")
        pings = laptop.run("sleep 2.5; ping -i 0.02 -c 150 server")
        assert download.wait(30) == 0
    assert least < median_ms(pings.stdout) < most


def test_iperf3_tells_what_the_scenario_counts(tmp_path: Path) -> None:
    text = HOME + 'traffic.down = { app = "bulk", from = "server", to = "laptop" }\n'
    with an.emulate(written(tmp_path, text)) as emulation:
        emulation["server"].start("iperf3 -s -1")
        told = emulation["laptop"].run("sleep 0.5; iperf3 -c server -R -t 3 -J")
    received = json.loads(told.stdout)["end"]["sum_received"]["bytes"]
    assert received > 5e6
    # What was on its way or unread when its time was up, iperf3 does not count.
    assert emulation.metrics["flow.down-1.bytes"] == pytest.approx(received, rel=0.1)


def test_pings_of_a_real_node_count_for_the_flow_between_its_ends(tmp_path: Path) -> None:
    text = HOME + 'traffic.echo = { app = "ping", from = "laptop", to = "server" }\n'
    with an.emulate(written(tmp_path, text)) as emulation:
        told = emulation["laptop"].run("ping -i 0.02 -c 20 server", check=True)
    metrics = emulation.metrics
    assert (metrics["flow.echo-1.requests"], metrics["flow.echo-1.replies"]) == (20, 20)
    assert metrics["flow.echo-1.rtt_ms_p50"] == pytest.approx(median_ms(told.stdout), abs=0.5)


BESIDE = """
traffic.up = { app = "bulk", from = "laptop", to = "server" }
traffic.call = { app = "voip", from = "phone", to = "server" }
sta.phone = { ap = "home", stack = "linux-6" }
"""


def test_a_server_sees_the_translator_and_not_who_is_behind_it(tmp_path: Path) -> None:
    """And what passes the translator counts for the flows of the scenario all the same."""
    page = tmp_path / "www"
    page.mkdir()
    (page / "page").write_bytes(bytes(200_000))
    fetch = "curl -s --retry 9 --retry-connrefused -o /dev/null -w '%{size_download}'"
    with an.emulate(written(tmp_path, BEHIND_NAT + BESIDE)) as emulation:
        server, laptop = emulation["server"], emulation["laptop"]
        server.start(f"{SERVE} {page} 2> {tmp_path / 'log'}")
        server.start("iperf3 -s -1")
        told = laptop.run(f"sleep 0.7; {fetch} http://server/page")
        inside = laptop.run("hostname -I").stdout.split()
        echoes = laptop.run("ping -c 2 -i 0.05 server").stdout
        sent = json.loads(laptop.run("iperf3 -c server -t 2 -J").stdout)
        # Every sum holds, or the kernels would drop what is translated.
        errors = server.run("grep -h '^Tcp: [0-9]' /proc/net/snmp").stdout.split()
    assert told.stdout == "200000" and "2 received" in echoes
    assert (errors[-3], errors[-1]) == ("0", "0"), "InErrs and InCsumErrors of TCP"
    client = (tmp_path / "log").read_text().split()[0]
    assert client not in inside
    received = sent["end"]["sum_received"]["bytes"]
    assert emulation.metrics["flow.up-1.bytes"] == pytest.approx(received, rel=0.05)
    assert emulation.metrics["flow.call-1.bytes"] > 20 * 160, "more than twenty packets of a call"


def test_a_browser_loads_a_page_over_the_cell(tmp_path: Path) -> None:
    page = tmp_path / "www"
    page.mkdir()
    (page / "index.html").write_text("<title>t</title><script src=s.js></script>")
    (page / "s.js").write_text("document.write('written by the script that was loaded')")
    browse = (
        "sleep 0.7; chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage "
        f"--user-data-dir={tmp_path / 'profile'} --dump-dom http://server/"
    )
    with an.emulate(written(tmp_path, HOME)) as emulation:
        emulation["server"].start(f"{SERVE} {page}")
        told = emulation["laptop"].run(browse, timeout=60)
    assert "written by the script that was loaded" in told.stdout
