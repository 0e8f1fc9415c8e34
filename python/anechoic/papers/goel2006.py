"""The claims of S. Goel's thesis on its baseline experiments, goel-1 to goel-8.

Performance Evaluation of TCP over IEEE 802.11 WLANs, M.Sc. thesis, University of New Hampshire,
2006, section 4.2. Its standard deviation is printed with a root that covers the numerator
alone; here and in every report the sample standard deviation is the root of the whole fraction.
"""

from functools import partial

from anechoic.papers import goel2006_thresholds as thresholds
from anechoic.papers import goel2006_trends as trends
from anechoic.papers.claim import Claim

PAPER = "goel2006"

EXPERIMENTS = tuple(f"goel-{number}" for number in range(1, 9))

STATISTICS_NOTE = (
    "The thesis prints the sample standard deviation with a misplaced root, over the numerator "
    "only, and takes 1.96 for the interval down to 12 runs. Here the root covers the whole "
    "fraction, and the intervals are Student's."
)

_FALLS = "Total goodput falls with the number of connections at every fragmentation threshold."
_RISES = "Goodput rises with the fragmentation threshold at every number of connections."
_RTS_LOWER = "Goodput with RTS/CTS is lower than without at each fragmentation threshold."
_STEP = "Goodput steps up where the threshold reaches the 1536 bytes of a full segment's frame."
_LEVEL = "Beyond 1536 bytes the threshold no longer acts and goodput stays level."
_CONTROL = "What RTS/CTS costs is the airtime of its frames, which carry no payload."

CLAIMS = (
    Claim(
        "goel-1-a",
        "goel-1",
        "Total goodput falls as the connections go from 2 to 32.",
        1,
        trends.baseline_falls_with_connections,
    ),
    Claim(
        "goel-1-b",
        "goel-1",
        "More connections compete for the medium: overhead grows and each gets a smaller share.",
        2,
        trends.overhead_grows_with_connections,
    ),
    Claim(
        "goel-1-c",
        "goel-1",
        "The default configuration without impairment is the best case of the study.",
        1,
        trends.baseline_is_best,
        uses=EXPERIMENTS[1:],
    ),
    Claim(
        "goel-1-d",
        "goel-1",
        "The level of both vendors, which is only plotted, lies within what the model allows.",
        3,
        trends.baseline_level,
    ),
    Claim("goel-2-a", "goel-2", _RISES, 1, partial(trends.rises_with_threshold, "goel-2")),
    Claim("goel-2-b", "goel-2", _FALLS, 1, partial(trends.falls_with_connections, "goel-2")),
    Claim(
        "goel-2-c",
        "goel-2",
        "Each further fragment costs a preamble, headers and a checksum.",
        2,
        trends.each_fragment_costs,
    ),
    Claim(
        "goel-2-d",
        "goel-2",
        "A large fragmentation threshold is the better setting.",
        1,
        trends.whole_frames_are_best,
    ),
    Claim("goel-3-a", "goel-3", _RISES, 1, partial(trends.rises_with_threshold, "goel-3")),
    Claim("goel-3-b", "goel-3", _FALLS, 1, partial(trends.falls_with_connections, "goel-3")),
    Claim(
        "goel-3-c",
        "goel-3",
        "Vendor B shows the same trends as vendor A.",
        1,
        trends.vendors_agree,
        needs=("goel-2",),
    ),
    Claim("goel-4-a", "goel-4", _RISES, 1, partial(trends.rises_with_threshold, "goel-4")),
    Claim("goel-4-b", "goel-4", _FALLS, 1, partial(trends.falls_with_connections, "goel-4")),
    Claim(
        "goel-4-c",
        "goel-4",
        "With RTS/CTS goodput is lower, for every number of connections and fragment size.",
        1,
        thresholds.rts_costs_everywhere,
        needs=("goel-2",),
    ),
    Claim(
        "goel-4-d",
        "goel-4",
        "The loss comes from the RTS and CTS frames before each data exchange.",
        2,
        thresholds.control_frames_cost_it,
        needs=("goel-2",),
    ),
    Claim(
        "goel-4-e",
        "goel-4",
        "The shape agrees with the case without RTS.",
        1,
        thresholds.shape_is_that_without_rts,
        needs=("goel-2", "goel-3"),
    ),
    Claim("goel-5-a", "goel-5", _FALLS, 1, partial(trends.falls_with_connections, "goel-5")),
    Claim("goel-5-b", "goel-5", _RISES, 1, partial(trends.rises_with_threshold, "goel-5")),
    *(
        Claim(f"{experiment}-{letter}", experiment, text, tier, partial(check, experiment))
        for experiment in ("goel-6", "goel-7")
        for letter, text, tier, check in (
            ("a", _RTS_LOWER, 1, thresholds.rts_costs_at_each_threshold),
            ("b", _STEP, 1, thresholds.steps_up_at_whole_frame),
            ("c", _LEVEL, 1, thresholds.level_beyond_whole_frame),
            ("d", _CONTROL, 2, thresholds.control_frames_cost_it_at_each_threshold),
        )
    ),
    Claim(
        "goel-8-a",
        "goel-8",
        "Goodput is the same for all RTS thresholds below 1536 bytes.",
        1,
        thresholds.level_below_whole_frame,
    ),
    Claim(
        "goel-8-b",
        "goel-8",
        "Goodput steps up at an RTS threshold of 1536 bytes.",
        1,
        thresholds.rts_stops_at_whole_frame,
    ),
    Claim(
        "goel-8-c",
        "goel-8",
        "Goodput is level from 1536 bytes on, and the baseline's.",
        1,
        thresholds.level_and_baseline_beyond,
        needs=("goel-1",),
    ),
    Claim(
        "goel-8-d",
        "goel-8",
        "No RTS precedes a frame that is no longer than the threshold.",
        2,
        thresholds.rts_only_above_threshold,
    ),
)
