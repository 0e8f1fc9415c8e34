"""What a wire does to packets is a chain of stages by name, compiled for each direction."""

from pathlib import Path
from typing import Any

import pytest
from conftest import BASELINE
from refused import refusal_of

import anechoic as an
from anechoic.scenario.explain import explained
from anechoic.scenario.kinds import IMPAIRMENTS

pytestmark = pytest.mark.usefixtures("core")

LOSS = """
[wire.uplink.impair.loss]
kind = "drop"
towards = "office"
match = "tcp-data"
probability = 0.01
"""
CUT = """
[wire.uplink.impair.cut]
kind = "drop"
packets = [1, 3]
from = "20 s"
until = "30 s"
"""


def chains_of(folder: Path, *texts: str) -> Any:
    """Compile the baseline with some more files, each laid over those before."""
    (folder / "0.toml").write_text(BASELINE, encoding="utf-8")
    for place, text in enumerate(texts, start=1):
        base = f'extends = "{place - 1}.toml"\n'
        (folder / f"{place}.toml").write_text(base + text, encoding="utf-8")
    (wire,) = an.compile_scenario(an.load(folder / f"{len(texts)}.toml"))["wires"]
    return wire["impair"]


def test_a_wire_without_impairments_has_two_empty_chains(tmp_path: Path) -> None:
    assert chains_of(tmp_path) == [[], []]


def test_a_stage_is_in_the_chain_towards_its_end(tmp_path: Path) -> None:
    stage = {
        "kind": "drop",
        "name": "loss",
        "match": ["tcp-data"],
        "flows": None,
        "connection": None,
        "min_bytes": None,
        "max_bytes": None,
        "from_ns": 0,
        "until_ns": None,
        "probability": 0.01,
        "every": None,
        "packets": None,
    }
    assert chains_of(tmp_path, LOSS) == [[stage], []]
    assert chains_of(tmp_path, LOSS.replace("office", "server")) == [[], [stage]]


def test_a_stage_towards_no_end_is_in_both_chains(tmp_path: Path) -> None:
    there, back = chains_of(tmp_path, CUT)
    assert there == back
    (stage,) = there
    assert stage["match"] == ["all"]
    assert stage["packets"] == [1, 3]
    assert (stage["from_ns"], stage["until_ns"]) == (20 * 10**9, 30 * 10**9)


def test_a_stage_towards_a_group_of_ends_is_in_the_chain_towards_each(tmp_path: Path) -> None:
    group = 'group.ends.members = ["server", "office"]\n'
    there, back = chains_of(tmp_path, group + LOSS.replace('"office"', '"ends"'))
    assert there == back
    assert chains_of(tmp_path, LOSS) == [there, []]


def test_a_stage_towards_a_group_with_a_node_beyond_is_refused(tmp_path: Path) -> None:
    stage = LOSS.replace('"office"', '"all"') + '[group.all]\nmembers = ["office", "laptop"]\n'
    assert refusal_of(tmp_path, BASELINE + stage) == (
        'lab.toml: wire.uplink.impair.loss.towards: "all" is no end of this wire; '
        "allowed: server, office"
    )


def test_stages_are_in_the_order_of_the_file_and_those_of_its_base_come_first(
    tmp_path: Path,
) -> None:
    names = [stage["name"] for stage in chains_of(tmp_path, CUT + LOSS)[0]]
    assert names == ["cut", "loss"]
    again = "[wire.uplink.impair.cut]\npackets = [2]\n"
    there, _ = chains_of(tmp_path, LOSS, CUT, again)
    assert [(stage["name"], stage["packets"]) for stage in there] == [("loss", None), ("cut", [2])]


def test_a_group_of_one_may_stand_for_an_end(tmp_path: Path) -> None:
    group = '[group.wlan]\nmembers = ["office"]\n'
    there, back = chains_of(tmp_path, group + LOSS.replace('"office"', '"wlan"'))
    assert (len(there), len(back)) == (1, 0)


def test_a_path_names_a_stage_by_its_name(tmp_path: Path) -> None:
    chains_of(tmp_path, LOSS)
    path = "wire.uplink.impair.loss.probability"
    scenario = an.load(tmp_path / "1.toml", set={path: 0.5, "wire.uplink.impair.loss.until": "9 s"})
    lines = {line.path: (line.value, line.origin) for line in explained(scenario)}
    assert lines[path] == ("0.5", "--set")
    assert lines["wire.uplink.impair.loss.match"] == ("tcp-data", "1.toml")
    assert lines["wire.uplink.impair.loss.from"] == ("0 s", "default")


