"""What compares a quick look's verdicts with those recorded."""

import runpy
from pathlib import Path

QUICK = runpy.run_path(str(Path(__file__).parents[2] / "quick_claims.py"))


def test_a_claim_that_flips_is_told_in_a_line() -> None:
    found = QUICK["flipped"](
        {"a-1": "pass", "a-2": "pass", "a-3": "fail"},
        {
            "a-1": {"verdict": "pass", "reason": "x falls"},
            "a-2": {"verdict": "fail", "reason": "x = 3, 4 to 5 asked"},
            "a-4": {"verdict": "pass", "reason": "x rises"},
        },
    )
    assert found == [
        "a-2: pass is recorded, fail found: x = 3, 4 to 5 asked",
        "a-3: fail is recorded, and the claim is gone",
        "a-4: not recorded",
    ]
