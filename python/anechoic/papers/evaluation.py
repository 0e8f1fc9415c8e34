"""The verdicts on a paper's claims from the results of its experiments."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePath

from anechoic.campaign.results import Results
from anechoic.papers.claim import Campaigns, Claim, Status, Verdict
from anechoic.papers.goel2006 import CLAIMS, EXPERIMENTS, STATISTICS_NOTE
from anechoic.papers.points import MissingPoint, Points

FEWEST_REPLICATIONS = 12
"""Replications below which the thesis would not have reported a point."""

Evaluation = list[tuple[Claim, Verdict]]


def evaluate(results_by_experiment: Mapping[str, Results]) -> Evaluation:
    """Decide every claim of the experiments given, in the order of the catalogue."""
    campaigns = {name: Points(results) for name, results in results_by_experiment.items()}
    return [(claim, verdict(claim, campaigns)) for claim in CLAIMS if claim.experiment in campaigns]


def verdict(claim: Claim, campaigns: Campaigns) -> Verdict:
    """Decide one claim; what was not simulated makes it not-run, with the reason."""
    missing = [name for name in (claim.experiment, *claim.needs) if name not in campaigns]
    if missing:
        return Verdict(Status.NOT_RUN, (), f"needs {', '.join(missing)} too")
    try:
        found = claim.check(campaigns)
    except MissingPoint as error:
        return Verdict(Status.NOT_RUN, (), str(error))
    return _marked_if_preliminary(claim, found, campaigns)


def _marked_if_preliminary(claim: Claim, found: Verdict, campaigns: Campaigns) -> Verdict:
    used = [campaigns[name] for name in claim.experiments if name in campaigns]
    fewest = min(points.fewest_replications for points in used)
    if fewest >= FEWEST_REPLICATIONS or found.status is Status.NOT_RUN:
        return found
    note = f"preliminary: {fewest} of at least {FEWEST_REPLICATIONS} replications"
    return replace(found, reason="; ".join(filter(None, [found.reason, note])))


def evaluate_alone(results: Results) -> Evaluation:
    """Decide the claims of the experiment that these results are of; none if of no paper."""
    name = _experiment(results)
    return evaluate({name: results}) if name in EXPERIMENTS else []


def note_on_statistics(results: Results) -> str:
    """Give what a report has to say on the statistics of the paper it repeats."""
    return STATISTICS_NOTE if _experiment(results) in EXPERIMENTS else ""


def _experiment(results: Results) -> str:
    return PurePath(str(results.campaign.get("file") or results.scenario.source)).stem
