//! Times at which written data leave, by example.

use super::*;

const MSS: u64 = 1000;

/// A connection of which everything sent is acknowledged, with `window` bytes open.
fn queue(written: u64, window: u64) -> SendQueue {
    let mut queue = SendQueue::new(100_000, LowWater::Third);
    (queue.nxt, queue.max) = (1, 1);
    queue.acknowledge(1);
    queue.update_window(1, 1, window);
    queue.write(written);
    queue
}

fn send(queue: &mut SendQueue, payload: u64) {
    queue.nxt += payload;
    queue.max = queue.nxt;
}

#[test]
fn nagle_holds_a_short_segment_back_while_something_is_outstanding() {
    let mut queue = queue(1500, 50_000);
    assert_eq!(
        queue.choose(9000, MSS, Nagle::Any),
        SendChoice::Send {
            payload: MSS,
            fin: false
        }
    );
    send(&mut queue, MSS);
    assert_eq!(queue.choose(9000, MSS, Nagle::Any), SendChoice::Wait);
    assert_eq!(
        queue.choose(9000, MSS, Nagle::Off),
        SendChoice::Send {
            payload: 500,
            fin: false
        }
    );
    queue.acknowledge(1001);
    assert_eq!(
        queue.choose(9000, MSS, Nagle::Any),
        SendChoice::Send {
            payload: 500,
            fin: false
        }
    );
}

/// Minshall: a short segment after full ones does not wait, a second short one does.
#[test]
fn the_modified_algorithm_waits_for_short_segments_only() {
    let mut queue = queue(1500, 50_000);
    send(&mut queue, MSS);
    let rest = SendChoice::Send {
        payload: 500,
        fin: false,
    };
    assert_eq!(queue.choose(9000, MSS, Nagle::Short), rest);
    send(&mut queue, 500);
    queue.short_end = queue.nxt;
    queue.write(300);
    assert_eq!(queue.choose(9000, MSS, Nagle::Short), SendChoice::Wait);
}

#[test]
fn a_cork_holds_back_what_does_not_fill_a_segment() {
    let mut queue = queue(1500, 50_000);
    queue.cork(true);
    send(&mut queue, MSS);
    assert_eq!(queue.choose(9000, MSS, Nagle::Off), SendChoice::Wait);
    queue.acknowledge(1001);
    // With nothing outstanding no acknowledgement will let it go, but the persist timer.
    assert_eq!(queue.choose(9000, MSS, Nagle::Off), SendChoice::AwaitWindow);
    let rest = SendChoice::Send {
        payload: 500,
        fin: false,
    };
    queue.push();
    assert_eq!(queue.choose(9000, MSS, Nagle::Off), rest);
    queue.write(0);
    queue.cork(false);
    queue.expect_more();
    queue.push();
    queue.write(100);
    queue.expect_more();
    assert_eq!(queue.choose(9000, MSS, Nagle::Off), SendChoice::AwaitWindow);
    queue.stop_expecting();
    assert!(matches!(
        queue.choose(9000, MSS, Nagle::Off),
        SendChoice::Send { payload: 600, .. }
    ));
}

#[test]
fn the_last_segment_takes_the_fin_along() {
    let mut queue = queue(1500, 50_000);
    queue.closing = true;
    send(&mut queue, MSS);
    assert_eq!(
        queue.choose(9000, MSS, Nagle::Any),
        SendChoice::Send {
            payload: 500,
            fin: true
        }
    );
}

#[test]
fn a_small_window_is_not_filled_with_small_segments() {
    let mut queue = queue(5000, 4000);
    send(&mut queue, 3000);
    queue.update_window(1, 1, 3300);
    assert_eq!(
        queue.choose(9000, MSS, Nagle::Off),
        SendChoice::Wait,
        "a third of a segment is silly"
    );
    queue.acknowledge(3001);
    queue.update_window(1, 3001, 300);
    assert_eq!(queue.choose(9000, MSS, Nagle::Off), SendChoice::AwaitWindow);
    assert_eq!(queue.forced(MSS), 300);
}

#[test]
fn half_of_the_largest_window_is_worth_a_segment() {
    let queue = queue(5000, 600);
    assert_eq!(
        queue.choose(9000, MSS, Nagle::Any),
        SendChoice::Send {
            payload: 600,
            fin: false
        }
    );
}

#[test]
fn a_closed_window_asks_for_a_probe() {
    let queue = queue(5000, 0);
    assert_eq!(queue.choose(9000, MSS, Nagle::Any), SendChoice::AwaitWindow);
    assert_eq!(queue.forced(MSS), 1);
}

#[test]
fn an_older_segment_does_not_set_the_window() {
    let mut queue = queue(0, 5000);
    queue.update_window(10, 1, 4000);
    assert!(!queue.update_window(9, 1, 9000));
    assert_eq!(queue.edge, 4001);
}

#[test]
fn a_writer_is_cut_at_the_buffer_and_hears_of_room_later() {
    let mut queue = queue(0, 5000);
    assert_eq!(queue.write(150_000), 100_000);
    send(&mut queue, 40_000);
    queue.acknowledge(30_001);
    assert!(!queue.take_unblocked());
    queue.acknowledge(34_001);
    assert!(queue.take_unblocked());
    assert!(!queue.take_unblocked());
    assert_eq!(queue.room(), 34_000);
}

/// A writer is woken for a third of the buffer, or for BSD's low-water mark, which is soon there.
#[test]
fn a_writer_hears_of_room_as_its_stack_has_it() {
    for (low_water, acknowledged) in [(LowWater::Third, 3_000), (LowWater::Bytes(2_048), 2_048)] {
        let mut queue = SendQueue::new(9_000, low_water);
        queue.write(9_000);
        queue.note_blocked(true);
        queue.nxt = FIRST_BYTE + 9_000;
        queue.acknowledge(FIRST_BYTE + acknowledged - 1);
        assert!(!queue.take_unblocked(), "{low_water:?}");
        queue.acknowledge(FIRST_BYTE + acknowledged);
        assert!(queue.take_unblocked(), "{low_water:?}");
    }
}
