"""The parts of a page that needs nothing else."""

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from anechoic.report.render import dark_rules


def document(
    title: str, sections: Iterable[str], figures: Iterable[str] = (), script: str = ""
) -> str:
    """Give a whole page: its sections, of which empty ones are left out, for light and dark.

    ``figures`` are those drawings in the sections that are to suit a dark page.
    """
    css = Path(__file__).with_name("report.css").read_text(encoding="utf-8")
    css += f"@media screen and (prefers-color-scheme: dark) {{\n{dark_rules(figures)}}}\n"
    body = "\n".join(part for part in sections if part)
    if 'class="scroll"' in body:
        own = Path(__file__).with_name("tables.js").read_text(encoding="utf-8")
        body += f"\n<script>\n{own}</script>"
    if script:
        body += f"\n<script>\n{script}</script>"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{css}</style>\n</head>\n<body>\n{body}\n"
        "</body>\n</html>\n"
    )


def head(title: str, told: Sequence[tuple[str, str]]) -> str:
    """Give the page's heading, and a list of those facts with a text."""
    return f"<h1>{escape(title)}</h1>\n{facts(told)}"


def facts(told: Sequence[tuple[str, str]]) -> str:
    """Give a list of those facts with a text."""
    listed = "\n".join(f"<dt>{name}</dt><dd>{escape(text)}</dd>" for name, text in told if text)
    return f"<dl>\n{listed}\n</dl>"


def section(title: str, content: str) -> str:
    """Give a section, nothing without content."""
    return f"<h2>{title}</h2>\n{content}" if content else ""


def warning_list(found: Sequence[str]) -> str:
    """Give what to look at before trusting the page."""
    if not found:
        return ""
    items = "\n".join(f"<li>{escape(text)}</li>" for text in found)
    return f'<ul class="warnings">\n{items}\n</ul>'


def paragraphs(texts: Sequence[str]) -> str:
    """Give a paragraph for each text."""
    return "\n".join(f"<p>{escape(text)}</p>" for text in texts)


def figure(drawing: str, caption: str, links: str = "") -> str:
    """Give a drawing with its caption, and links that are not printed."""
    beside = f' <span class="no-print">{links}</span>' if links else ""
    text = f"{escape(caption)}{beside}"
    return f"<figure>\n{drawing}\n<figcaption>{text}</figcaption>\n</figure>"


def figure_of(drawing: str, slug: str, caption: str) -> str:
    """Give a drawing with its caption and links to its files in ``figures/``."""
    links = f'<a href="figures/{slug}.svg">SVG</a> · <a href="figures/{slug}.png">PNG</a>'
    return figure(drawing, caption, links)
