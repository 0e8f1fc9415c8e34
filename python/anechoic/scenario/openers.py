"""Who opens a flow, which need not be who sends: behind a translator all begins inside."""

from collections.abc import Iterable
from typing import Any

from anechoic.scenario.errors import Problem, listing, shown
from anechoic.scenario.networks import Networks
from anechoic.scenario.topology import Topology
from anechoic.scenario.traffic import Flow

Pair = tuple[int, int]


class Openers:
    """Who opens each flow of a traffic."""

    def __init__(
        self,
        path: str,
        traffic: Flow,
        kind: str,
        found: Topology,
        nets: Networks,
        problems: list[Problem],
    ) -> None:
        """Take what the traffic says of it."""
        self._path, self._traffic, self._kind = path, traffic, kind
        self._found, self._nets, self._problems = found, nets, problems
        self._opener: dict[Pair, str | None] = {}
        named = (
            () if traffic.opens is None else found.find(f"{path}.opens", traffic.opens, problems)
        )
        self._named = frozenset(named)

    def look_at(self, pairs: Iterable[Pair]) -> None:
        """Find who opens the flow of each pair; refuse one that nobody can open."""
        if self._traffic.opens is None and not self._nets.outside:
            return
        for pair in dict.fromkeys(pairs):
            said = len(self._problems)
            self._opener[pair] = self._of(pair)
            if len(self._problems) > said:
                return

    def ends(self, source: int, sink: int) -> dict[str, Any]:
        """Give the ends of a flow as a plan has them, and which of them opens it."""
        opener = self._opener.get((source, sink))
        if self._kind == "ping":
            # Who opens it is who asks; there and back, an echo takes the same way.
            ends = (sink, source) if opener == "to" else (source, sink)
            return {"from": ends[0], "to": ends[1]}
        return {"from": source, "to": sink} | ({} if opener is None else {"opener": opener})

    def _of(self, pair: Pair) -> str | None:
        way = self._found.way(*pair)
        # Of each end the router behind which the other one cannot reach it.
        gates = {"to": self._nets.hidden_by(way), "from": self._nets.hidden_by(way[::-1])}
        hidden = [end for end, gate in gates.items() if gate is not None]
        opener = self._written(pair)
        if opener is None:
            opener = hidden[0] if hidden else None
        if opener is not None:
            other = "from" if opener == "to" else "to"
            self._refuse_hidden(pair[other == "to"], gates[other], others_open=bool(hidden[1:]))
        return opener

    def _written(self, pair: Pair) -> str | None:
        """Give the end that the traffic names."""
        if not self._named:
            return None
        ends = [end for end, at in zip(("from", "to"), pair, strict=True) if at in self._named]
        if len(ends) != 1:
            what = f"{shown(self._traffic.opens)} is not one of its two ends"
            allowed = listing([self._traffic.from_, self._traffic.to])
            self._problems.append(Problem(f"{self._path}.opens", what, allowed))
            return None
        return ends[0]

    def _refuse_hidden(self, at: int, gate: int | None, *, others_open: bool) -> None:
        """Refuse what is opened towards an end that is behind a router that translates."""
        if gate is None:
            return
        machines = self._found.machines
        gate_path = machines[gate].path
        what = f"{machines[at].name} is behind {gate_path}, which translates addresses"
        allowed = "traffic that begins behind it"
        if others_open:
            allowed = "one end that is behind no such router"
        path = self._path if self._traffic.opens is None else f"{self._path}.opens"
        self._problems.append(Problem(path, what, allowed))
