//! Times on the air of the frames that one sniffer heard, one behind the other.

use super::clock::{AirSpan, LEARNED_FROM, SnifferClock, sifs_ns};
use super::heard::Contents;
use dissect::Dot11Frame;

/// The frames of a sniffer in order, and the one before the next.
#[derive(Debug, Default)]
pub(super) struct SnifferTimeline {
    /// The first frames, until the clock is learned from them.
    first: Vec<(Dot11Frame, Contents)>,
    clock: Option<SnifferClock>,
    last: Last,
    /// Centres of the channels that were listened to.
    pub frequencies_mhz: Vec<u16>,
}

/// The frame before.
#[derive(Clone, Copy, Debug, Default)]
struct Last {
    frequency_mhz: u16,
    time_ns: u64,
    tsft_us: u64,
    ampdu: Option<u32>,
    /// Where the first bit of its transmission was: of the whole aggregate, if it is one of such.
    first_bit: u64,
    /// Bytes of the transmission up to this frame's end.
    psdu: u32,
    end: u64,
}

/// Channels listed of a sniffer that changes them.
const MOST_FREQUENCIES: usize = 64;

/// Radio timer and host's clock may drift apart by this from one frame to the next before one
/// of them is taken to have been set: a host's delay, and more. (Inferred.)
const CLOCK_JUMP_NS: u64 = 1_000_000_000;

impl SnifferTimeline {
    /// The clock, once it is learned.
    #[inline]
    pub fn clock(&self) -> Option<&SnifferClock> {
        self.clock.as_ref()
    }

    /// One whose clock is learned.
    pub fn with(clock: SnifferClock) -> Self {
        SnifferTimeline {
            clock: Some(clock),
            ..SnifferTimeline::default()
        }
    }

    /// Keeps a frame to learn the clock from; true if there are enough.
    pub fn keep(&mut self, frame: &Dot11Frame, contents: &Contents) -> bool {
        self.first.push((*frame, *contents));
        self.first.len() == LEARNED_FROM
    }

    /// Learns the clock from the frames that were kept, and gives them back.
    pub fn learn(&mut self) -> Vec<(Dot11Frame, Contents)> {
        let first = std::mem::take(&mut self.first);
        if self.clock.is_none() && !first.is_empty() {
            self.clock = Some(SnifferClock::learn(first.iter().map(|(frame, _)| frame)));
        }
        first
    }

    /// Returns whether this frame's time cannot be compared with that of the frame before: the
    /// sniffer changed the channel, or a clock was set.
    #[inline]
    pub fn is_interrupted(&mut self, frame: &Dot11Frame) -> bool {
        let frequency = frame.radio.frequency_mhz;
        let is_other = frequency != self.last.frequency_mhz;
        if is_other {
            self.list(frequency);
        }
        is_other || self.has_jumped(frame)
    }

    #[cold]
    fn list(&mut self, frequency: u16) {
        let is_listed = self.frequencies_mhz.contains(&frequency);
        if frequency != 0 && !is_listed && self.frequencies_mhz.len() < MOST_FREQUENCIES {
            self.frequencies_mhz.push(frequency);
        }
    }

    #[inline]
    fn has_jumped(&self, frame: &Dot11Frame) -> bool {
        let Some(tsft_us) = frame.radio.tsft_us else {
            return false;
        };
        let by_radio = tsft_us.wrapping_sub(self.last.tsft_us) as i64;
        let by_host = frame.time_ns.wrapping_sub(self.last.time_ns) as i64;
        let apart = by_radio.saturating_mul(1_000).saturating_sub(by_host);
        apart.unsigned_abs() > CLOCK_JUMP_NS
    }

    /// Returns when a frame was on the air, if that is known; it is the frame before from now on.
    #[inline]
    pub fn place(&mut self, frame: &Dot11Frame) -> Option<AirSpan> {
        let is_same = frame.radio.ampdu.is_some() && frame.radio.ampdu == self.last.ampdu;
        let is_next = is_same && self.last.end != 0;
        let own = frame.psdu();
        let (span, psdu) = if is_next {
            self.next_of_aggregate(frame, own)
        } else {
            let span = self.clock.as_ref().and_then(|clock| clock.span(frame, own));
            (span, own)
        };
        let first_bit = if is_next {
            self.last.first_bit
        } else {
            span.map_or(0, |span| span.first_bit)
        };
        self.last = Last {
            frequency_mhz: frame.radio.frequency_mhz,
            time_ns: frame.time_ns,
            tsft_us: frame.radio.tsft_us.unwrap_or(0),
            ampdu: frame.radio.ampdu,
            first_bit,
            psdu,
            end: span.map_or(0, |span| span.end),
        };
        span
    }

    /// Frames of one A-MPDU have one preamble, and their bits follow each other without a gap, at
    /// multiples of four bytes (9.7.1). Only the last symbol is filled up: each lasts as much
    /// longer as the transmission is with it.
    #[cold]
    fn next_of_aggregate(&self, frame: &Dot11Frame, own: u32) -> (Option<AirSpan>, u32) {
        let so_far = self.last.psdu.next_multiple_of(4);
        let psdu = so_far.saturating_add(own);
        let start = self.last.end;
        let span = frame.radio.phy.body_ns(psdu).map(|body| AirSpan {
            start,
            first_bit: start,
            end: start.max(self.last.first_bit.saturating_add(body)),
            sifs_ns: sifs_ns(frame),
        });
        (span, psdu)
    }
}
