"""The kinds of traffic, queues and impairments, as the core declares them.

``kinds.pyi`` tells type checkers what is made here; ``make docs`` writes it.
"""

from functools import reduce
from operator import or_
from typing import Annotated, Any

from anechoic.scenario.base import Part
from anechoic.scenario.declared import Tagged, declarations, model_of
from anechoic.scenario.impairments import Impairment
from anechoic.scenario.queues import Queue
from anechoic.scenario.traffic import Connection, Flow

Models = dict[str, type[Part]]


def _models(kind: str, base: type[Part], tag: str) -> Models:
    return {each["name"]: model_of(each, base, tag) for each in declarations(kind)}


def _traffic() -> Models:
    return {
        each["name"]: model_of(each, Connection if each["transport"] == "tcp" else Flow, "app")
        for each in declarations("traffic")
    }


TRAFFIC = _traffic()
QUEUES = _models("queue", Queue, "kind")
IMPAIRMENTS = _models("impairment", Impairment, "kind")

AnyTraffic: Any = reduce(or_, TRAFFIC.values())
AnyImpairment: Any = reduce(or_, IMPAIRMENTS.values())
AnyQueue: Any = reduce(or_, QUEUES.values())

Traffic = Annotated[AnyTraffic, Tagged("app", TRAFFIC)]
Stage = Annotated[AnyImpairment, Tagged("kind", IMPAIRMENTS)]
# A wire's queue is drop-tail where a scenario names no other: what every interface of the papers'
# time had.
WireQueue = Annotated[AnyQueue, Tagged("kind", QUEUES, default="drop-tail")]

globals().update(
    {model.__name__: model for made in (TRAFFIC, QUEUES, IMPAIRMENTS) for model in made.values()}
)
