"""The compiled core: one plan and one seed in, one record out."""

from typing import final

__all__ = [
    "Record",
    "analyse",
    "describe_stack",
    "run",
    "run_scripts",
    "stack_profile",
    "stack_profile_names",
    "version",
]

@final
class Record:
    """What one replication leaves."""

    def metrics(self) -> dict[str, float]:
        """Give every metric of the measured window by name."""

    def series(self) -> dict[str, bytes]:
        """Give the time series: a column's name and its values as little-endian 64-bit floats."""

    def tcp_info(self) -> dict[str, bytes]:
        """Give the samples of TCP_INFO, column by column, as little-endian 64-bit floats."""

    def timing_records(self) -> dict[str, bytes]:
        """Give the timing records, column by column, as little-endian 64-bit floats."""

def run(plan_json: str, seed: int, capture_dir: str | None = None) -> Record:
    """Run one replication without the interpreter lock; ValueError if the plan is unusable."""

def analyse(path: str) -> tuple[str, str]:
    """Analyse a capture file: everything as a JSON document, and Tstat's log."""

def run_scripts(path: str, kernel: bool = False) -> list[tuple[str, str, str]]:
    """Run scripts of a file or folder: of each its name, its status and what is to be said."""

def stack_profile_names() -> list[str]:
    """Name the TCP stack profiles."""

def stack_profile(name: str) -> str:
    """Give every field of a TCP stack profile as a JSON object."""

def describe_stack(name: str) -> list[tuple[str, str, str]]:
    """Give field, unit and source of every value of a TCP stack profile."""

def version() -> str:
    """Give the version of the core."""
