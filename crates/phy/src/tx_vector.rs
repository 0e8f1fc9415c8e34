//! Choices of the sender of a PPDU: the standard's TXVECTOR.

use core::fmt;
use core::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};

use crate::error_model::{Curve, ErrorModel};
use crate::format::{Format, GuardInterval};
use crate::mode::Mode;
use crate::modulation::Coding;

/// All that says how a PPDU is put on the air, but for its length.
#[derive(Clone, Copy, Debug, Eq, PartialOrd, Ord)]
pub struct TxVector {
    /// Mode that gives it its rate.
    pub mode: Mode,
    /// The preamble of DSSS and CCK. OFDM has one only, and passes on what DSSS around it has.
    pub preamble: Preamble,
    /// Space-time streams beyond the spatial ones (STBC).
    pub stbc: u8,
    /// Code that protects the bits of OFDM. Signal fields have the convolutional code always.
    pub coding: Coding,
    /// True if a silence belongs to its end: at 2.4 GHz, where a SIFS is shorter, it lets a decoder
    /// of OFDM finish as at 5 GHz (IEEE 802.11-2007 §19.3.2.3; IEEE 802.11-2020, 19.3.2).
    pub signal_extension: bool,
}

/// The PLCP preamble in front of a DSSS or CCK frame (IEEE 802.11-2007 §18.2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum Preamble {
    /// 144 µs of preamble and a header at 1 Mbit/s.
    Long,
    /// 72 µs of preamble and a header at 2 Mbit/s; 1 Mbit/s frames never have it.
    Short,
}

impl PartialEq for TxVector {
    // Asked of every frame on the air: two comparisons, not one for each field.
    #[inline]
    fn eq(&self, other: &TxVector) -> bool {
        self.choices() == other.choices() && self.mode == other.mode
    }
}

impl Hash for TxVector {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.mode, self.choices()).hash(state);
    }
}

impl TxVector {
    /// Returns what is sent in a mode where `configured` is the preamble of those that have it: the
    /// short one exists from 2 Mbit/s upwards (IEEE 802.11-2007 §18.2.2.2). 802.11ax has LDPC, which
    /// it needs above 20 MHz (IEEE 802.11ax-2021, 27.1.1); formats before have it on request.
    #[inline]
    pub const fn of(mode: Mode, configured: Preamble) -> TxVector {
        let is_slowest = mode.row() == Mode::DSSS_1.row();
        TxVector {
            mode,
            preamble: if is_slowest {
                Preamble::Long
            } else {
                configured
            },
            stbc: 0,
            coding: match mode.format() {
                Format::He => Coding::Ldpc,
                _ => Coding::Bcc,
            },
            signal_extension: matches!(mode.format(), Format::ErpOfdm),
        }
    }

    /// The same at 2.4 GHz.
    pub const fn at_2_4_ghz(self) -> TxVector {
        TxVector {
            signal_extension: self.mode.is_ofdm(),
            ..self
        }
    }

    /// The same in another code, if it is of a format that has both.
    #[must_use]
    pub const fn coded(self, coding: Coding) -> TxVector {
        match self.mode.format().is_legacy() {
            true => self,
            false => TxVector { coding, ..self },
        }
    }

    /// The curve by which its PSDU errs.
    #[inline]
    pub const fn curve(self, model: ErrorModel) -> Curve {
        Curve::of(self.mode.modulation(), self.coding, model)
    }

    /// What is chosen besides the mode.
    #[inline]
    const fn choices(self) -> u32 {
        u32::from_le_bytes([
            self.preamble as u8,
            self.stbc,
            self.coding as u8,
            self.signal_extension as u8,
        ])
    }

    /// Returns whether its preamble is the short one of DSSS and CCK.
    pub const fn has_short_preamble(self) -> bool {
        !self.mode.is_ofdm() && matches!(self.preamble, Preamble::Short)
    }

    /// Streams as they leave the antennas.
    pub(crate) const fn space_time_streams(self) -> u8 {
        self.mode.streams() + self.stbc
    }
}

/// As vendors write it: `11 Mbit/s`, `VHT80 MCS 9, 2 streams, short GI`.
impl fmt::Display for TxVector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (format, mcs) = (self.mode.format(), self.mode.mcs());
        let (streams, width) = (self.mode.streams(), self.mode.width());
        let (family, mcs) = match format {
            Format::Dsss | Format::ErpOfdm | Format::Ofdm => return self.mode.fmt(f),
            Format::HtMixed | Format::HtGreenfield => ("HT", mcs + 8 * (streams - 1)),
            Format::Vht => ("VHT", mcs),
            Format::He => ("HE", mcs),
        };
        write!(f, "{family}{} MCS {mcs}", width.mhz())?;
        if streams > 1 && !matches!(family, "HT") {
            write!(f, ", {streams} streams")?;
        }
        match self.mode.guard_interval() {
            GuardInterval::Ns400 => f.write_str(", short GI"),
            GuardInterval::Ns800 => Ok(()),
            longer => write!(f, ", GI {} ns", longer.nanos()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Width;

    #[test]
    fn vectors_are_equal_where_each_choice_is() {
        let one = TxVector::of(
            Mode::ht(7, Width::Mhz20, GuardInterval::Ns800),
            Preamble::Long,
        );
        let others = [
            TxVector {
                mode: Mode::ht(6, Width::Mhz20, GuardInterval::Ns800),
                ..one
            },
            TxVector {
                preamble: Preamble::Short,
                ..one
            },
            TxVector { stbc: 1, ..one },
            one.coded(Coding::Ldpc),
            one.at_2_4_ghz(),
        ];
        assert!(
            others
                .iter()
                .all(|&other| other != one && other == { other })
        );
    }

    #[test]
    fn the_slowest_rate_has_the_long_preamble_only() {
        let preambles = Mode::all_of(Format::Dsss).map(|mode| {
            let vector = TxVector::of(mode, Preamble::Short);
            vector.has_short_preamble()
        });
        assert_eq!(preambles.collect::<Vec<_>>(), [false, true, true, true]);
        assert!(!TxVector::of(Mode::ERP_6, Preamble::Short).has_short_preamble());
    }

    #[test]
    fn a_frame_is_called_as_vendors_call_it() {
        let written = |mode| TxVector::of(mode, Preamble::Long).to_string();
        assert_eq!(written(Mode::CCK_5_5), "5.5 Mbit/s");
        let ht = Mode::ht(15, Width::Mhz40, GuardInterval::Ns400);
        assert_eq!(written(ht), "HT40 MCS 15, short GI");
        let he = Mode::new(Format::He, 11, 2, Width::Mhz80, GuardInterval::Ns1600);
        assert_eq!(written(he), "HE80 MCS 11, 2 streams, GI 1600 ns");
    }
}
