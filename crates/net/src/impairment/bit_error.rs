//! Bit errors: each bit of a frame is flipped by chance, whatever happens to others, so that of
//! frames of n bits 1 − (1 − BER)ⁿ are hit.
//!
//! What becomes of a frame that is hit is a matter of where. A payload is a length here, so that
//! its bits are taken as random: a flip turns a zero into a one as often as the other way round.
//! Two flips in the bytes of one checksum cancel if they are in the same place of two 16-bit words
//! and go opposite ways, which is one pair in 32; whether those that were drawn cancel is
//! calculated, and what slips through is handed on as it was, and counted. An FCS that is left
//! wrong always shows: a CRC of 32 bits misses one pattern in 2³².

use units::Time;
use units::declaration::Measure;
use units::serde::{Deserialize, Serialize};

use super::damage::SumChange;
use super::{CarriedProtocol, Damage, Facts, Impairment, StageVerdict};
use crate::Chance;
use crate::ethernet::{ADDRESS, FCS, HEADER, frame_bytes};
use crate::ipv4::IPV4_HEADER;

units::declare! {
    /// Bits of frames are flipped.
    pub struct Config = "bit-error" {
        /// bit error rate: chance of each bit of a frame to be flipped, whatever happened to others
        ber: f64 = Field::probability(),
        /// what the frame check sequence says of a frame that was hit: recomputed, it holds, and
        /// the checksums of IP and TCP decide; wrong, the next device drops the frame
        fcs: FrameCheck = Field::of(Quantity::Choice(&["recomputed", "wrong"]))
            .or(Default::Text("recomputed"))
            .from("inferred: goel2006 §4.3.6, damaged frames reach the station behind the \
                   access point and are discarded there"),
    }
}

/// Verdict of the check sequence on a frame that was hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", crate = "units::serde")]
pub enum FrameCheck {
    /// That it is sound.
    Recomputed,
    /// That it is not.
    Wrong,
}

impl Measure for FrameCheck {
    fn measure(&self) -> Option<f64> {
        None
    }
}

/// A stage that flips bits.
#[derive(Clone, Debug)]
pub struct BitError {
    fcs: FrameCheck,
    /// Of the chance that a bit is spared.
    ln_spared: f64,
    /// Bits that will be spared before the next is flipped, once that was drawn.
    spared: Option<u64>,
}

impl BitError {
    /// A stage that has seen no packet.
    pub fn new(config: &Config) -> Self {
        BitError {
            fcs: config.fcs,
            ln_spared: libm::log1p(-config.ber),
            spared: None,
        }
    }

    /// Bits from one flipped to the next, which are geometrically distributed.
    fn draw(&self, random: &mut impl Chance) -> u64 {
        (libm::log1p(-random.unit()) / self.ln_spared) as u64
    }

    /// Returns what the flips in a frame do, of which the first is at the place `at`. Draws up to
    /// the first behind the frame.
    #[cold]
    fn damage(
        &mut self,
        mut at: u64,
        bits: u64,
        facts: &Facts,
        random: &mut impl Chance,
    ) -> Damage {
        let mut flips = Flips::default();
        while at < bits {
            let to_one = random.unit() < 0.5;
            flips.add(at, to_one, facts);
            at = at.saturating_add(1).saturating_add(self.draw(random));
        }
        self.spared = Some(at - bits);
        match self.fcs {
            FrameCheck::Recomputed => flips.damage(),
            FrameCheck::Wrong => Damage::FCS,
        }
    }
}

impl Impairment for BitError {
    const DAMAGES: bool = true;

    #[inline]
    fn on_packet(
        &mut self,
        _now: Time,
        _number: u64,
        facts: &Facts,
        random: &mut impl Chance,
    ) -> StageVerdict {
        let bytes = match self.fcs {
            // There is none yet when bits are flipped.
            FrameCheck::Recomputed => frame_bytes(facts.ip_bytes) - FCS,
            FrameCheck::Wrong => frame_bytes(facts.ip_bytes),
        };
        let bits = 8 * u64::from(bytes);
        let spared = self.spared.unwrap_or_else(|| self.draw(random));
        if spared >= bits {
            self.spared = Some(spared - bits);
            return StageVerdict::Pass;
        }
        StageVerdict::Damage(self.damage(spared, bits, facts, random))
    }
}

/// Bits flipped in a frame.
#[derive(Clone, Copy, Debug, Default)]
struct Flips {
    /// Outside of what a checksum is over.
    outside: Damage,
    ip_header: SumChange,
    segment: SumChange,
}

impl Flips {
    fn add(&mut self, place: u64, to_one: bool, facts: &Facts) {
        const HEADER_BITS: u64 = 8 * HEADER as u64;
        const ADDRESS_BITS: u64 = 8 * ADDRESS as u64;
        const IP_BITS: u64 = 8 * IPV4_HEADER as u64;
        if place < ADDRESS_BITS {
            self.outside |= Damage::ADDRESS;
            return;
        }
        let Some(within) = place.checked_sub(HEADER_BITS) else {
            // A wrong sender is no reason to discard anything.
            if place >= 2 * ADDRESS_BITS {
                self.outside |= Damage::TYPE;
            }
            return;
        };
        if within >= 8 * u64::from(facts.ip_bytes) {
            return; // The padding of a short frame.
        }
        match facts.protocol {
            CarriedProtocol::Arp => self.outside |= Damage::TYPE,
            _ if within < IP_BITS => self.ip_header.flip(within, to_one),
            _ => self.segment.flip(within - IP_BITS, to_one),
        }
    }

    fn damage(self) -> Damage {
        let mut damage = self.outside;
        if self.ip_header.shows() {
            damage |= Damage::IP_HEADER;
        }
        if self.segment.shows() {
            damage |= Damage::SEGMENT;
        }
        damage
    }
}

#[cfg(test)]
#[path = "bit_error_tests.rs"]
mod tests;
