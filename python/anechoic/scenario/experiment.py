"""How long and how often a scenario is run, what is swept, captured and drawn."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from anechoic.scenario.base import Name, Part, about
from anechoic.scenario.quantities import Duration, PositiveDuration, PositiveSize

SweptValue = bool | int | float | str | list[bool | int | float | str]


class Run(Part):
    """One run: its time and its random numbers."""

    backend: Annotated[
        Literal["sim", "emu", "live"],
        about(
            "what runs it: sim simulates all of it; emu is `anechoic emulate`, the same on the "
            "wall clock, with the nodes real whose port says so; live is `anechoic measure`, its "
            "traffic between real machines",
            source="needs no right on the machine",
        ),
    ] = "sim"
    duration: Annotated[
        PositiveDuration, about("simulated time, warm-up included", source="goel2006 Table 3")
    ] = "300 s"
    warmup: Annotated[
        Duration, about("time at the beginning that no metric counts", source="nothing left out")
    ] = "0 s"
    time_series: Annotated[
        bool, about("whether time series are kept", source="a mean tells nothing of when")
    ] = True
    series_step: Annotated[
        PositiveDuration | None,
        about("step of the time series; absent: the shortest round one of which 200 suffice"),
    ] = None
    distributions: Annotated[
        bool,
        about(
            "whether it is kept how long what happens takes each time, and percentiles of it",
            source="a mean tells nothing of the worst",
        ),
    ] = True
    tcp_info_step: Annotated[
        PositiveDuration | None,
        about("step of the samples of TCP_INFO; absent: none are taken"),
    ] = None
    datagrams: Annotated[
        bool,
        about("whether a table is kept with a row for each datagram and ping", source="it is long"),
    ] = False
    attempts: Annotated[
        bool,
        about(
            "whether a table is kept with a row for each data frame and RTS", source="it is long"
        ),
    ] = False
    caches: Annotated[
        Literal["filled", "empty"],
        about(
            "whether machines know each other's link addresses from the start, or have to ask",
            source="a bench in use: its machines have spoken before",
        ),
    ] = "filled"
    seed: Annotated[
        int,
        about(
            "seed of the campaign; replications derive theirs from it",
            source="any will do",
            ge=0,
            lt=2**63,
        ),
    ] = 1


class Window(Part):
    """A part of the measured time that has metrics of its own, called METRIC@NAME."""

    from_: Annotated[
        str,
        Field(
            alias="from",
            description='a time from the start of the run, "start of traffic.NAME" or '
            '"end of traffic.NAME", or of several, "end of traffic.ONE, traffic.OTHER"',
            json_schema_extra={"source": "the end of the warm-up"},
        ),
    ] = "0 s"
    until: Annotated[
        str | None,
        about("the same; absent: the end of the run"),
    ] = None


class Replication(Part):
    """When a cell has been run often enough."""

    metric: Annotated[
        str, about("metric whose interval decides", source="the thesis's measure")
    ] = "goodput_mbps"
    min: Annotated[int, about("fewest replications", source="goel2006 §3.7", ge=2, le=10_000)] = 12
    max: Annotated[int, about("most replications", source="goel2006 §3.7", ge=2, le=10_000)] = 60
    precision: Annotated[
        float,
        about(
            "relative half-width of the 95 % Student-t interval that suffices",
            source="goel2006 §3.2",
            gt=0,
            lt=1,
        ),
    ] = 0.05


class Tap(Part):
    """A point where frames are captured into a pcapng file, or a radio's events into a text."""

    at: Annotated[
        str,
        about(
            'what is tapped: "wire.NAME", the antenna of "ap.NAME" or "sta.NAME", or "stack.NAME": '
            "as tcpdump on a host, a router or a station, the packets that it sends and takes; or "
            '"events.NAME": as iwevent on a station, the levels that its radio measures and the '
            'frames that it gives up; or "drops.NAME": what a machine drops, each with its cause'
        ),
    ]
    snap: Annotated[
        PositiveSize, about("bytes kept of each frame", unit="bytes", source="whole frames")
    ] = 65_535
    replications: Annotated[
        Literal["first", "all"],
        about("of each cell, which replications are captured", source="captures are large"),
    ] = "first"


class Program(Part):
    """A program of this machine that runs in a real node while the scenario is emulated."""

    node: Annotated[Name, about("the real node that it runs in, or a group of them")]
    command: Annotated[str, about("what is run, a line for the shell")]
    start: Annotated[
        Duration, about("when it is started", source="as soon as every node is up")
    ] = "0 s"


AXIS_KEYS = ("name", "labels")
"""What an axis says beside its columns."""


