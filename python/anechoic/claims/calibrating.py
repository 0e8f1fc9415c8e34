"""How claims change over what a study's bench was given where its text is silent, as a page."""

from collections.abc import Iterator

from anechoic.claims.chosen import Asked
from anechoic.claims.trying import wrapped
from anechoic.papers.calibration import AND, Inferred, inferred_of
from anechoic.papers.trials import AS_IT_IS, Tried
from anechoic.papers.verdict import Status

_SHOWN = 10
"""Sets of values that the page ranks; the record has all."""


def told(asked: Asked, found: Tried) -> Iterator[str]:
    """Tell which claims each other value moves, which sets serve most, and what was not tried."""
    parameters = inferred_of(asked.study)
    swept = [each for each in parameters if each.sweep is not None]
    own = found[AS_IT_IS]
    moved = {claim for name in found for claim in _moves(own, found, name)}
    yield from ("", f"## {asked.study.id}", "")
    yield from wrapped(
        f"{len(parameters)} parameters, {len(swept)} of them tried, {_how(found)}, on all "
        f"experiments of {len(asked.claims)} claims; {len(asked.claims) - len(moved)} have the "
        "same status with every set."
    )
    for each in swept:
        yield from _parameter(each, own, found)
    yield from _sets(asked, found)
    unswept = [each for each in parameters if each.sweep is None]
    if unswept:
        yield from ("", "Not tried:", "", "| what | why so | why no others |", "|---|---|---|")
        yield from (f"| {each.name} | {each.why} | {each.unswept} |" for each in unswept)


def _how(found: Tried) -> str:
    return "alone and in pairs" if any(AND in name for name in found) else "alone"


def _parameter(parameter: Inferred, own: dict[str, Status], found: Tried) -> Iterator[str]:
    assert parameter.sweep is not None
    yield ""
    yield from wrapped(f"**{parameter.name}**: {parameter.sweep.shown[0]}. {parameter.why}")
    yield ""
    for value in parameter.sweep.shown[1:]:
        name = f"{parameter.name}: {value}"
        moves = _moves(own, found, name)
        yield f"- {value}: {len(moves) or 'no'} of {len(found.get(name, ()))} claims move"
        yield from (f"  - `{claim}` {own[claim]} → {found[name][claim]}" for claim in moves)


def _moves(own: dict[str, Status], found: Tried, name: str) -> list[str]:
    return [claim for claim, status in found.get(name, {}).items() if status is not own[claim]]


def _sets(asked: Asked, found: Tried) -> Iterator[str]:
    """Rank the sets by the claims that a value may be chosen by, beside those held out."""
    own = found[AS_IT_IS]
    held_out = {claim.id for claim in asked.claims if claim.is_held_out}

    def agreeing(name: str, *, is_held_out: bool) -> int:
        statuses = {**own, **found[name]}
        return sum(
            status is Status.AGREES
            for claim, status in statuses.items()
            if (claim in held_out) is is_held_out
        )

    ranked = sorted(found, key=lambda name: agreeing(name, is_held_out=False), reverse=True)
    best = ranked[:_SHOWN]
    yield from ("", "| set | agree | of held out |", "|---|---|---|")
    for name in dict.fromkeys([*best, AS_IT_IS]):
        counts = (agreeing(name, is_held_out=each) for each in (False, True))
        yield f"| {name.replace(AND, ', ')} | {' | '.join(map(str, counts))} |"
