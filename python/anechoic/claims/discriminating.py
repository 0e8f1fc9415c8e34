"""Which claims tell a wrong model from a right one, as a page."""

from collections.abc import Iterator

from anechoic.claims.chosen import Asked
from anechoic.claims.trying import wrapped
from anechoic.papers.concluding import SEED
from anechoic.papers.trials import AS_IT_IS, Tried
from anechoic.papers.verdict import Status


def told(asked: Asked, found: Tried) -> Iterator[str]:
    """Tell of each claim which models it fails with, and which it agrees with throughout."""
    own = found[AS_IT_IS]
    names = [name for name in found if name not in (AS_IT_IS, SEED)]
    tested = [claim.id for claim in asked.claims if own[claim.id] is Status.AGREES]
    failing = {
        claim: [name for name in names if found[name].get(claim) is Status.UNEXPLAINED]
        for claim in tested
    }
    blind = [
        claim
        for claim in tested
        if {found[name][claim] for name in names if claim in found[name]} == {Status.AGREES}
    ]
    chance = [claim for claim in own if _is_chance(own[claim], found.get(SEED, {}).get(claim))]
    yield from ("", f"## {asked.study.id}", "")
    yield from wrapped(
        f"Of {len(tested)} claims that agree {sum(map(bool, failing.values()))} fail with one "
        f"wrong model or more, and {len(blind)} agree with every one: {_list(blind)}. Another "
        f"seed turns {len(chance)}: {_list(chance)}."
    )
    yield from ("", f"| claim | {' | '.join(names)} |", f"|---|{'---|' * len(names)}")
    for claim, status in own.items():
        cells = (_cell(found[name].get(claim)) for name in names)
        yield f"| `{claim}` ({status}) | {' | '.join(cells)} |"


def _is_chance(own: Status, other: Status | None) -> bool:
    return {own, other} == {Status.AGREES, Status.UNEXPLAINED}


def _cell(status: Status | None) -> str:
    return "" if status is None else status.value


def _list(claims: list[str]) -> str:
    return ", ".join(f"`{claim}`" for claim in claims) or "none"
