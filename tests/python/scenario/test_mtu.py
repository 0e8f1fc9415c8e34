"""No packet is longer than what a link of its way carries, whatever the stack puts into it."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from recorded import tshark

import anechoic as an

SCENARIO = """
run = { duration = "1 s" }

host.near.stack = "STACK"
host.far.stack = "STACK"
KIND.middle = {}
wire.first = { between = ["near", "middle"], rate = "2 Mbit/s" }
traffic.there = { app = "bulk", from = "near", to = "far", bytes = 3000 }
traffic.back = { app = "bulk", from = "far", to = "near", bytes = 3000 }
tap.lan.at = "wire.second"

[wire.second]
between = ["middle", "far"]
rate = "2 Mbit/s"
delay = "2 ms"

# So that acknowledgements carry SACK blocks beside the timestamps.
[wire.second.impair.loss]
kind = "drop"
probability = 0.1

"""


def longest_packet(folder: Path, text: str, **values: object) -> int:
    file = folder / "lab.toml"
    file.write_text(text, encoding="utf-8")
    out = Path(tempfile.mkdtemp(dir=folder))
    an.run(file, set=values, reps=1, out=out, progress=False)
    (capture,) = out.rglob("*.pcapng")
    lengths = tshark(capture, "-T", "fields", "-e", "ip.len", "-Y", "ip")
    assert lengths
    return max(int(length.split(",")[0]) for length in lengths)


@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    mtu=st.one_of(st.just(68), st.integers(68, 120), st.integers(120, 1500)),
    where=st.sampled_from(["host.near.mtu", "wire.second.mtu", "wire.first.mtu"]),
    kind=st.sampled_from(["switch", "router"]),
    stack=st.sampled_from(["linux-6", "linux-2.4", "windows-xp", "freebsd-4.9"]),
)
def test_no_packet_is_longer_than_the_least_mtu(
    tmp_path: Path, mtu: int, where: str, kind: str, stack: str
) -> None:
    text = SCENARIO.replace("STACK", stack).replace("KIND", kind)
    if kind == "router" and where == "wire.first.mtu":
        # A tap on the second wire sees what was too long for the first before the router says so.
        text = text.replace('at = "wire.second"', 'at = "wire.first"')
    assert longest_packet(tmp_path, text, **{where: mtu}) <= mtu


def test_a_host_of_the_least_mtu_moves_its_bytes(tmp_path: Path) -> None:
    text = SCENARIO.replace("STACK", "linux-6").replace("KIND", "switch")
    lossless = {"wire.second.impair.loss.probability": 0.0}
    assert longest_packet(tmp_path, text, **{"host.near.mtu": 68}, **lossless) == 68


def test_a_datagram_too_long_for_a_link_on_its_way_is_refused(tmp_path: Path) -> None:
    text = SCENARIO.replace("STACK", "linux-6").replace("KIND", "router")
    text = (
        text.replace('["middle", "far"]', '["middle", "last"]')
        + """
[router.last]
[wire.third]
between = ["last", "far"]
[traffic.call]
app = "udp"
from = "near"
to = "far"
rate = "1 Mbit/s"
"""
    )
    said = "traffic.call.payload: 1472 bytes do not fit into a packet on its way; .* at most 548"
    with pytest.raises(an.ScenarioError, match=said):
        longest_packet(tmp_path, text, **{"wire.second.mtu": 576})
