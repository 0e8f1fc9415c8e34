"""Judge the papers' stated results quickly, and say which have another verdict than recorded.

python tests/quick_claims.py            exit status 1 if a verdict has flipped
python tests/quick_claims.py --renew    record the verdicts of now
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).with_name("quick-verdicts.json")
ANECHOIC = Path(sys.executable).with_name("anechoic")

Rows = dict[str, dict[str, Any]]
"""Rows of the scorecard, by the claims' ids."""


def judged() -> Rows:
    """Run every experiment that ships once, and give a row for each stated result."""
    with tempfile.TemporaryDirectory() as folder:
        command = [ANECHOIC, "claims", "run", "--all", "--quick", "--json", "--out", folder]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return rows_of(done.stdout)


def rows_of(scorecards: bytes) -> Rows:
    """Read what the command has printed."""
    return {row["id"]: row for study in json.loads(scorecards) for row in study["claims"]}


def renew(rows: Rows) -> None:
    """Record the verdicts."""
    verdicts = {name: row["verdict"] for name, row in rows.items()}
    RECORDED.write_text(json.dumps(verdicts, indent=1) + "\n", encoding="utf-8")


def flipped(recorded: dict[str, str], rows: Rows) -> list[str]:
    """Tell every verdict that is another than the one recorded, and every claim without one."""
    told = [
        f"{name}: {was} is recorded, {rows[name]['verdict']} found: {rows[name]['reason']}"
        if name in rows
        else f"{name}: {was} is recorded, and the claim is gone"
        for name, was in recorded.items()
        if name not in rows or rows[name]["verdict"] != was
    ]
    return [*told, *(f"{name}: not recorded" for name in rows if name not in recorded)]


def main() -> None:
    """Compare, or record."""
    rows = judged()
    if "--renew" in sys.argv[1:]:
        renew(rows)
        return
    found = flipped(json.loads(RECORDED.read_text("utf-8")), rows)
    print(*found, f"{len(rows)} stated results, {len(found)} unlike what is recorded", sep="\n")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
