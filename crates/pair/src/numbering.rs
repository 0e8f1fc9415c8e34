//! Sequence numbers counted on without wrapping.

/// Sequence numbers are counted on from here, so that one from before the first seen is
/// still positive.
const ORIGIN: u64 = 1 << 32;

/// The largest window there can be (RFC 7323 §2.3). What is further away belongs to another
/// connection, or is damaged.
const LARGEST_WINDOW: u64 = 1 << 30;

/// Numbering of one end's bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Numbering {
    /// Behind the highest; 0 before the first segment.
    next: u64,
    /// The SYN's.
    initial: Option<u64>,
    /// By how much the second capture's sequence numbers are larger: something between
    /// the captures renumbers.
    pub shift: u32,
}

impl Numbering {
    /// One before the first segment, of an end whose numbers are larger by `shift` in the second
    /// capture.
    pub fn shifted(shift: u32) -> Self {
        Numbering {
            shift,
            ..Numbering::default()
        }
    }

    /// The unwrapped number; a new connection of the same ends begins anew.
    pub fn place(&mut self, seq: u32, is_syn: bool) -> (u64, bool) {
        let distance = seq.wrapping_sub(self.next as u32) as i32;
        let place = self.next.saturating_add_signed(distance.into());
        if self.next == 0 || (is_syn && self.initial != Some(place)) {
            let is_anew = self.next != 0;
            let place = ORIGIN | u64::from(seq);
            self.next = place;
            self.initial = is_syn.then_some(place);
            return (place, is_anew);
        }
        (place, false)
    }

    /// Notes that a segment ends there.
    pub fn note(&mut self, end: u64) {
        if end.saturating_sub(self.next) <= LARGEST_WINDOW {
            self.next = self.next.max(end);
        }
    }

    /// The unwrapped number of something acknowledged.
    pub fn unwrap(&self, seq: u32) -> Option<u64> {
        let distance = seq.wrapping_sub(self.next as u32) as i32;
        let is_near = u64::from(distance.unsigned_abs()) <= LARGEST_WINDOW;
        (self.next != 0 && is_near).then(|| self.next.saturating_add_signed(distance.into()))
    }
}
