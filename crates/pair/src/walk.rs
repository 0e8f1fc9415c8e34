//! Both captures, packet by packet in the order of time.

use std::io::Read;

use super::PairLimits;
use super::clock::ClockLine;
use super::connections::Connections;
use super::lane::PATIENCE_NS;
use super::source::SegmentSource;
use super::witness::Witness;

/// Interval at which connections that have fallen silent are looked at, by the captures' time.
const SWEEP_NS: i64 = PATIENCE_NS / 4;

/// And in packets, so that memory is bounded whatever the times in a file say.
const SWEEP_PACKETS: u64 = 1 << 17;

/// Span of a capture, by its own clock, as far as it has been read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub first_ns: u64,
    pub last_ns: u64,
    /// It has been read to its end.
    pub is_over: bool,
}

/// Spans of both captures, and the alignment of their clocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extents {
    pub line: ClockLine,
    pub each: [Extent; 2],
}

impl Extents {
    /// Returns whether a capture did not run at this time of the first one's clock.
    pub fn is_outside(&self, side: usize, at_ns: i64) -> bool {
        let extent = &self.each[side];
        at_ns < self.line.aligned(side, extent.first_ns)
            || (extent.is_over && at_ns > self.line.aligned(side, extent.last_ns))
    }
}

/// Goes through both captures, the second clock ahead by this line, and tells the witness what is
/// found. Gives how many connections had to make room; none if the witness gave up.
pub(super) fn walk<R: Read>(
    sources: &mut [SegmentSource<R>; 2],
    line: ClockLine,
    limits: PairLimits,
    witness: &mut impl Witness,
) -> Option<u64> {
    let mut connections = Connections::new(limits);
    let each = sources.each_ref().map(SegmentSource::extent);
    let mut extents = Extents { line, each };
    let (mut swept_ns, mut packets) = (i64::MIN, 0_u64);
    while let Some((side, now_ns)) = earlier(sources, &extents.line) {
        if let Some(sighting) = sources[side].head() {
            connections.take(side, sighting, now_ns, &extents, witness);
        }
        packets += 1;
        if now_ns.saturating_sub(swept_ns) > SWEEP_NS || packets % SWEEP_PACKETS == 0 {
            swept_ns = now_ns;
            let most = limits.packets;
            if connections.sweep(now_ns, &extents, witness) > most
                && connections.drop_alone() > most
            {
                connections.sweep(i64::MAX, &extents, witness);
            }
        }
        if witness.steer(&mut extents.line).is_break() {
            return None;
        }
        sources[side].advance();
        extents.each[side] = sources[side].extent();
    }
    connections.finish(&extents, witness);
    Some(connections.evicted)
}

/// Returns which capture has the earlier segment, and when that was on the first one's clock; none
/// when both are over.
#[inline]
fn earlier<R: Read>(sources: &[SegmentSource<R>; 2], line: &ClockLine) -> Option<(usize, i64)> {
    let time = |side: usize| {
        let sighting = sources[side].head()?;
        Some((side, line.aligned(side, sighting.segment.time_ns)))
    };
    match (time(0), time(1)) {
        (Some(first), Some(second)) => Some(if first.1 <= second.1 { first } else { second }),
        (first, second) => first.or(second),
    }
}
