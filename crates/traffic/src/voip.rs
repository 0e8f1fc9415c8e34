//! A call over IP: G.711 in both directions, and what each end hears of it.

use units::declaration::{Declared, Metric};
use units::{Duration, Time};

use crate::playout::Playout;
use crate::{About, App, Net, ReceivedDatagram, Report, Transport, wake_from};

units::declare! {
    /// A telephone call, over datagrams in both directions: G.711 at 64 kbit/s, without pauses.
    pub struct Config = "voip" {
        /// time whose sound a datagram carries
        packet_time: Duration = Field::duration().within(1e6, 100e6)
            .or(Default::Text("20 ms"))
            .from("RFC 3551 §4.2"),
        /// time for which the first packet to arrive waits before it is heard: the later ones may be
        /// later by that much, for all of the call; absent: the buffer adapts, to the age that 999 of
        /// the last 1000 packets did not exceed
        buffer: Option<Duration> = Field::duration()
            .optional()
            .from("adaptive: Moon, Kurose and Towsley 1998"),
    }
}

/// Counts of each end: packets sent, packets heard, and of these, nanoseconds from the mouth to
/// the ear.
const SENT: usize = 0;
const HEARD: usize = 1;
const MOUTH_TO_EAR: usize = 2;

pub const ABOUT: About = About {
    transport: Transport::Udp,
    answers: true,
    records: false,
    metrics: &[
        Declared {
            metric: Metric {
                name: "mos",
                label: "MOS",
                unit: "",
                about: "mean opinion score of the caller's voice at the other end, from 1 to 4.5: the \
                        E-model's (ITU-T G.107 Annex B)",
            },
            value: |of| quality(&of.initiator, &of.responder).map(mos),
        },
        Declared {
            metric: Metric {
                name: "mos_back",
                label: "MOS back",
                unit: "",
                about: "mean opinion score of the other end's voice at the caller",
            },
            value: |of| quality(&of.responder, &of.initiator).map(mos),
        },
        Declared {
            metric: Metric {
                name: "r_factor",
                label: "R",
                unit: "",
                about: "the E-model's rating of the caller's voice at the other end, from 0 to 93.2",
            },
            value: |of| quality(&of.initiator, &of.responder),
        },
        Declared {
            metric: Metric {
                name: "r_factor_back",
                label: "R back",
                unit: "",
                about: "the E-model's rating of the other end's voice at the caller",
            },
            value: |of| quality(&of.responder, &of.initiator),
        },
        Declared {
            metric: Metric {
                name: "mouth_to_ear_ms",
                label: "Mouth to ear",
                unit: "ms",
                about: "mean time from the caller's mouth to the ear at the other end: a packet's sound, \
                        the network and the playout buffer",
            },
            value: |of| mouth_to_ear_ms(&of.responder),
        },
        Declared {
            metric: Metric {
                name: "mouth_to_ear_back_ms",
                label: "Mouth to ear back",
                unit: "ms",
                about: "mean time from the mouth at the other end to the caller's ear",
            },
            value: |of| mouth_to_ear_ms(&of.initiator),
        },
        Declared {
            metric: Metric {
                name: "unheard",
                label: "Voice not heard",
                unit: "",
                about: "share of the caller's packets that were lost or too late",
            },
            value: |of| unheard(&of.initiator, &of.responder),
        },
        Declared {
            metric: Metric {
                name: "unheard_back",
                label: "Voice not heard back",
                unit: "",
                about: "share of the other end's packets that were lost or too late",
            },
            value: |of| unheard(&of.responder, &of.initiator),
        },
    ],
};

/// The share of what `from` sent that `to` did not hear.
fn unheard(from: &[u64], to: &[u64]) -> Option<f64> {
    let [sent, heard] = [from[SENT], to[HEARD]].map(|count| count as f64);
    (sent > 0.0).then(|| (1.0 - heard / sent).max(0.0))
}

/// The rating of `from`'s voice at `to`: of nothing heard, 0.
fn quality(from: &[u64], to: &[u64]) -> Option<f64> {
    let loss = unheard(from, to)?;
    Some(mouth_to_ear_ms(to).map_or(0.0, |delay_ms| rating(delay_ms, 100.0 * loss)))
}

/// The mean delay of what an end has heard.
fn mouth_to_ear_ms(of: &[u64]) -> Option<f64> {
    (of[HEARD] > 0).then(|| of[MOUTH_TO_EAR] as f64 / 1e6 / of[HEARD] as f64)
}

