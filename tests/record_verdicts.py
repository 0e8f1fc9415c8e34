"""Record the verdicts of scorecards: which claims disagree, and so have to be explained.

python tests/record_verdicts.py results/*/scorecard.json
"""

import json
import sys
from pathlib import Path

RECORDED = Path(__file__).with_name("verdicts.json")


def main() -> None:
    """Put the verdicts of these files in the place of those recorded of the same claims."""
    verdicts = json.loads(RECORDED.read_text("utf-8")) if RECORDED.is_file() else {}
    for file in sys.argv[1:]:
        rows = json.loads(Path(file).read_text("utf-8"))["claims"]
        verdicts |= {row["id"]: row["verdict"] for row in rows}
    RECORDED.write_text(json.dumps(dict(sorted(verdicts.items())), indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
