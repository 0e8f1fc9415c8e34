"""Which amendment and channel each radio runs, and what it owes to the stations of its cell."""

from collections.abc import Iterator
from dataclasses import dataclass

from anechoic.scenario.errors import Problem, shown
from anechoic.scenario.links import Air
from anechoic.scenario.model import Scenario
from anechoic.scenario.radio import AccessPoint, Client, Radio
from anechoic.scenario.standards import STANDARDS, Standard
from anechoic.scenario.topology import Antenna, Topology

OLDER = {"802.11g": "802.11b"}
"""The amendment whose stations may join a cell of another one."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What a radio goes by: amendment, channel, and whether its cell has a station of 802.11b."""

    standard: Standard
    frequency_mhz: int
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


def channel_of(ap: AccessPoint, scenario: Scenario) -> int:
    """Give the channel of a cell: its access point's own, that of the air, or the usual one."""
    shared = (scenario.air or Air()).channel
    chosen = shared if ap.channel is None else ap.channel
    return standard_of(ap, scenario).channel if chosen is None else chosen


def cells(scenario: Scenario, found: Topology, problems: list[Problem]) -> dict[str, Cell]:
    """Give what each radio goes by, by its path."""
    antennas = {each.path: each for machine in found.machines for each in machine.antennas}
    problems += [wrong for each in antennas.values() for wrong in _mismatches(each, scenario)]
    standards = {path: standard_of(each.part, scenario) for path, each in antennas.items()}
    frequencies = _frequencies(scenario, problems)
    cell_of = {
        path: f"ap.{each.part.ap}" if isinstance(each.part, Client) else path
        for path, each in antennas.items()
    }
    mixed = {
        cell_of[path]
        for path, each in antennas.items()
        if isinstance(each.part, Client) and standards[path].name == "802.11b"
    }
    return {
        # A station without an access point has been refused, and is on no channel.
        path: Cell(standards[path], frequencies.get(cell_of[path], 0), cell_of[path] in mixed)
        for path in antennas
    }


def _frequencies(scenario: Scenario, problems: list[Problem]) -> dict[str, int]:
    """Give the centre of each access point's channel in MHz, by its path."""
    found = {}
    wrong = {}
    for name, ap in scenario.ap.items():
        standard, channel = standard_of(ap, scenario), channel_of(ap, scenario)
        if channel not in standard.channels:
            nearest = min(standard.channels, key=lambda each: (abs(each - channel), each))
            what = f"{channel} is not a channel of {standard.name}"
            path = "air.channel" if ap.channel is None else f"ap.{name}.channel"
            wrong[path] = Problem(path, what, standard.channels_text(), str(nearest))
            channel = nearest
        found[f"ap.{name}"] = standard.channels[channel]
    problems += wrong.values()
    return found


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
