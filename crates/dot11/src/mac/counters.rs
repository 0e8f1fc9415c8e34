//! What a MAC has done so far.

use phy::{Format, Mode, PerRate};
use units::Duration;
use units::declaration::{CountedMetric, Metric};

/// Counts since the start of the run. Queue drops, retry drops and outcomes add up: every MSDU
/// offered is delivered, dropped with a cause, or still queued.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MacCounters {
    /// MSDUs that [`Mac::enqueue`](crate::Mac::enqueue) was asked to take.
    pub offered: u64,
    /// MSDUs refused because the queue was full.
    pub queue_drops: u64,
    /// MSDUs given up after the short retry limit.
    pub short_retry_drops: u64,
    /// MSDUs given up after the long retry limit.
    pub long_retry_drops: u64,
    /// MSDUs given up because their lifetime was over.
    pub lifetime_drops: u64,
    /// Unicast MSDUs acknowledged to the last fragment.
    pub acknowledged: u64,
    /// Broadcast MSDUs transmitted, each as one MPDU; they count nowhere else but in `offered`
    /// and `queue_drops`.
    pub broadcasts: u64,
    /// Unicast data MPDUs transmitted in formats before 802.11n, retries included, by their rate.
    pub data_attempts: PerRate<u64>,
    /// The same in 802.11n and later formats.
    pub later_attempts: u64,
    /// The rates of those, added up, in bit/s.
    pub later_rates_bps: u64,
    /// Unicast MSDUs whose first data frame went in another mode than that of the MSDU before
    /// to the same receiver. What the retries of one MSDU step through is no change.
    pub rate_changes: u64,
    /// Data MPDUs transmitted that were fragments of a larger MSDU.
    pub fragments: u64,
    /// Gaps inside bursts of fragments, from the last bit of an ACK to the first of the next
    /// fragment: a SIFS each. Since [`Mac::take_fragment_gaps`](crate::Mac::take_fragment_gaps).
    pub fragment_gaps: GapStatistics,
    /// Data MPDUs transmitted with the retry bit.
    pub retries: u64,
    /// Data MPDUs that were not acknowledged.
    pub ack_failures: u64,
    /// RTS transmitted.
    pub rts_sent: u64,
    /// Accesses that a more urgent category of the same station had at the same time.
    pub internal_collisions: u64,
    /// CTS transmitted to oneself.
    pub cts_to_self_sent: u64,
    /// RTS that were not answered.
    pub cts_failures: u64,
    /// CTS transmitted.
    pub cts_sent: u64,
    /// Idle periods of the medium in which the NAV held a station with something to send: the
    /// medium had been physically idle for DIFS, so that it could have counted down, and the NAV
    /// still ran. Entered when the station next gets access. The SIFS between the frames of an
    /// exchange of others holds nobody and does not count.
    pub nav_deferrals: u64,
    /// RTS not answered because the NAV forbade it.
    pub cts_withheld: u64,
    /// ACKs transmitted.
    pub acks_sent: u64,
    /// A-MPDUs of several MPDUs transmitted.
    pub aggregates: u64,
    /// Their MPDUs.
    pub aggregated: u64,
    /// BlockAcks transmitted.
    pub block_acks_sent: u64,
    /// BlockAckReqs transmitted.
    pub block_ack_requests: u64,
    /// Data or BlockAckReqs that no BlockAck or ACK came for.
    pub block_acks_missed: u64,
    /// Action frames transmitted that ask for an agreement, answer that or end one, retries included.
    pub action_frames: u64,
    /// Beacons transmitted.
    pub beacons_sent: u64,
    /// Management frames transmitted, retries included and beacons not.
    pub management_attempts: u64,
    /// MSDUs taken out of the queue because their receiver was associated no more.
    pub flushed: u64,
    /// Unicast MSDUs handed up.
    pub delivered: u64,
    /// Those of them that had waited long enough for what was sent before them.
    pub released: u64,
    /// Broadcast MSDUs handed up.
    pub broadcasts_delivered: u64,
    /// Data MPDUs received again after a lost ACK, acknowledged and discarded.
    pub duplicates: u64,
    /// Fragments discarded because one before them is missing.
    pub orphan_fragments: u64,
}

