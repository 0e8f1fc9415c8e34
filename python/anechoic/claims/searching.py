"""The claims of one study judged with each variant of its bench."""

from pathlib import Path

import click
from rich.console import Console

from anechoic.claims.chosen import Asked
from anechoic.claims.judged import Order
from anechoic.files import write_whole
from anechoic.papers.judging import checked, needed
from anechoic.papers.search import Judged, Space, Variant, as_json, print_search, ranked
from anechoic.running import run_variant
from anechoic.saying import say

_FINALISTS = 3
"""Variants judged again where the search had fewer replications than the study asks for."""


def search(asked: Asked, file: Path, order: Order, *, is_json: bool) -> None:
    """Judge the claims with every variant that a search file allows, and print the best.

    Claims that are held out choose none; how many of them agree is told beside.

    Where verdicts are preliminary, the best variants get all replications that the study asks for.
    """
    study = asked.study
    experiments = needed(study, asked.claims).experiments
    space = Space.of(file if file.exists() else study.folder / file)
    space.check([study.file(name) for name in experiments])
    out = order.out or Path("results") / f"{study.id}-{file.stem}"

    def judged(variant: Variant, reps: int | None) -> Judged:
        results = {
            name: run_variant(
                study.file(name), variant.values, reps, order.jobs, out / variant.name / name
            )
            for name in experiments
        }
        found = Judged(variant, checked(study, results, asked.claims))
        values = ", ".join(f"{axis} {value}" for axis, value in variant.parameters.items())
        say(f"{values}: {found.rank[0]} of {len(found.chosen_by)}")
        return found

    found = space.explore(lambda variant: judged(variant, order.reps))
    enough = study.about.fewest_replications
    finals: list[Judged] = []
    if order.reps is not None and order.reps < enough:
        say(f"the best of them with {enough} replications")
        finals = [judged(each.variant, enough) for each in ranked(found)[:_FINALISTS]]
    write_whole(out / "search.json", as_json(found, finals).encode())
    if is_json:
        click.echo(as_json(found, finals), nl=False)
    print_search(found, finals, Console(stderr=is_json))
    click.echo(f"verdicts: {out / 'search.json'}", err=is_json)
