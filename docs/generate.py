"""Write the reference pages and the stub of kinds from what they describe: `make docs`."""

from pathlib import Path
from typing import Any

import anechoic
from anechoic.captures.fields import reference as captures
from anechoic.report import reference as metrics
from anechoic.scenario import kinds_stub, python_reference
from anechoic.scenario import reference as scenario

ROOT = Path(__file__).parents[1]
PAGES = {
    "docs/reference/scenario.md": scenario.page,
    "docs/reference/metrics.md": metrics.page,
    "docs/reference/captures.md": captures.page,
    "docs/reference/python.md": lambda: python_reference.page(names()),
    "python/anechoic/scenario/kinds.pyi": kinds_stub.page,
}


def names() -> dict[str, Any]:
    """Give what the package gives, by name."""
    return {name: getattr(anechoic, name) for name in sorted(anechoic.__all__)}


def main() -> None:
    """Write every page."""
    for name, page in PAGES.items():
        (ROOT / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
