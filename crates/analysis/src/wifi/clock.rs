//! Times at which frames were on the air, from what a sniffer's timestamps say.
//!
//! Sniffers disagree about the instant they stamp: radiotap asks for the first bit of the
//! MPDU, some drivers give the first of the preamble, and a host's own clock is read behind
//! the end. What they stamp shows on frames and their acknowledgments, of which the standard
//! fixes the distance: a SIFS.

use serde::Serialize;

use dissect::{Dot11Frame, kind};

/// SIFS of the 2.4 GHz PHYs; with OFDM a silent extension of 6 µs follows each frame, which
/// makes it the same as in the 5 GHz band (IEEE 802.11-2020, 16.3.4, 17.4.4, 18.3.2.4).
const SIFS_DSSS_NS: u64 = 10_000;
const SIFS_OFDM_NS: u64 = 16_000;

/// Frames whose timestamps are compared before any is used, at most.
pub(super) const LEARNED_FROM: usize = 256;

/// Distance from its due time that a response may have. No other frame fits between: with its
/// preamble and two SIFS it takes longer. (Inferred.)
const TOLERANCE_NS: u64 = 30_000;

/// A distance that is further from what is due than this speaks for no convention at all.
const FAR_NS: u64 = 1_000_000;

/// The clock that stamped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StampSource {
    /// The radio's own timer, in microseconds.
    Radio,
    /// The clock of the host that wrote the file.
    Host,
}

/// The instant of a frame that is stamped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StampedInstant {
    /// The first bit of the preamble.
    Preamble,
    /// The first bit behind preamble and PHY header.
    FirstBit,
    /// The last bit.
    End,
}

const STAMPS: [StampedInstant; 3] = [
    StampedInstant::FirstBit,
    StampedInstant::Preamble,
    StampedInstant::End,
];

/// Time that a frame was on the air, in nanoseconds of the sniffer's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AirSpan {
    /// The first bit of the preamble.
    pub start: u64,
    /// The first bit behind preamble and PHY header.
    pub first_bit: u64,
    /// The end of the last bit.
    pub end: u64,
    /// The SIFS behind it.
    pub sifs_ns: u64,
}

impl AirSpan {
    /// Returns how long it lasts.
    #[inline]
    pub const fn airtime_ns(&self) -> u64 {
        self.end - self.start
    }
}

/// Meaning of a sniffer's timestamps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SnifferClock {
    /// Whose they are.
    pub source: StampSource,
    /// Of what instant.
    pub stamp: StampedInstant,
    /// Responses from which that was learned; with none it is assumed.
    pub responses: u64,
    /// Mean distance of these from their due time.
    pub jitter_ns: u64,
}

/// The SIFS behind a frame.
#[inline]
pub(super) fn sifs_ns(frame: &Dot11Frame) -> u64 {
    let is_2_4_ghz = frame.radio.frequency_mhz < 4000;
    if is_2_4_ghz && frame.radio.phy.is_dsss() {
        SIFS_DSSS_NS
    } else {
        SIFS_OFDM_NS
    }
}

impl SnifferClock {
    /// Learns from the first frames of a capture.
    pub fn learn<'a>(frames: impl Iterator<Item = &'a Dot11Frame> + Clone) -> SnifferClock {
        let has_timer = frames.clone().all(|frame| frame.radio.tsft_us.is_some());
        let (source, usual) = if has_timer {
            (StampSource::Radio, StampedInstant::FirstBit)
        } else {
            (StampSource::Host, StampedInstant::End)
        };
        let mut sums = [0; STAMPS.len()];
        let mut responses = 0;
        for (asking, response) in frames.clone().zip(frames.skip(1)) {
            if let Some(off) = deviations(source, asking, response) {
                responses += 1;
                for (sum, off) in sums.iter_mut().zip(off) {
                    *sum += off;
                }
            }
        }
        let nearest = (0..STAMPS.len()).min_by_key(|&index| sums[index]);
        let (stamp, sum) = match nearest {
            Some(index) if responses > 0 => (STAMPS[index], sums[index]),
            _ => (usual, 0),
        };
        SnifferClock {
            source,
            stamp,
            responses,
            jitter_ns: sum.checked_div(responses).unwrap_or(0),
        }
    }

    /// Returns when a frame was on the air, of which the PHY carried `psdu` bytes; none where the
    /// timestamp or the duration is not known.
    #[inline]
    pub fn span(&self, frame: &Dot11Frame, psdu: u32) -> Option<AirSpan> {
        let stamp = stamp_ns(self.source, frame)?;
        let preamble = frame.radio.preamble_ns()?;
        let body = frame.radio.phy.body_ns(psdu)?;
        let before = match self.stamp {
            StampedInstant::Preamble => 0,
            StampedInstant::FirstBit => preamble,
            StampedInstant::End => preamble + body,
        };
        let start = stamp.saturating_sub(before);
        let first_bit = start.saturating_add(preamble);
        Some(AirSpan {
            start,
            first_bit,
            end: first_bit.saturating_add(body),
            sifs_ns: sifs_ns(frame),
        })
    }

    /// Returns how far from its due time a response may be.
    pub const fn tolerance_ns(&self) -> u64 {
        TOLERANCE_NS + 4 * self.jitter_ns
    }
}

fn stamp_ns(source: StampSource, frame: &Dot11Frame) -> Option<u64> {
    match source {
        StampSource::Radio => Some(frame.radio.tsft_us?.saturating_mul(1_000)),
        StampSource::Host => Some(frame.time_ns),
    }
}

/// Returns how far the distance of two frames, of which the second responds to the first, is from
/// what it should be under each convention.
fn deviations(
    source: StampSource,
    asking: &Dot11Frame,
    response: &Dot11Frame,
) -> Option<[u64; STAMPS.len()]> {
    let is_response = response.is_legible()
        && asking.transmitter == Some(response.receiver)
        && asking.radio.ampdu.is_none()
        && match response.kind() {
            kind::ACK => asking.wants_ack(),
            kind::CTS => asking.kind() == kind::RTS,
            _ => false,
        };
    if !is_response {
        return None;
    }
    let distance = stamp_ns(source, response)?.checked_sub(stamp_ns(source, asking)?)?;
    let asked = asking.airtime_ns()?;
    let answered = response.airtime_ns()?;
    let preambles = (asking.radio.preamble_ns()?, response.radio.preamble_ns()?);
    let due = STAMPS.map(|stamp| {
        sifs_ns(asking)
            + match stamp {
                StampedInstant::Preamble => asked,
                StampedInstant::FirstBit => asked - preambles.0 + preambles.1,
                StampedInstant::End => answered,
            }
    });
    Some(due.map(|due| due.abs_diff(distance).min(FAR_NS)))
}
