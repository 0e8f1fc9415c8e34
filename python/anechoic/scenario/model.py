"""The scenario: everything a person writes, as one object."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import Field, PrivateAttr

from anechoic.scenario.base import Name, Part, about
from anechoic.scenario.errors import Problem, ScenarioError
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
from anechoic.scenario.kinds import RadioNoise, Traffic
from anechoic.scenario.links import Air, Segment, Wire
from anechoic.scenario.nodes import Group, Host, Port, Switch
from anechoic.scenario.origin import Origin
from anechoic.scenario.radio import AccessPoint, Router, Station


def _table(description: str) -> Any:
    return Field(description=description)


# What a file says of itself: the scenario it leads to no longer has it.
EXTENDS = "extends"
EXTENDS_MEANING = (
    "path, from this file's folder, of the scenario file that this one is laid over, or a list of "
    "such paths, each file laid over those before it"
)


class Scenario(Part):
    """A network and an experiment on it. Parts are keyed by name, so a path names a field."""

    title: Annotated[str, about("what the experiment is called", source="none")] = ""
    run: Annotated[Run, about("time and seed of a run")] = Run()
    host: Annotated[dict[Name, Host], _table("wired machines")] = {}
    router: Annotated[dict[Name, Router], _table("machines between networks")] = {}
    switch: Annotated[dict[Name, Switch], _table("machines that bridge wires")] = {}
    ap: Annotated[dict[Name, AccessPoint], _table("access points")] = {}
    sta: Annotated[dict[Name, Station], _table("stations")] = {}
    port: Annotated[dict[Name, Port], _table("places where frames go in and out")] = {}
    group: Annotated[dict[Name, Group], _table("names for several nodes")] = {}
    noise: Annotated[dict[Name, RadioNoise], _table("what radiates and is no station")] = {}
    wire: Annotated[dict[Name, Wire], _table("wires")] = {}
    segment: Annotated[dict[Name, Segment], _table("cables that several nodes share")] = {}
    air: Annotated[Air | None, about("the shared channel")] = None
    traffic: Annotated[dict[Name, Traffic], _table("what the machines send")] = {}
    program: Annotated[
        dict[Name, Program], _table("programs that real nodes run where it is emulated")
    ] = {}
    emulation: Annotated[EmulationLimits, about("what a valid run on the wall clock keeps to")] = (
        EmulationLimits()
    )
    tap: Annotated[dict[Name, Tap], _table("points where frames are captured")] = {}
    window: Annotated[dict[Name, Window], _table("parts of the measured time")] = {}
    replication: Annotated[Replication, about("the stopping rule")] = Replication()
    sweep: Annotated[list[Sweep], Field(description="swept axes")] = []
    figure: Annotated[list[Figure], Field(description="figures")] = []

    # For messages and for explain.
    _origin: Origin = PrivateAttr(default_factory=Origin)

    @property
    def origin(self) -> Origin:
        """Say where it comes from."""
        return self._origin

    @property
    def source(self) -> str:
        """Name the file it was read from."""
        return self._origin.source

    @property
    def text(self) -> str | None:
        """Give the text of its files; None if it was built in Python."""
        return self._origin.text

    @property
    def overrides(self) -> Mapping[str, Any]:
        """Give the values set from outside by path."""
        return self._origin.overrides

    def originating(self, origin: Origin) -> "Scenario":
        """Give the same scenario with its origin noted."""
        copy = self.model_copy()
        copy._origin = origin
        return copy

    def refused(self, problems: Iterable[Problem]) -> ScenarioError:
        """Give the error with these problems, each said of the file that it stands in."""
        return self._origin.refused(problems)

    def document(self) -> dict[str, Any]:
        """Give what was written, as plain data that reads back to the same scenario."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)


def schema() -> dict[str, Any]:
    """Give the JSON Schema of a scenario file, for editors."""
    described = Scenario.model_json_schema(by_alias=True)
    path: dict[str, Any] = {"type": "string"}
    either = [path, {"type": "array", "items": path, "minItems": 1}]
    described["properties"][EXTENDS] = {"anyOf": either, "description": EXTENDS_MEANING}
    return described
