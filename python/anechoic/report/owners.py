"""Whose values a figure shows by the reader's choice: all, each traffic, group, station, flow."""

from collections.abc import Sequence
from dataclasses import dataclass

from anechoic.campaign.results import Results
from anechoic.report.each import each_of_kinds

KINDS = {"traffic": "Each traffic", "group": "Each group", "station": "Each station"}
EACH_FLOW = "Each flow"
MOST = 120
"""More are not told apart, nor read."""


@dataclass(frozen=True)
class Owners:
    """Those of one kind in a cell: the flows and nodes of each, by its name."""

    title: str
    members: dict[str, Sequence[str]]

    def flows(self) -> dict[str, Sequence[str]]:
        """Give the names of the flows of each."""
        return {
            name: [each.removeprefix("flow.") for each in members if each.startswith("flow.")]
            for name, members in self.members.items()
        }


def owners_of(results: Results, *, most: int = MOST) -> list[list[Owners]]:
    """Give for each cell the kinds of owners that differ from each other, flows last."""
    kinds = {**KINDS, "flow": EACH_FLOW}
    each = each_of_kinds(results, kinds)
    found = {title: each[kind].members for kind, title in kinds.items()}
    cells = []
    for place in range(len(results.cells)):
        different: list[Owners] = []
        for title, members in found.items():
            mine = {name: places[place] for name, places in members.items() if places[place]}
            owners = Owners(title, dict(list(mine.items())[:most]))
            if owners.members and not any(_is_same(owners, other) for other in different):
                different.append(owners)
        cells.append(different)
    return cells


def _is_same(one: Owners, other: Owners) -> bool:
    """Say whether two kinds part the flows alike, as where each station has one flow."""
    return list(map(sorted, one.flows().values())) == list(map(sorted, other.flows().values()))
