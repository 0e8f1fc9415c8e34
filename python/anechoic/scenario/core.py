"""The compiled core, as far as scenarios and campaigns need it."""

import hashlib
import importlib
from functools import cache
from pathlib import Path
from typing import Protocol, cast

Column = tuple[str, bytes, list[str] | None]
"""Type, little-endian values and dictionary: "f64", "i64" or "text", of 32-bit places in it."""


class Record(Protocol):
    """What one replication leaves, as the core gives it."""

    def metrics(self) -> dict[str, float]:
        """Give every metric by name."""

    def tables(self) -> dict[str, dict[str, Column]]:
        """Give every table that has rows, and its columns."""


Texts = list[str | None] | None
"""The dictionary of a column of texts in a Parquet file; None stands for no text."""


class ParquetWriter(Protocol):
    """A Parquet file that is being written."""

    def write(self, columns: list[tuple[str, bytes, Texts]]) -> bytes:
        """Write rows, of each column type, values and dictionary; give the file's new bytes."""

    def close(self) -> bytes:
        """End the file; give the rest of its bytes."""


class MakesWriter(Protocol):
    """What begins a Parquet file."""

    def __call__(
        self, columns: list[tuple[str, str]], metadata: dict[str, str], is_small: bool
    ) -> ParquetWriter:
        """Begin a file of columns of these names and types."""


Columns = dict[str, tuple[bool, bytes, bytes | None]]
"""Columns of a capture: codes of a byte or 64-bit integers, and of the latter which are known."""


class Watched(Protocol):
    """Segments, losses and transfers of a capture, as the core gives them."""

    def connections(self) -> list[tuple[int, str, int, str, int]]:
        """Give first packet, client and server of the connections that the columns name."""

    def losses(self) -> Columns:
        """Give a value for each loss."""

    def transfers(self) -> Columns:
        """Give a value for each transfer."""

    def traces(self) -> list[tuple[int, Columns]]:
        """Give the connection of each trace, and a value for each of its segments."""

    def unlisted(self) -> tuple[int, int, int]:
        """Count segments, losses and transfers that are too many to be listed."""


def reason_of(error: OSError) -> str:
    """Say in words why the core could not read something, without the system's number for it."""
    return str(error.strerror or error).split(" (os error")[0]


class Core(Protocol):
    """The compiled core; a test may put another in its place."""

    ParquetWriter: MakesWriter

    def read_parquet(
        self, data: bytes
    ) -> tuple[dict[str, str], list[tuple[str, str, bytes, Texts]]]:
        """Read a Parquet file: what it says of itself; name, type and values of each column."""

    def run(self, plan_json: str, seed: int, capture_dir: str | None = None) -> Record:
        """Run one replication."""

    def kinds(self) -> str:
        """Give every application, queue and impairment as declared, as a JSON object of lists."""

    def catalogue(self) -> str:
        """Give every metric and every table that records can have, as a JSON object."""

    def radio_tables(self) -> str:
        """Give the tables of what machines' radios are like, as a JSON object of columns."""

    def metric_names(self, plan_json: str) -> list[str]:
        """Name the metrics that runs of a plan can give; ValueError if it cannot be run."""

    def noise_dbm(self, plan_json: str) -> float | None:
        """Give the noise at every receiver of a plan; None without radios."""

    def emission(self, emitter_json: str, radios_json: str, run_ns: int) -> str:
        """Give what an emitter radiates, and what radios take in of it, as a JSON object."""

    def frame_bytes(self) -> dict[str, int]:
        """Give the bytes of frames of one length, and of what is put around an IP packet."""

    def frame_success(
        self,
        mode: str,
        preamble: str,
        mpdu_bytes: int,
        snr_db: float,
        error_model: str,
        coding: str | None,
    ) -> float:
        """Give the probability that a frame arrives whole at a signal to noise ratio."""

    def path_loss_db(
        self,
        model_json: str,
        one: tuple[float, float],
        other: tuple[float, float],
        frequency_hz: float,
    ) -> float:
        """Give the loss that a model of propagation has between two places, in metres."""

    def stack_profile_names(self) -> list[str]:
        """Name the TCP stack profiles."""

    def stack_profile(self, name: str) -> str:
        """Give every field of a TCP stack profile as a JSON object."""

    def stack_fields(self) -> list[tuple[str, str, str, list[str]]]:
        """Give name, unit, meaning and choices of every value that some TCP stack has."""

    def describe_stack(self, name: str) -> list[tuple[str, str]]:
        """Give field and source of every value of a TCP stack profile."""

    def run_captured(self, plan_json: str, seed: int) -> tuple[Record, dict[str, bytes]]:
        """Run one replication and keep what passes at its taps: of each a capture file's bytes."""

    def analyse(self, source: str | bytes) -> tuple[str, str]:
        """Analyse a capture, a file or its bytes: a JSON document, and Tstat's log."""

    def compare(
        self, first: str, second: str, packets: bool
    ) -> tuple[str, dict[str, tuple[str, bytes]]]:
        """Compare two captures of one path: a JSON document, and every packet by columns."""

    def watch(self, source: str | bytes, first_packets: list[int] | None = None) -> Watched:
        """Tell losses and transfers of a capture, and the segments of some connections."""

    def frames(self, source: str | bytes) -> tuple[Columns, int]:
        """Give a value for each 802.11 frame of a capture, and count those not listed."""

    def watch_codes(self) -> str:
        """Give what the codes in a capture's columns stand for, as a JSON object of lists."""

    def run_scripts(self, path: str, kernel: bool = False) -> list[tuple[str, str, str]]:
        """Run scripts: of each its name, its status and what is to be said about it."""

    def replay(
        self, plan_json: str, seed: int, log: str, end_ns: int, capture_dir: str | None = None
    ) -> tuple[Record, str]:
        """Run an emulation again from its log: its record, and a hash of all that left."""

    def version(self) -> str:
        """Give the version of the core."""


def core() -> Core:
    """Give the compiled core, loaded when first needed."""
    return cast(Core, importlib.import_module("anechoic._core"))


def build() -> str:
    """Name the version and the very build of the core: records of two builds are never mixed."""
    module = core()
    file = getattr(module, "__file__", None)
    return module.version() if file is None else f"{module.version()}+{_digest(file)}"


@cache
def _digest(file: str) -> str:
    return hashlib.blake2b(Path(file).read_bytes(), digest_size=4).hexdigest()
