"""Small networks of any kind, by number: each with a few flows of what closed forms know."""

from random import Random
from typing import Any

STACKS = ("windows-xp", "linux-2.4", "linux-6", "rfc")


def random_cell(number: int) -> dict[str, Any]:
    """Give the scenario of a number."""
    return _Cell(Random(number)).data()


class _Cell:
    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.is_wired = rng.random() < 0.25
        self.cells = 1 if rng.random() < 0.8 else 2
        self.stations = [f"s{n}" for n in range(rng.randint(1, 3))]

    def data(self) -> dict[str, Any]:
        self.ends = ["server", "client"] if self.is_wired else ["server", *self.stations]
        data: dict[str, Any] = {
            "run": {"duration": "12 s", "warmup": "4 s"},
            "host": {"server": {"stack": self.rng.choice(STACKS)}},
            "traffic": {f"t{n}": self._flow() for n in range(self.rng.randint(1, 3))},
        }
        return data | (self._wired(data) if self.is_wired else self._on_air())

    def _wired(self, data: dict[str, Any]) -> dict[str, Any]:
        hosts = {**data["host"], "client": {"stack": self.rng.choice(STACKS)}}
        wires = {"lan": {"between": ["server", "middle"], **self._wire()}}
        wires["last"] = {"between": ["middle", "client"], **self._wire()}
        return {"host": hosts, "switch": {"middle": {}}, "wire": wires}

    def _on_air(self) -> dict[str, Any]:
        pick = self.rng.choice
        points = [f"ap{n}" for n in range(self.cells)]
        wires: dict[str, Any] = {"lan": {"between": ["server", "hub"], **self._wire()}}
        wires |= {point: {"between": ["hub", point]} for point in points}
        rates = {"802.11b": ["1 Mbit/s", "11 Mbit/s"], "802.11a": ["6 Mbit/s", "54 Mbit/s"]}
        standard = pick(list(rates))
        return {
            "air": {"standard": standard, "loss": "60 dB"},
            "switch": {"hub": {}},
            "ap": {
                point: {"rate": pick(rates[standard]), **self._maybe("queue_packets", [20, 100])}
                for point in points
            },
            "sta": {
                name: {
                    "ap": pick(points),
                    "stack": pick(STACKS),
                    "rate": pick(rates[standard]),
                    **self._maybe("rts_threshold", [400]),
                    **self._maybe("queue_packets", [5, 100]),
                }
                for name in self.stations
            },
            "wire": wires,
        }

    def _wire(self) -> dict[str, Any]:
        pick = self.rng.choice
        return {
            "rate": pick(["4 Mbit/s", "100 Mbit/s", "100 Mbit/s"]),
            "delay": pick(["0.01 ms", "1 ms", "20 ms"]),
            **self._maybe("queue", ["codel", "fq-codel"], 0.1),
        }

    def _maybe(self, name: str, values: list[Any], chance: float = 0.3) -> dict[str, Any]:
        return {name: self.rng.choice(values)} if self.rng.random() < chance else {}

    def _flow(self) -> dict[str, Any]:
        pick = self.rng.choice
        source, sink = self.rng.sample(self.ends, 2)
        app = pick(
            ["udp", "udp", "poisson", "on-off", "ping", "bulk", "bulk", "application-limited"]
        )
        own: dict[str, Any] = {"app": app, "from": source, "to": sink}
        rate = pick(["64 kbit/s", "1 Mbit/s", "3 Mbit/s", "9 Mbit/s"])
        if app in ("udp", "poisson", "on-off"):
            own["payload"] = pick([60, 400, 1000, 1472])
        if app == "ping":
            own |= {"payload": pick([36, 1000]), "interval": pick(["3 ms", "20 ms", "200 ms"])}
        elif app in ("poisson", "on-off", "application-limited") or (
            app == "udp" and self.rng.random() < 0.5
        ):
            own["rate"] = rate
        if app == "on-off":
            own |= {"on": "20 ms", "off": pick(["20 ms", "60 ms"])}
        if app != "ping" and self.rng.random() < 0.2:
            own["count"] = self.rng.randint(2, 3)
        return own
