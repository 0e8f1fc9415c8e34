//! Agents and a mobile node, told by hand what they say to each other.

use std::net::Ipv4Addr;

use units::{Duration, MacAddress, Time};

use super::*;

const HOME: Ipv4Addr = Ipv4Addr::new(10, 1, 0, 9);
const HOME_AGENT: Ipv4Addr = Ipv4Addr::new(10, 1, 0, 1);
const ABROAD: Ipv4Addr = Ipv4Addr::new(10, 2, 0, 1);
const FURTHER: Ipv4Addr = Ipv4Addr::new(10, 3, 0, 1);
const KEY: RegistrationKey = *b"of a mobile node";
const MAC: MacAddress = MacAddress::of_node(9);

fn at(millis: u64) -> Time {
    Time::ZERO + Duration::from_millis(millis)
}

fn config(detection: Detection) -> MobileConfig {
    MobileConfig {
        home: HOME,
        home_agent: HOME_AGENT,
        key: KEY,
        detection,
        memory: None,
        lifetime_s: 10,
        retry: Duration::from_secs(1),
    }
}

fn mobile(detection: Detection) -> Mobile {
    Mobile::new(config(detection))
}

fn agent(address: Ipv4Addr) -> Agent {
    let mut agent = Agent::new(AgentConfig {
        address,
        lifetime_s: 3,
        registration_lifetime_s: 4,
    });
    if address == HOME_AGENT {
        agent.share(HOME, KEY);
    }
    agent
}

/// RFC 5944 §1.6: advertisement, request relayed, tunnel, reply relayed.
#[test]
fn abroad_it_registers_through_the_foreign_agent_and_a_tunnel_leads_there() {
    let (mut node, mut home, mut abroad) =
        (mobile(Detection::Eager), agent(HOME_AGENT), agent(ABROAD));
    let change = node.on_advertisement(at(100), &abroad.advertise());
    assert_eq!(change, Some(RegistrationChange::With(Some(ABROAD))));
    let request = node.take_request().expect("it asks at once");
    assert_eq!((request.care_of, request.lifetime_s), (ABROAD, 4));
    assert_eq!(home.forward(at(110), HOME), None, "nobody has asked it yet");
    assert_eq!(
        abroad.on_request(at(110), &request, MAC),
        AgentDecision::Relay(request)
    );
    let AgentDecision::Reply(reply) = home.on_request(at(120), &request, MacAddress::of_node(3))
    else {
        panic!("the home agent answers");
    };
    assert_eq!(home.forward(at(120), HOME), Some(Forward::Tunnel(ABROAD)));
    assert_eq!(
        abroad.forward(at(125), HOME),
        None,
        "it is no visitor before it is confirmed"
    );
    assert_eq!(
        abroad.on_reply(at(130), &reply),
        AgentDecision::HandOn(reply, MAC)
    );
    assert_eq!(abroad.forward(at(130), HOME), Some(Forward::Visitor(MAC)));
    let registered = RegistrationChange::Registered {
        agent: ABROAD,
        since: at(100),
    };
    assert_eq!(node.on_reply(at(140), &reply), Some(registered));
    assert_eq!(
        home.forward(at(4120), HOME),
        None,
        "the registration is over"
    );
    assert_eq!(abroad.forward(at(4130), HOME), None);
}

#[test]
fn at_home_it_takes_its_registration_back() {
    let (mut node, mut home) = (mobile(Detection::Eager), agent(HOME_AGENT));
    node.on_advertisement(at(0), &agent(ABROAD).advertise());
    let abroad = node.take_request().expect("it asks");
    home.on_request(at(1), &abroad, MAC);
    assert_eq!(home.forward(at(2), HOME), Some(Forward::Tunnel(ABROAD)));
    let change = node.on_advertisement(at(10), &home.advertise());
    assert_eq!(change, Some(RegistrationChange::With(Some(HOME_AGENT))));
    let request = node.take_request().expect("it asks");
    assert_eq!((request.lifetime_s, request.care_of), (0, HOME));
    home.on_request(at(11), &request, MAC);
    assert_eq!(home.forward(at(12), HOME), None);
}

