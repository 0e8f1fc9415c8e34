"""What compares a quick look's verdicts with those recorded."""

import runpy
from pathlib import Path

QUICK = runpy.run_path(str(Path(__file__).parents[2] / "quick_claims.py"))


def test_a_claim_that_flips_is_told_in_a_line() -> None:
    found = QUICK["flipped"](
        {"a-1": "agrees", "a-2": "agrees", "a-3": "unresolved"},
        {
            "a-1": {"verdict": "agrees", "reason": "x falls"},
            "a-2": {"verdict": "unresolved", "reason": "x = 3, 4 to 5 asked"},
            "a-4": {"verdict": "agrees", "reason": "x rises"},
        },
    )
    assert found == [
        "a-2: agrees is recorded, unresolved found: x = 3, 4 to 5 asked",
        "a-3: unresolved is recorded, and the claim is gone",
        "a-4: not recorded",
    ]
