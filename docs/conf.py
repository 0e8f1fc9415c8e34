"""The documentation as a site, by Sphinx: `make site`.

Pages are written for a reader of the repository, whose links lead to sources, too. The site has
pages alone: a link that leads out of `docs` becomes the name of what it leads to.
"""

import re
from pathlib import Path

from sphinx.application import Sphinx

DOCS = Path(__file__).parent
project = "Anechoic"
extensions = ["myst_parser"]
exclude_patterns = ["site"]
html_theme = "furo"
html_title = project
html_show_copyright = False
html_copy_source = False
# Anchors as a reader of the repository follows them: GitHub's, of headings of every depth.
myst_heading_anchors = 6
myst_enable_extensions = ["colon_fence"]
# Python of the pages that is no whole program, and lines of a shell with what they print.
highlight_language = "text"
suppress_warnings = ["misc.highlighting_failure"]

LINK = re.compile(r"\[([^\]]+)\]\(((?:\.\./)+[^)#\s]+)(?:#[^)\s]+)?\)")


def setup(app: Sphinx) -> None:
    """Let links out of the pages be read as names."""
    app.connect("source-read", _without_links_to_sources)


def _without_links_to_sources(_: Sphinx, page: str, source: list[str]) -> None:
    folder = (DOCS / page).parent

    def named(link: re.Match[str]) -> str:
        target = (folder / link[2]).resolve()
        # What is not there stays a link, which the build then complains of.
        return link[0] if target.is_relative_to(DOCS) or not target.exists() else link[1]

    source[0] = LINK.sub(named, source[0])
