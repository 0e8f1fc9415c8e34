//! The recipient's side of an agreement: what has come, and what waits for what has not
//! (IEEE 802.11-2020, 10.25.6.3 to 10.25.6.6).

use std::collections::VecDeque;

use units::{Duration, Time};

use super::block_ack::BlockAck;
use super::mpdu::DataMpdu;
use super::sequence::{behind, distance, is_before};
use crate::frame::Address;
use crate::mac::msdu::MsduDelivery;

/// What a recipient has of one originator.
#[derive(Clone, Debug)]
pub(super) struct ReorderBuffer {
    from: Address,
    /// The first number that has not been handed up or given up.
    start: u16,
    /// What has come from that number on, as many places as the window has.
    places: VecDeque<Option<Held>>,
    window: u16,
    /// Longest time for which something waits for what was sent before it.
    patience: Duration,
}

/// MSDUs of an MPDU that has come before others.
#[derive(Clone, Debug)]
struct Held {
    msdus: Vec<u32>,
    since: Time,
}

impl ReorderBuffer {
    /// One that waits for the first MPDU of an originator with such a window, and so long for each.
    pub(super) fn new(from: Address, window: u16, patience: Duration) -> ReorderBuffer {
        ReorderBuffer {
            from,
            start: 0,
            places: VecDeque::new(),
            window,
            patience,
        }
    }

