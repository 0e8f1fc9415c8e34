//! Wrong checksums and their origin.
//!
//! Segments with wrong checksums take part in the analysis like all others: their sender did
//! send them. If they are corrupted their receiver's TCP drops them (RFC 9293 §3.10.7), so that
//! what they carried is retransmitted, and is counted so: they are losses behind the point of
//! capture.

use std::collections::BTreeMap;
use std::net::IpAddr;

use serde::Serialize;

use super::counters::DirectionCounters;
use super::summary::Summary;

/// Why checksums of a direction are wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WrongChecksums {
    /// The sender's card was still to put them in: the capture was taken on its host.
    Offload,
    /// The segments are corrupted: their receiver's TCP dropped them.
    Corrupted,
    /// Both ends' are wrong throughout: the packets were made up, or changed after they were
    /// sent without putting the checksums right, as by an anonymizer.
    Rewritten,
}

/// Checksums of one host's segments.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    right: u64,
    partial: u64,
    wrong: u64,
}

/// So few wrong checksums may be by chance those of all segments. (Inferred.)
const FEW: u64 = 3;

impl Sums {
    fn add(&mut self, counters: &DirectionCounters) {
        self.right += counters.checksums_right;
        self.partial += counters.checksums_partial;
        self.wrong += counters.checksums_wrong;
    }

    /// Nine in ten are wrong or more: no TCP would get on if they were corrupted. (Inferred.)
    const fn are_wrong_throughout(self) -> bool {
        let bad = self.partial + self.wrong;
        bad >= FEW && bad >= 9 * self.right
    }
}

/// Judges the wrong checksums of each direction, by those of all that its host sends.
pub(super) fn judge(connections: &mut [Summary]) {
    let mut hosts: BTreeMap<IpAddr, Sums> = BTreeMap::new();
    for sent in connections
        .iter()
        .flat_map(|one| [&one.client, &one.server])
    {
        if sent.counters.checksums_partial + sent.counters.checksums_wrong > 0 {
            hosts.entry(sent.address).or_default();
        }
    }
    for sent in connections
        .iter()
        .flat_map(|one| [&one.client, &one.server])
    {
        if let Some(sums) = hosts.get_mut(&sent.address) {
            sums.add(&sent.counters);
        }
    }
    for one in connections {
        let sums = |address| hosts.get(&address).copied().unwrap_or_default();
        let [client, server] = [sums(one.client.address), sums(one.server.address)];
        one.client.wrong_checksums = verdict(&one.client.counters, client, server);
        one.server.wrong_checksums = verdict(&one.server.counters, server, client);
    }
}

fn verdict(direction: &DirectionCounters, own: Sums, peer: Sums) -> Option<WrongChecksums> {
    if direction.checksums_partial + direction.checksums_wrong == 0 {
        return None;
    }
    let is_partial = direction.checksums_wrong == 0;
    Some(if is_partial || own.are_wrong_throughout() {
        let is_both = peer.are_wrong_throughout() && own.partial + peer.partial == 0;
        match is_both {
            true => WrongChecksums::Rewritten,
            false => WrongChecksums::Offload,
        }
    } else {
        WrongChecksums::Corrupted
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::Script;
    use super::super::{Tracker, TrackerLimits};
    use super::*;
    use dissect::Checksum::{self, Partial, Right, Wrong};

    /// Twenty segments and their acknowledgments, of which those of either end have these
    /// checksums.
    fn verdicts(
        client: impl Fn(u32) -> Checksum,
        server: impl Fn(u32) -> Checksum,
    ) -> [Option<WrongChecksums>; 2] {
        let mut script = Script::new([1, 1]);
        for n in 0..20 {
            script.data(n).ack(n + 1, None);
        }
        for (n, pair) in (0..).zip(script.segments.chunks_exact_mut(2)) {
            pair[0].checksum = client(n);
            pair[1].checksum = server(n);
        }
        let mut found = Vec::new();
        let mut tracker = Tracker::new(TrackerLimits::default(), |summary| found.push(summary));
        tracker.take(&script.segments);
        tracker.finish();
        judge(&mut found);
        [
            found[0].client.wrong_checksums,
            found[0].server.wrong_checksums,
        ]
    }

    #[test]
    fn a_host_whose_checksums_are_all_wrong_leaves_them_to_its_card() {
        let offload = [Some(WrongChecksums::Offload), None];
        assert_eq!(verdicts(|_| Partial, |_| Right), offload);
        assert_eq!(verdicts(|_| Wrong, |_| Right), offload);
    }

    #[test]
    fn two_ends_on_one_host_leave_theirs_to_nobody() {
        let both = [Some(WrongChecksums::Offload); 2];
        assert_eq!(verdicts(|_| Partial, |_| Partial), both);
    }

    #[test]
    fn a_wrong_checksum_among_right_ones_is_of_a_corrupted_segment() {
        let seldom = |n| if n % 7 == 3 { Wrong } else { Right };
        let corrupted = [Some(WrongChecksums::Corrupted), None];
        assert_eq!(verdicts(seldom, |_| Right), corrupted);
    }

    #[test]
    fn wrong_checksums_everywhere_are_of_packets_that_were_changed() {
        let both = [Some(WrongChecksums::Rewritten); 2];
        assert_eq!(verdicts(|_| Wrong, |_| Wrong), both);
    }

    #[test]
    fn right_and_unknown_checksums_say_nothing() {
        assert_eq!(verdicts(|_| Right, |_| Checksum::Unknown), [None; 2]);
    }
}
