"""Endpoints for one measurement: on other machines through ssh, and on this one.

The program is copied into a folder that only its user may enter, told whom it knows, and removed
with the folder when the measurement ends or its console is gone.
"""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from typing import Any

from anechoic.measuring.placing import Endpoint, Server

PROGRAM = "anechoic-endpoint"
SSH = "ANECHOIC_SSH"
"""A variable with the command to use in the place of ssh."""

SCRIPT = """
umask 077
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
head -c {size} >"$folder/{program}" && chmod 700 "$folder/{program}" || exit 1
"$folder/{program}" visit
"""
"""What a machine runs for us; what it is given is in a folder of its own, which goes with it."""

HERE = "import sys; from anechoic._core import endpoint_command as run; sys.exit(run(sys.argv[1:]))"
"""What this machine runs, whose core has the endpoint."""

ENDING_S = 10.0
"""How long an endpoint may take to leave."""


class VisitFailed(Exception):
    """A machine could not be made an endpoint; the message says why, in one line."""


@dataclass(frozen=True, slots=True)
class Visit:
    """An endpoint that runs for one measurement, and the process that stands for it here."""

    endpoint: Endpoint
    console: str | None
    """The address of this machine, as that one sees it."""
    process: "subprocess.Popen[bytes]"

    def tell(self, lines: Sequence[str]) -> None:
        """Tell it whom it knows."""
        assert self.process.stdin is not None
        text = "".join(f"{line}\n" for line in [*lines, "."])
        try:
            self.process.stdin.write(text.encode())
            self.process.stdin.flush()
        except OSError:
            raise VisitFailed(f"the endpoint of {self.endpoint.name} is gone") from None


@contextmanager
def visits(
    hosts: Mapping[str, str], here: str | None, key: str, servers: Iterable[Server]
) -> Iterator[dict[str, Endpoint]]:
    """Run an endpoint on each machine, by its node, and one here for the node ``here``.

    ``key`` is the console's. The endpoints know it, each other and some servers of other kinds, and
    are gone afterwards.
    """
    with ExitStack() as stack:
        began = [stack.enter_context(_there(node, host)) for node, host in hosts.items()]
        if here is not None:
            seen = next((visit.console for visit in began if visit.console), None)
            if seen is None:
                raise VisitFailed("no machine tells by which address it sees this one")
            began.append(stack.enter_context(_here(here, seen)))
        for visit in began:
            others = [other.endpoint for other in began if other is not visit]
            known = [f"{each.key} {each.name} {each.address}" for each in others]
            foreign = [f"{each.kind} {each.name} {each.name}" for each in servers]
            visit.tell([f"{key} console", *known, *foreign])
        yield {visit.endpoint.name: visit.endpoint for visit in began}


@contextmanager
def _there(node: str, host: str) -> Iterator[Visit]:
    program = _program()
    script = SCRIPT.format(size=program.stat().st_size, program=PROGRAM)
    ssh = shlex.split(os.environ.get(SSH, "ssh"))
    command = [*ssh, "-T", "-o", "BatchMode=yes", host, f"sh -c {shlex.quote(script)}"]
    with _begun(node, host, command, program.read_bytes()) as visit:
        yield visit


@contextmanager
def _here(node: str, address: str) -> Iterator[Visit]:
    command = [sys.executable, "-c", HERE, "visit", address]
    with _begun(node, "this machine", command, b"") as visit:
        yield visit


@contextmanager
def _begun(node: str, where: str, command: Sequence[str], sent: bytes) -> Iterator[Visit]:
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)
    except OSError as error:
        raise VisitFailed(f"{command[0]}: {error.strerror or error}") from None
    assert process.stdin is not None
    try:
        with suppress(OSError):
            process.stdin.write(sent)
            process.stdin.flush()
        told = _told(process)
        if told is None:
            raise VisitFailed(f"{node}: {_why(process, where)}")
        endpoint = Endpoint(node, told["address"], told["key"])
        yield Visit(endpoint, told["console"], process)
    finally:
        _end(process)


def _told(process: "subprocess.Popen[bytes]") -> dict[str, Any] | None:
    """Read the line in which an endpoint says where it listens; None if it said something else."""
    assert process.stdout is not None
    try:
        found: dict[str, Any] = json.loads(process.stdout.readline())
        return found if {"address", "key", "console"} <= found.keys() else None
    except (ValueError, AttributeError):
        return None


def _why(process: "subprocess.Popen[bytes]", where: str) -> str:
    """Say why a machine is no endpoint: the last line that it complained in."""
    assert process.stdin is not None and process.stderr is not None
    with suppress(OSError):
        process.stdin.close()
    said = process.stderr.read().decode(errors="replace").strip().splitlines()
    last = said[-1] if said else "it does not run the program"
    return f"no endpoint on {where}: {''.join(each for each in last if each.isprintable())}"


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Close what an endpoint reads, which ends it, and wait until it has cleared away."""
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
    try:
        process.wait(ENDING_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _program() -> Path:
    """Find the program that machines without Python run."""
    beside = Path(sys.executable).parent
    found = which(PROGRAM, path=str(beside)) or which(PROGRAM)
    if found is None:
        what = f"the program {PROGRAM} is not here: `make endpoint` builds it"
        raise VisitFailed(f"{what}, and {beside} is where it belongs")
    return Path(found)
