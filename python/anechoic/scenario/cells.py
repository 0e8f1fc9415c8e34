"""Which amendment each radio runs, and what it owes to the stations of its cell."""

from collections.abc import Iterator
from dataclasses import dataclass

from anechoic.scenario.errors import Problem, shown
from anechoic.scenario.links import Air
from anechoic.scenario.model import Scenario
from anechoic.scenario.radio import Client, Radio
from anechoic.scenario.standards import STANDARDS, Standard
from anechoic.scenario.topology import Antenna, Topology

OLDER = {"802.11g": "802.11b"}
"""The amendment whose stations may join a cell of another one."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What a radio goes by: its amendment, and whether its cell has a station of 802.11b."""

    standard: Standard
    is_mixed: bool

    @property
    def has_short_slot(self) -> bool:
        """Say whether slots are short, where there is a choice."""
        return self.standard.name == "802.11g" and not self.is_mixed

    @property
    def needs_protection(self) -> bool:
        """Say whether frames of OFDM have to be announced to stations that cannot read them."""
        return self.standard.name == "802.11g" and self.is_mixed


def standard_of(radio: Radio, scenario: Scenario) -> Standard:
    """Give a radio's amendment: its own, its access point's, or that of the air."""
    if radio.standard is not None:
        return STANDARDS[radio.standard]
    if isinstance(radio, Client) and radio.ap in scenario.ap:
        return standard_of(scenario.ap[radio.ap], scenario)
    return STANDARDS[(scenario.air or Air()).standard]


def cells(scenario: Scenario, found: Topology, problems: list[Problem]) -> dict[str, Cell]:
    """Give what each radio goes by, by its path."""
    antennas = {each.path: each for machine in found.machines for each in machine.antennas}
    problems += [wrong for each in antennas.values() for wrong in _mismatches(each, scenario)]
    standards = {path: standard_of(each.part, scenario) for path, each in antennas.items()}
    mixed = {
        f"ap.{each.part.ap}"
        for path, each in antennas.items()
        if isinstance(each.part, Client) and standards[path].name == "802.11b"
    }
    return {
        path: Cell(
            standards[path],
            (f"ap.{each.part.ap}" if isinstance(each.part, Client) else path) in mixed,
        )
        for path, each in antennas.items()
    }


def _mismatches(antenna: Antenna, scenario: Scenario) -> Iterator[Problem]:
    """Refuse an amendment that the air, or the access point, does not go with."""
    radio, own = antenna.part, antenna.part.standard
    if own is None:
        return
    whose, host = "the air", (scenario.air or Air()).standard
    if isinstance(radio, Client) and radio.ap in scenario.ap:
        whose, host = f"ap.{radio.ap}", standard_of(scenario.ap[radio.ap], scenario).name
    allowed = [host, *([OLDER[host]] if host in OLDER else [])]
    if own not in allowed:
        what = f"{shown(own)} does not go with {whose}, which is {host}"
        yield Problem(f"{antenna.path}.standard", what, ", ".join(map(shown, allowed)))
