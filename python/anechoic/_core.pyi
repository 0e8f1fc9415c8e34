"""The compiled core: one plan and one seed in, one record out."""

from typing import final

__all__ = [
    "ParquetWriter",
    "Record",
    "Watched",
    "analyse",
    "beacons",
    "catalogue",
    "compare",
    "console_key",
    "describe_stack",
    "emission",
    "emulate",
    "endpoint_command",
    "endpoint_offers",
    "endpoints",
    "frame_bytes",
    "frame_ns",
    "frame_success",
    "frames",
    "kinds",
    "mac_exchange",
    "mac_spaces",
    "measure",
    "metric_names",
    "noise_dbm",
    "path_loss_db",
    "phy_spaces",
    "plcp_ns",
    "radio_tables",
    "read_parquet",
    "replay",
    "run",
    "run_captured",
    "run_scripts",
    "stack_fields",
    "stack_profile",
    "stack_profile_names",
    "version",
    "watch",
    "watch_codes",
    "wire_bytes",
]

@final
class Record:
    """What one replication leaves."""

    def metrics(self) -> dict[str, float]:
        """Give every metric of the measured window by name."""

    def tables(self) -> dict[str, dict[str, tuple[str, bytes, list[str] | None]]]:
        """Give every table that has rows: of each column its type, values and dictionary.

        Types are "f64", "i64" and "text"; values are little-endian, those of texts places in the
        dictionary as unsigned 32-bit integers.
        """

@final
class ParquetWriter:
    """A Parquet file that is being written.

    Types are "f64", "f64?" (no number stands for no value), "i64", "bool", "text" (places in the
    dictionary as unsigned 32-bit integers) and "bytesN"; values are little-endian.
    """

    def __new__(
        cls, columns: list[tuple[str, str]], metadata: dict[str, str], is_small: bool
    ) -> ParquetWriter:
        """Begin a file of columns of these names and types; ValueError for another type."""

    def write(self, columns: list[tuple[str, bytes, list[str | None] | None]]) -> bytes:
        """Write rows, of each column type, values and dictionary; give the file's new bytes."""

    def close(self) -> bytes:
        """End the file; give the rest of its bytes."""

def radio_tables() -> str:
    """Give the tables of what machines' radios are like: of each its columns, as a JSON object."""

def read_parquet(
    data: bytes,
) -> tuple[dict[str, str], list[tuple[str, str, bytes, list[str | None] | None]]]:
    """Read a Parquet file: what it says of itself; name, type and values of each column.

    ValueError for what is no such file.
    """

def run(plan_json: str, seed: int, capture_dir: str | None = None) -> Record:
    """Run one replication without the interpreter lock; ValueError if the plan is unusable."""

def run_captured(plan_json: str, seed: int) -> tuple[Record, dict[str, bytes]]:
    """Run one replication and keep what passes at its taps: of each the bytes of a capture file."""

def analyse(source: str | bytes) -> tuple[str, str]:
    """Analyse a capture, a file or its bytes: everything as a JSON document, and Tstat's log."""

# Whether the values are bytes or little-endian 64-bit integers; the values; and for the latter, if
# some are missing, a byte for each that is 1 where there is one.
_Columns = dict[str, tuple[bool, bytes, bytes | None]]

@final
class Watched:
    """What watching a capture gave."""

    def connections(self) -> list[tuple[int, str, int, str, int]]:
        """Give first packet, client and server of the connections that the columns name."""

    def losses(self) -> _Columns:
        """Give a value for each loss."""

    def transfers(self) -> _Columns:
        """Give a value for each transfer."""

    def traces(self) -> list[tuple[int, _Columns]]:
        """Give the connection of each trace, and a value for each of its segments."""

    def unlisted(self) -> tuple[int, int, int]:
        """Count segments, losses and transfers that are too many to be listed."""

def watch(source: str | bytes, first_packets: list[int] | None = None) -> Watched:
    """Tell losses and transfers of a capture, and the segments of some connections or all."""

def frames(source: str | bytes) -> tuple[_Columns, int]:
    """Give a value for each 802.11 frame of a capture, and count those that are too many."""

def watch_codes() -> str:
    """Give what the codes in the columns stand for, as a JSON object of lists."""

