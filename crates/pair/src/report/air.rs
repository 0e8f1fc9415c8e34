//! Report of the packets that went over the air.

use serde::Serialize;

use crate::air::AirPassage;
use crate::delays::{DelayDistribution, Delays};
use crate::passage::Passage;

/// Counts of what packets met on the air.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct AirReport {
    /// Packets sent on the air.
    pub packets: u64,
    /// Frames they took, fragments and retries included.
    pub frames: u64,
    /// Frames with the retry bit.
    pub retries: u64,
    /// Packets whose last frame was never acknowledged: given up.
    pub unacknowledged: u64,
    /// From the first frame to the acknowledgment.
    pub exchange: Option<DelayDistribution>,
    /// From the wire to the acknowledgment: queue and air together. Only of the way to the air.
    pub wire_to_acknowledgment: Option<DelayDistribution>,
}

/// Counts it.
#[derive(Debug, Default)]
pub(super) struct AirCounts {
    report: AirReport,
    exchanges: Delays,
    wire_to_acknowledgment: Delays,
}

impl AirCounts {
    /// Counts a packet, if it went there.
    #[inline]
    pub fn count(&mut self, passage: &Passage) {
        if let Some((side, exchange)) = passage.exchange() {
            self.count_exchange(passage, side, exchange);
        }
    }

    fn count_exchange(&mut self, passage: &Passage, side: usize, exchange: AirPassage) {
        let air = &mut self.report;
        air.packets += 1;
        air.frames += u64::from(exchange.frames);
        air.retries += u64::from(exchange.retries);
        let (Some(acknowledged_ns), Some(sent)) = (exchange.acknowledged_ns, passage.sights[side])
        else {
            air.unacknowledged += 1;
            return;
        };
        let on_air = (acknowledged_ns as i64).saturating_sub(sent.time_ns as i64);
        self.exchanges.add(on_air);
        if side != passage.way.upstream() {
            if let Some(delay_ns) = passage.delay_ns() {
                self.wire_to_acknowledgment
                    .add(delay_ns.saturating_add(on_air));
            }
        }
    }

    /// Returns what is told; none if no packet went there.
    pub fn finish(self) -> Option<AirReport> {
        (self.report.packets > 0).then(|| AirReport {
            exchange: self.exchanges.distribution(),
            wire_to_acknowledgment: self.wire_to_acknowledgment.distribution(),
            ..self.report
        })
    }
}
