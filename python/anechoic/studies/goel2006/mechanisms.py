"""How the claims of the thesis are decided that no kind of check can say."""

from anechoic.calc.tcp_download import BACKOFF_ALONE, BACKOFF_SHARED, Setting, goodput_mbps
from anechoic.papers.comparisons import in_band
from anechoic.papers.mechanisms import Context
from anechoic.papers.verdict import Verdict


def goodput_of_fragments_is_the_closed_form_s(context: Context) -> Verdict:
    """goel-2-c: goodput over that of whole frames, within 12 % of the closed form's ratio.

    Whichever way the backoff is counted; vendor A has the long preamble.
    """
    threshold = int(context.place["fragmentation_threshold"])
    ratios = [
        goodput_mbps(Setting(threshold, mean_backoff_slots=backoff))
        / goodput_mbps(Setting(mean_backoff_slots=backoff))
        for backoff in (BACKOFF_ALONE, BACKOFF_SHARED)
    ]
    found = context.point("ratio(goodput_mbps, fragmentation_threshold = 1536)")
    return in_band(found, 0.88 * min(ratios), 1.12 * max(ratios))
