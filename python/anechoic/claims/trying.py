"""Claims judged with models and values that are changed: run, kept, and told as a page."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from json import dumps
from pathlib import Path
from typing import Any

from anechoic.campaign.results import Results
from anechoic.claims.chosen import Asked
from anechoic.claims.judged import Order
from anechoic.files import write_whole
from anechoic.papers.study import Study
from anechoic.papers.trial_record import MODELS, TRIALS, VALUES
from anechoic.papers.trials import Concerns, Trial, Tried, of_all, recorded, tried
from anechoic.papers.verdict import Status
from anechoic.running import run_variant
from anechoic.saying import say

_COLUMNS = 100
_TITLES = {
    MODELS: "What wrong models make of the claims",
    VALUES: "What was chosen, and what hangs on it",
}


def try_claims(
    asked: Sequence[Asked],
    order: Order,
    kind: str,
    trials_of: Callable[[Study], list[Trial]],
    page: Callable[[Asked, Tried], Iterator[str]],
    concerns: Concerns = of_all,
    *,
    is_recorded: bool,
) -> Path:
    """Judge claims in every trial of their study, and give the path of the page that tells it.

    What a folder holds of an earlier call is not run again. ``is_recorded`` keeps what it came to
    beside the claims, whose statuses it then decides with.
    """
    order.check()
    root = order.out or Path("results") / f"trials-{kind}"
    told = [f"# {_TITLES[kind]}", "", f"Of {order.replications} replications of each cell."]
    for each in asked:
        trials, folder = trials_of(each.study), root / each.study.id
        found = dict(_tried(each, trials, folder, order, concerns))
        record = recorded(each.study, each.claims, kind, found).as_json().encode()
        write_whole(folder / TRIALS, record)
        if is_recorded:
            write_whole(each.study.folder / TRIALS, record)
        told += page(each, found)
    path = root / f"{kind}.md"
    write_whole(path, ("\n".join(told) + "\n").encode())
    return path


def _tried(
    asked: Asked, trials: Sequence[Trial], folder: Path, order: Order, concerns: Concerns
) -> Iterator[tuple[str, dict[str, Status]]]:
    study = asked.study

    def run(experiment: str, values: Mapping[str, Any]) -> Results:
        out = folder / _name(values) / experiment
        return run_variant(study.file(experiment), values, order.replications, order.jobs, out)

    for name, statuses in tried(study, asked.claims, trials, run, concerns):
        agreeing = sum(status is Status.AGREES for status in statuses.values())
        say(f"{study.id}, {name}: {agreeing} of {len(statuses)} agree")
        yield name, statuses


def _name(values: Mapping[str, Any]) -> str:
    """Name a bench by what it changes: its folder."""
    text = dumps(values, sort_keys=True)
    return blake2b(text.encode(), digest_size=6).hexdigest() if values else "bench"


def wrapped(text: str) -> list[str]:
    """Give a paragraph of the page in lines."""
    from textwrap import wrap

    return wrap(text, _COLUMNS, break_long_words=False, break_on_hyphens=False)
