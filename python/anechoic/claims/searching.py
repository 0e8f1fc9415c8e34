"""The claims of one study judged with each variant of its bench."""

from pathlib import Path

import click
from rich.console import Console

from anechoic.campaign.results import Results
from anechoic.claims.chosen import Asked
from anechoic.claims.judged import Order
from anechoic.files import write_whole
from anechoic.papers.judging import judge, needed
from anechoic.papers.search import Judged, Space, Variant, as_json, print_search
from anechoic.running import run_variant
from anechoic.saying import say


def search(asked: Asked, file: Path, order: Order, *, is_json: bool) -> None:
    """Judge the claims with every variant that a search file allows, and print the best."""
    study = asked.study
    experiments = needed(study, asked.claims).experiments
    space = Space.of(file if file.exists() else study.folder / file)
    space.check([study.file(name) for name in experiments])
    out = order.out or Path("results") / f"{study.id}-{file.stem}"

    def ran(name: str, variant: Variant) -> Results:
        folder = out / variant.name / name
        return run_variant(study.file(name), variant.values, order.reps, order.jobs, folder)

    def judged(variant: Variant) -> Judged:
        results = {name: ran(name, variant) for name in experiments}
        found = Judged(variant, judge(study, results, asked.claims))
        values = ", ".join(f"{axis} {value}" for axis, value in variant.parameters.items())
        say(f"{values}: {found.rank[0]} of {len(asked.claims)}")
        return found

    found = space.explore(judged)
    write_whole(out / "search.json", as_json(found).encode())
    if is_json:
        click.echo(as_json(found), nl=False)
    print_search(found, Console(stderr=is_json))
    click.echo(f"verdicts: {out / 'search.json'}", err=is_json)
