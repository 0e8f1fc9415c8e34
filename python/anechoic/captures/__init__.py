"""What capture files tell of their TCP connections.

from anechoic.captures import analyse

analysis = analyse("office.pcapng")
analysis.connections().to_pandas()
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anechoic.captures.analysis import Analysis as Analysis
    from anechoic.captures.analysis import analyse as analyse

__all__ = ["Analysis", "analyse"]


# Loaded when first asked for, as in the package itself.
def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from anechoic.captures import analysis

    return getattr(analysis, name)
