"""What to look at before trusting the results."""

from anechoic.campaign.awaited import awaited
from anechoic.campaign.cells import of_all
from anechoic.campaign.failures import failed, starved
from anechoic.campaign.not_given import not_given
from anechoic.campaign.phases import phases
from anechoic.campaign.results import Results
from anechoic.campaign.silence import silence


def warnings(results: Results) -> list[str]:
    """Give the warnings of a campaign."""
    return [
        *failed(results.cells),
        *starved(results.cells),
        *_limited(results),
        *_single(results),
        *not_given(results.scenario, results.cells),
        *silence(results),
        *phases(results),
        *awaited(results),
    ]


def _limited(results: Results) -> list[str]:
    limited = [cell for cell in results.cells if cell.limit_reached]
    if not limited:
        return []
    metric = results.campaign["replication"]["metric"]
    return [
        f"{of_all(limited, results.cells)} ran into the limit of the replication rule before the "
        f"interval of {metric} was as narrow as asked; they are marked."
    ]


def _single(results: Results) -> list[str]:
    single = [cell for cell in results.cells if cell.replications < 2]
    if not single:
        return []
    return [f"{of_all(single, results.cells)} ran once only: their values have no interval."]
