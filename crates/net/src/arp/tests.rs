//! Exchanges between hosts X, Y and Z on one Ethernet, as in RFC 826's "An Example".

use super::*;

const X: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);
const Y: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 2);
const Z: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 3);
const MAC_X: MacAddress = MacAddress::of_node(1);
const MAC_Y: MacAddress = MacAddress::of_node(2);
const MAC_Z: MacAddress = MacAddress::of_node(3);

fn at(secs: u64) -> Time {
    Time::ZERO + Duration::from_secs(secs)
}

fn host(ip: Ipv4Addr, mac: MacAddress) -> Resolver {
    Resolver::new(ip, mac, Duration::from_secs(60))
}

/// The request that `host` sends because of a packet to `ip`.
fn asked(host: &mut Resolver, now: Time, ip: Ipv4Addr, handle: u32) -> Arp {
    match host.resolve(now, ip, handle) {
        ArpResolution::Ask(request) => request,
        other => panic!("{other:?} is no request"),
    }
}

#[test]
fn a_request_is_answered_by_its_target_alone_and_releases_what_waits() {
    let (mut x, mut y, mut z) = (host(X, MAC_X), host(Y, MAC_Y), host(Z, MAC_Z));
    let request = asked(&mut x, at(0), Y, 100);
    assert_eq!(request.destination(), MacAddress::BROADCAST);
    assert_eq!(x.resolve(at(0), Y, 101), ArpResolution::Waiting);

    assert_eq!(z.on_arp(at(0), &request), ArpOutcome::default());
    let reply = y.on_arp(at(0), &request).answer.expect("it is Y's address");
    assert_eq!((reply.sender_mac, reply.destination()), (MAC_Y, MAC_X));

    assert_eq!(x.on_arp(at(0), &reply).released, [100, 101]);
    assert_eq!(x.resolve(at(1), Y, 102), ArpResolution::Resolved(MAC_Y));
    assert_eq!(x.wake_at(), Time::NEVER);
}

#[test]
fn who_is_asked_knows_who_asked_and_others_do_not() {
    let (mut x, mut y, mut z) = (host(X, MAC_X), host(Y, MAC_Y), host(Z, MAC_Z));
    let request = asked(&mut x, at(0), Y, 100);
    y.on_arp(at(0), &request);
    z.on_arp(at(0), &request);
    assert_eq!(y.resolve(at(1), X, 7), ArpResolution::Resolved(MAC_X));
    assert!(matches!(z.resolve(at(1), X, 7), ArpResolution::Ask(_)));
}

#[test]
fn after_three_requests_a_second_apart_a_neighbour_is_unreachable() {
    let mut x = host(X, MAC_X);
    let request = asked(&mut x, at(0), Y, 100);
    for second in [1, 2] {
        assert_eq!(x.wake_at(), at(second));
        assert_eq!(x.on_timer(at(second)), Some(ArpDue::Ask(request)));
        assert_eq!(x.on_timer(at(second)), None);
    }
    let unreachable = ArpDue::Unreachable {
        ip: Y,
        dropped: VecDeque::from([100]),
    };
    assert_eq!(x.on_timer(at(3)), Some(unreachable));
    assert_eq!((x.on_timer(at(3)), x.wake_at()), (None, Time::NEVER));
    let again = asked(&mut x, at(9), Y, 101);
    assert_eq!(again, request, "the next packet tries anew");
}

#[test]
fn each_address_has_requests_of_its_own() {
    let mut x = host(X, MAC_X);
    asked(&mut x, at(0), Z, 100);
    let half = Time::from_nanos(500_000_000);
    asked(&mut x, half, Y, 101);
    assert_eq!(x.wake_at(), at(1));
    assert!(matches!(x.on_timer(at(1)), Some(ArpDue::Ask(request)) if request.target_ip == Z));
    assert_eq!(x.on_timer(at(1)), None, "Y has half a second left");
    assert_eq!(x.wake_at(), half + Duration::from_secs(1));
}

#[test]
fn where_too_many_wait_the_latest_are_kept() {
    let mut x = host(X, MAC_X);
    let request = asked(&mut x, at(0), Y, 0);
    for handle in 1..=100 {
        assert_eq!(x.resolve(at(0), Y, handle), ArpResolution::Waiting);
    }
    assert_eq!(x.resolve(at(0), Y, 101), ArpResolution::Displaced(0));
    let reply = host(Y, MAC_Y).on_arp(at(0), &request).answer.unwrap();
    let kept: Vec<u32> = x.on_arp(at(0), &reply).released.into();
    assert_eq!(kept, (1..=101).collect::<Vec<u32>>());
}

