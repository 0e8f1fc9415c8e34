"""The performance anomaly: one slow station slows all of them down.

M. Heusse, F. Rousseau, G. Berger-Sabbatel and A. Duda, "Performance Anomaly of 802.11b", INFOCOM
2003: every station gets the medium equally often, whatever it then does with it.
"""

from dataclasses import dataclass

from anechoic.calc.timing import Radio


@dataclass(frozen=True)
class Anomaly:
    """Saturated stations of which one is slower than the others; frames of equal length."""

    fast: Radio
    slow: Radio
    stations: int
    msdu_bytes: int = 1508
    counted_bytes: int = 1500

    @property
    def collision_probability(self) -> float:
        """How likely a frame collides: another draws the same of the window's values."""
        return 1 - (1 - 1 / self._window) ** (self.stations - 1)

    @property
    def contention_us(self) -> float:
        """The mean wait before a frame: the shortest of all backoffs, roughly."""
        spaces = self.fast.spaces
        wait = spaces.slot_us * (1 + self.collision_probability) / (2 * self.stations)
        return wait * self._window

    @property
    def jam_us(self) -> float:
        """The mean time of a collision, which lasts as long as the slow station if that is in."""
        slow = 2 / self.stations
        return slow * self._frame_us(self.slow) + (1 - slow) * self._frame_us(self.fast)

    @property
    def station_mbps(self) -> float:
        """What each station brings through, the slow one or a fast one."""
        round_us = (
            (self.stations - 1) * self._frame_us(self.fast)
            + self._frame_us(self.slow)
            + self.collision_probability * self.stations * self.jam_us
        )
        return 8 * self.counted_bytes / round_us

    @property
    def _window(self) -> int:
        return self.fast.spaces.cw_min + 1

    def _frame_us(self, radio: Radio) -> float:
        exchange = radio.exchange(self.msdu_bytes).duration_us
        return radio.spaces.difs_us + exchange + self.contention_us