/// The transmission rating R of the E-model (ITU-T G.107), all its parameters but delay and loss at
/// their defaults: R = 93.2 - Idd - Ie,eff.
fn rating(delay_ms: f64, loss_percent: f64) -> f64 {
    // §7.4: the delay Ta from mouth to ear.
    let delay = match delay_ms > 100.0 {
        false => 0.0,
        true => {
            let x = libm::log2(delay_ms / 100.0);
            let sixth_root = |of: f64| libm::pow(1.0 + libm::pow(of, 6.0), 1.0 / 6.0);
            25.0 * (sixth_root(x) - 3.0 * sixth_root(x / 3.0) + 2.0)
        }
    };
    // §7.5 with Ie = 0, and Bpl = 25.1 of G.711 with its concealment of losses (ITU-T G.113
    // Appendix I), which are taken to be independent: BurstR = 1.
    let loss = 95.0 * loss_percent / (loss_percent + 25.1);
    (93.2 - delay - loss).max(0.0)
}

/// The mean opinion score of a rating (ITU-T G.107 Annex B).
fn mos(rating: f64) -> f64 {
    1.0 + 0.035 * rating + rating * (rating - 60.0) * (100.0 - rating) * 7e-6
}

/// An end of a call, the caller's if it `CALLS`.
#[derive(Clone, Debug)]
pub struct VoipEnd<const CALLS: bool> {
    packet_time: Duration,
    next_at: Time,
    playout: Playout,
    counts: [u64; 3],
}

/// The caller.
pub type Initiator = VoipEnd<true>;
/// Who is called.
pub type Responder = VoipEnd<false>;

impl<const CALLS: bool> VoipEnd<CALLS> {
    /// The fixed header of RTP (RFC 3550 §5.1).
    const HEADER: u32 = 12;

    /// An end that has not started.
    pub fn new(config: &Config) -> Self {
        VoipEnd {
            packet_time: config.packet_time,
            next_at: Time::ZERO,
            playout: Playout::new(config.buffer),
            counts: [0; 3],
        }
    }

    /// A byte of G.711 is an eighth of a millisecond.
    fn payload(&self) -> u32 {
        Self::HEADER + (self.packet_time.as_nanos() / 125_000) as u32
    }
}

impl<const CALLS: bool> App for VoipEnd<CALLS> {
    fn on_start(&mut self, net: &mut impl Net) {
        self.next_at = net.now() + net.phase(self.packet_time);
        wake_from(self.next_at, self, net);
    }

    fn on_wake(&mut self, net: &mut impl Net) {
        self.counts[SENT] += 1;
        net.send(self.payload(), 0);
        self.next_at += self.packet_time;
        net.wake_at(self.next_at);
    }

    fn on_datagram(&mut self, datagram: ReceivedDatagram, net: &mut impl Net) {
        if !CALLS {
            net.report(Report::Delivered(u64::from(
                datagram.payload - Self::HEADER,
            )));
        }
        if let Some(behind) = self.playout.take(net.now() - datagram.sent) {
            self.counts[HEARD] += 1;
            // The first sound in a packet waits until the last is in it.
            self.counts[MOUTH_TO_EAR] += (self.packet_time + behind).as_nanos();
        }
    }

    fn counts(&self) -> &[u64] {
        &self.counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_host::TestHost;

    #[test]
    fn without_delay_and_loss_the_rating_is_the_default_of_the_standard() {
        assert_eq!(rating(0.0, 0.0), 93.2);
        assert!((mos(93.2) - 4.41).abs() < 0.005);
        assert_eq!((mos(0.0), mos(100.0)), (1.0, 4.5));
    }

    #[test]
    fn delay_costs_what_the_curve_of_g_107_says() {
        // At Ta = 200 ms X is 1: 25 (2^(1/6) - 3 (1 + 3^-6)^(1/6) + 2).
        let impairment =
            25.0 * (2f64.powf(1.0 / 6.0) - 3.0 * (1.0f64 + 1.0 / 729.0).powf(1.0 / 6.0) + 2.0);
        assert!((rating(200.0, 0.0) - (93.2 - impairment)).abs() < 1e-9);
        assert_eq!(rating(100.0, 0.0), 93.2);
    }

    #[test]
    fn five_percent_of_loss_cost_a_sixth_of_95() {
        // 5 / (5 + 25.1) of 95.
        assert!((rating(0.0, 5.0) - (93.2 - 15.78)).abs() < 0.01);
    }

    #[test]
    fn what_comes_later_than_the_buffer_allows_is_not_heard() {
        let mut call = Initiator::new(&Config {
            packet_time: Duration::from_millis(20),
            buffer: Some(Duration::from_millis(60)),
        });
        let mut test_host = TestHost::default();
        call.on_start(&mut test_host);
        assert_eq!(test_host.sent, [172], "160 bytes of G.711 behind 12 of RTP");
        let sent = |millis: u64| ReceivedDatagram {
            payload: 172,
            tag: 0,
            sent: Time::ZERO + Duration::from_millis(millis),
        };
        for (at, arrival) in [(0, 5), (20, 85), (40, 106)] {
            call.on_datagram(sent(at), test_host.at_millis(arrival));
        }
        assert_eq!(
            call.counts(),
            [1, 2, 2 * 85_000_000],
            "20 + 5 + 60 ms, and the last is late"
        );
    }
}
