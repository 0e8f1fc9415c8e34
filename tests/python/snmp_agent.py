"""A real snmpd that asks a program for an access point's objects, by SNMPv2c and v3."""

import sys
from pathlib import Path

COMMUNITY, USER = "private", "lab"
KEY, PRIVACY_KEY = "phrase-of-lab", "phrase-of-air"
CONFIGURED = f"""
agentaddress udp:{{address}}
rocommunity look
view all included .1
rwcommunity {COMMUNITY} default -V all
rwuser {USER} priv -V all
pass_persist .1.2.840.10036 {{python}} {{program}}
"""
KEPT = f"createUser {USER} SHA {KEY} AES {PRIVACY_KEY}\n"


def snmpd(folder: Path, address: str, program: str) -> list[str]:
    """Write what snmpd reads, with words that Python runs the program by; gives its command."""
    text = CONFIGURED.format(address=address, python=sys.executable, program=program)
    (folder / "snmpd.conf").write_text(text)
    kept = folder / "kept"
    kept.mkdir()
    (kept / "snmpd.conf").write_text(KEPT)
    environment = ["env", f"SNMP_PERSISTENT_DIR={kept}", f"SNMPCONFPATH={folder}"]
    read = f"{folder / 'snmpd.conf'},{kept / 'snmpd.conf'}"
    return [*environment, "snmpd", "-f", "-Lo", "-C", "-c", read]
