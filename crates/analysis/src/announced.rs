//! Options that the ends of a connection announced in their SYNs, and those they agreed on.
//!
//! An option that is not found in a SYN was not offered, unless the SYN was not captured or the
//! snap length cut its options: then nothing is known, and nothing is told.

use serde::Serialize;

use dissect::{ControlBits, TcpSegment};

/// The largest shift of a window (RFC 7323 §2.3).
const LARGEST_SHIFT: u8 = 14;

/// Knowledge of the options of an end's SYN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SynOptions {
    /// All of them.
    Captured,
    /// The part of them that the snap length left: an option that is not found may have been
    /// offered.
    Cut,
    /// Nothing, because no SYN was captured.
    Missed,
}

/// Feedback about marked packets that the ends agreed on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EcnFeedback {
    /// Their SYNs were not captured.
    #[default]
    Unknown,
    /// Nothing: one of them does not offer it.
    None,
    /// The receiver says that packets came marked (RFC 3168 §6.1).
    Classic,
    /// The receiver counts those that came marked (RFC 9768).
    Accurate,
}

/// Options that an end announced in its SYN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Announced {
    pub isn: Option<u32>,
    pub mss: Option<u16>,
    pub window_scale: Option<u8>,
    has_sack: bool,
    has_timestamps: bool,
    is_cut: bool,
    /// The flags AE, CWR and ECE.
    ecn: u8,
    pub syn_ns: u64,
    /// The first of its SYNs, whatever their numbers.
    pub first_syn_ns: u64,
    /// The SYN came again with another initial sequence number.
    pub changed_isn: bool,
}

impl Announced {
    /// A SYN, behind what was announced before.
    pub fn take(&mut self, syn: &TcpSegment) {
        let options = &syn.options;
        let is_other = self.isn.is_some_and(|isn| isn != syn.seq);
        *self = Announced {
            isn: Some(syn.seq),
            mss: options.mss,
            window_scale: options.window_scale,
            has_sack: options.sack_permitted,
            has_timestamps: options.timestamps.is_some(),
            is_cut: options.is_cut,
            ecn: ecn_flags(syn),
            syn_ns: syn.time_ns,
            first_syn_ns: match self.isn {
                Some(_) => self.first_syn_ns,
                None => syn.time_ns,
            },
            changed_isn: self.changed_isn || is_other,
        };
    }

    pub const fn options(&self) -> SynOptions {
        match self.isn {
            None => SynOptions::Missed,
            Some(_) if self.is_cut => SynOptions::Cut,
            Some(_) => SynOptions::Captured,
        }
    }

    /// Returns whether SACK was offered, if that is known.
    pub fn offers_sack(&self) -> Option<bool> {
        self.offers(self.has_sack)
    }

    /// Returns whether timestamps were offered, if that is known.
    pub fn offers_timestamps(&self) -> Option<bool> {
        self.offers(self.has_timestamps)
    }

    fn offers_scale(&self) -> Option<bool> {
        self.offers(self.window_scale.is_some())
    }

    /// Returns true for an option that is found, whatever is missing.
    fn offers(&self, is_found: bool) -> Option<bool> {
        (is_found || self.options() == SynOptions::Captured).then_some(is_found)
    }
}

fn ecn_flags(syn: &TcpSegment) -> u8 {
    let bit = |is_set: bool, value: u8| if is_set { value } else { 0 };
    bit(syn.marks.is_accurate(), 4)
        | bit(syn.flags.has(ControlBits::CWR), 2)
        | bit(syn.flags.has(ControlBits::ECE), 1)
}

/// Returns what was agreed on by a SYN and its answer (RFC 3168 §6.1.1, RFC 9768 §3.1.2).
pub(super) fn agreed_ecn(ends: &[Announced; 2]) -> EcnFeedback {
    let [Some(_), Some(_)] = ends.each_ref().map(|end| end.isn) else {
        return EcnFeedback::Unknown;
    };
    match ends.each_ref().map(|end| end.ecn) {
        [0b111, 0b010 | 0b011 | 0b100 | 0b110] => EcnFeedback::Accurate,
        [0b011 | 0b111, 0b001] => EcnFeedback::Classic,
        _ => EcnFeedback::None,
    }
}

/// The shifts of both ends' windows, if they are known: windows are scaled when both ends offer
/// it (RFC 7323 §2.2).
pub(super) fn shifts(ends: &[Announced; 2]) -> Option<[u8; 2]> {
    match agreed(ends.each_ref().map(Announced::offers_scale))? {
        true => Some(ends.map(|end| end.window_scale.unwrap_or(0).min(LARGEST_SHIFT))),
        false => Some([0, 0]),
    }
}

/// Returns whether SACK is used, if that is known: when both ends offer it (RFC 2018 §2).
pub(super) fn agrees_on_sack(ends: &[Announced; 2]) -> Option<bool> {
    agreed(ends.each_ref().map(Announced::offers_sack))
}

/// Returns whether both ends offer something; one that does not is enough to know that they do not
/// agree.
fn agreed(offers: [Option<bool>; 2]) -> Option<bool> {
    match offers {
        [Some(true), Some(true)] => Some(true),
        [Some(false), _] | [_, Some(false)] => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A SYN that offers a window scale, or not, with its options captured whole or cut.
    fn syn(window_scale: Option<u8>, is_cut: bool) -> Announced {
        let mut syn = TcpSegment::default();
        syn.options.window_scale = window_scale;
        syn.options.is_cut = is_cut;
        let mut announced = Announced::default();
        announced.take(&syn);
        announced
    }

    #[test]
    fn windows_are_scaled_when_both_ends_offer_it() {
        assert_eq!(
            shifts(&[syn(Some(7), false), syn(Some(2), false)]),
            Some([7, 2])
        );
        assert_eq!(
            shifts(&[syn(Some(7), false), syn(None, false)]),
            Some([0, 0])
        );
    }

    #[test]
    fn the_scale_is_unknown_where_options_were_cut_unless_one_end_is_known_to_have_none() {
        let (cut, none) = (syn(None, true), syn(None, false));
        assert_eq!(shifts(&[cut, syn(Some(7), false)]), None);
        assert_eq!(shifts(&[cut, none]), Some([0, 0]));
        assert_eq!(shifts(&[cut, Announced::default()]), None);
    }

    #[test]
    fn ends_agree_on_the_ecn_that_both_know() {
        let with = |ecn: u8| Announced {
            isn: Some(1),
            ecn,
            ..Announced::default()
        };
        let agreed = |ecn: [u8; 2]| agreed_ecn(&ecn.map(with));
        assert_eq!(agreed([0b111, 0b010]), EcnFeedback::Accurate);
        assert_eq!(
            agreed([0b111, 0b001]),
            EcnFeedback::Classic,
            "the server is older"
        );
        assert_eq!(agreed([0b011, 0b001]), EcnFeedback::Classic);
        assert_eq!(
            agreed([0b011, 0b011]),
            EcnFeedback::None,
            "a reflection of the SYN"
        );
        assert_eq!(agreed([0, 0]), EcnFeedback::None);
        assert_eq!(
            agreed_ecn(&[with(3), Announced::default()]),
            EcnFeedback::Unknown
        );
    }

    #[test]
    fn what_stands_before_the_cut_is_known() {
        let cut = syn(Some(7), true);
        assert_eq!(cut.options(), SynOptions::Cut);
        assert_eq!((cut.offers_scale(), cut.offers_sack()), (Some(true), None));
    }
}
