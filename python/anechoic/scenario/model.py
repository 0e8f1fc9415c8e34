"""The scenario: everything a person writes, as one object."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, PrivateAttr

from anechoic.scenario.base import Name, Part, about
from anechoic.scenario.experiment import Figure, Replication, Run, Sweep, Tap
from anechoic.scenario.links import Air, Wire
from anechoic.scenario.nodes import Host, Port
from anechoic.scenario.radio import AccessPoint, Station
from anechoic.scenario.traffic import Traffic


def _table(description: str) -> Any:
    return Field(description=description)


class Scenario(Part):
    """A network and an experiment on it. Parts are keyed by name, so a path names a field."""

    title: Annotated[str, about("what the experiment is called", source="none")] = ""
    run: Annotated[Run, about("time and seed of a run")] = Run()
    host: Annotated[dict[Name, Host], _table("wired machines")] = {}
    ap: Annotated[dict[Name, AccessPoint], _table("access points")] = {}
    sta: Annotated[dict[Name, Station], _table("stations")] = {}
    port: Annotated[dict[Name, Port], _table("places where frames go in and out")] = {}
    wire: Annotated[dict[Name, Wire], _table("wires")] = {}
    air: Annotated[Air | None, about("the shared channel")] = None
    traffic: Annotated[dict[Name, Traffic], _table("what the machines send")] = {}
    tap: Annotated[dict[Name, Tap], _table("points where frames are captured")] = {}
    replication: Annotated[Replication, about("the stopping rule")] = Replication()
    sweep: Annotated[list[Sweep], Field(description="swept axes")] = []
    figure: Annotated[list[Figure], Field(description="figures")] = []

    # Where it comes from and what was set from outside, for messages and for explain.
    _source: str = PrivateAttr("scenario")
    _text: str | None = PrivateAttr(None)
    _overrides: dict[str, Any] = PrivateAttr(default_factory=dict)

    @property
    def source(self) -> str:
        """Name the file it was read from."""
        return self._source

    @property
    def text(self) -> str | None:
        """Give the file's text; None if it was built in Python."""
        return self._text

    @property
    def overrides(self) -> Mapping[str, Any]:
        """Give the values set from outside by path."""
        return self._overrides

    def originating(
        self, source: str, text: str | None, overrides: Mapping[str, Any]
    ) -> "Scenario":
        """Give the same scenario with its origin noted."""
        copy = self.model_copy()
        copy._source = source
        copy._text = text
        copy._overrides = dict(overrides)
        return copy

    def document(self) -> dict[str, Any]:
        """Give what was written, as plain data that reads back to the same scenario."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)


def schema() -> dict[str, Any]:
    """Give the JSON Schema of a scenario file, for editors."""
    return Scenario.model_json_schema(by_alias=True)