#[test]
fn the_eager_one_goes_with_whoever_is_new_and_the_lazy_one_when_its_own_is_gone() {
    let told = |address| agent(address).advertise();
    let mut eager = mobile(Detection::Eager);
    let with = |agent| Some(RegistrationChange::With(Some(agent)));
    assert_eq!(
        eager.on_advertisement(at(0), &told(HOME_AGENT)),
        with(HOME_AGENT)
    );
    assert_eq!(eager.on_advertisement(at(500), &told(ABROAD)), with(ABROAD));
    assert_eq!(
        eager.on_advertisement(at(1000), &told(HOME_AGENT)),
        None,
        "it is known"
    );
    assert_eq!(
        eager.on_advertisement(at(4100), &told(HOME_AGENT)),
        with(HOME_AGENT)
    );
    let mut lazy = mobile(Detection::Lazy);
    lazy.on_advertisement(at(0), &told(HOME_AGENT));
    assert_eq!(lazy.on_advertisement(at(2900), &told(ABROAD)), None);
    assert_eq!(
        lazy.wake_at(),
        at(1000),
        "its request has not been answered"
    );
    lazy.on_timer(at(1000));
    assert_eq!(lazy.on_timer(at(3000)), with(ABROAD));
    assert_eq!(
        lazy.on_timer(at(5900)),
        Some(RegistrationChange::With(None))
    );
}

/// ns-2 2.35, `mip-reg.cc`: an agent expires a second after it was heard, and a timer looks for
/// those that have each second. So one advertisement that gets lost makes it new, and one that is
/// late does not.
#[test]
fn with_a_memory_of_a_second_an_agent_is_new_that_missed_one_advertisement() {
    let told = |address| agent(address).advertise();
    let mut node = Mobile::new(MobileConfig {
        memory: Some(Duration::from_secs(1)),
        ..config(Detection::Eager)
    });
    node.on_advertisement(at(250), &told(HOME_AGENT));
    node.on_advertisement(at(300), &told(ABROAD));
    assert_eq!(node.on_advertisement(at(1290), &told(HOME_AGENT)), None);
    assert_eq!(node.on_advertisement(at(1310), &told(ABROAD)), None);
    node.on_advertisement(at(2250), &told(ABROAD));
    node.on_timer(at(3000));
    assert_eq!(
        node.on_advertisement(at(3290), &told(HOME_AGENT)),
        Some(RegistrationChange::With(Some(HOME_AGENT)))
    );
}

#[test]
fn a_request_that_nobody_answers_is_retransmitted_ever_more_rarely() {
    let mut node = mobile(Detection::Lazy);
    let told = Advertisement {
        lifetime_s: 100,
        ..agent(ABROAD).advertise()
    };
    node.on_advertisement(at(0), &told);
    let mut sent = vec![node.take_request().expect("it asks").identification];
    for time in [1000, 3000, 7000] {
        assert_eq!(node.wake_at(), at(time));
        node.on_timer(at(time));
        sent.extend(node.take_request().map(|request| request.identification));
    }
    assert_eq!(sent, [1, 2, 3, 4]);
}

#[test]
fn a_registration_is_renewed_in_the_middle_of_its_life() {
    let (mut node, mut home) = (mobile(Detection::Lazy), agent(HOME_AGENT));
    let told = Advertisement {
        lifetime_s: 100,
        ..agent(ABROAD).advertise()
    };
    node.on_advertisement(at(0), &told);
    let request = node.take_request().expect("it asks");
    let AgentDecision::Reply(reply) = home.on_request(at(10), &request, MAC) else {
        panic!("the home agent answers");
    };
    node.on_reply(at(20), &reply);
    assert_eq!(node.wake_at(), at(2020), "half of 4 s");
    node.on_timer(at(2020));
    assert!(node.take_request().is_some());
    node.on_advertisement(at(2500), &agent(FURTHER).advertise());
    assert_eq!(node.agent(), Some(ABROAD));
}

