"""The SNMP agents of access points, as the console's file `agents.toml` names them."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anechoic.scenario.errors import Problem, ScenarioError, listing, nearest_name, shown

FILE = ".config/anechoic/agents.toml"
PORT = 161
AUTHENTICATIONS = ("MD5", "SHA", "SHA-224", "SHA-256", "SHA-384", "SHA-512")
PRIVACIES = ("DES", "AES", "AES-192", "AES-256")

_FIELDS = (
    "address", "interface", "community", "user", "authentication", "authentication_key",
    "privacy", "privacy_key",
)  # fmt: skip
_OPEN_TO_OTHERS = 0o077


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent, and who it lets set values: a community (SNMPv2c) or a user (SNMPv3)."""

    name: str
    host: str
    port: int
    interface: int | None
    """The radio's number among its interfaces; absent: the first that is one."""
    community: str | None = None
    user: str | None = None
    authentication: tuple[str, str] | None = None
    """The algorithm and the pass phrase; the same of privacy."""
    privacy: tuple[str, str] | None = None

    @property
    def where(self) -> str:
        """Say where it is."""
        return f"the agent of {self.name} at {self.host}:{self.port}"


def known_agents(home: Path | None = None) -> dict[str, Agent]:
    """Read the file; none where there is no file.

    [office]
    address = "192.0.2.5"
    community = "private"
    """
    path = (home or Path.home()) / FILE
    try:
        if path.stat().st_mode & _OPEN_TO_OTHERS:
            raise _refused(path, Problem("", "others may read its keys", f"chmod 600 {path}"))
        tables = tomllib.loads(path.read_text())
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise _refused(path, Problem("", error.strerror or str(error))) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise _refused(path, Problem("", f"it is no TOML: {error}")) from None
    problems: list[Problem] = []
    found = {name: _agent(name, table, problems) for name, table in tables.items()}
    if problems:
        raise _refused(path, *problems)
    return {name: agent for name, agent in found.items() if agent is not None}


def _refused(path: Path, *problems: Problem) -> ScenarioError:
    return ScenarioError(str(path), list(problems))


def _agent(name: str, table: Any, problems: list[Problem]) -> Agent | None:
    if not isinstance(table, Mapping):
        problems.append(Problem(name, f"{shown(table)} is no table", f"[{name}]"))
        return None
    before = len(problems)
    for field in table:
        if field not in _FIELDS:
            near = nearest_name(field, _FIELDS)
            problems.append(Problem(f"{name}.{field}", "no such field", listing(_FIELDS), near))
    host, port = _address(name, table.get("address"), problems)
    interface = table.get("interface")
    if interface is not None and (type(interface) is not int or interface < 1):
        problems.append(
            Problem(f"{name}.interface", f"{shown(interface)}", "its number, from 1 on")
        )
    if ("community" in table) == ("user" in table):
        what = "it is to have a community or a user"
        problems.append(Problem(name, what, "community (SNMPv2c), or user (SNMPv3)"))
    authentication = _secret(name, table, "authentication", AUTHENTICATIONS, problems)
    privacy = _secret(name, table, "privacy", PRIVACIES, problems)
    if privacy and not authentication:
        problems.append(
            Problem(f"{name}.privacy", "none without authentication", AUTHENTICATIONS[1])
        )
    if len(problems) > before:
        return None
    community, user = table.get("community"), table.get("user")
    return Agent(name, host, port, interface, community, user, authentication, privacy)


def _address(name: str, written: Any, problems: list[Problem]) -> tuple[str, int]:
    host, _, port = str(written or "").partition(":")
    if not host or (port and not (port.isdecimal() and 0 < int(port) < 65536)):
        what = f"{shown(written)} is no address" if written else "it is missing"
        problems.append(Problem(f"{name}.address", what, "HOST or HOST:PORT, as 192.0.2.5"))
        return "", PORT
    return host, int(port or PORT)


def _secret(
    name: str,
    table: Mapping[str, Any],
    field: str,
    known: tuple[str, ...],
    problems: list[Problem],
) -> tuple[str, str] | None:
    algorithm, key = table.get(field), table.get(f"{field}_key")
    if algorithm is None and key is None:
        return None
    if algorithm not in known:
        what = "it is missing" if algorithm is None else f"there is no {shown(algorithm)}"
        problems.append(Problem(f"{name}.{field}", what, ", ".join(known)))
    if not isinstance(key, str) or len(key) < 8:
        # RFC 3414 §11.2
        problems.append(
            Problem(f"{name}.{field}_key", "a pass phrase is wanted", "8 letters or more")
        )
    return str(algorithm), str(key)