class Sweep(Part):
    """An axis of the sweep: columns of values, taken row by row.

    In a file a column is a quoted path: ``"traffic.pairs.count" = [2, 4, 8]``.
    """

    model_config = ConfigDict(json_schema_extra={"additionalProperties": {"type": "array"}})

    name: Annotated[str | None, about("name of the axis; absent: the first path")] = None
    labels: Annotated[
        list[Annotated[str, Field(min_length=1)]] | None,
        about("what the rows are called, one each; absent: the values of the first column"),
    ] = None
    columns: Annotated[
        dict[str, Annotated[list[SweptValue], Field(min_length=1)]],
        Field(min_length=1, description="values by path of the field; one of each makes a row"),
    ]

    @model_validator(mode="before")
    @classmethod
    def _columns_by_path(cls, data: Any) -> Any:
        if not isinstance(data, Mapping) or isinstance(data.get("columns"), Mapping):
            return data
        own = {key: value for key, value in data.items() if key in AXIS_KEYS}
        columns = {path: values for path, values in data.items() if path not in own}
        return {**own, "columns": dict(_flat(columns))}

    @property
    def title(self) -> str:
        """Give the axis' name."""
        return self.name or next(iter(self.columns))

    @property
    def shown(self) -> list[SweptValue]:
        """Give what its rows are called in results: their labels, or the first column."""
        return next(iter(self.columns.values())) if self.labels is None else [*self.labels]


def _flat(table: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    # Unquoted, a.b.c = [...] reaches us as tables within tables.
    pairs: list[tuple[str, Any]] = []
    for key, value in table.items():
        if isinstance(value, Mapping):
            pairs += _flat(value, f"{prefix}{key}.")
        else:
            pairs.append((f"{prefix}{key}", value))
    return pairs


def _metrics(value: object) -> object:
    names = value if isinstance(value, list) else [value]
    if names and all(isinstance(name, str) for name in names):
        return value
    raise PydanticCustomError(
        "quantity",
        "{reason}",
        {"reason": "no name of a metric", "allowed": "the name of a metric, or a list of them"},
    )


Metrics = Annotated[str | list[str], BeforeValidator(_metrics)]


class EmulationLimits(Part):
    """What a valid run on the wall clock keeps to."""

    lateness: Annotated[
        PositiveDuration,
        about("the lateness that 99 of 100 frames out stay below", source="2 % of 5 ms"),
    ] = "100 us"
    stall: Annotated[
        PositiveDuration,
        about(
            "the longest time that the emulator may be kept from running",
            source="what Linux takes from real-time threads each second, sched(7)",
        ),
    ] = "50 ms"
    changed: Annotated[
        float,
        about(
            "the largest share of the frames by which flows may differ without lateness",
            source="inferred: a tenth of a goodput's agreement with the simulator",
            ge=0,
            le=1,
        ),
    ] = 0.005
    starved: Annotated[
        float,
        about(
            "the largest share of the time for which a program may wait for a processor",
            source="inferred: a program that waits looks like a slow network",
            ge=0,
            le=1,
        ),
    ] = 0.05


class Figure(Part):
    """A figure of the report."""

    title: Annotated[str, about("title of the figure")]
    x: Annotated[
        str | None, about("axis of the sweep along the x axis; absent: a bar for each of `each`")
    ] = None
    y: Annotated[
        Metrics, about("metric along the y axis, or several, of two units at most: left and right")
    ]
    each: Annotated[
        Literal["flow", "traffic", "station", "group"] | None,
        about("what has a line or bar of its own; `y` is then the end of a metric's name"),
    ] = None
    series: Annotated[str | None, about("axis of the sweep that makes a line or bar group")] = None
    panel: Annotated[str | None, about("axis of the sweep that makes a panel")] = None
    kind: Annotated[
        Literal["line", "bar", "cdf", "box", "points"],
        about(
            "kind of figure; `cdf` and `box` draw how the values of a quantity such as `rtt_ms` "
            "are distributed, `cdf` over these values; `points` draws one for each replication, or "
            "over time for each ping or datagram (`rtt_ms`, `delay_ms`, with `run.datagrams`) or "
            "transfer (`transfer_s`)",
            source="a sweep is a line",
        ),
    ] = "line"
    x_label: Annotated[str | None, about("label of the x axis")] = None
    y_label: Annotated[str | None, about("label of the left y axis")] = None

    @property
    def metrics(self) -> list[str]:
        """Give what is drawn along y."""
        return [self.y] if isinstance(self.y, str) else self.y

    @property
    def is_of_values(self) -> bool:
        """Say whether it draws every value of a quantity."""
        return self.kind in ("cdf", "box") or (self.kind == "points" and self.x is None)

    @property
    def wholes(self) -> list[str]:
        """Give the metrics among them that are a run's own, not each flow's or station's."""
        return [] if self.each is not None or self.is_of_values else self.metrics
