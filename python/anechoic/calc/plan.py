"""A whole plan in closed forms: what they answer, flow by flow, and what they do not."""

from collections.abc import Mapping
from typing import Any

from anechoic.calc.answer import Answer, FlowAnswer
from anechoic.calc.channel import has_radio
from anechoic.calc.limits import together
from anechoic.calc.offers import NoForm, Offer, offer_of
from anechoic.calc.on_air import on_air
from anechoic.calc.on_wires import on_wires
from anechoic.calc.ways import Ways


def solve(plan: Mapping[str, Any]) -> Answer:
    """Answer for a plan, as a scenario is compiled to it."""
    ways = Ways(plan)
    offers: list[Offer] = []
    answers: dict[str, FlowAnswer] = {}
    for flow in plan["flows"]:
        try:
            offers.append(offer_of(plan, flow, ways))
        except NoForm as why:
            answers[flow["name"]] = FlowAnswer(flow["name"], remarks=(str(why),))
    unknown = next(iter(answers), None)
    probability = None
    aired = [each for each in offers if has_radio(each)]
    wired = together([each for each in offers if not has_radio(each)])
    for group in filter(None, [aired, *wired]):
        try:
            if unknown is not None:
                raise NoForm(f"{unknown} has no closed form, and may take what this one needs")
            if group is aired:
                found, probability = on_air(plan, ways, group)
            else:
                found = on_wires(group)
        except NoForm as why:
            found = [FlowAnswer(each.name, remarks=(str(why),)) for each in group]
        answers |= {each.flow: each.noting(_left_out(plan)) for each in found}
    return Answer(tuple(answers[flow["name"]] for flow in plan["flows"]), probability)


def _left_out(plan: Mapping[str, Any]) -> list[str]:
    said = []
    begins_late = any(flow["start_ns"] > plan["warmup_ns"] for flow in plan["flows"])
    if begins_late or any(flow["stop_ns"] is not None for flow in plan["flows"]):
        said.append("all flows are taken to run all the time")
    if any(node["cost"] for node in plan["nodes"]):
        said.append("what machines take for a packet is left out")
    return said
