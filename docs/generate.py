"""Write the reference pages and the stub of kinds from what they describe: `make docs`."""

from pathlib import Path

from anechoic.captures import reference as captures
from anechoic.report import reference as metrics
from anechoic.scenario import kinds_stub
from anechoic.scenario import reference as scenario

ROOT = Path(__file__).parents[1]
PAGES = {
    "docs/reference/scenario.md": scenario.page,
    "docs/reference/metrics.md": metrics.page,
    "docs/reference/captures.md": captures.page,
    "python/anechoic/scenario/kinds.pyi": kinds_stub.page,
}


def main() -> None:
    """Write every page."""
    for name, page in PAGES.items():
        (ROOT / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
