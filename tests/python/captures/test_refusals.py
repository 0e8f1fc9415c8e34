"""What `anechoic analyse` says of what it cannot read, and of captures without TCP."""

import gzip
import os
import shutil
import struct
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from anechoic.captures.analysis import analyse as analysis_of
from anechoic.captures.doubts.link_types import READ
from anechoic.cli import cli
from anechoic.scenario.errors import ScenarioError

ETHERNET = 1
_FORMS = "a capture file: pcap or pcapng, plain, gzip or zstd"


def analyse(path: Path) -> Result:
    return CliRunner().invoke(cli, ["analyse", str(path)])


def refusal(path: Path) -> str:
    """What one line of standard error says of a path, which status 2 goes with."""
    result = analyse(path)
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    prefix = f"anechoic: {path}: "
    assert line.startswith(prefix)
    return line.removeprefix(prefix)


def pcap(*packets: bytes, link: int = ETHERNET) -> bytes:
    header = struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, link)
    records = [struct.pack("<IIII", 0, 0, len(each), len(each)) + each for each in packets]
    return header + b"".join(records)


def udp() -> bytes:
    ip = struct.pack(
        ">BBHHHBBH4s4s", 0x45, 0, 28, 0, 0, 64, 17, 0, b"\x0a\0\0\x01", b"\x0a\0\0\x02"
    )
    return bytes(12) + b"\x08\x00" + ip + struct.pack(">HHHH", 1, 2, 8, 0)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--json", "--csv"], "--json and --csv exclude each other"),
        (["--csv", "--tstat"], "--csv and --tstat exclude each other"),
        (["--signal-offset", "2"], "--signal-offset needs --signal"),
        (["--out", ""], "an empty name is no folder"),
    ],
)
def test_options_that_would_be_passed_over_are_refused(options: list[str], said: str) -> None:
    result = CliRunner().invoke(cli, ["analyse", "a.pcap", *options])
    assert result.exit_code == 2
    assert said in result.stderr


@pytest.mark.parametrize("options", [["--tstat"], ["--signal", "levels.csv"]])
def test_an_option_for_one_capture_is_named_beside_a_second(options: list[str]) -> None:
    result = CliRunner().invoke(cli, ["analyse", "a.pcap", "b.pcap", *options])
    assert result.exit_code == 2
    assert f"analyse: {options[0]} is for one capture file; " in result.stderr


def test_an_empty_file_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "empty.pcap"
    path.touch()
    assert refusal(path).startswith("the file is empty; allowed: a capture file")
    assert refusal(Path("/dev/null")).startswith("the file is empty")


