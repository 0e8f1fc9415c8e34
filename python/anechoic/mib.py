"""How a radio is set, by the objects of IEEE802dot11-MIB (IEEE Std 802.11, annex C)."""

OPERATION = (1, 2, 840, 10036, 2, 1, 1)
"""The entry of dot11OperationTable; behind a column stands the number of the interface."""

ADDRESS = 1
"""The column of dot11MACAddress."""

SETTINGS = {
    "rts_threshold": 2,
    "short_retry_limit": 3,
    "long_retry_limit": 4,
    "fragmentation_threshold": 5,
}
"""The settings of an access point in a scenario, and their columns."""
