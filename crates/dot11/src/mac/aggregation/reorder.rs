//! The recipient's side of an agreement: what has come, and what waits for what has not
//! (IEEE 802.11-2020, 10.25.6.3 to 10.25.6.6).

use std::collections::VecDeque;

use super::block_ack::BlockAck;
use super::mpdu::Mpdu;
use super::sequence::{behind, distance, is_before};
use crate::frame::Address;
use crate::mac::msdu::Delivery;

/// What a recipient has of one originator.
#[derive(Clone, Debug)]
pub(super) struct Reorder {
    from: Address,
    /// The first number that has not been handed up or given up.
    start: u16,
    /// What has come from that number on, as many places as the window has.
    places: VecDeque<Option<Vec<u32>>>,
    window: u16,
}

impl Reorder {
    /// One that waits for the first MPDU of an originator with such a window.
    pub(super) fn new(from: Address, window: u16) -> Reorder {
        Reorder {
            from,
            start: 0,
            places: VecDeque::new(),
            window,
        }
    }

    /// An MPDU has come; hands up what it completes. Answers whether it had come before.
    pub(super) fn take(&mut self, mpdu: &Mpdu, deliveries: &mut Vec<Delivery>) -> bool {
        if is_before(mpdu.sequence, self.start) {
            return true;
        }
        let end = behind(self.start, self.window);
        if !is_before(mpdu.sequence, end) {
            let start = behind(mpdu.sequence, SEQUENCES + 1 - self.window);
            self.move_to(start, deliveries);
        }
        if mpdu.sequence == self.start && self.places.is_empty() {
            // Nothing waits, and nothing will for this.
            self.start = behind(self.start, 1);
            let each = mpdu.msdus().map(|msdu| msdu.id);
            deliveries.extend(each.map(|msdu| Delivery::new(msdu, self.from)));
            return false;
        }
        let at = usize::from(distance(self.start, mpdu.sequence));
        if self.places.len() <= at {
            self.places.resize(at + 1, None);
        }
        if self.places[at].is_some() {
            return true;
        }
        self.places[at] = Some(mpdu.msdus().map(|msdu| msdu.id).collect());
        self.hand_up(deliveries);
        false
    }

    /// Waits for no number before this one any more.
    pub(super) fn move_to(&mut self, start: u16, deliveries: &mut Vec<Delivery>) {
        while is_before(self.start, start) {
            let place = self.places.pop_front().flatten();
            self.start = behind(self.start, 1);
            let each = place.into_iter().flatten();
            deliveries.extend(each.map(|msdu| Delivery::new(msdu, self.from)));
        }
        self.hand_up(deliveries);
    }

    fn hand_up(&mut self, deliveries: &mut Vec<Delivery>) {
        while let Some(Some(_)) = self.places.front() {
            let place = self.places.pop_front().flatten();
            self.start = behind(self.start, 1);
            let each = place.into_iter().flatten();
            deliveries.extend(each.map(|msdu| Delivery::new(msdu, self.from)));
        }
    }

    /// Returns what a BlockAck says from a number on: what was handed up has come, or is not waited
    /// for.
    pub(super) fn block_ack(&self, start: u16) -> BlockAck {
        BlockAck::new(start, self.window, |at| {
            let sequence = behind(start, at);
            let place = usize::from(distance(self.start, sequence));
            is_before(sequence, self.start) || self.places.get(place).is_some_and(Option::is_some)
        })
    }
}

const SEQUENCES: u16 = 4096;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mac::msdu::Msdu;

    fn mpdu(sequence: u16) -> Mpdu {
        let mut waiting = [Msdu::data(u32::from(sequence), Address(1), 100)].into();
        Mpdu::of(&mut waiting, sequence, 0, 30).expect("one waits")
    }

    /// Returns what is handed up as MPDUs of these numbers come.
    fn handed_up(reorder: &mut Reorder, numbers: &[u16]) -> Vec<u32> {
        let mut deliveries = Vec::new();
        for &number in numbers {
            reorder.take(&mpdu(number), &mut deliveries);
        }
        deliveries.iter().map(|delivery| delivery.msdu).collect()
    }

    #[test]
    fn what_comes_behind_a_gap_waits_until_it_is_filled() {
        let mut reorder = Reorder::new(Address(2), 64);
        assert_eq!(handed_up(&mut reorder, &[0, 1, 3, 4]), [0, 1]);
        assert_eq!(reorder.places.iter().flatten().count(), 2);
        let said = reorder.block_ack(0);
        let has: Vec<bool> = (0..6).map(|number| said.has(number)).collect();
        assert_eq!(has, [true, true, false, true, true, false]);
        assert_eq!(handed_up(&mut reorder, &[2]), [2, 3, 4]);
        assert!(
            reorder.take(&mpdu(3), &mut Vec::new()),
            "it has come before"
        );
    }

    #[test]
    fn a_number_beyond_the_window_moves_it() {
        let mut reorder = Reorder::new(Address(2), 64);
        assert_eq!(handed_up(&mut reorder, &[1, 2]), Vec::<u32>::new());
        // 65 is the second number beyond the window of 0 to 63.
        assert_eq!(handed_up(&mut reorder, &[65]), [1, 2]);
        assert!(reorder.take(&mpdu(1), &mut Vec::new()));
    }

    #[test]
    fn a_request_gives_up_what_is_before_it() {
        let mut reorder = Reorder::new(Address(2), 64);
        handed_up(&mut reorder, &[1, 2, 4]);
        let mut deliveries = Vec::new();
        reorder.move_to(3, &mut deliveries);
        assert_eq!(deliveries.len(), 2);
        reorder.move_to(4, &mut deliveries);
        assert_eq!(deliveries.len(), 3, "4 follows at once");
    }
}