#[test]
fn what_is_not_confirmed_is_forgotten_after_its_lifetime() {
    let (mut x, mut y) = (host(X, MAC_X), host(Y, MAC_Y));
    let request = asked(&mut y, at(0), X, 7);
    x.on_arp(at(0), &request);
    assert_eq!(x.resolve(at(59), Y, 100), ArpResolution::Resolved(MAC_Y));
    x.on_arp(at(59), &request);
    assert_eq!(x.resolve(at(118), Y, 100), ArpResolution::Resolved(MAC_Y));
    assert!(matches!(x.resolve(at(119), Y, 100), ArpResolution::Ask(_)));
}

#[test]
fn what_is_known_beforehand_does_not_expire_but_follows_the_neighbour() {
    let mut x = host(X, MAC_X);
    x.learn(Y, MAC_Y);
    let later = at(1_000_000);
    assert_eq!(x.resolve(later, Y, 100), ArpResolution::Resolved(MAC_Y));
    // Z takes over Y's address and says so to everybody, as a home agent does (RFC 5944 §4.6).
    let gratuitous = Arp {
        operation: Operation::Request,
        sender_mac: MAC_Z,
        sender_ip: Y,
        target_mac: MacAddress([0; 6]),
        target_ip: Y,
    };
    assert_eq!(x.on_arp(later, &gratuitous), ArpOutcome::default());
    assert_eq!(x.resolve(later, Y, 100), ArpResolution::Resolved(MAC_Z));
    let much_later = at(2_000_000);
    assert_eq!(
        x.resolve(much_later, Y, 100),
        ArpResolution::Resolved(MAC_Z)
    );
}

#[test]
fn neighbours_whose_addresses_end_alike_are_told_apart() {
    let mut x = host(X, MAC_X);
    let alike = |number: u16| Ipv4Addr::from_bits(Y.to_bits() + 16 * u32::from(number));
    for number in 0..200 {
        x.learn(alike(number), MacAddress::of_node(u32::from(number)));
    }
    for number in (0..200).chain(0..200) {
        let expected = ArpResolution::Resolved(MacAddress::of_node(u32::from(number)));
        assert_eq!(x.resolve(at(0), alike(number), 100), expected);
    }
}

#[test]
fn a_probe_is_answered_and_not_learned_from() {
    let mut y = host(Y, MAC_Y);
    let probe = Arp {
        operation: Operation::Request,
        sender_mac: MAC_X,
        sender_ip: Ipv4Addr::UNSPECIFIED,
        target_mac: MacAddress([0; 6]),
        target_ip: Y,
    };
    let answer = y
        .on_arp(at(0), &probe)
        .answer
        .expect("the address is taken");
    assert_eq!((answer.sender_ip, answer.destination()), (Y, MAC_X));
    assert!(matches!(
        y.resolve(at(0), Ipv4Addr::UNSPECIFIED, 7),
        ArpResolution::Ask(_)
    ));
}

#[test]
fn nobody_is_believed_to_be_many() {
    let mut x = host(X, MAC_X);
    let request = asked(&mut x, at(0), Y, 100);
    let claim = Arp {
        operation: Operation::Reply,
        sender_mac: MacAddress::BROADCAST,
        sender_ip: Y,
        target_mac: request.sender_mac,
        target_ip: X,
    };
    assert_eq!(x.on_arp(at(0), &claim), ArpOutcome::default());
    assert_eq!(x.resolve(at(0), Y, 101), ArpResolution::Waiting);
}

#[test]
fn neighbours_that_are_made_up_do_not_fill_the_memory() {
    let mut x = host(X, MAC_X);
    let claim = |number: u32| Arp {
        operation: Operation::Request,
        sender_mac: MAC_Z,
        sender_ip: Ipv4Addr::from_bits(Z.to_bits() + number),
        target_mac: MacAddress([0; 6]),
        target_ip: X,
    };
    for number in 0..5000 {
        x.on_arp(at(0), &claim(number));
    }
    assert_eq!(x.neighbours.len(), NEIGHBOURS);
    let last = claim(5000);
    x.on_arp(at(60), &last);
    let found = x.resolve(at(60), last.sender_ip, 100);
    assert_eq!(
        found,
        ArpResolution::Resolved(MAC_Z),
        "the others have expired"
    );
}
