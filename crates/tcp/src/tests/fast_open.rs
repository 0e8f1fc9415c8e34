//! Data with the SYN (RFC 7413), between two ends that have all they need.

use units::{Duration, Time};

use crate::{Connection, ConnectionOptions, Cookie, Event, FastOpenClient, FastOpenFailure};
use crate::{FastOpenServer, Flags, State, profile};

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

fn cookie() -> Cookie {
    Cookie::new(&[1, 2, 3, 4, 5, 6, 7, 8]).unwrap()
}

fn client(knows: FastOpenClient, bytes: u64) -> (Connection, u64) {
    let profile = profile("linux-6").unwrap();
    let options = ConnectionOptions::default();
    let mut client = Connection::connect(at(0), &profile, &options, 1000);
    let taken = client.open_fast(&knows, bytes, false);
    (client, taken)
}

fn server(needs_cookie: bool) -> Connection {
    let profile = profile("linux-6").unwrap();
    let mut server = Connection::listen(&profile, &ConnectionOptions::default(), 5000);
    server.accept_fast(FastOpenServer {
        cookie: cookie(),
        former: None,
        needs_cookie,
    });
    server
}

/// Both ends with the cookie, the client with `bytes` bytes; the SYN is on its way.
fn pair(bytes: u64) -> (Connection, Connection) {
    let knows = FastOpenClient {
        cookie: Some(cookie()),
        ..FastOpenClient::default()
    };
    (client(knows, bytes).0, server(true))
}

/// Everything that the two have to tell each other at this instant; no way takes time.
fn exchange(now: Time, client: &mut Connection, server: &mut Connection) {
    loop {
        let (request, reply) = (client.poll_segment(now), server.poll_segment(now));
        if request.is_none() && reply.is_none() {
            return;
        }
        request.iter().for_each(|s| server.on_segment(now, s));
        reply.iter().for_each(|s| client.on_segment(now, s));
    }
}

#[test]
fn who_has_no_cookie_asks_for_one_and_learns_it() {
    let (mut client, taken) = client(FastOpenClient::default(), 100);
    let mut server = server(true);
    assert_eq!(taken, 0);
    assert_eq!(client.fast_open_failure(), FastOpenFailure::NoCookie);
    exchange(at(10), &mut client, &mut server);
    let lesson = client.take_fast_open_lesson().unwrap();
    assert_eq!(lesson.option.unwrap().cookie, cookie());
    assert_eq!(lesson.mss, Some(1460));
    assert_eq!(client.take_fast_open_lesson(), None, "it is told once");
}

#[test]
fn data_arrive_with_the_syn_and_are_answered_before_the_handshake_is_over() {
    let (mut client, mut server) = pair(100);
    let syn = client.poll_segment(at(0)).unwrap();
    assert_eq!((syn.flags, syn.payload), (Flags::SYN, 100));
    server.on_segment(at(10), &syn);
    assert_eq!(server.read(at(10), 1000), 100);
    assert_eq!(server.poll_event(), Some(Event::Established));
    assert_eq!(server.write(at(10), 200), 200);
    let syn_ack = server.poll_segment(at(10)).unwrap();
    let answer = server.poll_segment(at(10)).unwrap();
    assert_eq!(syn_ack.ack, syn.seq + 101);
    assert_eq!((answer.payload, server.state()), (200, State::SynReceived));
    client.on_segment(at(20), &syn_ack);
    client.on_segment(at(20), &answer);
    assert_eq!(client.read(at(20), 1000), 200);
    exchange(at(20), &mut client, &mut server);
    assert_eq!(server.state(), State::Established);
    assert_eq!(server.info().buffered_bytes, 0);
    assert_eq!(client.fast_open_failure(), FastOpenFailure::None);
}

#[test]
fn what_is_beyond_the_room_of_a_syn_waits_for_the_handshake() {
    let (mut client, mut server) = pair(5000);
    assert_eq!(client.write(at(0), 3580), 3580, "1420 went with the SYN");
    exchange(at(10), &mut client, &mut server);
    exchange(at(300), &mut client, &mut server);
    assert_eq!(server.read(at(300), 10_000), 5000);
}

#[test]
fn a_server_without_fast_open_gets_the_data_once_more() {
    let (mut client, _) = pair(100);
    let profile = profile("rfc").unwrap();
    let mut server = Connection::listen(&profile, &ConnectionOptions::default(), 5000);
    let mut syn = client.poll_segment(at(0)).unwrap();
    syn.payload = 0; // as one that throws the text away sees it
    server.on_segment(at(10), &syn);
    exchange(at(20), &mut client, &mut server);
    assert_eq!(server.read(at(20), 1000), 100);
    assert_eq!(client.fast_open_failure(), FastOpenFailure::NotAcknowledged);
    assert_eq!(client.counters().bytes_sent, 200);
}

#[test]
fn a_syn_that_is_lost_is_retransmitted_without_data() {
    let (mut client, mut server) = pair(100);
    assert!(client.poll_segment(at(0)).is_some());
    let expiry = client.wake_at();
    client.on_timer(expiry);
    let again = client.poll_segment(expiry).unwrap();
    assert_eq!((again.payload, again.options.fast_open()), (0, None));
    server.on_segment(expiry, &again);
    exchange(expiry, &mut client, &mut server);
    assert_eq!(server.read(expiry, 1000), 100);
    assert_eq!(
        client.fast_open_failure(),
        FastOpenFailure::SynRetransmitted
    );
}

#[test]
fn a_wrong_cookie_is_answered_by_the_right_one() {
    let (mut client, _) = client(
        FastOpenClient {
            cookie: Cookie::new(&[9; 4]),
            ..FastOpenClient::default()
        },
        100,
    );
    let mut server = server(true);
    exchange(at(10), &mut client, &mut server);
    let lesson = client.take_fast_open_lesson().unwrap();
    assert_eq!(lesson.option.unwrap().cookie, cookie());
    assert_eq!(server.read(at(10), 1000), 100, "sent once more");
}

#[test]
fn without_cookies_data_go_at_once() {
    let (mut client, taken) = client(
        FastOpenClient {
            without_cookie: true,
            ..FastOpenClient::default()
        },
        100,
    );
    let mut server = server(false);
    assert_eq!(taken, 100);
    exchange(at(10), &mut client, &mut server);
    assert_eq!(server.read(at(10), 1000), 100);
    assert_eq!(client.counters().bytes_sent, 100);
}

#[test]
fn an_early_connection_gives_up_after_one_syn_ack_more_than_another() {
    let (mut client, mut server) = pair(100);
    let syn = client.poll_segment(at(0)).unwrap();
    server.on_segment(at(0), &syn);
    let mut syn_acks = 0;
    while server.state() != State::Closed {
        syn_acks +=
            core::iter::from_fn(|| server.poll_segment(server.wake_at().min(at(0)))).count();
        server.on_timer(server.wake_at());
    }
    let retries = profile("linux-6").unwrap().syn_ack_retries as usize;
    assert_eq!(syn_acks, 1 + retries + 1);
}

#[test]
fn other_stacks_open_in_the_ordinary_way() {
    let profile = profile("windows-xp").unwrap();
    let mut client = Connection::connect(at(0), &profile, &ConnectionOptions::default(), 1);
    let knows = FastOpenClient {
        without_cookie: true,
        ..FastOpenClient::default()
    };
    assert_eq!(client.open_fast(&knows, 100, false), 0);
    assert_eq!(client.poll_segment(at(0)).unwrap().payload, 0);
}
