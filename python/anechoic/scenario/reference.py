"""The reference page of scenarios, written from the models that read them."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from anechoic.scenario.allowed import field_limits
from anechoic.scenario.association import Admission, Association
from anechoic.scenario.base import Part
from anechoic.scenario.chassis import CHASSIS
from anechoic.scenario.core import core
from anechoic.scenario.costs import DeviceCost, HostCost
from anechoic.scenario.declared import base_of, packet_words
from anechoic.scenario.devices import DEVICES
from anechoic.scenario.edca import AccessCategory, Edca
from anechoic.scenario.errors import shown
from anechoic.scenario.experiment import (
    EmulationLimits,
    Figure,
    Program,
    Replication,
    Run,
    Sweep,
    Tap,
    Window,
)
from anechoic.scenario.fading import Fading
from anechoic.scenario.field_notes import marks_of, marks_within, source_of, unit_of
from anechoic.scenario.impairments import Impairment
from anechoic.scenario.in_python import summary_of
from anechoic.scenario.kinds import (
    FADINGS,
    IMPAIRMENTS,
    MODELS,
    MOVEMENTS,
    NOISES,
    PROPAGATIONS,
    QUEUES,
    RATE_CONTROLS,
    STEPS,
    TRAFFIC,
    DropTail,
)
from anechoic.scenario.links import Air, AirLink, Segment, Wire
from anechoic.scenario.lost_frames import KINDS, LostFrames
from anechoic.scenario.mobile_ip import Agent, MobileIp
from anechoic.scenario.model import EXTENDS, EXTENDS_MEANING, Scenario
from anechoic.scenario.movements import Movement
from anechoic.scenario.nodes import Group, Host, Port, Switch
from anechoic.scenario.noise import Noise
from anechoic.scenario.profiles import PROFILES
from anechoic.scenario.propagations import Propagation
from anechoic.scenario.quantities import DIMENSIONS, Quantity
from anechoic.scenario.queues import Queue
from anechoic.scenario.radio import AccessPoint, Client, Radio, Router, Station, Towards
from anechoic.scenario.rate_controls import RateControl
from anechoic.scenario.shapes import Shaped
from anechoic.scenario.stacks import FAMILY, SEGMENTS, TIME_UNITS, StackField, stack_fields
from anechoic.scenario.standards import BASIC_RATES, STANDARDS, rate_text
from anechoic.scenario.traffic import Connection, ConnectionEnd, Flow

Section = tuple[str, type[Part], type[Part] | None, str]


def _of_kinds(
    field: str, models: Mapping[str, type[Part]], note: Callable[[type[Part]], str] = lambda _: ""
) -> Iterator[Section]:
    for name, model in models.items():
        yield f'`{field} = "{name}"`', model, base_of(model), note(model)


def _one_at_least(model: type[Part]) -> str:
    """Say that a stage all of whose fields may be absent needs one of them."""
    own = [name for name in model.model_fields if name not in Impairment.model_fields]
    names = [f"`{name}`" for name in own if model.model_fields[name].default is None]
    is_one_needed = len(names) > 1 and len(names) == len(own) - 1
    return f"It needs {' or '.join(names)}." if is_one_needed else ""


SECTIONS: tuple[Section, ...] = (
    ("The top of the file", Scenario, None, "Only a `[traffic.NAME]` has to be there."),
    ("`[run]`", Run, None, ""),
    ("`[host.NAME]`", Host, None, ""),
    ("`[ap.NAME]`", AccessPoint, Radio, "And the [fields of every radio](#radios)."),
    ("`[sta.NAME]`", Station, Radio, "And the [fields of every radio](#radios)."),
    (
        "Radios",
        Radio,
        None,
        "Fields of `[ap.NAME]`, `[sta.NAME]` and `[router.NAME.radio.NAME]`. What the file leaves "
        "out is the value of the [radio profile](#radio-profiles).",
    ),
    (
        "`[ap.NAME.rate_control]`, `[sta.NAME.rate_control]`",
        RateControl,
        None,
        '`kind` chooses it, and `rate_control = "KIND"` is short for a table without more. What '
        "is left out is the radio profile's, if that has the same kind.",
    ),
    *_of_kinds("kind", RATE_CONTROLS),
    (
        "`[ap.NAME.to.STATION]`",
        Towards,
        None,
        "For a station, or a group of them. What is left out is the access point's.",
    ),
    (
        "`[ap.NAME.edca]`",
        Edca,
        None,
        'Of meaning with `access = "edca"`. [Scenarios](../scenarios.md#access-categories) says '
        "more.",
    ),
    (
        "`[ap.NAME.edca.voice]` and the other categories",
        AccessCategory,
        None,
        "",
    ),
    (
        "`[sta.NAME.association]`",
        Association,
        None,
        "An empty table has it begin associated with its `ap`, and leave it when it is lost. "
        "[Scenarios](../scenarios.md#stations-that-roam) tells what happens.",
    ),
    (
        "`[ap.NAME.association]`",
        Admission,
        None,
        "Of meaning where a station has a table `association`.",
    ),
    (
        "`[ap.NAME.movement]`, `[sta.NAME.movement]`",
        Movement,
        None,
        "`kind` chooses it. The losses between it and whoever has a position change with the "
        "distance, as [Scenarios](../scenarios.md#radios-that-move) tells.",
    ),
    *_of_kinds("kind", MOVEMENTS),
    (
        "`[port.NAME]`",
        Port,
        None,
        "For programs that step a world themselves (in Rust, crate `lab`): in a campaign nothing "
        "goes in, and what arrives is discarded.",
    ),
    (
        "`[router.NAME]`",
        Router,
        None,
        "It joins the networks of its wires and radios; addresses and routes follow from them.",
    ),
    (
        "`[router.NAME.radio.NAME]`",
        Client,
        Radio,
        "And the [fields of every radio](#radios). A tap's place and the metrics' names have "
        "ROUTER-NAME.",
    ),
    (
        "`[router.NAME.agent]`",
        Agent,
        None,
        "An empty table makes it one. It advertises in its network that has access points.",
    ),
    (
        "`[sta.NAME.mobile_ip]`",
        MobileIp,
        None,
        "[Scenarios](../scenarios.md#mobile-ip) tells what happens.",
    ),
    (
        "`[host.NAME.cost]`, `[sta.NAME.cost]`, `[ap.NAME.cost]`, `[router.NAME.cost]`, "
        "`[switch.NAME.cost]`",
        DeviceCost,
        None,
        "Work waits for the work before it. A packet passed on costs once; frames for others, "
        "acknowledgements of the MAC and beacons cost nothing.",
    ),
    (
        "`[host.NAME.cost]`, `[sta.NAME.cost]`",
        HostCost,
        DeviceCost,
        "Connections and records are work as packets are, and have no queue of their own.",
    ),
    (
        "`[switch.NAME]`",
        Switch,
        None,
        "It learns who is behind which of its wires and segments. There is no spanning tree: "
        "loops are refused.",
    ),
    ("`[group.NAME]`", Group, None, ""),
    ("`[wire.NAME]`", Wire, None, ""),
    (
        "Queues",
        Queue,
        None,
        "Tables `[wire.NAME.queue]`, `[wire.NAME.queue_at.NAME]`, `[ap.NAME.queue]` and "
        '`[sta.NAME.queue]`. `kind` chooses it, and `queue = "KIND"` is short for a table without '
        "more.",
    ),
    *_of_kinds("kind", QUEUES),
    (
        "`[wire.NAME.impair.NAME]`",
        Impairment,
        None,
        "Fields of every kind of impairment, which `kind` chooses. Stages are passed in the order "
        "of the file: one that loses a packet hides it from those after it, one that holds it "
        "until it goes on.",
    ),
    *_of_kinds("kind", IMPAIRMENTS, _one_at_least),
    (
        "`[segment.NAME]`",
        Segment,
        None,
        "Who finds the cable busy waits; who begins at the same time collides, and backs off "
        "(IEEE 802.3-2018 clause 4). The queue's table is that of a wire.",
    ),
    ("`[air]`", Air, None, "Needed as soon as there is an access point or a station."),
    (
        "`[air.propagation]`",
        Propagation,
        None,
        '`kind` chooses it, and `propagation = "KIND"` is short for a table without more. A loss '
        "stated for a pair stands all the same.",
    ),
    *_of_kinds("kind", PROPAGATIONS),
    ("`[air.link.NAME]`", AirLink, None, ""),
    (
        "`[air.link.NAME.fading.NAME]`",
        Fading,
        None,
        "`kind` chooses it. What several of a link cost adds up in decibels. Between groups, each "
        "pair fades by itself; a frame keeps to its end the power of its first bit. "
        "[Scenarios](../scenarios.md#links-that-fade) says more.",
    ),
    *_of_kinds("kind", FADINGS),
    (
        "`[air.lose.NAME]`",
        LostFrames,
        None,
        "Everything counts from 1 on. A listed frame takes its time on the air and arrives damaged "
        "everywhere. A list that loses a frame hides it from those after it; "
        "[Scenarios](../scenarios.md#frames-lost-by-list) says more.",
    ),
    (
        "`[noise.NAME]`",
        Noise,
        None,
        "`kind` chooses it; one that names none is `bursts`. Its loss to each radio is that of "
        "`[air]`, or of an `[air.link.NAME]`.",
    ),
    *_of_kinds("kind", NOISES),
    ("`[traffic.NAME]`", Flow, None, "Fields of every kind of traffic, which `app` chooses."),
    (
        "Traffic over TCP",
        Connection,
        Flow,
        "Fields of "
        + ", ".join(f"`{name}`" for name, each in TRAFFIC.items() if issubclass(each, Connection))
        + ". A table `tcp` replaces single values of the [stack](#tcp-stacks).",
    ),
    ("`[traffic.NAME.sender]`, `[traffic.NAME.receiver]`", ConnectionEnd, None, ""),
    *_of_kinds("app", TRAFFIC),
    *_of_kinds("do", STEPS),
    ("`[program.NAME]`", Program, None, ""),
    ("`[emulation]`", EmulationLimits, None, ""),
    ("`[tap.NAME]`", Tap, None, ""),
    (
        "`[window.NAME]`",
        Window,
        None,
        "The [metrics](metrics.md) of a part of the measured time, called `METRIC@NAME`. Traffic "
        "starts with the first of its flows and ends with the last, once each has sent and "
        "received everything or failed; a window that never begins has no metrics.",
    ),
    ("`[replication]`", Replication, None, ""),
    ("`[[sweep]]`", Sweep, None, ""),
    ("`[[figure]]`", Figure, None, ""),
)
"""Heading, model, the model whose fields stand elsewhere, and a word on the table."""

INTRODUCTION = """\
# Scenario reference

