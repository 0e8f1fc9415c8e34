//! The choice of connections that are listed one by one.
//!
//! A flood of SYNs or a scan of ports leaves millions of attempts that came to nothing, and each
//! says the same. What was a connection is always listed.

use super::ConnectionStage;

/// Attempts listed that nobody answered, and attempts that were refused; more of either are
/// counted. In Python each that is listed takes 9 kB.
const MOST_ATTEMPTS: u64 = 10_000;

/// Limits of the list.
#[derive(Debug, Default)]
pub(super) struct Listing {
    unanswered: u64,
    refused: u64,
}

impl Listing {
    /// Returns whether one more connection that came so far has its place in the list.
    pub fn has_place(&mut self, outcome: ConnectionStage) -> bool {
        let attempts = match outcome {
            ConnectionStage::Unanswered => &mut self.unanswered,
            ConnectionStage::Refused => &mut self.refused,
            ConnectionStage::Open | ConnectionStage::Closed | ConnectionStage::Reset => {
                return true;
            }
        };
        *attempts += 1;
        *attempts <= MOST_ATTEMPTS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scan_leaves_room_for_what_nobody_answered_and_for_every_connection() {
        let mut room = Listing::default();
        let listed = |room: &mut Listing, outcome| {
            let attempts = 0..2 * MOST_ATTEMPTS;
            attempts.filter(|_| room.has_place(outcome)).count() as u64
        };
        assert_eq!(listed(&mut room, ConnectionStage::Refused), MOST_ATTEMPTS);
        assert_eq!(
            listed(&mut room, ConnectionStage::Unanswered),
            MOST_ATTEMPTS
        );
        assert_eq!(listed(&mut room, ConnectionStage::Reset), 2 * MOST_ATTEMPTS);
    }
}