def test_a_text_is_no_capture_packed_or_not(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("not a capture at all, only words")
    packed = tmp_path / "notes.gz"
    packed.write_bytes(gzip.compress(text.read_bytes()))
    for path in (text, packed):
        assert refusal(path).startswith("neither a pcap nor a pcapng file")


def test_a_compressed_file_that_ends_at_once_says_so(tmp_path: Path) -> None:
    path = tmp_path / "cut.pcap.gz"
    path.write_bytes(gzip.compress(pcap(udp()))[:5])
    assert "unexpected end of file" in refusal(path)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    assert refusal(tmp_path).startswith("Is a directory; allowed: a capture file")


def test_a_missing_file_is_not_there(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.pcap").startswith("No such file")
    dangling = tmp_path / "dangling.pcap"
    dangling.symlink_to("nowhere")
    assert refusal(dangling).startswith("No such file")


def test_a_file_without_permission_says_so(tmp_path: Path) -> None:
    path = tmp_path / "secret.pcap"
    path.write_bytes(pcap(udp()))
    path.chmod(0)
    assert barred(path).startswith(f"anechoic: {path}: Permission denied")


def barred(*arguments: object) -> str:
    """What one line says of an analysis by someone who may not do everything."""
    # Root reads everything as long as it has its capabilities.
    limits = ["setpriv", "--bounding-set=-all"] if os.geteuid() == 0 else []
    program = [sys.executable, "-c", "from anechoic.cli import cli; cli(prog_name='anechoic')"]
    command = [*limits, *program, "analyse", *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 2, result.stderr
    (line,) = result.stderr.splitlines()
    return line


def test_a_folder_that_may_not_be_entered_is_named(capture: Path, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    within = closed / "a.pcap"
    within.write_bytes(pcap(udp()))
    closed.chmod(0)
    said = f"anechoic: {within}: the folder {closed} may not be entered; allowed: "
    for arguments in ([within], [capture, within], [within, "--out", tmp_path / "out"]):
        assert barred(*arguments) == f"{said}{_FORMS}"
    assert barred(capture, "--out", within) == f"{said}another --out"
    closed.chmod(0o700)


def test_a_pipe_is_read_as_it_comes(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(
        target=path.write_bytes, args=(b"words, and no end of words to come",)
    )
    writer.start()
    assert refusal(path).startswith("neither a pcap nor a pcapng file")
    writer.join()


def test_a_file_that_vanishes_between_two_readings_is_missed(capture: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(capture, tmp_path))
    analysis = analysis_of(path)
    path.unlink()
    with pytest.raises(ScenarioError, match="No such file"):
        analysis.losses()


def test_more_files_than_a_path_has_ends_are_refused(capture: Path) -> None:
    result = CliRunner().invoke(cli, ["analyse", *[str(capture)] * 3])
    assert result.exit_code == 2
    assert "unexpected extra argument" in result.stderr


def test_no_tcp_is_no_error_but_is_said(tmp_path: Path) -> None:
    path = tmp_path / "other.pcap"
    said = {
        pcap(): "There is no packet in this capture.",
        pcap(
            udp(), udp()
        ): "of 2 packets, 2 with another protocol over IP. What was met and is not "
        "opened here: 2 of UDP port 1.",
    }
    for content, sentence in said.items():
        path.write_bytes(content)
        result = analyse(path)
        assert result.exit_code == 0
        assert result.stdout.rstrip().endswith(sentence)


def test_link_types_that_are_not_read_are_named_beside_those_that_are(tmp_path: Path) -> None:
    path = tmp_path / "usb.pcap"
    for link, name in ((249, "249 (LINKTYPE_USBPCAP)"), (9999, "9999")):
        path.write_bytes(pcap(udp(), link=link))
        said = f"of 1 packet, 1 of link type {name}, not read here (read are {READ})."
        assert analyse(path).stdout.rstrip().endswith(said)


def test_two_captures_name_them_too(tmp_path: Path, capture: Path) -> None:
    usb = tmp_path / "usb.pcap"
    usb.write_bytes(pcap(udp(), link=249))
    result = CliRunner().invoke(cli, ["analyse", str(capture), str(usb)])
    assert result.exit_code == 2
    name = "249 (LINKTYPE_USBPCAP), not read here"
    assert f"no TCP packet is in both captures; {usb} is of link type {name}" in result.stderr


def test_help_names_the_link_layers_that_are_read() -> None:
    result = CliRunner().invoke(cli, ["analyse", "--help"])
    assert READ in " ".join(result.stdout.split())


def test_what_is_no_path_is_told_by_its_type(capture: Path) -> None:
    with capture.open("rb") as file, pytest.raises(TypeError, match="not BufferedReader"):
        analysis_of(file)  # type: ignore[arg-type]


def test_what_was_readable_of_a_cut_file_is_told_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "cut.pcap"
    path.write_bytes(pcap(udp(), udp())[:-3])
    result = analyse(path)
    assert result.exit_code == 0
    assert "of 1 packet" in result.stdout
    assert result.stderr.startswith(f"warning: {path}: ")


@pytest.mark.parametrize("files", [[""], ["", "b.pcap"]])
def test_an_empty_name_names_no_file(files: list[str]) -> None:
    result = CliRunner().invoke(cli, ["analyse", *files])
    assert result.exit_code == 2
    assert result.stderr.startswith('anechoic: "": this names no file; allowed: a capture file')
