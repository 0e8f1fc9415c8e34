"""Drawings as files and as pieces of a page.

An SVG that stands in a page must not bring references to elsewhere, share identifiers with its
neighbours, or insist on its colours when the page is dark.
"""

import re
from io import BytesIO, StringIO
from pathlib import Path

from matplotlib.figure import Figure as Drawing

from anechoic.report.style import DISTINCT, FAINT, INK, RULE, house_style

_THEMED = {
    INK: "var(--ink, #1f2328)",
    FAINT: "var(--faint, #8b949e)",
    RULE: "var(--rule, #d8dee4)",
    **{colour: f"var(--series-{i}, {colour})" for i, colour in enumerate(DISTINCT)},
}


def svg(drawing: Drawing) -> str:
    """Give the drawing as a stand-alone SVG, the same for the same drawing."""
    text = StringIO()
    with house_style():
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        drawing.savefig(text, format="svg", metadata=nothing)
    return text.getvalue()


def png(drawing: Drawing) -> bytes:
    """Give the drawing as PNG."""
    data = BytesIO()
    with house_style():
        drawing.savefig(data, format="png", metadata={"Software": None})
    return data.getvalue()


def save(drawing: Drawing, folder: Path, slug: str) -> str:
    """Write the drawing as SVG and PNG, and give the SVG."""
    text = svg(drawing)
    (folder / f"{slug}.svg").write_text(text, encoding="utf-8")
    (folder / f"{slug}.png").write_bytes(png(drawing))
    return text


def inline(text: str, slug: str, label: str) -> str:
    """Turn a stand-alone SVG into one that can stand in a page."""
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r' xmlns(:\w+)?="[^"]*"', "", text).replace("xlink:href", "href")
    text = re.sub(r'\bid="([^"]+)"', rf'id="{slug}-\1"', text)
    text = re.sub(r'href="#', f'href="#{slug}-', text).replace("url(#", f"url(#{slug}-")
    for colour, themed in _THEMED.items():
        text = text.replace(colour, themed)
    text = re.sub(r"fill: #ffffff|fill: white", "fill: none", text)
    return text.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)


def slug_of(title: str) -> str:
    """Give a file name for a title."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "figure"
