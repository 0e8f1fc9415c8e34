"""`anechoic script` on the repository's own scripts and on small ones."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from anechoic.cli import cli

OWN = Path(__file__).parents[3] / "tests" / "scripts"
HANDSHAKE = """\
 0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < S 0:0(0) win 1000 <mss 1000>
+0 > {flags} 0:0(0) ack 1 <...>
"""


def script(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["script", *map(str, arguments)])


def test_our_own_scripts_pass() -> None:
    result = script("--quiet", OWN)
    assert result.exit_code == 0, result.output
    passed = int(result.output.split()[0])
    assert passed == len(list(OWN.rglob("*.pkt")))
    assert passed >= 100


def test_a_failure_shows_both_sides_and_the_first_difference(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.pkt"
    wrong.write_text(HANDSHAKE.format(flags="F."))
    result = script(wrong)
    assert result.exit_code == 1
    assert "failed" in result.output
    assert any(line.startswith("!") for line in result.output.splitlines())


def test_what_is_not_supported_is_said_with_its_line(tmp_path: Path) -> None:
    odd = tmp_path / "odd.pkt"
    odd.write_text(HANDSHAKE.format(flags="S.") + "+0 sctp_sendmsg(3) = 0\n")
    result = script(odd)
    assert result.exit_code == 3
    assert "not supported" in result.output
    assert "line 6" in result.output


def test_a_text_that_is_no_script_is_bad_input(tmp_path: Path) -> None:
    letter = tmp_path / "letter.pkt"
    letter.write_text("Dear reader,\n")
    result = script(letter)
    assert result.exit_code == 2
    assert f"not a script   {letter}, line 1: expected a time" in result.output


def test_a_capture_is_called_one(tmp_path: Path) -> None:
    capture = tmp_path / "office.pcap"
    capture.write_bytes(bytes.fromhex("d4c3b2a1 0200 0400") + bytes(16))
    result = script(capture)
    assert result.exit_code == 2
    assert "line 1: this is a capture, not a script; `anechoic analyse` tells" in result.output


def test_an_option_that_is_set_to_no_number_is_named(tmp_path: Path) -> None:
    odd = tmp_path / "odd.pkt"
    odd.write_text("--tolerance_usecs=abc\n" + HANDSHAKE.format(flags="S."))
    result = script(odd)
    assert result.exit_code == 2
    assert "line 1: --tolerance_usecs=abc: this must be a whole number" in result.output


def test_a_path_without_scripts_is_refused(tmp_path: Path) -> None:
    said = {
        tmp_path / "none.pkt": "no such file or directory; allowed",
        tmp_path: "there is no script; allowed",
    }
    for path, reason in said.items():
        result = script(path)
        assert result.exit_code == 2
        assert f"{path}: {reason}" in result.output


def test_a_kernel_that_cannot_be_used_is_said_in_one_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str, kernel: bool = False) -> None:
        assert kernel and path == str(tmp_path)
        raise PermissionError("a network namespace with a TUN interface needs root")

    monkeypatch.setattr("anechoic._core.run_scripts", refuse)
    result = script("--kernel", tmp_path)
    assert result.exit_code == 2
    assert "needs root" in result.output
