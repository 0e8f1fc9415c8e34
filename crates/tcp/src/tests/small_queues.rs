//! TCP small queues of today's Linux: what a connection keeps in a queue below that tells what leaves
//! it.

use super::script::{MSS, Script, new_data};
use crate::{ConnectionOptions, InitialWindow, LinuxStack, QueueBelow, Segment, profile};

/// Memory of a segment of [`MSS`] bytes.
const MEMORY: u64 = 2304;

/// A connection above a queue, whose interface splits nothing.
fn above_queue(
    below: Option<QueueBelow>,
    initial_window: u32,
    change: impl FnOnce(&mut LinuxStack),
) -> Script {
    let mut profile = profile("linux-6").expect("it is there");
    profile.mss_bytes = MSS as u32;
    profile.timestamps = false;
    profile.initial_window = InitialWindow::Segments(initial_window);
    let linux = profile.family.linux().expect("it is Linux");
    linux.offload_segments = 1;
    change(linux);
    let options = ConnectionOptions {
        queue_below: below,
        ..ConnectionOptions::default()
    };
    Script::established_with(&profile, &options)
}

fn all_left(script: &mut Script, segments: &[Segment]) {
    for segment in segments {
        script.connection.note_left(segment);
    }
}

#[test]
fn what_the_queue_below_holds_keeps_back_what_follows_until_some_of_it_has_left() {
    let short = |linux: &mut LinuxStack| linux.output_limit_bytes = 5 * MEMORY as u32;
    let mut s = above_queue(Some(QueueBelow::default()), 10, short);
    s.write(40);
    let sent = s.sent();
    assert_eq!(sent.len(), 5, "of a window of ten");
    assert!(s.connection.note_left(&sent[0]), "it was waited for");
    assert_eq!(s.data_sent(), new_data(5, 6));
    let mut unlimited = above_queue(None, 10, short);
    unlimited.write(40);
    assert_eq!(unlimited.data_sent(), new_data(0, 10));
}

/// The limit is what leaves at the pacing rate in 2^-10 s, or in what the queue says: 2^-7 s, about 8 ms,
/// is eight times as much.
#[test]
fn a_queue_may_let_more_wait_than_the_stack_does() {
    let waiting = |pacing_shift| {
        let mut s = above_queue(Some(QueueBelow { pacing_shift }), 900, |_| {});
        s.write(3000);
        let first = s.sent();
        all_left(&mut s, &first);
        s.at(160).ack(900);
        let info = s.connection.info();
        let srtt = info.srtt.expect("a round trip was measured");
        // Two windows in a round trip: it is slow start.
        let rate = 2 * info.cwnd_bytes * 1_000_000 / srtt.as_micros();
        (s.sent().len() as u64, rate)
    };
    for (set, shift) in [(None, 10), (Some(7), 7)] {
        let (count, rate) = waiting(set);
        assert_eq!(count, (rate >> shift).div_ceil(MEMORY), "{shift}");
    }
}

/// Two pieces always go, so that acknowledgements keep coming.
#[test]
fn the_first_two_pieces_wait_for_nothing() {
    let mut s = above_queue(Some(QueueBelow::default()), 10, |linux| {
        linux.output_limit_bytes = 1;
    });
    s.write(40);
    assert_eq!(s.data_sent(), new_data(0, 2));
}
