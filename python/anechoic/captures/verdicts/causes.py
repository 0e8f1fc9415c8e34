"""Why a segment came again or late, and what a sender that paused was waiting for, in words."""

CAUSES = {
    "timeout": "timeout",
    "fast": "fast retransmit",
    "rack": "RACK",
    "tail_probe": "tail loss probe",
    "window_probe": "window probe",
    "needless_timeout": "needless timeout",
    "needless_fast": "needless fast retransmit",
    "needless_probe": "needless tail loss probe",
    "reordering": "reordering",
    "network_duplicate": "network duplicate",
    "unknown": "unknown cause",
    "needless": "needless",
    "path_mtu": "path MTU discovery",
}
"""Why a segment came again or late."""
STALLS = {
    "timeout": "waiting for a timeout",
    "recovery": "in recovery",
    "window": "window full",
    "path": "nothing came back",
    "pace": "keeping its own pace",
    "application": "nothing on its way",
    "delay": "waiting for delayed acknowledgments",
    "nagle": "waiting by the Nagle algorithm",
}
"""What a sender that paused was waiting for."""
