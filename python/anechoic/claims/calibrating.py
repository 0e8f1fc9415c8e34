"""How verdicts change over what a study's bench chose where its text is silent, as a page."""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from json import dumps
from pathlib import Path
from typing import Any

from anechoic.campaign.results import Results
from anechoic.claims.judged import Order
from anechoic.files import write_whole
from anechoic.papers.calibration import Calibrated, calibrated
from anechoic.papers.study import Study
from anechoic.running import run_variant
from anechoic.saying import say

PAGE = "calibration.md"
_COLUMNS = 100


def calibrate(studies: Sequence[Study], order: Order) -> Path:
    """Try what these studies inferred, and give the path of the page that tells it.

    What a folder holds of an earlier call is not run again.
    """
    order.check()
    root = order.out or Path("results") / "calibration"
    found = {study.id: list(_of(study, root / study.id, order)) for study in studies}
    page = root / PAGE
    write_whole(page, (_told(found, order) + "\n").encode())
    return page


def _of(study: Study, folder: Path, order: Order) -> Iterator[Calibrated]:
    def run(experiment: str, values: Mapping[str, Any]) -> Results:
        out = folder / _name(values) / experiment
        return run_variant(study.file(experiment), values, order.replications, order.jobs, out)

    for each in calibrated(study, run):
        if each.tried:
            say(f"{study.id}: {each.parameter.name}: {_counts(each)}")
        yield each


def _name(values: Mapping[str, Any]) -> str:
    """Name a bench by what it changes: its folder."""
    text = dumps(values, sort_keys=True)
    return blake2b(text.encode(), digest_size=6).hexdigest() if values else "bench"


def _told(found: Mapping[str, Sequence[Calibrated]], order: Order) -> str:
    every = [each for parameters in found.values() for each in parameters]
    swept = [each for each in every if each.tried]
    asked = {claim for each in swept for claim in each.tried[0].statuses}
    changing = {change.split("`")[1] for each in swept for change in each.changes}
    command = f"anechoic claims calibrate {' '.join(found)} --reps {order.replications}"
    return "\n".join(
        [
            "# What was chosen, and what hangs on it",
            "",
            *_wrapped(
                "Where a paper says nothing of its bench, a value was chosen. Each such value is "
                f"in `inferred.toml` of its study, and this page is what `{command}` makes of it: "
                "one parameter is changed at a time, and the claims of the experiments named are "
                "judged anew, on the same seeds. So few replications leave more claims undecided "
                "than the scorecard does; what counts here is the difference."
            ),
            "",
            *_wrapped(
                f"{len(every)} parameters, {len(swept)} of them swept; of {len(asked)} claims "
                f"judged {len(asked) - len(changing)} have the same verdict with every value."
            ),
            *(line for name, parameters in found.items() for line in _section(name, parameters)),
        ]
    )


def _section(study: str, parameters: Sequence[Calibrated]) -> Iterator[str]:
    yield from ("", f"## {study}", "")
    for each in filter(lambda each: each.tried, parameters):
        own = each.tried[0]
        yield from _wrapped(
            f"**{each.parameter.name}**: {own.value}. {each.parameter.why} Tried on "
            f"{', '.join(f'`{name}`' for name in each.parameter.experiments)}: {_counts(each)}."
        )
        yield ""
        for change in each.changes:
            yield f"- {change}"
        if each.changes:
            yield ""
    unswept = [each.parameter for each in parameters if not each.tried]
    if unswept:
        yield from ("Not swept:", "", "| what | why so | why no others |", "|---|---|---|")
        yield from (f"| {each.name} | {each.why} | {each.unswept} |" for each in unswept)


def _counts(each: Calibrated) -> str:
    many = len(each.tried[0].statuses)
    told = ", ".join(f"{tried.passing} with {tried.value}" for tried in each.tried)
    return f"of {many} claims pass {told}"


def _wrapped(text: str) -> list[str]:
    from textwrap import wrap

    return wrap(text, _COLUMNS, break_long_words=False, break_on_hyphens=False)