Every table and field of a scenario file. This page is written by `make docs` from the models
that read the file; [Scenarios](../scenarios.md) explains how to use them.

A name (`NAME`) is a letter, then letters, digits, `-` and `_`. Nodes share one space of names:
no host can be called as a station is. In Python the same fields are arguments of
`anechoic.Scenario`, `Run`, `Host` and so on; only `from` is written `from_` there.
"""

LINKED = {
    "match": "[kind of packets](#kinds-of-packets), or a list of these",
    "stack": "name of a [TCP stack](#tcp-stacks)",
    "metric": "name of a [metric](metrics.md)",
    "y": "name of a [metric](metrics.md), or a list of names",
    "x": "name of an axis",
    "series": "name of an axis",
    "panel": "name of an axis",
}
"""Texts that name something, and what."""


_NUMBERS = "whole number from 1 on, or a list of these"
SPELLED: dict[tuple[type[Part], str], str] = {
    (LostFrames, "frame"): f"{', '.join(f'`{shown(kind)}`' for kind in KINDS)}, or a list of these",
    (LostFrames, "msdu"): _NUMBERS,
    (LostFrames, "fragment"): _NUMBERS,
    (LostFrames, "attempt"): _NUMBERS,
    (LostFrames, "number"): _NUMBERS,
}
"""Types of single fields that are said in words."""


def page() -> str:
    """Give the page as Markdown."""
    tables = [_packets(), _emulators(), _chassis(), _profiles(), _standards(), _stacks(), _units()]
    return "\n".join([INTRODUCTION, *map(_section, SECTIONS), *tables])


def fields_shown() -> Iterator[tuple[type[BaseModel], str]]:
    """Give every field that stands on the page."""
    for _, model, base, _ in SECTIONS:
        yield from ((model, name) for name in _own_fields(model, base))


def _section(section: tuple[str, type[Part], type[Part] | None, str]) -> str:
    heading, model, base, note = section
    rows = [(f"`{EXTENDS}`", "text", "absent", "", EXTENDS_MEANING)] if model is Scenario else []
    rows += [
        (_name(model, name, info), _type(model, name, info), *_default(model, name), _about(info))
        for name, info in _own_fields(model, base).items()
    ]
    lead = " ".join(filter(None, [summary_of(model), note]))
    head = ("field", "type", "default", "source of the default", "meaning")
    return "\n".join([f"## {heading}\n\n{lead}\n", *([_table(head, rows)] if rows else [])])


def _own_fields(model: type[Part], base: type[Part] | None) -> dict[str, FieldInfo]:
    elsewhere = {} if base is None else base.model_fields
    return {name: info for name, info in model.model_fields.items() if name not in elsewhere}


def _name(model: type[Part], name: str, info: FieldInfo) -> str:
    return '`"PATH"`' if (model, name) == (Sweep, "columns") else f"`{info.alias or name}`"


def _type(model: type[Part], name: str, info: FieldInfo) -> str:
    if (model, name) in SPELLED:
        return SPELLED[model, name]
    quantity = next((mark for mark in marks_within(info) if isinstance(mark, Quantity)), None)
    annotation = _bare(info.annotation)
    if shaped := next((mark for mark in marks_within(info) if isinstance(mark, Shaped)), None):
        return shaped.text
    if model is Figure and name in LINKED:
        return LINKED[name]
    if get_origin(annotation) is list:
        return _list_type(model, info, quantity)
    if quantity is not None:
        return _quantity(quantity)
    if get_origin(annotation) is Literal:
        return ", ".join(f"`{shown(value)}`" for value in get_args(annotation))
    if get_origin(annotation) is dict:
        return "values in a list" if model is Sweep else "table"
    if name in LINKED:
        return LINKED[name]
    if annotation in (int, float):
        kind = "whole number" if annotation is int else "number"
        return ", ".join(filter(None, [kind, field_limits(model, info.alias or name)]))
    if annotation is bool:
        return "`true`, `false`"
    if annotation is not str:
        return "table"
    longest = _longest(info)
    return f"text, at most {longest} characters" if longest else "text"


def _list_type(model: type[Part], info: FieldInfo, quantity: Quantity | None) -> str:
    if model is Scenario:
        return "tables"
    if quantity is not None:
        return f"list, each a {_quantity(quantity)}"
    if model is Sweep:
        return "list of texts"
    if int in map(_bare, get_args(_bare(info.annotation))):
        return "list of whole numbers"
    longest = _longest(info)
    return f"list of {longest} names" if longest else "list of names"


def _longest(info: FieldInfo) -> int | None:
    lengths = (getattr(mark, "max_length", None) for mark in marks_of(info))
    return next((length for length in lengths if length is not None), None)


def _quantity(quantity: Quantity) -> str:
    more = ", more than zero" if quantity.minimum == (0 if quantity.is_open else 1) else ""
    most = quantity.maximum
    most_text = f", at most {most} {quantity.dimension.base_unit()}" if most is not None else ""
    return f"[{quantity.dimension.name}](#units){more}{most_text}"


def _bare(annotation: Any) -> Any:
    """Take the marks and the None off a type."""
    if get_origin(annotation) is Annotated:
        return _bare(get_args(annotation)[0])
    others = [each for each in get_args(annotation) if each is not NoneType]
    if NoneType in get_args(annotation) and len(others) == 1:
        return _bare(others[0])
    return annotation


def _default(model: type[Part], name: str) -> tuple[str, str]:
    info = model.model_fields[name]
    # A kind has to be written, although its class knows it, unless it is the usual one.
    if issubclass(model, RateControl) and name == "kind":
        return "profile", ""
    is_kind = model in MODELS.values() and name in ("app", "do", "kind")
    if info.is_required() or (is_kind and model is not DropTail):
        return "required", ""
    default, source = info.default, source_of(info) or ""
    if default is None:
        from_profile = model is Radio and source == ""
        return ("profile" if from_profile else "absent"), source
    if isinstance(default, BaseModel | dict) or default == []:
        return "", source
    unit = unit_of(info)
    text = f"`{shown(default)}`"
    return (f"{text} {unit}" if unit and isinstance(default, int) else text), source


def _about(info: FieldInfo) -> str:
    return info.description or ""


def _packets() -> str:
    rows = [(f"`{word}`", meaning) for word, meaning in packet_words().items()]
    return f"## Kinds of packets\n\nWords of `match`.\n\n{_table(('word', 'meaning'), rows)}"


def _emulators() -> str:
    rows = [
        (
            f"`{name}`",
            f"`{kind}`",
            f"`{field}`",
            "" if limits is None else f"{limits.least} to {limits.most}",
            "" if limits is None else limits.source,
        )
        for name, device in DEVICES.items()
        for kind, fields in device.kinds.items()
        for field, limits in fields.items()
    ]
    devices = ", ".join(f"`{name}` is {device.title}" for name, device in DEVICES.items())
    lead = (
        f"What an `emulator` can do: {devices}. Limits hold for each stage by itself: two stages "
        "in a row may do more. Zero switches off. What is not in the table is refused on a wire "
        "that names the device."
    )
    head = ("emulator", "impairment", "field", "values", "source")
    return f"## Emulators\n\n{lead}\n\n{_table(head, rows)}"


def _chassis() -> str:
    rows = [
        (f"`{name}`", each.title, f"at least {each.least_loss}", each.source)
        for name, each in CHASSIS.items()
    ]
    lead = (
        "Losses between radios that a `chassis` can have. What is below is refused; a noise is "
        "coupled in by a way of its own."
    )
    head = ("chassis", "what it is", "losses", "source")
    return f"## Chassis\n\n{lead}\n\n{_table(head, rows)}"


def _profiles() -> str:
    head = ("field", *(f"`{name}`" for name in PROFILES), "source")
    rows = []
    for name in dict.fromkeys(chain.from_iterable(PROFILES.values())):
        settings = {profile: given.get(name) for profile, given in PROFILES.items()}
        values = [(each and f"`{shown(each.value)}`") or "" for each in settings.values()]
        sources = {profile: each.source for profile, each in settings.items() if each}
        rows.append((f"`{name}`", *values, _by_profile(sources)))
    lead = "What a radio does where a scenario says nothing, by its `profile`."
    return f"## Radio profiles\n\n{lead}\n\n{_table(head, rows)}"


def _by_profile(sources: Mapping[str, str]) -> str:
    if len(set(sources.values())) == 1:
        return next(iter(sources.values()))
    profiles: dict[str, list[str]] = {}
    for profile, source in sources.items():
        profiles.setdefault(source, []).append(f"`{profile}`")
    return "; ".join(f"{', '.join(names)}: {source}" for source, names in profiles.items())


def _standards() -> str:
    rows = [
        (
            f"`{each.name}`",
            each.rates_text(),
            ", ".join(map(rate_text, each.basic_rates)),
            str(each.cw_min),
            str(each.cw_max),
            each.channels_text(),
            each.source,
        )
        for each in STANDARDS.values()
    ]
    lead = f"Basic rates where a radio names none are {BASIC_RATES}."
    head = (
        "standard",
        "rates",
        "basic rates",
        "CWmin (slots)",
        "CWmax (slots)",
        "channels",
        "source",
    )
    return f"## Standards\n\n{lead}\n\n{_table(head, rows)}"


def _stacks() -> str:
    names = core().stack_profile_names()
    values = {name: json.loads(core().stack_profile(name)) for name in names}
    rows = [
        (
            f"`{name}`",
            _stack_type(name, field, next(each[name] for each in values.values() if name in each)),
            *(f"`{_toml(each[name])}`" if name in each else "" for each in values.values()),
            field.meaning.removesuffix("."),
        )
        for name, field in stack_fields().items()
    ]
    head = ("field", "type", *(f"`{name}`" for name in names), "meaning")
    lead = (
        "Values of `stack`. A table `tcp` of a host, a station, traffic or one end of it replaces "
        "single ones, of those that the stack has; [TCP](../tcp.md) says what goes with what. "
        "`anechoic explain` gives the source of each value."
    )
    return f"## TCP stacks\n\n{lead}\n\n{_table(head, rows)}"


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(each)}" for key, each in value.items()) + " }"
    return shown(value)


def _stack_type(name: str, field: StackField, example: object) -> str:
    if name == FAMILY:
        return "comes with the stack"
    if field.choices:
        choices = ", ".join(f"`{shown(choice)}`" for choice in field.choices)
        return f"{choices}, `{{ {SEGMENTS} = 4 }}`" if name == "initial_window" else choices
    if isinstance(example, bool):
        return "true or false"
    if field.unit in TIME_UNITS:
        return f"whole number of {field.unit}, or a [time](#units)"
    if field.unit == "bytes":
        return "whole number of bytes, or a [size](#units)"
    return "whole number"


def _units() -> str:
    rows = [
        (
            each.name,
            ", ".join(f"`{unit}`" for unit in each.units),
            f'`"{each.example}"`' + (", or a bare number of bytes" if each.bare_number else ""),
        )
        for each in DIMENSIONS
    ]
    lead = (
        "A quantity is a text: a number, a space if you like, and a unit. A number without a unit "
        "is refused where one is needed, and so is a negative one, except as a power level "
        "or a distance from the origin."
    )
    return f"## Units\n\n{lead}\n\n{_table(('quantity', 'units', 'example'), rows)}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(_escaped(cell) for cell in line)} |" for line in lines) + "\n"


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|")
