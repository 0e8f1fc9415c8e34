"""Figures and pages of a campaign's results."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from anechoic.report.judged import JudgedClaim as JudgedClaim

if TYPE_CHECKING:
    from anechoic.campaign.results import Results


def write(
    results: "Results", out: Path, claims: Sequence[JudgedClaim] = (), note: str = ""
) -> Path:
    """Write ``report.html`` and ``figures/`` into a folder, and give the page's path.

    ``claims`` are those that the results were judged by, ``note`` what is to be said of them.
    """
    # Drawing loads matplotlib, which a command that draws nothing shall not wait for.
    from anechoic.report.page import write as write_page

    return write_page(results, out, claims, note)


def notebook_html(results: "Results") -> str:
    """Give the figures and the table of cells as one piece of HTML."""
    from anechoic.report.notebook import notebook_html as html

    return html(results)
