"""What a wire does to packets, as far as closed forms know it."""

from collections.abc import Mapping
from typing import Any

from anechoic import _core
from anechoic.calc.loss import packet_loss
from anechoic.calc.offers import NoForm, Offer
from anechoic.calc.ways import Wire


def wire_us(wire: Wire, ip_bytes: int) -> float:
    """How long an IP packet takes through an empty wire."""
    return wire.delay_us + sending_us(wire, ip_bytes)


def sending_us(wire: Wire, ip_bytes: int) -> float:
    """How long an IP packet keeps a wire."""
    return 8 * _core.wire_bytes(ip_bytes) / wire.rate_mbps


def capacity_mbps(wire: Wire, offer: Offer) -> float:
    """Give the payload that fits on a wire, and through a limiter on it."""
    limiter = binding_limiter(wire, offer)
    packets_mbps = _own_mbps(wire, offer) if limiter is None else _limit_mbps(limiter, offer)
    return packets_mbps * offer.payload_bytes / offer.ip_bytes


def binding_limiter(wire: Wire, offer: Offer) -> Mapping[str, Any] | None:
    """Give the limiter on a wire that lets less through than the wire itself and all others."""
    limiters = [stage for stage in wire.stages if stage["kind"] == "rate"]
    least = min(limiters, key=lambda stage: _limit_mbps(stage, offer), default=None)
    if least is None or _limit_mbps(least, offer) >= _own_mbps(wire, offer):
        return None
    return least


def _own_mbps(wire: Wire, offer: Offer) -> float:
    """Give the IP packets that fit on a wire."""
    return wire.rate_mbps * offer.ip_bytes / _core.wire_bytes(offer.ip_bytes)


def _limit_mbps(stage: Mapping[str, Any], offer: Offer) -> float:
    """Give the IP packets that a limiter lets through, which may count whole frames."""
    counted = offer.ip_bytes if stage["counts"] == "packets" else _core.wire_bytes(offer.ip_bytes)
    return float(stage["rate"] / 1e6 * offer.ip_bytes / counted)


def constant_delay_us(wire: Wire) -> float:
    """Give what the stages of a wire delay every packet."""
    return float(sum(each["delay"] for each in wire.stages if each["kind"] == "delay")) / 1e3


def loss_of(offer: Offer) -> float:
    """Give how likely a segment or datagram is lost on the wires of its way.

    Raise NoForm where something else is done to the flow's packets than a form is known of.
    """
    passed = 1.0
    for legs, kinds in ((offer.way, _data_kinds(offer)), (offer.back, _answer_kinds(offer))):
        for leg in legs:
            if isinstance(leg.medium, Wire):
                for stage in leg.medium.stages:
                    if _is_idle(stage) or not kinds & set(stage["match"]):
                        continue
                    passed *= 1 - _lost(
                        offer, stage, is_data=kinds is not None and legs is offer.way
                    )
    return 1 - passed


def _lost(offer: Offer, stage: Mapping[str, Any], *, is_data: bool) -> float:
    if any(stage[each] is not None for each in ("connection", "min_bytes", "max_bytes", "flows")):
        raise NoForm(f"{stage['name']} ({stage['kind']}) is for chosen packets")
    if stage["from_ns"] or stage["until_ns"] is not None:
        raise NoForm(f"{stage['name']} ({stage['kind']}) is there for a time only")
    match stage["kind"]:
        case "delay":
            return 0.0
        case "rate" if not stage["changes"]:
            return 0.0
        case "drop" if is_data and stage["probability"] is not None:
            return float(stage["probability"])
        case "bit-error" if is_data:
            return packet_loss(stage["ber"], offer.ip_bytes)
    where = "" if is_data else " in the way of its answers"
    raise NoForm(f"no closed form is known of {stage['kind']}{where} ({stage['name']})")


def _is_idle(stage: Mapping[str, Any]) -> bool:
    """Whether a stage is set to do nothing."""
    nothing = {"drop": "probability", "bit-error": "ber", "duplicate": "probability"}
    nothing |= {"reorder": "probability", "bad-fcs": "probability", "delay": "delay"}
    field = nothing.get(stage["kind"])
    return field is not None and stage.get(field) == 0


def _data_kinds(offer: Offer) -> set[str]:
    return {"all"} | ({"tcp", "tcp-data"} if offer.is_tcp else {offer.transport})


def _answer_kinds(offer: Offer) -> set[str]:
    return {"all"} | ({"tcp", "tcp-ack"} if offer.is_tcp else {offer.transport})