KINDS = ", ".join(f'"{name}"' for name in IMPAIRMENTS)

NUMBERS = "allowed: a list of whole numbers from 1 on, each once, such as [1, 3]"

# What is changed in the loss, and what is said.
WRONG = {
    "no kind": (
        'kind = "drop"\n',
        "",
        f"kind: missing, the kind of impairment; allowed: {KINDS}",
    ),
    "an unknown kind": (
        '"drop"',
        '"dorp"',
        f'kind: "dorp" is not one of the values; allowed: {KINDS}; did you mean drop?',
    ),
    "an end that is none": (
        '"office"',
        '"laptop"',
        'towards: "laptop" is no end of this wire; allowed: server, office',
    ),
    "an end that is mistyped": (
        '"office"',
        '"ofice"',
        'towards: "ofice" is no end of this wire; allowed: server, office; did you mean office?',
    ),
    "an unknown word": (
        '"tcp-data"',
        '["tcp-ack", "tcp_data"]',
        'match: "tcp_data" is not one of the values; allowed: "all", "tcp", "tcp-data", '
        '"tcp-ack", "tcp-syn", "tcp-syn-ack", "tcp-fin", "tcp-rst", "tcp-psh", "udp", '
        '"icmp"; did you mean tcp-data?',
    ),
    "a filter for what nobody sends": (
        '"tcp-data"',
        '["udp", "icmp"]',
        'match: ["udp", "icmp"] can match nothing: no such packets go over the wire towards '
        "office; allowed: all, tcp, tcp-data, tcp-ack, tcp-syn, tcp-fin, tcp-rst, tcp-psh",
    ),
    "neither chance nor numbers": (
        "probability = 0.01",
        "",
        "neither probability nor every nor packets: it does nothing; allowed: one of them at least",
    ),
    "no number": (
        "probability = 0.01",
        "packets = []",
        f"packets: [] is refused: the list is empty; {NUMBERS}",
    ),
    "a packet twice": (
        "probability = 0.01",
        "packets = [3, 3]",
        f"packets: [3, 3] is refused: a number stands twice; {NUMBERS}",
    ),
    "a packet before the first": (
        "probability = 0.01",
        "packets = [2, 0]",
        f"packets: [2, 0] is refused: they count from 1 on; {NUMBERS}",
    ),
    "more than certain": (
        "probability = 0.01",
        "probability = 1.5",
        "probability: 1.5 is out of range; allowed: 0 to 1",
    ),
    "an end before its beginning": (
        "probability = 0.01",
        'probability = 0.01\nfrom = "9 s"\nuntil = "9 s"',
        'until: "9 s" is not after its beginning; allowed: more than 9 s',
    ),
    "a beginning after the end": (
        "probability = 0.01",
        'probability = 0.01\nfrom = "1 h"',
        'from: "1 h" is not before the end of the run; allowed: less than 300 s',
    ),
    "the field there was before": (
        "[wire.uplink.impair.loss]",
        "[wire.uplink.impair.loss]\nloss_probability = 0.1",
        "loss_probability: unknown field; allowed: towards, match, traffic, connection, min_size, "
        "max_size, from, until, kind, probability, every, packets; did you mean probability?",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_stage_is_refused(case: str, tmp_path: Path) -> None:
    found, replacement, said = WRONG[case]
    message = refusal_of(tmp_path, BASELINE + LOSS.replace(found, replacement, 1))
    path = "wire.uplink.impair.loss"
    separator = ": " if case == "neither chance nor numbers" else "."
    assert message == f"lab.toml: {path}{separator}{said}"


UDP = '[traffic.flood]\napp = "udp"\nfrom = "laptop"\nto = "server"\n'


def test_what_comes_back_is_told_apart_from_what_goes(tmp_path: Path) -> None:
    datagrams = LOSS.replace("tcp-data", "udp")
    assert "can match nothing" in refusal_of(tmp_path, BASELINE + UDP + datagrams)
    there, back = chains_of(tmp_path, UDP + datagrams.replace("office", "server"))
    assert (len(there), len(back)) == (0, 1)


def test_data_of_a_bulk_transfer_go_one_way_alone(tmp_path: Path) -> None:
    bulk = BASELINE.replace("chariot-throughput", "bulk")
    said = refusal_of(tmp_path, bulk + LOSS.replace("office", "server"))
    assert "can match nothing: no such packets go over the wire towards server" in said
    assert said.endswith("allowed: all, tcp, tcp-ack, tcp-syn, tcp-syn-ack, tcp-fin, tcp-rst")