impl MacCounters {
    /// What is reported of them, of each radio and of all.
    pub const METRICS: &[CountedMetric<MacCounters>] = &[
        CountedMetric {
            metric: Metric {
                name: "attempts",
                label: "MAC attempts",
                unit: "frames",
                about: "data MPDUs (whole MSDUs or fragments) transmitted, retries included",
            },
            count: |of| of.attempts(),
        },
        CountedMetric {
            metric: Metric {
                name: "retries",
                label: "MAC retries",
                unit: "frames",
                about: "data MPDUs transmitted with the retry bit",
            },
            count: |of| of.retries,
        },
        CountedMetric {
            metric: Metric {
                name: "aggregates",
                label: "A-MPDUs",
                unit: "frames",
                about: "PPDUs transmitted that had several data MPDUs, from 802.11n on",
            },
            count: |of| of.aggregates,
        },
        CountedMetric {
            metric: Metric {
                name: "aggregated_mpdus",
                label: "MPDUs in A-MPDUs",
                unit: "frames",
                about: "data MPDUs transmitted in PPDUs that had several",
            },
            count: |of| of.aggregated,
        },
        CountedMetric {
            metric: Metric {
                name: "block_acks_missed",
                label: "Missed BlockAcks",
                unit: "frames",
                about: "PPDUs and BlockAckReqs under block acknowledgment that were not answered",
            },
            count: |of| of.block_acks_missed,
        },
        CountedMetric {
            metric: Metric {
                name: "action_frames",
                label: "Action frames",
                unit: "frames",
                about: "frames transmitted that ask for an agreement on block acknowledgment, \
                        answer that or end one, repeated ones included",
            },
            count: |of| of.action_frames,
        },
        CountedMetric {
            metric: Metric {
                name: "released_msdus",
                label: "Released MSDUs",
                unit: "MSDUs",
                about: "MSDUs handed up without those before them, which had not come in time",
            },
            count: |of| of.released,
        },
        CountedMetric {
            metric: Metric {
                name: "rts_frames",
                label: "RTS frames",
                unit: "frames",
                about: "RTS transmitted, repeated ones included",
            },
            count: |of| of.rts_sent,
        },
        CountedMetric {
            metric: Metric {
                name: "internal_collisions",
                label: "Internal collisions",
                unit: "collisions",
                about: "accesses that a more urgent category of the same station had at the same \
                        time",
            },
            count: |of| of.internal_collisions,
        },
        CountedMetric {
            metric: Metric {
                name: "cts_to_self_frames",
                label: "CTS to self",
                unit: "frames",
                about: "CTS that stations sent to themselves to protect what 802.11b cannot read",
            },
            count: |of| of.cts_to_self_sent,
        },
        CountedMetric {
            metric: Metric {
                name: "drops_retry_limit",
                label: "MAC drops",
                unit: "MSDUs",
                about: "MSDUs given up at the short or the long retry limit",
            },
            count: |of| of.short_retry_drops + of.long_retry_drops,
        },
        CountedMetric {
            metric: Metric {
                name: "drops_lifetime",
                label: "Drops by lifetime",
                unit: "MSDUs",
                about: "MSDUs given up because their lifetime was over",
            },
            count: |of| of.lifetime_drops,
        },
        CountedMetric {
            metric: Metric {
                name: "drops_queue",
                label: "Queue drops",
                unit: "MSDUs",
                about: "MSDUs refused because the interface queue was full",
            },
            count: |of| of.queue_drops,
        },
        CountedMetric {
            metric: Metric {
                name: "duplicates",
                label: "Duplicates",
                unit: "frames",
                about: "data MPDUs received again, acknowledged and discarded",
            },
            count: |of| of.duplicates,
        },
        CountedMetric {
            metric: Metric {
                name: "nav_deferrals",
                label: "NAV deferrals",
                unit: "deferrals",
                about: "idle periods of the medium longer than DIFS in which the NAV held somebody \
                        who had something to send",
            },
            count: |of| of.nav_deferrals,
        },
        CountedMetric {
            metric: Metric {
                name: "rate_changes",
                label: "Rate changes",
                unit: "changes",
                about: "MSDUs whose first data frame went at another rate than that of the MSDU \
                        before to the same receiver",
            },
            count: |of| of.rate_changes,
        },
        CountedMetric {
            metric: Metric {
                name: "attempts_1mbps",
                label: "Attempts at 1 Mbit/s",
                unit: "frames",
                about: "data MPDUs transmitted at 1 Mbit/s, retries included",
            },
            count: |of| of.data_attempts[Mode::DSSS_1],
        },
        CountedMetric {
            metric: Metric {
                name: "attempts_2mbps",
                label: "Attempts at 2 Mbit/s",
                unit: "frames",
                about: "data MPDUs transmitted at 2 Mbit/s, retries included",
            },
            count: |of| of.data_attempts[Mode::DSSS_2],
        },
        CountedMetric {
            metric: Metric {
                name: "attempts_5_5mbps",
                label: "Attempts at 5.5 Mbit/s",
                unit: "frames",
                about: "data MPDUs transmitted at 5.5 Mbit/s, retries included",
            },
            count: |of| of.data_attempts[Mode::CCK_5_5],
        },
        CountedMetric {
            metric: Metric {
                name: "attempts_11mbps",
                label: "Attempts at 11 Mbit/s",
                unit: "frames",
                about: "data MPDUs transmitted at 11 Mbit/s, retries included",
            },
            count: |of| of.data_attempts[Mode::CCK_11],
        },
        CountedMetric {
            metric: Metric {
                name: "attempts_6mbps",
                label: "Attempts at 6 Mbit/s",
                unit: "frames",
                about: "data MPDUs transmitted at 6 Mbit/s of OFDM, retries included",
            },
            count: |of| of.data_attempts[Mode::OFDM_6],
        },
        CountedMetric {
            metric: Metric {
                name: "attempts_9mbps",
                label: "Attempts at 9 Mbit/s",
                unit: "frames",
                about: "data MPDUs transmitted at 9 Mbit/s of OFDM, retries included",
            },
            count: |of| of.data_attempts[Mode::OFDM_9],
        },
        CountedMetric {
            metric: Metric {
                name: "attempts_12mbps",
                label: "Attempts at 12 Mbit/s",
                unit: "frames",
                about: "data MPDUs transmitted at 12 Mbit/s of OFDM, retries included",
            },
            count: |of| of.data_attempts[Mode::OFDM_12],
        },
        CountedMetric {
            metric: Metric {
                name: "attempts_18mbps",
                label: "Attempts at 18 Mbit/s",
                unit: "frames",
                about: "data MPDUs transmitted at 18 Mbit/s of OFDM, retries included",
            },
            count: |of| of.data_attempts[Mode::OFDM_18],
        },
        CountedMetric {
            metric: Metric {
                name: "attempts_24mbps",
                label: "Attempts at 24 Mbit/s",
                unit: "frames",
                about: "data MPDUs transmitted at 24 Mbit/s of OFDM, retries included",
            },
            count: |of| of.data_attempts[Mode::OFDM_24],
        },
        CountedMetric {
            metric: Metric {
                name: "attempts_36mbps",
                label: "Attempts at 36 Mbit/s",
                unit: "frames",
                about: "data MPDUs transmitted at 36 Mbit/s of OFDM, retries included",
            },
            count: |of| of.data_attempts[Mode::OFDM_36],
        },
        CountedMetric {
            metric: Metric {
                name: "attempts_48mbps",
                label: "Attempts at 48 Mbit/s",
                unit: "frames",
                about: "data MPDUs transmitted at 48 Mbit/s of OFDM, retries included",
            },
            count: |of| of.data_attempts[Mode::OFDM_48],
        },
        CountedMetric {
            metric: Metric {
                name: "attempts_54mbps",
                label: "Attempts at 54 Mbit/s",
                unit: "frames",
                about: "data MPDUs transmitted at 54 Mbit/s of OFDM, retries included",
            },
            count: |of| of.data_attempts[Mode::OFDM_54],
        },
    ];

