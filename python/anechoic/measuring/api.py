"""Measuring a scenario's campaign, from the command line or from Python."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from anechoic.campaign import api
from anechoic.campaign.options import folder
from anechoic.campaign.progress import for_watcher
from anechoic.campaign.results import Results
from anechoic.campaign.runner import CampaignHalted, CampaignInterrupted
from anechoic.campaign.sweep import CellPlan, cells_of
from anechoic.measuring.access_points import AccessPoints, problems_of_sweep
from anechoic.measuring.agents import Agent, known_agents
from anechoic.measuring.asking import nodes_of, problems_of, problems_of_servers
from anechoic.measuring.executor import Endpoints, MeasurementFailed
from anechoic.measuring.placing import (
    Endpoint,
    Places,
    Server,
    agents_of,
    known_endpoints,
    places,
    served,
    visited,
)
from anechoic.measuring.snmp import AgentFailed
from anechoic.measuring.visits import VisitFailed, visits
from anechoic.scenario.errors import Problem, ScenarioError
from anechoic.scenario.model import Scenario

MEASURED = (
    "goodput_mbps", "goodput_per_connection_mbps", "bytes_per_s", "bytes", "retransmissions",
    "cwnd_bytes_mean", "cwnd_bytes_max", "rtt_ms_mean", "rtt_ms_max", "rtt_ms_p50", "rtt_ms_p95",
    "rtt_ms_p99", "rtt_ms_p999", "delay_ms_mean", "delay_ms_max", "delay_ms_p50", "delay_ms_p95",
    "delay_ms_p99", "delay_ms_p999", "jitter_ms_mean", "datagram_loss",
    "record_mbps_mean", "response_ms_mean",
)  # fmt: skip
"""The metrics, of a run or of a flow, that a campaign may watch to know when it suffices."""


def measure(
    source: str | Path | Scenario,
    *,
    set: Mapping[str, Any] | None = None,  # noqa: A002 (as the command line calls it)
    sweep: Mapping[str, Sequence[Any]] | None = None,
    endpoints: Sequence[str] = (),
    ssh: Sequence[str] = (),
    iperf3: Sequence[str] = (),
    stamp: Sequence[str] = (),
    agents: Sequence[str] = (),
    reps: int | None = None,
    seed: int | None = None,
    out: str | Path | None = None,
    finish: Callable[[Results], None] | None = None,
) -> Results:
    """Measure a scenario's campaign between endpoints, and give its results.

    ``endpoints`` says which endpoint stands for a node, as NODE=NAME; a node that has the name of
    an endpoint needs no telling. ``ssh`` says instead on which machines to run one for this
    measurement, as NODE=HOST; the one node that is left stands for this machine. ``iperf3`` says
    which nodes are iperf3 servers, as NODE=NAME, by the name that the other end's owner gave it;
    with ``ssh``, as NODE=ADDRESS:PORT; ``stamp`` says the same of STAMP reflectors. ``agents`` says
    by which SNMP agent, as NODE=NAME, an access point is set to what each cell says of it.

    Repetitions, stopping rule, sweep and going on with what was stopped are those of a simulated
    campaign.
    """
    values = {**(set or {}), "run.backend": "live"}
    scenario = api.prepared(source, set=values, sweep=sweep, seed=seed)
    cells = cells_of(scenario)
    plans = [cell.plan for cell in cells]
    found = agents_of(scenario, agents, known_agents()) if scenario.ap else {}
    nodes = list(dict.fromkeys(node for plan in plans for node in nodes_of(plan)))
    servers = served(scenario, nodes, {"iperf3": iperf3, "stamp": stamp})
    _check(scenario, plans, servers)
    _check_sweep(scenario, cells, found)
    access_points = _answering(scenario, found)
    ours = [node for node in nodes if node not in servers]
    with (
        _gathered(scenario, ours, endpoints, ssh, servers) as where,
        api.begun(scenario, reps, folder(scenario.source, out)) as campaign,
    ):
        runner = Endpoints(scenario, Places(where, servers), access_points)
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


@contextmanager
def _gathered(
    scenario: Scenario,
    nodes: Sequence[str],
    endpoints: Sequence[str],
    ssh: Sequence[str],
    servers: Mapping[str, Server],
) -> Iterator[dict[str, Endpoint]]:
    """Give the endpoint of each node, for as long as it is needed."""
    if not ssh:
        yield places(scenario, nodes, endpoints, known_endpoints())
        return
    from anechoic import _core

    hosts, here = visited(scenario, nodes, endpoints, ssh)
    with ExitStack() as stack:
        try:
            found = stack.enter_context(visits(hosts, here, _core.console_key(), servers.values()))
        except VisitFailed as error:
            raise ScenarioError(scenario.source, [Problem("--ssh", str(error))]) from None
        yield found


def _check_sweep(
    scenario: Scenario, cells: Sequence[CellPlan], agents: Mapping[str, Agent]
) -> None:
    by_parameters = {
        ", ".join(f"{name} = {value}" for name, value in cell.parameters.items()): cell.plan
        for cell in cells
    }
    problems = list(problems_of_sweep(scenario, by_parameters, agents))
    if problems:
        raise ScenarioError(scenario.source, problems)


def _answering(scenario: Scenario, agents: Mapping[str, Agent]) -> AccessPoints:
    """Give the access points of agents that answer; raise ScenarioError where one does not."""
    access_points = AccessPoints(agents)
    try:
        access_points.check()
    except AgentFailed as error:
        raise ScenarioError(scenario.source, [Problem("--agent", str(error))]) from None
    return access_points


def _check(
    scenario: Scenario, plans: Sequence[Mapping[str, Any]], servers: Mapping[str, Server]
) -> None:
    found = [problem for plan in plans for problem in problems_of(scenario, plan)]
    found += [problem for plan in plans for problem in problems_of_servers(plan, servers)]
    problems = list(dict.fromkeys(found))
    metric = scenario.replication.metric
    if metric.partition("@")[0].rpartition(".")[2] not in MEASURED:
        what = f"{metric} is not measured on real machines yet"
        problems.append(Problem("replication.metric", what, ", ".join(MEASURED)))
    if problems:
        raise ScenarioError(scenario.source, problems)
