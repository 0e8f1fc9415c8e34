"""The analysis of a capture file, as plain data."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anechoic.scenario.core import core
from anechoic.scenario.errors import Problem, ScenarioError


@dataclass(frozen=True)
class Analysis:
    """What a capture file tells: the core's document, and Tstat's log of it."""

    document: dict[str, Any]
    tstat_log: str

    @property
    def connections(self) -> list[dict[str, Any]]:
        """Every connection, in the order of their first packets."""
        connections: list[dict[str, Any]] = self.document["connections"]
        return connections

    @property
    def warnings(self) -> list[dict[str, Any]]:
        """What of the file could not be taken as it stood."""
        warnings: list[dict[str, Any]] = self.document["warnings"]
        return warnings


def analyse(path: str | Path) -> Analysis:
    """Analyse the TCP connections of a capture file, or of the standard input for "-"."""
    try:
        document, log = core().analyse(str(path))
    except OSError as error:
        reason = str(error).split(" (os error")[0]
        allowed = "a capture file: pcap or pcapng, plain, gzip or zstd"
        raise ScenarioError(str(path), [Problem("", reason, allowed)]) from None
    return Analysis(json.loads(document), log)
