"""Closed forms of any small network are right, or there are none.

`python benches/calc_agreement.py` does the same of as many networks as one likes.
"""

from typing import Any

import pytest
from agreement import told_of
from random_cells import random_cell
from scenarios import cell, download, ping, udp

import anechoic as an

FOUND = (3471, 5095, 5767, 6904, 7070)
"""Of 8,000 networks those of which something wrong was told once."""


@pytest.mark.parametrize("number", [*range(60), *FOUND])
def test_what_is_told_of_any_network_is_so(number: int) -> None:
    assert [str(told) for told in told_of(random_cell(number)) if not told.is_right] == []


def test_enough_is_told_of_them_for_that_to_say_something() -> None:
    told = [each for number in range(60) for each in told_of(random_cell(number))]
    assert len(told) >= 40
    assert len({each.flow.form for each in told}) >= 6
    assert any(each.flow.is_most for each in told)


TWO_CELLS: dict[str, Any] = {
    "run": {"duration": "3 s", "warmup": "0.5 s"},
    "air": {"loss": "60 dB"},
    "host": {"server": {}},
    "switch": {"w": {}},
    "ap": {"a": {}, "b": {}},
    "sta": {"s": {"ap": "a"}, "t": {"ap": "b"}},
    "wire": {
        "a": {"between": ["w", "a"]},
        "b": {"between": ["w", "b"]},
        "s": {"between": ["server", "w"]},
    },
}


def of_two_cells(payload: int, **wire: Any) -> dict[str, Any]:
    """Give a saturated station in each of two cells of a channel, towards one server."""
    flow = {"app": "udp", "to": "server", "payload": payload}
    wires = {**TWO_CELLS["wire"], "s": {"between": ["server", "w"], **wire}}
    return {
        **TWO_CELLS,
        "traffic": {"u": {**flow, "from": "s"}, "v": {**flow, "from": "t"}},
        "wire": wires,
    }


@pytest.mark.parametrize("payload", [200, 1000, 1472])
def test_sources_that_never_end_are_held_back_by_the_channel_they_share(payload: int) -> None:
    told = list(told_of(of_two_cells(payload)))
    assert len(told) == 2
    assert all(each.is_right for each in told)


def test_a_wire_behind_the_channel_that_carries_less_leaves_no_answer() -> None:
    assert list(told_of(of_two_cells(1000, rate="4 Mbit/s"))) == []


def test_what_a_queue_has_room_for_gets_through_beside_a_source_that_never_ends() -> None:
    """A slow flow and a greedy one behind one radio: 2 Mbit/s, and what is left."""
    traffic = {"slow": udp(payload=100, rate="2 Mbit/s"), "fast": udp(payload=1000)}
    one = cell(traffic, air={"standard": "802.11a", "loss": "50 dB"})
    told = {each.flow.flow: each for each in told_of(one.document())}
    assert told["slow-1"].calculated == 2.0
    assert all(each.is_right for each in told.values())


def said_of(scenario: an.Scenario) -> list[str]:
    """Give why flows have no answer."""
    flows = an.calculate(scenario).cells[0].flows
    return ["; ".join(each.remarks) for each in flows if not each.is_answered]


def test_a_queue_that_overflows_decides_who_gets_through() -> None:
    traffic = {"one": udp(rate="20 Mbit/s"), "other": udp(rate="30 Mbit/s", payload=500)}
    assert (
        said_of(cell(traffic))
        == ["more is offered than laptop gets through: its queue decides"] * 2
    )


def test_a_queue_too_short_for_a_window_that_opens_leaves_an_application_behind() -> None:
    """What is lost in slow start is written all the same, and comes for seconds beside the rest."""
    limited = {"app": "application-limited", "from": "laptop", "to": "server", "rate": "9 Mbit/s"}
    server = {"server": {"stack": "rfc"}}
    far = {"lan": {"between": ["server", "office"], "delay": "20 ms"}}
    air = {"standard": "802.11a", "loss": "60 dB"}
    stack = {"ap": "office", "stack": "rfc", "rate": "54 Mbit/s"}
    for packets, is_answered in ((5, False), (100, True)):
        stations = {"laptop": {**stack, "queue_packets": packets}}
        one = cell({"limited": limited}, host=server, wire=far, air=air, sta=stations)
        assert (said_of(one) == []) == is_answered


@pytest.mark.parametrize("up", [{}, {"from": "laptop", "to": "server"}])
def test_an_echo_beside_what_fills_the_channel_has_a_round_trip_only_behind_it(
    up: dict[str, str],
) -> None:
    stations = {"laptop": {"ap": "office", "stack": "windows-xp"}, "other": {"ap": "office"}}
    traffic = {"bulk": download(**up), "ping": ping(**{"from": "other", "to": "server"})}
    found = an.calculate(cell(traffic, sta=stations)).cells[0].flows
    assert found[0].is_answered
    assert found[1].rtt_ms is None or not up


def test_a_bound_holds_for_each_flow_that_has_one() -> None:
    """Connections that lose packets to one queue share it as chance has it."""
    alone = cell({"bulk": download()}, ap={"office": {"queue_packets": 5}})
    (told,) = told_of(alone.document())
    assert told.flow.is_most and told.is_right
    many = cell({"bulk": download(count=3)}, ap={"office": {"queue_packets": 5}})
    assert all("who gets how much no closed form says" in each for each in said_of(many))