def compare(first: str, second: str, packets: bool) -> tuple[str, dict[str, tuple[str, bytes]]]:
    """Compare two captures of one path: everything as a JSON document, and every packet.

    Of each column its kind of number and its values as little-endian bytes; none without
    `packets`. OSError with the number of the file, 0 or 1, if it cannot be read; ValueError if no
    packet is in both.
    """

def run_scripts(path: str, kernel: bool = False) -> list[tuple[str, str, str]]:
    """Run scripts of a file or folder: of each its name, its status and what is to be said."""

def catalogue() -> str:
    """Give every metric and every table that records can have, as a JSON object."""

def metric_names(plan_json: str) -> list[str]:
    """Name the metrics that runs of a plan can give; ValueError if it cannot be run."""

def noise_dbm(plan_json: str) -> float | None:
    """Give the noise at every receiver of a plan; None without radios.

    ValueError if the plan cannot be run.
    """

def emission(emitter_json: str, radios_json: str, run_ns: int) -> str:
    """Give what an emitter of a plan radiates, and what radios take in, as a JSON object.

    ValueError for what is no emitter or no list of radios.
    """

def path_loss_db(
    model_json: str, one: tuple[float, float], other: tuple[float, float], frequency_hz: float
) -> float:
    """Give the loss that a model of propagation has between two places, in metres."""

def kinds() -> str:
    """Give every application, queue and impairment as declared, as a JSON object of lists."""

def phy_spaces(standard: str) -> str:
    """Give slot, interframe spaces and contention windows of a PHY as a JSON object."""

def mac_spaces(mac_json: str) -> str:
    """Give slot, interframe spaces and contention windows of a plan's MAC as a JSON object."""

def mac_exchange(mac_json: str, msdu_bytes: int) -> str:
    """Give the frames of the exchange of an MSDU, a SIFS apart, as a JSON list."""

def plcp_ns(mode: str, preamble: str) -> int:
    """Give how many nanoseconds the preamble and PLCP header of a frame of a mode last."""

def frame_ns(mode: str, preamble: str, mpdu_bytes: int) -> int:
    """Give how many nanoseconds a frame occupies the air."""

def frame_success(
    mode: str,
    preamble: str,
    mpdu_bytes: int,
    snr_db: float,
    error_model: str,
    coding: str | None,
) -> float:
    """Give the probability that a frame arrives whole at a signal to noise ratio."""

def wire_bytes(ip_bytes: int) -> int:
    """Give how many bytes an IP packet takes on a wire, preamble and gap included."""

def frame_bytes() -> dict[str, int]:
    """Give the bytes of frames of one length, and of what is put around an IP packet."""

def beacons(plan_json: str) -> list[tuple[str, int, int]]:
    """Give of each radio with beacons its name, and their interval and length in nanoseconds."""

def stack_profile_names() -> list[str]:
    """Name the TCP stack profiles."""

def stack_profile(name: str) -> str:
    """Give every field of a TCP stack profile as a JSON object."""

def stack_fields() -> list[tuple[str, str, str, list[str]]]:
    """Give name, unit, meaning and choices of every value that some TCP stack has."""

def describe_stack(name: str) -> list[tuple[str, str]]:
    """Give field and source of every value of a TCP stack profile."""

def version() -> str:
    """Give the version of the core."""

def emulate(request_json: str, console: int) -> tuple[Record, str]:
    """Run an emulation to its end: its record, and how it went as a JSON object."""

def replay(
    plan_json: str, seed: int, log: str, end_ns: int, capture_dir: str | None = None
) -> tuple[Record, str]:
    """Run an emulation again from its log: its record, and a hash of all that left."""

def console_key() -> str:
    """Give the key that endpoints know this machine's console by.

    ValueError if it cannot be read or made.
    """

def endpoint_command(words: list[str]) -> int:
    """Run a command of the endpoint: no words serve consoles, for ever. Give the exit status."""

def endpoint_offers() -> tuple[list[str], int]:
    """Give the applications that endpoints offer, and how many flows at the same time."""

def endpoints() -> list[tuple[str, str, str]]:
    """Give name, address and key of every endpoint that this machine was paired with."""

def measure(
    test_json: str,
) -> tuple[str, list[tuple[bytes, bytes]], list[tuple[bytes, bytes, bytes]]]:
    """Have endpoints run a test.

    Gives what they measured as a JSON object, samples and stamps of each end, and what the radio of
    each endpoint was like. ValueError, with one line, when an endpoint is not there, refuses, or
    goes.
    """
