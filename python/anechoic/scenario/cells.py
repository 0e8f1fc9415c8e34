"""Which amendment and channel each radio runs, and what it owes to the stations of its cell."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from anechoic.scenario.errors import Problem, shown
from anechoic.scenario.high_throughput import Choice, Coding
from anechoic.scenario.later_fields import later_problems
from anechoic.scenario.links import Air
from anechoic.scenario.model import Scenario
from anechoic.scenario.quantities import nanoseconds
from anechoic.scenario.radio import AccessPoint, Client, Radio
from anechoic.scenario.standards import STANDARDS, Standard, StandardName
from anechoic.scenario.topology import Antenna, Topology

FROM_802_11B: tuple[StandardName, ...] = (
    "802.11b",
    "802.11g",
    "802.11a",
    "802.11n",
    "802.11ac",
    "802.11ax",
)
"""Amendments from the oldest on: stations may join a cell of a later one in their band."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What a radio goes by: amendment, channel, and whether its cell has a station of 802.11b."""

    standard: Standard
    frequency_mhz: int
    is_mixed: bool
    coding: Coding | None
    """What protects the bits of data; None before 802.11n, where there is no choice."""

    @property
    def has_short_slot(self) -> bool:
        """Say whether slots are short, where there is a choice."""
        at_2_4_ghz = self.standard.later is not None and self.frequency_mhz < 3000
        return (self.standard.name == "802.11g" or at_2_4_ghz) and not self.is_mixed

    @property
    def needs_protection(self) -> bool:
        """Say whether frames of OFDM have to be announced to stations that cannot read them."""
        return self.standard.name != "802.11b" and self.is_mixed


def standard_of(radio: Radio, scenario: Scenario) -> Standard:
    """Give a radio's amendment, with the rates of what it has chosen.

    The amendment is its own, its access point's, or that of the air.
    """
    of = _amendment_of(radio, scenario)
    return of.of(choice_of_radio(radio, scenario), _frequency_of(radio, scenario))


def _amendment_of(radio: Radio, scenario: Scenario) -> Standard:
    if radio.standard is not None:
        return STANDARDS[radio.standard]
    if isinstance(radio, Client) and radio.ap in scenario.ap:
        return _amendment_of(scenario.ap[radio.ap], scenario)
    return STANDARDS[(scenario.air or Air()).standard]


def choice_of_radio(radio: Radio, scenario: Scenario) -> Choice:
    """Give what its rates depend on: the radio's own, its access point's, or the usual."""
    later = _amendment_of(radio, scenario).later
    if later is None:
        return Choice(0, 0, 0)
    usual = later.usual
    ap = scenario.ap.get(radio.ap) if isinstance(radio, Client) else None
    if ap is not None:
        usual = choice_of_radio(ap, scenario)
        if _amendment_of(ap, scenario).name != later.name:
            usual = replace(usual, guard_interval_ns=later.usual.guard_interval_ns)
    elif _frequency_of(radio, scenario) < 3000:
        # Wider channels overlap half of that band.
        usual = replace(usual, width_mhz=20)
    width = usual.width_mhz if radio.width is None else int(radio.width.split()[0])
    guard = radio.guard_interval
    return Choice(
        width_mhz=width if width in later.carriers else max(later.carriers),
        streams=min(radio.streams or usual.streams, later.streams),
        guard_interval_ns=usual.guard_interval_ns if guard is None else nanoseconds(guard),
        coding=(radio.coding if isinstance(radio, AccessPoint) else None) or usual.coding,
    )


def _frequency_of(radio: Radio, scenario: Scenario) -> int:
    ap = scenario.ap.get(radio.ap) if isinstance(radio, Client) else radio
    of = _amendment_of(ap or radio, scenario)
    channel = channel_of(ap, scenario) if isinstance(ap, AccessPoint) else of.channel
    return of.channels.get(channel, of.channels[of.channel])


def channel_of(ap: AccessPoint, scenario: Scenario) -> int:
    """Give the channel of a cell: its access point's own, that of the air, or the usual one."""
    shared = (scenario.air or Air()).channel
    chosen = shared if ap.channel is None else ap.channel
    return _amendment_of(ap, scenario).channel if chosen is None else chosen


def cells(scenario: Scenario, found: Topology, problems: list[Problem]) -> dict[str, Cell]:
    """Give what each radio goes by, by its path."""
    antennas = {each.path: each for machine in found.machines for each in machine.antennas}
    for each in antennas.values():
        problems += _mismatches(each, scenario)
        of, choice = _amendment_of(each.part, scenario), choice_of_radio(each.part, scenario)
        problems += later_problems(each.path, each.part, of, choice)
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
        path: Cell(
            standards[path],
            frequencies.get(cell_of[path], 0),
            cell_of[path] in mixed,
            choice_of_radio(each.part, scenario).coding,
        )
        for path, each in antennas.items()
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
    allowed = [host, *_older(host, _frequency_of(radio, scenario))]
    if own not in allowed:
        what = f"{shown(own)} does not go with {whose}, which is {host}"
        yield Problem(f"{antenna.path}.standard", what, ", ".join(map(shown, allowed)))


def _older(host: StandardName, frequency_mhz: int) -> list[StandardName]:
    """Give the amendments before one that have its band."""
    before = FROM_802_11B[: FROM_802_11B.index(host)]
    return [name for name in before if frequency_mhz in STANDARDS[name].channels.values()]
