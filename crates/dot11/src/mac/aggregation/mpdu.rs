//! MPDUs with what they carry, and how they stand in an A-MPDU (IEEE 802.11-2020, 9.3.2.2, 9.7).

use std::collections::VecDeque;

use units::Time;

use crate::frame::{DELIMITER_BYTES, Frame};
use crate::mac::msdu::Msdu;

/// A data MPDU under block acknowledgment: an MSDU, or several of them as an A-MSDU.
#[derive(Clone, Debug)]
pub struct DataMpdu {
    /// Its sequence number.
    pub sequence: u16,
    /// Its length: header, body and FCS.
    pub bytes: u16,
    /// Length of the body.
    pub body_bytes: u16,
    /// How often it has been on the air.
    pub attempts: u8,
    /// When it was first on the air.
    pub(super) begun_at: Time,
    first: Msdu,
    others: Vec<Msdu>,
}

/// What an A-MSDU adds to each MSDU: addresses and length (IEEE 802.11-2020, 9.3.2.2.2).
const SUBFRAME_HEADER_BYTES: u16 = 14;

/// What subframes of either kind are padded to, but for the last one.
const ALIGNMENT: u32 = 4;

impl DataMpdu {
    /// An MPDU of the first MSDU that waits, and of as many behind it as fit into an A-MSDU of at most
    /// so many bytes. `overhead` is what an MPDU adds to its body.
    pub(super) fn of(
        waiting: &mut VecDeque<Msdu>,
        sequence: u16,
        longest_amsdu: u16,
        overhead: u16,
    ) -> Option<DataMpdu> {
        let first = waiting.pop_front()?;
        let mut mpdu = DataMpdu {
            sequence,
            bytes: 0,
            body_bytes: first.bytes,
            attempts: 0,
            begun_at: Time::NEVER,
            first,
            others: Vec::new(),
        };
        let mut length = SUBFRAME_HEADER_BYTES + first.bytes;
        while let Some(&next) = waiting.front() {
            let padded = u32::from(length).next_multiple_of(ALIGNMENT);
            let longer = padded + u32::from(SUBFRAME_HEADER_BYTES + next.bytes);
            if longer > u32::from(longest_amsdu) {
                break;
            }
            waiting.pop_front();
            mpdu.others.push(next);
            length = longer as u16;
            mpdu.body_bytes = length;
        }
        mpdu.bytes = mpdu.body_bytes + overhead;
        Some(mpdu)
    }

    /// Returns what it carries, in order.
    pub fn msdus(&self) -> impl Iterator<Item = &Msdu> {
        core::iter::once(&self.first).chain(&self.others)
    }

    /// Returns whether it is of several.
    pub fn is_a_msdu(&self) -> bool {
        !self.others.is_empty()
    }

    /// The frame as if it were the only one of the PPDU `of`, but for that one's length.
    pub fn as_frame(&self, of: &Frame) -> Frame {
        Frame {
            msdu: self.first.id,
            sequence: self.sequence,
            bytes: self.bytes,
            body_bytes: self.body_bytes,
            retry: self.attempts > 1,
            ..*of
        }
    }

    /// The first of those.
    pub fn first(&self) -> &Msdu {
        &self.first
    }
}

/// Returns how long an A-MPDU of so many bytes, the last subframe of which begins at `last`, is
/// with another MPDU, whose subframe begins `apart` bytes behind that at least; and where that one
/// begins.
pub(super) fn with_another([bytes, last]: [u32; 2], mpdu: u16, apart: u32) -> [u32; 2] {
    let begins = match bytes {
        0 => 0,
        _ => (bytes.max(last + apart)).next_multiple_of(ALIGNMENT),
    };
    [begins + DELIMITER_BYTES + u32::from(mpdu), begins]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Address;

    /// MSDUs of 1508 bytes: LLC, SNAP and a full IP packet.
    fn waiting(count: u32) -> VecDeque<Msdu> {
        (0..count)
            .map(|id| Msdu::data(id, Address(1), 1508))
            .collect()
    }

    /// Five packets of 1500 bytes fit into 7935 bytes, two into 3839.
    #[test]
    fn an_a_msdu_holds_as_many_msdus_as_fit() {
        let held = |longest| {
            let mpdu = DataMpdu::of(&mut waiting(10), 0, longest, 30).expect("some wait");
            (mpdu.msdus().count(), mpdu.body_bytes)
        };
        assert_eq!(held(0), (1, 1508), "one alone has no subframe header");
        assert_eq!(held(3839), (2, 1524 + 1522));
        assert_eq!(held(7935), (5, 4 * 1524 + 1522));
    }

    #[test]
    fn subframes_are_padded_to_four_bytes_but_for_the_last() {
        let mut length = [0, 0];
        for expected in [1542, 1544 + 1542, 2 * 1544 + 1542] {
            length = with_another(length, 1538, 0);
            assert_eq!(length[0], expected);
        }
        assert_eq!(with_another([54, 0], 50, 300), [354, 300]);
    }
}
