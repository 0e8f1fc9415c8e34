"""Flows that share a channel."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from anechoic import _core
from anechoic.calc.answer import FlowAnswer
from anechoic.calc.channel import Load, check, loads_of
from anechoic.calc.connections import OFFERED, Bottleneck, Channel, Shared, connections_of
from anechoic.calc.datagrams import Shared as Datagrams
from anechoic.calc.datagrams import is_too_much, shared
from anechoic.calc.limits import (
    check_behind_radios,
    check_bursts,
    crosses,
    cut_to_wires,
    narrowest,
)
from anechoic.calc.offers import NoForm, Offer
from anechoic.calc.on_wires import before_wire, offered
from anechoic.calc.queues import Queue, queue_of_radio
from anechoic.calc.ways import Ways

LONE = "sum of a lone station's cycle"
SATURATED = "Bianchi and Tinnirello 2005, retries limited"
LOOP = "windows over the channel's exchanges"


def on_air(
    plan: Mapping[str, Any], ways: Ways, offers: Sequence[Offer]
) -> tuple[list[FlowAnswer], float | None]:
    """Answer for flows that cross the air, and say how likely a transmission collides."""
    _refuse_single_rates(plan)
    try:
        left_out, few = check(plan, offers), list[FlowAnswer]()
    except NoForm as why:
        # What hardly sends anything need not keep the others from an answer.
        offers, few = _without_few(offers, why)
        names = few[0].flow if len(few) == 1 else f"{few[0].flow} and {len(few) - 1} more"
        left_out = [*check(plan, offers), f"as if {names} sent nothing"]
    taken = _beacon_share(plan, ways)
    if any(each.is_tcp for each in offers):
        answers, probability = _connections(offers, taken)
    else:
        answers, probability = _datagrams(offers, taken)
    return [*few, *(each.noting(left_out) for each in answers)], probability


def _refuse_single_rates(plan: Mapping[str, Any]) -> None:
    for interface in (each for node in plan["nodes"] for each in node["interfaces"]):
        if interface["radio"] and interface["radio"].get("receivers"):
            name = interface["radio"]["name"]
            raise NoForm(f"{name} has rates or retry limits for single stations")


FEW = 0.01
"""Part of the time from which a flow counts; less changes no other flow's answer by more."""


def _without_few(offers: Sequence[Offer], why: NoForm) -> tuple[list[Offer], list[FlowAnswer]]:
    """Give the flows that count, and the answers of the others; raise the reason if all count."""
    few = [each for each in offers if not each.is_tcp and _share(each) < FEW]
    rest = [each for each in offers if each not in few]
    if not few or not rest:
        raise why
    return rest, [FlowAnswer(each.name, remarks=(str(why),)) for each in few]


def _share(offer: Offer) -> float:
    """Give the part of the time that the frames of a flow take at its rate."""
    return sum(load.busy_us for load in loads_of(offer)) * offer.per_second / 1e6


def _datagrams(offers: Sequence[Offer], taken: float) -> tuple[list[FlowAnswer], float | None]:
    offers = cut_to_wires(offers)
    found = _shared(offers, taken)
    through = [replace(each, per_second=found.per_second[each.name]) for each in offers]
    check_behind_radios(through)
    _check_bursts(offers, taken, found)
    answers = []
    for each in offers:
        loads, per_second = loads_of(each), found.per_second[each.name]
        form = OFFERED
        if any(load.radio.name in found.saturated for load in loads):
            form = LONE if len(found.saturated) == 1 else SATURATED
        answer = offered(each, per_second, offers, form)
        if found.saturated and each.transport == "icmp":
            answer = _among_saturated(answer)
        answers.append(
            replace(
                answer,
                capacity_mbps=found.capacity_per_second[each.name] * each.payload_bytes * 8 / 1e6,
                airtime_share=sum(load.busy_us for load in loads) * per_second / 1e6,
            )
        )
    return answers, found.collision_probability


def _shared(offers: Sequence[Offer], taken: float) -> Datagrams:
    return shared([load for each in offers for load in loads_of(each)], taken)


def _check_bursts(offers: Sequence[Offer], taken: float, found: Datagrams) -> None:
    """Raise NoForm if sources that pause saturate a radio while they do not."""
    check_bursts(offers)
    bursts = [replace(each, per_second=each.per_second * each.burst) for each in offers]
    if bursts != offers and _shared(bursts, taken).saturated != found.saturated:
        raise NoForm("bursts are more than what is left of the channel: a queue decides")


def _among_saturated(answer: FlowAnswer) -> FlowAnswer:
    why = "how long it waits among saturated stations no closed form says here"
    return replace(answer, form="", rtt_ms=None, remarks=(why,))


