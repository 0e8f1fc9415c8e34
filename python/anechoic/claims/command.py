"""The commands on claims, read from the command line."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from anechoic.completion import ClaimName, claim_names
from anechoic.exits import guarded
from anechoic.fitting import wrapped
from anechoic.libraries import check_installed
from anechoic.out_option import OutFolder

if TYPE_CHECKING:
    from anechoic.claims.chosen import Asked
    from anechoic.claims.judged import Order
    from anechoic.claims.kept import Judged

# What is no command is a claim, which is run.
_RUN = "run"

_USUAL = Path("results")

NAMES = click.argument(
    "names", nargs=-1, type=ClaimName(), metavar="[STUDY | EXPERIMENT | CLAIM | FILE] …"
)
KEPT_IN = click.option(
    "--from",
    "root",
    type=click.Path(path_type=Path),
    help="Folder in which verdicts are kept.  [default: results]",
)


class Claims(click.Group):
    """Commands of which one need not be named: ``claims goel-1`` is ``claims run goel-1``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the command before what is none."""
        if args and args[0] not in (*self.commands, *ctx.help_option_names):
            args = [_RUN, *args]
        return super().parse_args(ctx, args)

    def shell_complete(
        self, ctx: click.Context, incomplete: str
    ) -> list[click.shell_completion.CompletionItem]:
        """Offer the commands, and what may stand in the place of one."""
        return [*claim_names(incomplete), *super().shell_complete(ctx, incomplete)]


@click.group("claims", cls=Claims)
def claims_command() -> None:
    """Run the experiments of studies and judge the claims on what they give.

    A name is that of a study, an experiment or a claim that ships, or a claims.toml of your own,
    the folder that holds one, or FOLDER/NAME for a part of it; `anechoic claims goel-1` is short
    for `anechoic claims run goel-1`. A claim that fails is a result, not an error.
    """


@claims_command.command(_RUN)
@NAMES
@click.option("--all", "is_all", is_flag=True, help="All claims that ship.")
@click.option(
    "--quick",
    "is_quick",
    is_flag=True,
    help="A first look: each cell once and no reports, in results/quick; with --all, the stated "
    "results alone (tier 1) that metrics decide.",
)
@click.option(
    "--out",
    type=OutFolder(),
    help="Folder with a campaign for each experiment; finished ones are not run again.  "
    "[default: results/STUDY]",
)
@click.option("--jobs", type=int, metavar="N", help="So many at the same time.  [default: cores]")
@click.option("--reps", type=int, metavar="N", help="Exactly so many replications, 1 to 10000.")
@click.option(
    "--search",
    metavar="FILE",
    help="Judge the claims with every combination of the file's [[sweep]] axes, and say which "
    "satisfies most of them.",
)
@click.option("--json", "is_json", is_flag=True, help="Write the scorecard as JSON to stdout.")
def run_command(
    names: tuple[str, ...],
    is_all: bool,
    is_quick: bool,
    out: Path | None,
    jobs: int | None,
    reps: int | None,
    search: str | None,
    is_json: bool,
) -> None:
    """Run what claims need, judge them, and keep the verdicts.

    What is kept of an earlier run of the same build is not run again, nor judged again where
    nothing has changed: a run that was stopped goes on.
    """
    if bool(names) == is_all:
        raise click.UsageError("name studies, experiments or claims, or ask for --all")

    def ran() -> None:
        from anechoic.claims.chosen import chosen, stated
        from anechoic.claims.judged import Order, check_functions, run_and_judge

        check_installed("claims", "matplotlib", "pyarrow", "scipy")
        asked, order = chosen(names), Order(out, jobs, reps, is_quick)
        if is_all and is_quick:
            asked = stated(asked)
        if search is not None:
            _search(asked, Path(search), order, is_json=is_json)
            return
        judged = run_and_judge(asked, order)
        _show(judged, order.root, is_json=is_json)
        check_functions(judged)

    guarded(ran)


@claims_command.command("judge")
@NAMES
@click.option(
    "--on",
    "given",
    multiple=True,
    required=True,
    metavar="EXPERIMENT=FOLDER",
    help="Judge an experiment's claims on the campaign in a folder; of several, on all cells.",
)
@click.option("--json", "is_json", is_flag=True, help="Write the scorecard as JSON to stdout.")
def judge_command(names: tuple[str, ...], given: tuple[str, ...], is_json: bool) -> None:
    """Judge claims on campaigns that are there, as `anechoic measure` leaves them; run nothing.

    Nothing is kept either: the verdicts that are kept are the simulator's.
    """

    def told() -> None:
        from rich.console import Console

        from anechoic.claims.chosen import chosen
        from anechoic.claims.given import judged_on
        from anechoic.papers.scorecard import as_json, print_rows

        scorecards = judged_on(chosen(names), given)
        for scorecard in scorecards:
            print_rows(scorecard, Console(stderr=is_json))
        if is_json:
            click.echo(as_json(scorecards), nl=False)

    guarded(told)


@claims_command.command("list")
@NAMES
@KEPT_IN
@click.option("--json", "is_json", is_flag=True, help="Write it as JSON to stdout.")
def list_command(names: tuple[str, ...], root: Path | None, is_json: bool) -> None:
    """List claims, each with its tier, and its verdict if it has one."""

    def told() -> None:
        from anechoic.claims.telling import listed
        from anechoic.claims.whole import tell_where_nothing_was_run
        from anechoic.papers.scorecard import as_json

        judged = _kept(names, root)
        if is_json:
            click.echo(as_json([each.scorecard for each in judged]), nl=False)
        else:
            click.echo(wrapped("\n".join(listed(judged))))
        tell_where_nothing_was_run(judged)

    guarded(told)


@claims_command.command("show")
@click.argument("names", nargs=-1, required=True, type=ClaimName(), metavar="CLAIM …")
@KEPT_IN
def show_command(names: tuple[str, ...], root: Path | None) -> None:
    """Tell all that is known of a claim: how it is decided, what was found, and why."""

    def told() -> None:
        from anechoic.claims.telling import shown

        texts = [text for each in _kept(names, root) for text in shown(each)]
        click.echo(wrapped("\n\n".join(texts)))

    guarded(told)


@claims_command.command("scorecard")
@NAMES
@KEPT_IN
@click.option("--json", "is_json", is_flag=True, help="Write the scorecard as JSON to stdout.")
def scorecard_command(names: tuple[str, ...], root: Path | None, is_json: bool) -> None:
    """Put the verdicts that are kept together, on the screen and as a page; nothing is run."""
    folder = root or _USUAL

    def told() -> None:
        from anechoic.claims.whole import tell_where_nothing_was_run

        judged = _kept(names, folder)
        _show(judged, folder, is_json=is_json)
        tell_where_nothing_was_run(judged)

    guarded(told)


def trials_command(name: str) -> "Callable[[Callable[..., None]], click.Command]":
    """Make a command that judges claims with models or values that are changed."""
    options = (
        claims_command.command(name),
        NAMES,
        click.option(
            "--out", type=OutFolder(), help="Folder of it all.  [default: results/trials-…]"
        ),
        click.option(
            "--jobs", type=int, metavar="N", help="So many at the same time.  [default: cores]"
        ),
        click.option(
            "--reps", type=int, metavar="N", default=4, show_default=True, help="Replications."
        ),
        click.option(
            "--record",
            "is_recorded",
            is_flag=True,
            help="Keep what it came to beside the claims, whose statuses it then decides with.",
        ),
    )

    def made(function: "Callable[..., None]") -> click.Command:
        decorated: Any = function
        for option in reversed(options):
            decorated = option(decorated)
        command: click.Command = decorated
        return command

    return made


@trials_command("calibrate")
@click.option("--alone", "is_alone", is_flag=True, help="One value at a time, and no pairs.")
def calibrate_command(
    names: tuple[str, ...],
    out: Path | None,
    jobs: int | None,
    reps: int,
    *,
    is_recorded: bool,
    is_alone: bool,
) -> None:
    """Try other values of what a study inferred, alone and in pairs, on all its experiments.

    A study lists what it inferred in inferred.toml. Claims that another value turns hang on it. A
    long study, which goes on where it was stopped; a page tells what moves.
    """

    def tried() -> None:
        from anechoic.claims.calibrating import told
        from anechoic.claims.chosen import chosen
        from anechoic.claims.judged import Order
        from anechoic.claims.trying import try_claims
        from anechoic.papers.calibration import inferred_of, sets_of
        from anechoic.papers.trial_record import VALUES

        page = try_claims(
            chosen(names),
            Order(out, jobs, reps),
            VALUES,
            lambda study: list(sets_of(inferred_of(study), is_alone=is_alone)),
            told,
            is_recorded=is_recorded,
        )
        click.echo(f"page: {page}")

    guarded(tried)


@trials_command("discriminate")
@click.option(
    "--explaining",
    "is_explaining",
    is_flag=True,
    help="Only claims that say what they are flipped by, each with that model.",
)
def discriminate_command(
    names: tuple[str, ...],
    out: Path | None,
    jobs: int | None,
    reps: int,
    *,
    is_recorded: bool,
    is_explaining: bool,
) -> None:
    """Try wrong models, and those that a study changes itself: which checks tell them apart.

    Without back-off, without retries, with an endless queue and so on, and with another seed. A
    check that agrees with all of them is no evidence. A long study, which goes on where it was
    stopped.
    """

    def tried() -> None:
        from anechoic.claims.chosen import chosen, to_be_explained
        from anechoic.claims.discriminating import told
        from anechoic.claims.judged import Order
        from anechoic.claims.trying import try_claims
        from anechoic.papers.models import models_of
        from anechoic.papers.trial_record import MODELS
        from anechoic.papers.trials import of_all, that_it_names

        asked = chosen(names)
        page = try_claims(
            to_be_explained(asked) if is_explaining else asked,
            Order(out, jobs, reps),
            MODELS,
            models_of,
            told,
            that_it_names if is_explaining else of_all,
            is_recorded=is_recorded,
        )
        click.echo(f"page: {page}")

    guarded(tried)


def _kept(names: tuple[str, ...], root: Path | None) -> "list[Judged]":
    """Give what a folder has of these claims; the usual one need not be there."""
    from anechoic.claims.chosen import chosen
    from anechoic.claims.whole import check_kept, judged_in

    if root is not None:
        check_kept(root)
    return judged_in(root or _USUAL, chosen(names))


def _show(judged: "Sequence[Judged]", root: Path, *, is_json: bool) -> None:
    from rich.console import Console

    from anechoic.claims.page import write_page
    from anechoic.papers.scorecard import as_json, parts_of, print_counts, print_rows

    scorecards = [each.scorecard for each in judged]
    console = Console(stderr=is_json)
    for scorecard in scorecards:
        print_rows(scorecard, console)
    if len(parts_of(scorecards)) > 1:
        print_counts(scorecards, console)
    page = write_page(judged, root)
    click.echo(f"scorecard: {page}", err=is_json)
    if is_json:
        click.echo(as_json(scorecards), nl=False)


def _search(asked: "Sequence[Asked]", file: Path, order: "Order", *, is_json: bool) -> None:
    from anechoic.claims.searching import search

    if len(asked) > 1:
        raise click.UsageError("--search is about the bench of one study: name it")
    search(asked[0], file, order, is_json=is_json)