/// What tshark reads of them stands in the tests of worlds.
#[test]
fn messages_are_as_long_as_their_headers_say() {
    let told = Message::Advertisement(agent(ABROAD).advertise());
    assert_eq!((told.body().len(), told.ip_bytes()), (28, 48));
    let mut node = mobile(Detection::Eager);
    node.on_advertisement(at(0), &agent(ABROAD).advertise());
    let request = Message::Request(node.take_request().expect("it asks"));
    assert_eq!((request.body().len(), request.ip_bytes()), (46, 74));
}

/// RFC 5944 §3.5.1 and §5.1, as OpenSSL computes it of the bytes before it (`openssl dgst -md5 -mac
/// HMAC -macopt key:"of a mobile node"`).
#[test]
fn a_request_is_signed_with_hmac_md5_up_to_its_authenticator() {
    let mut node = mobile(Detection::Eager);
    node.on_advertisement(at(0), &agent(ABROAD).advertise());
    let request = node.take_request().expect("it asks");
    let body = Message::Request(request).body();
    let hex = |bytes: &[u8]| {
        bytes
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>()
    };
    assert_eq!(
        hex(&body[..30]),
        "010000040a0100090a0100010a0200010000000000000001201400000100"
    );
    assert_eq!(hex(&body[30..]), "9a9939d03fbd3cd91550b807aacfa905");
    assert!(request.is_signed_by(&KEY));
    let other = RegistrationRequest {
        care_of: FURTHER,
        ..request
    };
    assert!(
        !other.is_signed_by(&KEY),
        "nobody else can lead packets away"
    );
}

/// RFC 5944 §3.8.2.1: code 131, and no tunnel; §3.6.2.1: what the home agent has not signed is
/// nothing.
#[test]
fn who_has_not_the_key_is_believed_neither_by_the_agent_nor_by_the_node() {
    let mut home = agent(HOME_AGENT);
    let stranger = MobileConfig {
        key: *b"of somebody else",
        ..config(Detection::Eager)
    };
    let mut node = Mobile::new(stranger);
    node.on_advertisement(at(0), &agent(ABROAD).advertise());
    let request = node.take_request().expect("it asks");
    let AgentDecision::Reply(reply) = home.on_request(at(10), &request, MAC) else {
        panic!("the home agent answers");
    };
    assert_eq!(reply.code, RegistrationReply::NOT_AUTHENTIC);
    assert_eq!(home.forward(at(20), HOME), None);
    assert_eq!(node.on_reply(at(20), &reply), None);
    assert_eq!(
        node.wake_at(),
        at(1000),
        "it asks again as if nobody had answered"
    );
    let unknown = RegistrationRequest {
        home: Ipv4Addr::new(10, 1, 0, 77),
        ..request
    };
    assert_eq!(
        home.on_request(at(10), &unknown, MAC),
        AgentDecision::Nothing
    );
}

/// RFC 5944 §2.4: three solicitations a second apart, then ever more rarely, until one is heard.
#[test]
fn a_node_that_hears_of_no_agent_asks_for_one() {
    let mut node = mobile(Detection::Lazy);
    let mut sent = Vec::new();
    while node.wake_at() < at(30_000) {
        let now = node.wake_at();
        node.on_timer(now);
        if node.take_solicitation() {
            sent.push(now);
        }
    }
    assert_eq!(
        sent,
        [1, 2, 3, 4, 6, 10, 18].map(|second| at(1000 * second))[..]
    );
    node.on_advertisement(at(30_000), &agent(ABROAD).advertise());
    assert_eq!(
        node.wake_at(),
        at(31_000),
        "its request has not been answered"
    );
    node.on_timer(at(33_000));
    assert!(!node.take_solicitation());
    node.on_timer(at(33_000));
    assert!(
        node.take_solicitation(),
        "the agent is gone, and it asks at once"
    );
    assert_eq!(Message::Solicitation.body(), [10, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(Message::Solicitation.ip_bytes(), 28);
}