    /// Unicast data MPDUs transmitted in all modes.
    pub fn attempts(&self) -> u64 {
        self.data_attempts.values().sum::<u64>() + self.later_attempts
    }

    /// The rates of those, added up, in bit/s.
    pub fn rates_bps(&self) -> u64 {
        let rates = PerRate::of(Format::Ofdm, |mode| mode.rate().as_bps());
        let each = rates.values().zip(self.data_attempts.values());
        self.later_rates_bps + each.map(|(rate, count)| rate * count).sum::<u64>()
    }

    /// MSDUs given up after all.
    pub fn given_up(&self) -> u64 {
        self.short_retry_drops + self.long_retry_drops + self.lifetime_drops
    }
}

/// How many gaps there were, how long together, and the shortest and the longest of them; all
/// zero without any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GapStatistics {
    /// How many.
    pub count: u64,
    /// All of them together.
    pub total: Duration,
    /// The shortest.
    pub shortest: Duration,
    /// The longest.
    pub longest: Duration,
}

impl GapStatistics {
    /// With those of `other`.
    pub fn and(self, other: GapStatistics) -> GapStatistics {
        let shortest = match (self.count, other.count) {
            (0, _) => other.shortest,
            (_, 0) => self.shortest,
            _ => self.shortest.min(other.shortest),
        };
        GapStatistics {
            count: self.count + other.count,
            total: self.total + other.total,
            shortest,
            longest: self.longest.max(other.longest),
        }
    }

    pub(super) fn add(&mut self, gap: Duration) {
        self.shortest = match self.count {
            0 => gap,
            _ => self.shortest.min(gap),
        };
        self.longest = self.longest.max(gap);
        self.total += gap;
        self.count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_told_by_their_extremes() {
        let mut gaps = GapStatistics::default();
        for micros in [12, 10, 11] {
            gaps.add(Duration::from_micros(micros));
        }
        let expected = GapStatistics {
            count: 3,
            total: Duration::from_micros(33),
            shortest: Duration::from_micros(10),
            longest: Duration::from_micros(12),
        };
        assert_eq!(gaps, expected);
    }
}
