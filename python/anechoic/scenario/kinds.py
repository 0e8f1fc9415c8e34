"""The kinds of things that the core declares: traffic, queues, impairments, fading and others.

Every one is a model in this module, called as in ``CHOICES`` by what a field may hold. What type
checkers and editors read of them, ``kinds.pyi``, is written by ``make docs``.
"""

from functools import reduce
from operator import or_
from typing import Annotated

from anechoic.scenario.base import Part
from anechoic.scenario.declared import Tagged, declarations, model_of, script_steps
from anechoic.scenario.fading import Fading
from anechoic.scenario.impairments import Impairment
from anechoic.scenario.movements import Movement
from anechoic.scenario.noise import Noise
from anechoic.scenario.propagations import Propagation
from anechoic.scenario.queues import Queue
from anechoic.scenario.rate_controls import RateControl
from anechoic.scenario.traffic import Connection, Flow

Models = dict[str, type[Part]]


def _models(kind: str, base: type[Part], tag: str) -> Models:
    noun = kind.replace("_", " ")
    return {each["name"]: model_of(each, base, tag, noun) for each in declarations(kind)}


def _traffic() -> Models:
    return {
        each["name"]: model_of(
            each, Connection if each["transport"] == "tcp" else Flow, "app", "traffic"
        )
        for each in declarations("traffic")
    }


STEPS = script_steps()
TRAFFIC = _traffic()
QUEUES = _models("queue", Queue, "kind")
IMPAIRMENTS = _models("impairment", Impairment, "kind")
FADINGS = _models("fading", Fading, "kind")
NOISES = _models("noise", Noise, "kind")
RATE_CONTROLS = _models("rate_control", RateControl, "kind")
PROPAGATIONS = _models("propagation", Propagation, "kind")
MOVEMENTS = _models("movement", Movement, "kind")

Traffic = Annotated[reduce(or_, TRAFFIC.values()), Tagged("app", TRAFFIC)]
ScriptStep = Annotated[reduce(or_, STEPS.values()), Tagged("do", STEPS, has_short_form=True)]
Stage = Annotated[reduce(or_, IMPAIRMENTS.values()), Tagged("kind", IMPAIRMENTS)]
LinkFading = Annotated[reduce(or_, FADINGS.values()), Tagged("kind", FADINGS)]
RadioNoise = Annotated[reduce(or_, NOISES.values()), Tagged("kind", NOISES, default="bursts")]
# A wire's queue is drop-tail where a scenario names no other: what every interface of the papers'
# time had.
WireQueue = Annotated[
    reduce(or_, QUEUES.values()), Tagged("kind", QUEUES, default="drop-tail", has_short_form=True)
]
RadioRateControl = Annotated[
    reduce(or_, RATE_CONTROLS.values()), Tagged("kind", RATE_CONTROLS, has_short_form=True)
]
AirPropagation = Annotated[
    reduce(or_, PROPAGATIONS.values()), Tagged("kind", PROPAGATIONS, has_short_form=True)
]
RadioMovement = Annotated[reduce(or_, MOVEMENTS.values()), Tagged("kind", MOVEMENTS)]

CHOICES = {
    "Traffic": TRAFFIC,
    "ScriptStep": STEPS,
    "Stage": IMPAIRMENTS,
    "LinkFading": FADINGS,
    "RadioNoise": NOISES,
    "WireQueue": QUEUES,
    "RadioRateControl": RATE_CONTROLS,
    "AirPropagation": PROPAGATIONS,
    "RadioMovement": MOVEMENTS,
}
MODELS = {model.__name__: model for table in CHOICES.values() for model in table.values()}

globals().update(MODELS)
