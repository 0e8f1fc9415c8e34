"""What the codes of 802.11 mean: why a station was refused, and why it had to leave.

After IEEE 802.11-2020, tables 9-49 (reasons) and 9-50 (statuses), in short.
"""

from typing import Any

REASONS = {
    1: "not specified",
    2: "its authentication is not valid any more",
    3: "the sender leaves the network",
    4: "it was silent for too long",
    5: "the access point has too many stations",
    6: "it sent what needs authentication first",
    7: "it sent what needs an association first",
    8: "the sender leaves the cell",
    9: "it asked to join without authentication",
    10: "its range of power does not do",
    11: "its channels do not do",
    12: "it is moved to another cell",
    13: "an element is not valid",
    14: "a check of a message's integrity failed",
    15: "the handshake for its keys took too long: often a wrong passphrase",
    16: "the handshake for the group's key took too long",
    17: "the handshake for its keys does not match what was announced",
    18: "the group's cipher is not valid",
    19: "its cipher is not valid",
    20: "its way to agree on keys is not valid",
    21: "its version of RSN is not supported",
    22: "its RSN capabilities are not valid",
    23: "802.1X refused it",
    24: "policy forbids its cipher",
    34: "too many of its frames are not acknowledged: the channel is poor",
    36: "the other station leaves",
    39: "the other station did not answer in time",
}
"""Reasons of disassociation and deauthentication."""

STATUSES = {
    1: "failure, not specified",
    10: "not all capabilities asked for are supported",
    11: "its association cannot be confirmed",
    12: "refused for a reason outside of the standard",
    13: "the way to authenticate is not supported",
    14: "its message is out of turn",
    15: "it failed the challenge",
    16: "it took too long to answer",
    17: "the access point has too many stations",
    18: "it does not support all basic rates",
    30: "refused for now; it may try again later",
    31: "against the rules for protected management frames",
    37: "declined",
    40: "an element is not valid",
    41: "the group's cipher is not valid",
    42: "its cipher is not valid",
    43: "its way to agree on keys is not valid",
    53: "its PMK identifier is not valid",
    54: "its mobility domain is not valid",
    55: "its fast-transition element is not valid",
    76: "a token against flooding is asked for",
    77: "the finite group is not supported",
    82: "refused, and another cell suggested",
    126: "success so far, by hash to element",
}
"""Statuses of answers."""

_ENDS = ("disassociation", "deauthentication")


def meaning(event: dict[str, Any]) -> str | None:
    """Say what an event's code means; nothing where it has none or asks for something.

    In a request to authenticate the status says nothing (9.3.3.11), unless it is none of zero.
    """
    code = event["code"]
    if code is None or (code == 0 and event["is_by_station"] and event["what"] not in _ENDS):
        return None
    if event["what"] in _ENDS:
        kind, meanings = "reason", REASONS
    elif code == 0:
        return "success"
    else:
        kind, meanings = "status", STATUSES
    words = meanings.get(code)
    return f"{kind} {code}" if words is None else f"{kind} {code}: {words}"
