//! Reading on one core while another follows what was read.
//!
//! What makes pieces of work and what takes them stay apart in time by some pieces, and the room
//! for these goes round and round. The order is that of the making, so nothing that comes of it
//! depends on how fast either is.

use std::num::NonZero;
use std::sync::mpsc::sync_channel;
use std::thread;

/// Pieces under way at a time: one that is made, one that is taken, and two between, so that neither
/// waits when the other takes a little longer. With three or six it is as fast. (Measured,
/// `benches/captures.py`.)
const PIECES: usize = 4;

/// Lets `make` fill piece after piece, until it says that this was the last, and lets `take` have
/// them in order.
///
/// `make` works on a thread of its own unless there is but one piece or one core. A piece is given
/// back to `make` as `take` has left it.
pub(super) fn ahead<P: Default + Send>(
    mut make: impl FnMut(&mut P) -> bool + Send,
    mut take: impl FnMut(&mut P),
) {
    let mut first = P::default();
    let mut has_more = make(&mut first);
    take(&mut first);
    if !has_more {
        return;
    }
    if thread::available_parallelism().is_ok_and(|cores| cores == NonZero::<usize>::MIN) {
        while has_more {
            has_more = make(&mut first);
            take(&mut first);
        }
        return;
    }
    thread::scope(|scope| {
        let (full, filled) = sync_channel(PIECES);
        let (used, empty) = sync_channel(PIECES);
        for piece in [first].into_iter().chain((1..PIECES).map(|_| P::default())) {
            used.send(piece).expect("there is room for all of them");
        }
        scope.spawn(move || {
            while has_more {
                // Who takes is gone only in a panic, of which it tells itself.
                let Ok(mut piece) = empty.recv() else { return };
                has_more = make(&mut piece);
                if full.send(piece).is_err() {
                    return;
                }
            }
        });
        for mut piece in filled {
            take(&mut piece);
            // Nobody wants it back behind the last.
            let _ = used.send(piece);
        }
    });
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    /// Makes the numbers up to `last`, one a piece.
    fn numbers(last: u32) -> impl FnMut(&mut Vec<u32>) -> bool + Send {
        let mut made = 0;
        move |piece| {
            assert_eq!(piece.len(), 0, "it comes back as it was left");
            piece.push(made);
            made += 1;
            made <= last
        }
    }

    #[test]
    fn all_pieces_come_in_the_order_in_which_they_were_made() {
        for last in [0, 1, 2, 1_000] {
            let mut taken = Vec::new();
            ahead(numbers(last), |piece| taken.append(piece));
            assert_eq!(taken, (0..=last).collect::<Vec<_>>());
        }
    }

    #[test]
    fn no_more_than_a_few_are_made_before_they_are_taken() {
        let (mut made, taken) = (0, std::sync::atomic::AtomicUsize::new(0));
        let order = std::sync::atomic::Ordering::SeqCst;
        let make = |_: &mut ()| {
            made += 1;
            assert!(made - taken.load(order) <= PIECES);
            made < 1_000
        };
        ahead(make, |()| {
            taken.fetch_add(1, order);
        });
        assert_eq!(taken.into_inner(), 1_000);
    }

    #[test]
    fn a_panic_on_either_side_is_no_deadlock() {
        let panics = |make_at: usize, take_at: usize| {
            let (mut made, mut taken) = (0, 0);
            let make = |_: &mut ()| {
                made += 1;
                assert!(made != make_at, "made");
                made < 100
            };
            let take = |_: &mut ()| {
                taken += 1;
                assert!(taken != take_at, "taken");
            };
            catch_unwind(AssertUnwindSafe(|| ahead(make, take))).is_err()
        };
        assert!(!panics(0, 0));
        assert!(panics(50, 0));
        assert!(panics(0, 50));
    }
}
