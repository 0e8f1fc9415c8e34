"""Measuring a scenario's campaign, from the command line or from Python."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from anechoic.campaign import api
from anechoic.campaign.options import folder
from anechoic.campaign.progress import for_watcher
from anechoic.campaign.results import Results
from anechoic.campaign.runner import CampaignHalted, CampaignInterrupted
from anechoic.campaign.sweep import cells_of
from anechoic.measuring.asking import nodes_of, problems_of
from anechoic.measuring.executor import Endpoints, MeasurementFailed
from anechoic.measuring.placing import known_endpoints, places
from anechoic.scenario.errors import Problem, ScenarioError
from anechoic.scenario.model import Scenario

MEASURED = (
    "goodput_mbps", "goodput_per_connection_mbps", "bytes_per_s", "bytes", "retransmissions",
    "cwnd_bytes_mean", "cwnd_bytes_max", "rtt_ms_mean", "rtt_ms_max", "rtt_ms_p50", "rtt_ms_p95",
    "rtt_ms_p99", "rtt_ms_p999",
)  # fmt: skip
"""The metrics, of a run or of a flow, that a campaign may watch to know when it suffices."""


def measure(
    source: str | Path | Scenario,
    *,
    set: Mapping[str, Any] | None = None,  # noqa: A002 (as the command line calls it)
    sweep: Mapping[str, Sequence[Any]] | None = None,
    endpoints: Sequence[str] = (),
    reps: int | None = None,
    seed: int | None = None,
    out: str | Path | None = None,
    finish: Callable[[Results], None] | None = None,
) -> Results:
    """Measure a scenario's campaign between endpoints, and give its results.

    ``endpoints`` says which endpoint stands for a node, as NODE=NAME; a node that has the name of
    an endpoint needs no telling. Repetitions, stopping rule, sweep and going on with what was
    stopped are those of a simulated campaign.
    """
    values = {**(set or {}), "run.backend": "live"}
    scenario = api.prepared(source, set=values, sweep=sweep, seed=seed)
    plans = [cell.plan for cell in cells_of(scenario)]
    _check(scenario, plans)
    nodes = list(dict.fromkeys(node for plan in plans for node in nodes_of(plan)))
    runner = Endpoints(places(scenario, nodes, endpoints, known_endpoints()))
    with api.begun(scenario, reps, folder(scenario.source, out)) as campaign:
        is_hurried = False
        try:
            results = campaign.run(runner, for_watcher())
            if finish is not None:
                finish(results)
        except MeasurementFailed as error:
            raise ScenarioError(scenario.source, [Problem("", str(error))]) from None
        except CampaignInterrupted as interrupt:
            is_hurried = interrupt.is_hurried
            raise
        except OSError as error:
            raise CampaignHalted(campaign.store, error) from error
        finally:
            runner.close(is_hurried=is_hurried)
    return results


def _check(scenario: Scenario, plans: Sequence[Mapping[str, Any]]) -> None:
    found = [problem for plan in plans for problem in problems_of(scenario, plan)]
    problems = list(dict.fromkeys(found))
    metric = scenario.replication.metric
    if metric.rpartition(".")[2] not in MEASURED:
        what = f"{metric} is not measured on real machines yet"
        problems.append(Problem("replication.metric", what, ", ".join(MEASURED)))
    if problems:
        raise ScenarioError(scenario.source, problems)
