"""SNMP in three verbs: get, set, and the next one."""

import asyncio
from collections.abc import Sequence
from typing import Any

from anechoic.libraries import library
from anechoic.measuring.agents import Agent

TIMEOUT_S, TRIES = 1.0, 5
"""How long an answer is waited for, and how often it is asked for."""

_AUTHENTICATIONS = {
    "MD5": "usmHMACMD5AuthProtocol",
    "SHA": "usmHMACSHAAuthProtocol",
    "SHA-224": "usmHMAC128SHA224AuthProtocol",
    "SHA-256": "usmHMAC192SHA256AuthProtocol",
    "SHA-384": "usmHMAC256SHA384AuthProtocol",
    "SHA-512": "usmHMAC384SHA512AuthProtocol",
}
_PRIVACIES = {
    "DES": "usmDESPrivProtocol",
    "AES": "usmAesCfb128Protocol",
    "AES-192": "usmAesCfb192Protocol",
    "AES-256": "usmAesCfb256Protocol",
}

Oid = tuple[int, ...]


class AgentFailed(Exception):
    """An agent is silent or refuses; the message says which, and what, in one line."""


class AgentRefused(AgentFailed):
    """An agent answers that it will not, and why (RFC 3416 §3, error-status)."""

    def __init__(self, agent: Agent, status: str) -> None:
        """Take the status, as wrongValue."""
        self.status = status
        super().__init__(f"{agent.where} refuses: {status}")


def get(agent: Agent, oids: Sequence[Oid]) -> list[int | None]:
    """Give whole numbers; None where the agent has no such object."""
    found = _asked(agent, "get_cmd", [(oid, None) for oid in oids])
    return [_whole(value) for _, value in found]


def put(agent: Agent, oid: Oid, value: int) -> None:
    """Set a whole number; raise AgentRefused where the agent will not."""
    _asked(agent, "set_cmd", [(oid, value)])


def following(agent: Agent, oid: Oid) -> Oid:
    """Give the name of the object that is next."""
    ((name, _),) = _asked(agent, "next_cmd", [(oid, None)])
    return tuple(name)


def _asked(
    agent: Agent, command: str, pairs: Sequence[tuple[Oid, int | None]]
) -> list[tuple[Any, Any]]:
    return asyncio.run(_ask(agent, command, pairs))


async def _ask(
    agent: Agent, command: str, pairs: Sequence[tuple[Oid, int | None]]
) -> list[tuple[Any, Any]]:
    api = library("pysnmp.hlapi.v3arch.asyncio", agent.where)
    engine = api.SnmpEngine()
    try:
        target = await api.UdpTransportTarget.create(
            (agent.host, agent.port), timeout=TIMEOUT_S, retries=TRIES - 1
        )
        objects = [
            api.ObjectType(api.ObjectIdentity(oid))
            if value is None
            else api.ObjectType(api.ObjectIdentity(oid), api.Integer32(value))
            for oid, value in pairs
        ]
        indication, status, _, found = await getattr(api, command)(
            engine, _credentials(api, agent), target, api.ContextData(), *objects, lookupMib=False
        )
    except OSError as error:
        raise AgentFailed(f"{agent.where}: {error.strerror or error}") from None
    except api.error.PySnmpError as error:
        raise AgentFailed(f"{agent.where}: {error}") from None
    finally:
        engine.close_dispatcher()
    if indication:
        told = str(indication).splitlines()[0]
        silent = f"no answer in {TIMEOUT_S * TRIES:.0f} s"
        raise AgentFailed(f"{agent.where}: {silent if 'timeout' in told else told}")
    if status:
        raise AgentRefused(agent, status.prettyPrint())
    return [(name, value) for name, value in found]


def _credentials(api: Any, agent: Agent) -> Any:
    if agent.user is None:
        return api.CommunityData(agent.community, mpModel=1)
    authentication, key = agent.authentication or (None, None)
    privacy, privacy_key = agent.privacy or (None, None)
    return api.UsmUserData(
        agent.user,
        authKey=key,
        privKey=privacy_key,
        authProtocol=getattr(api, _AUTHENTICATIONS.get(authentication or "", "usmNoAuthProtocol")),
        privProtocol=getattr(api, _PRIVACIES.get(privacy or "", "usmNoPrivProtocol")),
    )


def _whole(value: Any) -> int | None:
    try:
        return int(value)
    except (TypeError, ValueError):
        return None
