"""What a claim has come to: of what its check gave, and of what is known of claim and model."""

from collections.abc import Mapping
from dataclasses import replace

from anechoic.papers.claim import Claim
from anechoic.papers.verdict import Status, Verdict, shortened

SEED = "seed only"
"""The changed model that changes nothing but the random numbers."""

_UNDECIDED = (Status.NOT_RUN, Status.ERROR)
_DECIDED = {Status.AGREES, Status.UNEXPLAINED}


def concluded(
    claim: Claim, found: Verdict, models: Mapping[str, Status], values: Mapping[str, Status]
) -> Verdict:
    """Give the verdict on a claim, of what its check gave now and in trials, by their names.

    What agrees with every wrong model is no evidence, and neither is what was put in. What another
    seed turns is within the noise, and what another value turns hangs on that. The model by which
    a claim is to be turned is no wrong one where it was tried alone.
    """
    if found.status in _UNDECIDED:
        return found
    if claim.input:
        return _becoming(Status.INPUT, claim.input, found)
    if claim.missing and found.status is not Status.AGREES:
        return _becoming(Status.NOT_TESTABLE, f"the text does not say {claim.missing}", found)
    if {found.status, models.get(SEED)} == _DECIDED:
        return _becoming(Status.UNRESOLVED, f"{models[SEED]} with another seed", found)
    wrong = {name: status for name, status in models.items() if name != SEED}
    is_kept_by_all = set(wrong.values()) == {Status.AGREES} and wrong.keys() != {claim.flipped_by}
    if found.status is Status.AGREES and is_kept_by_all:
        why = f"it agrees with {', '.join(wrong)} as well"
        return _becoming(Status.INPUT, why, found)
    if found.status is Status.UNEXPLAINED and wrong.get(claim.flipped_by) is Status.AGREES:
        return _becoming(Status.EXPLAINED, f"it agrees with {claim.flipped_by}", found)
    turned = [name for name, status in values.items() if {status, found.status} == _DECIDED]
    if turned:
        other = _DECIDED - {found.status}
        why = f"{other.pop()} with {shortened(turned)}"
        return _becoming(Status.AGREES_IF, why, found)
    return found


def _becoming(status: Status, why: str, found: Verdict) -> Verdict:
    reason = "; ".join(filter(None, (why, f"{found.status}: {found.reason}")))
    return replace(found, status=status, reason=reason)
