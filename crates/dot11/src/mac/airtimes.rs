//! What exchanges last if nothing is lost, as sums are made of it.

use phy::{Mode, TxVector};
use serde::Serialize;
use units::Duration;

use super::fragmentation::{Fragment, Fragmentation, MPDU_OVERHEAD};
use super::{MacConfig, Protection};
use crate::frame::{ACK_BYTES, CTS_BYTES, FrameKind, RTS_BYTES};

/// A frame of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ExchangePart {
    /// What it is for.
    pub kind: FrameKind,
    /// How it is modulated.
    pub mode: Mode,
    /// Length of the MPDU, or of each in an A-MPDU: header, body and FCS.
    pub bytes: u16,
    /// How many MSDUs it completes.
    pub msdus: u32,
    /// How long it occupies the air, preamble and PLCP header included.
    pub airtime_ns: Duration,
    /// How long its sender waits for the answer, from its end on, until it gives up; nothing for
    /// what is not answered.
    pub patience_ns: Duration,
}

impl MacConfig {
    /// The frames of the exchange that brings an MSDU to one station, its data in `mode`: each
    /// begins a SIFS after the end of the one before.
    /// Under block acknowledgment it brings as many as one PPDU holds.
    pub fn exchange(&self, mode: Mode, msdu_bytes: u16) -> Vec<ExchangePart> {
        if self.aggregation.is_some() {
            return self.full_exchange(mode, msdu_bytes);
        }
        let fragmentation = Fragmentation::new(self.fragmentation_threshold);
        let first = fragmentation.first(msdu_bytes);
        let rest = |&each: &Fragment| fragmentation.next(each, msdu_bytes);
        let fragments = core::iter::successors(Some(first), rest);
        let data = self.vector(mode);
        let mpdu_bytes = |fragment: &Fragment| {
            let [each, last] = self.overhead();
            fragment.bytes + each + if rest(fragment).is_none() { last } else { 0 }
        };
        let mut parts = self.announcement(mode, mpdu_bytes(&first) > self.rts_threshold);
        for fragment in fragments {
            parts.push(ExchangePart {
                msdus: u32::from(rest(&fragment).is_none()),
                ..self.part(FrameKind::Data, data, mpdu_bytes(&fragment))
            });
            parts.push(self.part(FrameKind::Ack, self.answer_to(data), ACK_BYTES));
        }
        parts
    }

    /// The exchange that a station has which always has such MSDUs.
    fn full_exchange(&self, mode: Mode, msdu_bytes: u16) -> Vec<ExchangePart> {
        let data = self.vector(mode);
        let full = self.full_aggregate(data, msdu_bytes);
        let asks = self.asks_before(full.psdu_bytes, self.rts_threshold);
        let mut parts = self.announcement(mode, asks);
        parts.push(ExchangePart {
            msdus: full.msdus,
            airtime_ns: data.duration(full.psdu_bytes),
            ..self.part(FrameKind::Data, data, full.mpdu_bytes)
        });
        let answer = self.answer_to(data);
        parts.push(match full.is_aggregate {
            true => self.part(FrameKind::BlockAck, answer, self.block_ack_bytes()),
            false => self.part(FrameKind::Ack, answer, ACK_BYTES),
        });
        parts
    }

    /// Returns what goes before data of a mode.
    fn announcement(&self, mode: Mode, asks: bool) -> Vec<ExchangePart> {
        let request = self.vector(self.request_mode(mode));
        match (asks, self.protection_of(mode)) {
            (false, Protection::None) => Vec::new(),
            (false, Protection::CtsToSelf) => vec![self.part(FrameKind::Cts, request, CTS_BYTES)],
            _ => vec![
                self.part(FrameKind::Rts, request, RTS_BYTES),
                self.part(FrameKind::Cts, self.answer_to(request), CTS_BYTES),
            ],
        }
    }

    /// Returns how long a frame to everybody occupies the air.
    pub fn broadcast_airtime(&self, body_bytes: u16) -> Duration {
        let beacon = self.vector(self.broadcast_mode());
        beacon.duration(u32::from(body_bytes + MPDU_OVERHEAD))
    }

    fn part(&self, kind: FrameKind, vector: TxVector, bytes: u16) -> ExchangePart {
        let is_answered = matches!(kind, FrameKind::Rts | FrameKind::Data);
        ExchangePart {
            kind,
            mode: vector.mode,
            bytes,
            msdus: 0,
            airtime_ns: vector.duration(u32::from(bytes)),
            patience_ns: if is_answered {
                self.phy().response_timeout(self.answer_to(vector))
            } else {
                Duration::ZERO
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use phy::{Preamble, Standard};

    use super::*;
    use crate::mac::Privacy;
    use crate::mac::harness::Channel;
    use crate::mac::tests::config;

    /// Returns what a MAC of these settings puts on an ideal channel, by its end before the next.
    fn on_the_air(config: &MacConfig, msdu_bytes: u16) -> Vec<(FrameKind, Mode, u16, Duration)> {
        let mut channel = Channel::new(2, config);
        channel.enqueue(0, 1, 1, msdu_bytes);
        channel.run_micros(100_000);
        let frames = channel.sent.iter().map(|sent| sent.frame);
        frames
            .map(|frame| (frame.kind, frame.mode(), frame.bytes, frame.airtime()))
            .collect()
    }

    #[test]
    fn the_sum_has_the_frames_that_a_mac_sends() {
        for config in cells() {
            for &rate in config.phy().modes {
                for (rts_threshold, fragmentation_threshold) in
                    [(2347, 2346), (0, 2346), (2347, 256), (100, 700), (500, 700)]
                {
                    let config = MacConfig {
                        rate,
                        rts_threshold,
                        fragmentation_threshold,
                        ..config.clone()
                    };
                    for msdu_bytes in [36, 576, 1508] {
                        let parts = config.exchange(rate, msdu_bytes).into_iter();
                        let summed: Vec<_> = parts
                            .map(|part| (part.kind, part.mode, part.bytes, part.airtime_ns))
                            .collect();
                        assert_eq!(summed, on_the_air(&config, msdu_bytes), "{config:?}");
                    }
                }
            }
        }
    }

    /// Cells of every amendment, with all that goes before a frame or into it.
    fn cells() -> Vec<MacConfig> {
        let mixed = |protection, privacy| MacConfig {
            standard: Standard::Dot11g,
            protection,
            privacy,
            ..config()
        };
        vec![
            config(),
            MacConfig {
                preamble: Preamble::Short,
                ..config()
            },
            mixed(Protection::None, Privacy::Wep),
            mixed(Protection::CtsToSelf, Privacy::Tkip),
            mixed(Protection::RtsCts, Privacy::Ccmp),
            MacConfig {
                standard: Standard::Dot11a,
                basic_rates: vec![Mode::OFDM_6],
                ..config()
            },
        ]
    }

    #[test]
    fn an_answer_is_waited_for_as_its_preamble_asks() {
        let [data, ack] = config().exchange(Mode::CCK_11, 1508)[..] else {
            panic!("a whole frame without RTS")
        };
        assert_eq!(
            (data.patience_ns, ack.patience_ns),
            (Duration::from_micros(222), Duration::ZERO)
        );
    }
}