def _connections(offers: Sequence[Offer], taken: float) -> tuple[list[FlowAnswer], float | None]:
    tcp = [each for each in offers if each.is_tcp]
    rest = [each for each in offers if not each.is_tcp]
    if any(each.is_endless for each in rest):
        raise NoForm("a source that never ends leaves connections what its queue lets through")
    check_bursts(rest)
    rest = cut_to_wires(rest)
    check_behind_radios(rest)
    data, acks = _sides(tcp)
    connections = connections_of(tcp)
    others = [load for each in rest for load in loads_of(each)]
    windows = sum(each.window_segments for each in connections)
    channel = Channel(data, acks, others, windows, 1 - taken)
    per_us, probability = channel.solve()
    found = narrowest(connections, rest)
    wire = None
    if found is not None and found.is_full and found.per_us < per_us:
        bottleneck, wire = before_wire(found, tcp, rest), found.wire
    else:
        queued = sum(each.offer.burst_per_us for each in channel.others_with_data)
        most, _ = replace(channel, others=()).solve()
        bottleneck = Bottleneck(per_us, LOOP, _queues(data), queued, most)
    shared = Shared(connections, bottleneck)
    is_full = wire is None and shared.wait_us > 0
    if is_full:
        _check_turns(data, others, per_us)
        _check_mixed(channel)
    else:
        _check_fits(shared, rest, taken)
    answers = [_with_airtime(each, of) for each, of in zip(shared.answers(), tcp, strict=True)]
    own = {load.radio.name for load in data}
    for each in rest:
        is_behind = shared.wait_us > 0 and (
            own & _radios(each) if wire is None else crosses(wire, each)
        )
        answer = offered(each, each.per_second, () if is_behind else offers)
        if is_behind and (wire is not None or len(loads_of(each)) <= 2):
            answer = shared.behind(answer)
        elif is_behind:
            answer = _among_saturated(answer)
        answers.append(replace(answer, airtime_share=_share(each)))
    return answers, probability if is_full else None


def _check_fits(connections: Shared, rest: Sequence[Offer], taken: float) -> None:
    """Raise NoForm where connections that do not fill the channel do so with datagrams."""
    if not rest:
        return
    bursts = [replace(each, per_second=each.per_second * each.burst) for each in rest]
    loads = [load for each in bursts for load in loads_of(each)]
    for each in connections.connections:
        per_second = 1e6 * each.per_us(connections.wait_us)
        acks_per_second = per_second / each.offer.segments_per_ack
        for load, rate in zip(loads_of(each.offer), (per_second, acks_per_second), strict=True):
            loads.append(replace(load, offer=replace(each.offer, per_second=rate)))
    if is_too_much(loads, taken):
        raise NoForm("connections and datagrams together are more than a radio gets through")


def _check_turns(data: Sequence[Load], others: Sequence[Load], per_us: float) -> None:
    """Raise NoForm where not windows, but turns at a full medium say who gets how much of it."""
    radios = {load.radio.name for load in data}
    if len(radios) > 1 and len({_kind(load) for load in data}) > 1:
        raise NoForm("stations that are not alike take turns at a full channel")
    wanted: dict[str, float] = {}
    for load in others:
        name = load.radio.name
        wanted[name] = wanted.get(name, 0.0) + load.offer.burst_per_us
    here = sum(rate for name, rate in wanted.items() if name in radios)
    for name, rate in wanted.items():
        if name not in radios and rate > (per_us + here) / len(radios):
            raise NoForm(f"{name} wants more than its turn at a full channel")


def _check_mixed(channel: Channel) -> None:
    """Raise NoForm where much of what is sent among acknowledgments is far longer than these.

    The channel's model has one length for each side (inferred: twice, and a twentieth of the time).
    """
    longest = LONGER * max(load.busy_us for load in channel.acks)
    with_data = channel.others_with_data
    long = [load for load in channel.others if load not in with_data and load.busy_us > longest]
    if sum(load.busy_us * load.offer.burst_per_us for load in long) > SELDOM:
        raise NoForm("datagrams or echoes far longer than acknowledgments take turns with them")


LONGER, SELDOM = 2, 0.05


def _kind(load: Load) -> tuple[Any, ...]:
    """Give what connections of several stations have to have in common."""
    offer, exchange = load.offer, load.exchange
    return exchange, offer.payload_bytes, offer.per_second, offer.window_bytes


def _radios(offer: Offer) -> set[str]:
    return {load.radio.name for load in loads_of(offer)}


def _sides(tcp: Sequence[Offer]) -> tuple[list[Load], list[Load]]:
    """Give what carries data, and what carries their acknowledgments."""
    both = [loads_of(each) for each in tcp]
    for each, loads in zip(tcp, both, strict=True):
        if len(loads) != 2:
            raise NoForm(f"{each.name} crosses the air twice")
    data, acks = [loads[0] for loads in both], [loads[1] for loads in both]
    common = {load.radio.name for load in data} & {load.radio.name for load in acks}
    if common:
        raise NoForm(f"{common.pop()} sends data and acknowledges others: its queue decides")
    return data, acks


def _queues(data: Sequence[Load]) -> dict[str, Queue]:
    """Give what each flow's data wait in at their radio."""
    return {load.offer.name: queue_of_radio(load.radio, load.offer) for load in data}


def _with_airtime(answer: FlowAnswer, offer: Offer) -> FlowAnswer:
    if answer.goodput_mbps is None:
        return answer
    data, ack = loads_of(offer)
    per_segment_us = data.busy_us + ack.busy_us / offer.segments_per_ack
    segments_per_us = answer.goodput_mbps / 8 / offer.payload_bytes
    return replace(answer, airtime_share=segments_per_us * per_segment_us)


def _beacon_share(plan: Mapping[str, Any], ways: Ways) -> float:
    """Give the part of the time that beacons take, DIFS behind each included."""
    if not any(
        (interface["radio"] or {}).get("beacon_interval_ns")
        for node in plan["nodes"]
        for interface in node["interfaces"]
    ):
        return 0.0
    # Who sends beacons does so whatever else there is.
    nodes = [{**node, "stack": None} for node in plan["nodes"]]
    empty = dict.fromkeys(("wires", "segments", "flows", "taps", "windows"), ())
    return sum(
        (airtime_ns + 1e3 * ways.radios[name].spaces.difs_us) / interval_ns
        for name, interval_ns, airtime_ns in _core.beacons(
            json.dumps({**plan, **empty, "traces": {}, "nodes": nodes})
        )
    )
