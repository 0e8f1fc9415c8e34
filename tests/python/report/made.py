"""Results of an invented campaign, as a report is made from."""

from itertools import product

from anechoic.campaign.cells import Axis, Cell, Value
from anechoic.campaign.replication import Summary, summarise
from anechoic.campaign.results import Results
from anechoic.scenario.experiment import Figure
from anechoic.scenario.model import Scenario

LEDGER = {"payload": 0.5, "preamble": 0.3, "backoff": 0.15, "idle": 0.05}


def made(
    *,
    axes: dict[str, tuple[Value, ...]] | None = None,
    figures: list[Figure] | None = None,
    replications: int = 12,
    limit_reached: bool = False,
    file: str = "mine.toml",
    ledger: dict[str, float] | None = None,
) -> Results:
    """Give results of two axes, a dozen replications and one figure, unless told otherwise."""
    swept = {"connections": (2, 8), "vendor": ("a", "b")} if axes is None else axes
    cells = [
        Cell(
            dict(zip(swept, values, strict=True)),
            replications,
            limit_reached,
            _metrics(index, replications, LEDGER if ledger is None else ledger),
        )
        for index, values in enumerate(product(*swept.values()))
    ]
    default = Figure(title="Goodput", x="connections", y="goodput_mbps", series="vendor")
    scenario = Scenario(
        title="Two <vendors> & a bench", figure=[default] if figures is None else figures
    )
    rule = {"metric": "goodput_mbps", "min": 12, "max": 60, "precision": 0.05}
    campaign = {"name": "mine", "file": file, "seed": 7, "version": "9.8", "replication": rule}
    return Results(
        campaign, scenario, [Axis(name, values) for name, values in swept.items()], cells
    )


def _metrics(index: int, replications: int, ledger: dict[str, float]) -> dict[str, Summary]:
    means = {"goodput_mbps": 5.0 - index / 2, "rtt_ms_mean": 20.0}
    means |= {f"airtime.{category}_share": share for category, share in ledger.items()}
    middle = (replications - 1) / 2
    return {
        name: summarise([mean * (1 + (r - middle) / 100) for r in range(replications)])
        for name, mean in means.items()
    }
