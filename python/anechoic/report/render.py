"""Drawings as files and as pieces of a page.

An SVG that stands in a page must not bring references to elsewhere, share identifiers with its
neighbours, or stay as it is when the page is dark.
"""

import re
from collections.abc import Iterable
from contextlib import AbstractContextManager
from io import BytesIO, StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from anechoic.files import write_whole
from anechoic.report.palette import on_dark

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing


def _house_style() -> AbstractContextManager[None]:
    # Loads matplotlib, for which a page that only colours what others drew shall not wait.
    from anechoic.report.style import house_style

    return house_style()


def svg(drawing: "Drawing") -> str:
    """Give the drawing as a stand-alone SVG, the same for the same drawing."""
    text = StringIO()
    with _house_style():
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        drawing.savefig(text, format="svg", metadata=nothing)
    return text.getvalue()


def png(drawing: "Drawing") -> bytes:
    """Give the drawing as PNG."""
    data = BytesIO()
    with _house_style():
        # Packing harder takes twice as long and makes a file of a figure a fifth smaller.
        pack = {"compress_level": 1}
        drawing.savefig(data, format="png", metadata={"Software": None}, pil_kwargs=pack)
    return data.getvalue()


def pdf(drawing: "Drawing") -> bytes:
    """Give the drawing as PDF, the same for the same drawing."""
    data = BytesIO()
    with _house_style():
        drawing.savefig(data, format="pdf", metadata={"CreationDate": None, "Producer": None})
    return data.getvalue()


def save(drawing: "Drawing", folder: Path, slug: str) -> str:
    """Write the drawing as SVG and PNG, and give the SVG."""
    text = svg(drawing)
    write_whole(folder / f"{slug}.svg", text.encode())
    write_whole(folder / f"{slug}.png", png(drawing))
    return text


def inline(text: str, slug: str, label: str) -> str:
    """Turn a stand-alone SVG into one that can stand in a page."""
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r' xmlns(:\w+)?="[^"]*"', "", text).replace("xlink:href", "href")
    # The ground of a hatch, which alone has its colour outside of a style.
    text = re.sub(r' fill="(#[0-9a-f]{6})"', r' style="fill: \1"', text)
    text = re.sub(r'\bid="([^"]+)"', rf'id="{slug}-\1"', text)
    text = re.sub(r'href="#', f'href="#{slug}-', text).replace("url(#", f"url(#{slug}-")
    return text.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)


def dark_rules(drawings: Iterable[str]) -> str:
    """Give the style rules that suit these inlined drawings to a dark page.

    The drawings keep their own colours, so that light, print and readers without style sheets
    need no rule.
    """
    used = {colour for text in drawings for colour in re.findall(r": (#[0-9a-f]{6})\b", text)}
    return "".join(
        f'  svg [style*="{what}: {colour}"] {{ {what}: {on_dark(colour)} !important; }}\n'
        for colour in sorted(used)
        for what in ("fill", "stroke")
    )
