"""The colours of figures and pages.

They are those of Okabe and Ito (2008), which people with any colour vision tell apart; the yellow
is left out, since a line of it is lost on white. Ordered series take a ramp instead.
"""

INK = "#1f2328"
"""Text."""
FAINT = "#8b949e"
"""Notes, ticks and axes."""
RULE = "#d8dee4"
"""Grid lines."""
STRIPE = "#fdfdfd"
"""The lines of a hatch; not quite white, which a dark page takes for its ground."""
DISTINCT = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#5c636b")

AIRTIME_COLOURS = {
    "payload": "#0072b2",
    "header": "#56b4e9",
    "preamble": "#a6d5ef",
    "ack": "#009e73",
    "rts_cts": "#7fcfb6",
    "ifs": "#b8a98c",
    "backoff": "#e69f00",
    "collision": "#d55e00",
    "error": "#a63d00",
    "duplicate": "#e8926a",
    "timeout": "#f3c3a5",
    "beacon": "#cc79a7",
    "noise": "#7a7a7a",
    "idle": "#dfe3e8",
}
"""Blue carries data, green answers, ochre waits, red is lost."""
