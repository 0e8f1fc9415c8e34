"""Time–sequence graphs are of the language that xplot reads."""

import re
from pathlib import Path

from handmade import ACK, FIN, Conversation, save

import anechoic as an
from anechoic.captures.output.xplot import time_sequence_graph

POINT = r"\d+\.\d{6} -?\d+"
COMMANDS = re.compile(
    "white|green|yellow|red|purple"
    rf"|line {POINT} {POINT}"
    rf"|(darrow|uarrow|diamond|utick|rtick) {POINT}"
)


def graph_of(path: Path) -> list[str]:
    return time_sequence_graph(an.analyse(path).segments(1), "server", "a title").splitlines()


def test_a_graph_is_a_head_commands_and_go(capture: Path) -> None:
    analysis = an.analyse(capture)
    lines = time_sequence_graph(analysis.segments(1), "client", "a title").splitlines()
    assert lines[:3] == ["timeval unsigned", "title", "a title"]
    assert lines[3:7] == ["xlabel", "time", "ylabel", "sequence number"]
    assert lines[-1] == "go"
    at = iter(lines[7:-1])
    for line in at:
        if re.fullmatch(rf"atext {POINT} (red|orange)", line):
            assert next(at) in ("R", "D", "O", "P", "SYN", "FIN")
        else:
            assert COMMANDS.fullmatch(line), line


def test_what_is_retransmitted_is_red_and_named(tmp_path: Path) -> None:
    talk = Conversation().opened().data(0.1, 0).data(0.6, 0).ack(0.65, 1)
    talk.send(0.7, "server", FIN | ACK, seq=1001, ack=1)
    lines = graph_of(save(tmp_path / "again.pcap", talk))
    again = lines.index("red")
    assert lines[again + 1] == "line 1700000000.600000 1 1700000000.600000 1001"
    assert lines[again + 4 : again + 6] == ["atext 1700000000.600000 1001 red", "R"]
    assert lines[-3:-1] == ["atext 1700000000.700000 1002 orange", "FIN"]


def test_the_window_stands_above_what_is_acknowledged(tmp_path: Path) -> None:
    talk = Conversation().opened().data(0.1, 0).ack(0.15, 1, window=5000)
    lines = graph_of(save(tmp_path / "window.pcap", talk))
    assert lines[lines.index("green") + 2] == "line 1700000000.150000 1 1700000000.150000 1001"
    edge = "line 1700000000.150000 60001 1700000000.150000 6001"
    assert edge in lines