    /// An MPDU has come; hands up what it completes. Answers whether it had come before.
    pub(super) fn take(
        &mut self,
        now: Time,
        mpdu: &DataMpdu,
        deliveries: &mut Vec<MsduDelivery>,
    ) -> bool {
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
            deliveries.extend(each.map(|msdu| MsduDelivery::new(msdu, self.from)));
            return false;
        }
        let at = usize::from(distance(self.start, mpdu.sequence));
        if self.places.len() <= at {
            self.places.resize(at + 1, None);
        }
        if self.places[at].is_some() {
            return true;
        }
        self.places[at] = Some(Held {
            msdus: mpdu.msdus().map(|msdu| msdu.id).collect(),
            since: now,
        });
        self.hand_up(deliveries);
        false
    }

    /// An agreement begins: on so many MPDUs, from a number on.
    pub(super) fn begin(&mut self, window: u16, start: u16, deliveries: &mut Vec<MsduDelivery>) {
        self.move_to(start, deliveries);
        self.window = window;
    }

    /// The agreement is over, and with it all waiting.
    pub(super) fn end(&mut self, deliveries: &mut Vec<MsduDelivery>) {
        while !self.places.is_empty() {
            self.pass_on(deliveries);
        }
    }

    /// Returns when the first that has come will have waited long enough; `NEVER` if nothing waits.
    pub(super) fn release_at(&self) -> Time {
        let first = self.places.iter().flatten().next();
        first.map_or(Time::NEVER, |held| held.since + self.patience)
    }

    /// Waits no longer for what should have come before something that has waited long enough.
    pub(super) fn release(&mut self, now: Time, deliveries: &mut Vec<MsduDelivery>) {
        while self.release_at() <= now {
            let missing = self.places.iter().take_while(|place| place.is_none());
            let first = behind(self.start, missing.count() as u16);
            self.move_to(first, deliveries);
        }
    }

    /// Waits for no number before this one any more.
    pub(super) fn move_to(&mut self, start: u16, deliveries: &mut Vec<MsduDelivery>) {
        while is_before(self.start, start) {
            self.pass_on(deliveries);
        }
        self.hand_up(deliveries);
    }

    fn hand_up(&mut self, deliveries: &mut Vec<MsduDelivery>) {
        while let Some(Some(_)) = self.places.front() {
            self.pass_on(deliveries);
        }
    }

    /// Goes on to the next number, with what has come under the first.
    fn pass_on(&mut self, deliveries: &mut Vec<MsduDelivery>) {
        let held = self.places.pop_front().flatten();
        self.start = behind(self.start, 1);
        let each = held.into_iter().flat_map(|held| held.msdus);
        deliveries.extend(each.map(|msdu| MsduDelivery::new(msdu, self.from)));
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

    const PATIENCE: Duration = Duration::from_millis(100);

    fn at(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    fn reorder() -> ReorderBuffer {
        ReorderBuffer::new(Address(2), 64, PATIENCE)
    }

    fn mpdu(sequence: u16) -> DataMpdu {
        let mut waiting = [Msdu::data(u32::from(sequence), Address(1), 100)].into();
        DataMpdu::of(&mut waiting, sequence, 0, 30).expect("one waits")
    }

    /// Returns what is handed up as MPDUs of these numbers come.
    fn handed_up(reorder: &mut ReorderBuffer, numbers: &[u16]) -> Vec<u32> {
        let mut deliveries = Vec::new();
        for &number in numbers {
            reorder.take(at(0), &mpdu(number), &mut deliveries);
        }
        numbers_of(&deliveries)
    }

    fn numbers_of(deliveries: &[MsduDelivery]) -> Vec<u32> {
        deliveries.iter().map(|delivery| delivery.msdu).collect()
    }

    #[test]
    fn what_comes_behind_a_gap_waits_until_it_is_filled() {
        let mut reorder = reorder();
        assert_eq!(handed_up(&mut reorder, &[0, 1, 3, 4]), [0, 1]);
        assert_eq!(reorder.places.iter().flatten().count(), 2);
        let said = reorder.block_ack(0);
        let has: Vec<bool> = (0..6).map(|number| said.has(number)).collect();
        assert_eq!(has, [true, true, false, true, true, false]);
        assert_eq!(handed_up(&mut reorder, &[2]), [2, 3, 4]);
        assert!(
            reorder.take(at(0), &mpdu(3), &mut Vec::new()),
            "it has come before"
        );
    }

    #[test]
    fn a_number_beyond_the_window_moves_it() {
        let mut reorder = reorder();
        assert_eq!(handed_up(&mut reorder, &[1, 2]), Vec::<u32>::new());
        // 65 is the second number beyond the window of 0 to 63.
        assert_eq!(handed_up(&mut reorder, &[65]), [1, 2]);
        assert!(reorder.take(at(0), &mpdu(1), &mut Vec::new()));
    }

    #[test]
    fn a_request_gives_up_what_is_before_it() {
        let mut reorder = reorder();
        handed_up(&mut reorder, &[1, 2, 4]);
        let mut deliveries = Vec::new();
        reorder.move_to(3, &mut deliveries);
        assert_eq!(deliveries.len(), 2);
        reorder.move_to(4, &mut deliveries);
        assert_eq!(deliveries.len(), 3, "4 follows at once");
    }
    /// Of 0 to 7, numbers 0, 3 and 6 are lost: what came behind each has its own time.
    #[test]
    fn what_has_waited_long_enough_is_handed_up_without_what_was_before_it() {
        let mut reorder = reorder();
        let mut deliveries = Vec::new();
        for (millis, numbers) in [(10, [1, 2]), (20, [4, 5]), (10, [7, 7])] {
            for number in numbers {
                reorder.take(at(millis), &mpdu(number), &mut deliveries);
            }
        }
        assert_eq!(reorder.release_at(), at(110));
        reorder.release(at(109), &mut deliveries);
        assert_eq!(numbers_of(&deliveries), Vec::<u32>::new());
        reorder.release(at(110), &mut deliveries);
        assert_eq!(numbers_of(&deliveries), [1, 2]);
        assert_eq!(reorder.release_at(), at(120), "7 stands behind 4 and 5");
        reorder.release(at(120), &mut deliveries);
        assert_eq!(numbers_of(&deliveries), [1, 2, 4, 5, 7]);
        assert_eq!(reorder.release_at(), Time::NEVER);
        assert!(reorder.take(at(130), &mpdu(6), &mut deliveries), "too late");
    }
}
