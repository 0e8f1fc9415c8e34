//! Whatever is received, from whomever: no message makes an end panic, or take more memory than it
//! is allowed.
//!
//! `PROPTEST_CASES=10000000 cargo test --release -p anechoic-endpoint --lib any_bytes` goes on for
//! an hour.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;

use crate::ceilings::Ceilings;
use crate::channel::{TO_CONSOLE, TO_ENDPOINT, receive, receive_bytes};
use crate::control_connection::plain;
use crate::datagram::Form;
use crate::identity::{Identity, Peer, PublicKey, known};
use crate::iperf3;
use crate::log::rows;
use crate::message::{Answer, Ask, EndOfFlow, Join};
use crate::session::{EndpointHost, Session};
use crate::stamp;

/// What a message that is understood looks like.
const MESSAGES: &[&str] = &[
    r#"{"start":{"at_ns":300000}}"#,
    r#"{"tick":{}}"#,
    r#"{"finish":{}}"#,
    r#"{"radio":{}}"#,
    r#"{"radio":{"hears_events":true,"stations":{"row":8,"lost":0},"surveys":{"row":8,"lost":0},
        "events":{"row":8,"lost":1}}}"#,
    r#"{"join":{"flow":0,"end":"initiator","peer":"iperf3:nas","ticket":"00","app":{"kind":"bulk",
        "bytes":null},"start_ms":0,"end_ms":1000,"sample_ms":100,"dscp":46,"is_stamped":false}}"#,
    r#"{"yes":{}}"#,
    r#"{"running":{"flows":3}}"#,
    r#"{"refused":{"why":"another test is under way"}}"#,
    r#"{"measured":[{"flow":0,"end":"responder","samples":{"row":304,"lost":0},"stamps":{"row":28,
        "lost":0},"round_trips":[[1,2.5]],"records":[{"start_ns":1,
        "elapsed_ns":2,"bytes":3,"transactions":4}],"records_lost":0,"held_us":0,"moved":9,"counted":{"bytes":1,"packets":2,
        "lost":-1,"jitter_ms":0.1},"failed":null}]}"#,
    r#"{"streams":[{"id":1,"bytes":1000,"packets":3,"errors":0,"jitter":0.001}]}"#,
];

/// What is done to a message on its way: bytes are changed, left out, doubled or put in.
#[derive(Clone, Debug)]
enum Harm {
    Change(usize, u8),
    Drop(usize),
    Double(usize, usize),
    Insert(usize, Vec<u8>),
}

fn harm() -> impl Strategy<Value = Harm> {
    prop_oneof![
        (any::<usize>(), any::<u8>()).prop_map(|(at, byte)| Harm::Change(at, byte)),
        any::<usize>().prop_map(Harm::Drop),
        (any::<usize>(), 1..40_usize).prop_map(|(at, length)| Harm::Double(at, length)),
        (any::<usize>(), vec(any::<u8>(), 1..20)).prop_map(|(at, more)| Harm::Insert(at, more)),
    ]
}

fn harmed(mut bytes: Vec<u8>, harms: Vec<Harm>) -> Vec<u8> {
    for harm in harms {
        let length = bytes.len();
        if length == 0 {
            break;
        }
        match harm {
            Harm::Change(at, byte) => bytes[at % length] = byte,
            Harm::Drop(at) => drop(bytes.remove(at % length)),
            Harm::Double(at, more) => {
                let at = at % length;
                let part = bytes[at..(at + more).min(length)].to_vec();
                bytes.splice(at..at, part);
            }
            Harm::Insert(at, more) => drop(bytes.splice(at % length..at % length, more)),
        }
    }
    bytes
}

/// Bytes of any kind, or a message with some harm done to it.
fn received() -> impl Strategy<Value = Vec<u8>> {
    let message = prop::sample::select(MESSAGES);
    let spoilt = (message, vec(harm(), 0..6))
        .prop_map(|(message, harms)| harmed(message.as_bytes().to_vec(), harms));
    prop_oneof![vec(any::<u8>(), 0..300), spoilt]
}

/// The same behind the length that is sent before it, which may be another.
fn framed() -> impl Strategy<Value = Vec<u8>> {
    let framed = |(bytes, wrong): (Vec<u8>, Option<u32>)| {
        let length = wrong.unwrap_or(bytes.len() as u32);
        [&length.to_be_bytes()[..], &bytes].concat()
    };
    let wrong = prop::option::weighted(0.2, any::<u32>());
    prop_oneof![
        vec(any::<u8>(), 0..300),
        (received(), wrong).prop_map(framed)
    ]
}

/// What is said of an application, sensible or not.
fn application() -> impl Strategy<Value = serde_json::Value> {
    let number = prop_oneof![
        Just(serde_json::json!(null)),
        any::<i64>().prop_map(Into::into),
        any::<f64>().prop_map(|number| serde_json::json!(number)),
        (0..2000_u32).prop_map(Into::into),
        "[a-z0-9 -]{0,12}".prop_map(Into::into),
    ];
    let kinds = prop::sample::select(crate::APPLICATIONS);
    let names = prop::sample::select(&[
        "bytes",
        "payload",
        "rate",
        "interval",
        "flood",
        "on",
        "off",
        "distribution",
        "shape",
        "write_size",
        "event_payload",
        "event_interval",
        "update_payload",
        "update_interval",
        "deadline",
        "codec",
        "buffer",
    ]);
    (kinds, prop::collection::btree_map(names, number, 0..6)).prop_map(|(kind, fields)| {
        let mut app = serde_json::json!({"kind": kind});
        for (name, value) in fields {
            app[name] = value;
        }
        app
    })
}

fn join() -> impl Strategy<Value = Join> {
    let peers = "(iperf3:nas|stamp:box|iperf3:|x:y|ed25519:[0-9a-f]{64}|KNOWN|.{0,20})";
    let numbers = (
        any::<u8>(),
        any::<u32>(),
        any::<u32>(),
        any::<u32>(),
        any::<u8>(),
    );
    (
        peers,
        "([0-9a-f]{32}|.{0,40})",
        application(),
        any::<bool>(),
        numbers,
    )
        .prop_map(
            |(peer, ticket, app, is_first, (flow, start_ms, end_ms, sample_ms, dscp))| Join {
                flow,
                end: if is_first {
                    EndOfFlow::Initiator
                } else {
                    EndOfFlow::Responder
                },
                peer,
                ticket,
                app,
                start_ms,
                end_ms: end_ms % 100_000,
                sample_ms: sample_ms % 1100,
                dscp: dscp % 80,
                is_stamped: false,
            },
        )
}

fn host(peer: PublicKey) -> EndpointHost {
    let peer = Peer {
        key: peer,
        name: "pi".to_owned(),
        address: Some("127.0.0.1:9".parse().unwrap()),
    };
    let mut list = known("iperf3 nas 127.0.0.1:9\nstamp box 127.0.0.1:9\n").unwrap();
    list.peers.push(peer);
    EndpointHost {
        known: list,
        own: "127.44.0.1:47000".parse().unwrap(),
        ceilings: Arc::new(Ceilings::new(1_000_000, Duration::from_secs(60))),
        is_busy: AtomicBool::new(false),
        radios: None,
    }
}

proptest! {
    #[test]
    fn what_an_endpoint_is_told(bytes in framed()) {
        if let Ok(ask) = receive::<Ask>(&mut &bytes[..], TO_ENDPOINT) {
            // What is understood says what it says, and no more.
            let again: Ask = serde_json::from_str(&serde_json::to_string(&ask)?)?;
            prop_assert_eq!(format!("{again:?}"), format!("{ask:?}"));
        }
    }

    #[test]
    fn what_a_console_is_told(bytes in framed(), table in vec(any::<u8>(), 0..200), row in 0..64_usize) {
        if let Ok(Answer::Refused { why }) = receive(&mut &bytes[..], TO_CONSOLE) {
            let has_escape = plain(&why).chars().any(char::is_control);
            prop_assert!(!has_escape, "{:?}", why);
        }
        if let Ok(found) = rows(&table, row, 1 << 20) {
            prop_assert!(found.len() <= 1 << 20 && found.len() % row == 0);
        }
        if let Ok(found) = receive_bytes(&mut &bytes[..], 100) {
            prop_assert!(found.len() <= 100);
        }
    }

    #[test]
    fn what_is_to_be_joined(asked in vec(join(), 1..8)) {
        let known = Identity::new()?.key;
        let host = host(known);
        let mut session = Session::new(&host);
        for mut join in asked {
            if join.peer == "KNOWN" {
                join.peer = known.to_string();
            }
            let answer = session.answer(Ask::Join(join));
            let is_known = matches!(answer, Answer::Yes {} | Answer::Refused { .. });
            prop_assert!(is_known, "{:?}", answer);
        }
        let answer = session.answer(Ask::Start { at_ns: u64::MAX });
        let is_refused = matches!(answer, Answer::Refused { .. });
        prop_assert!(is_refused, "{:?}", answer);
    }

    #[test]
    fn what_an_iperf3_server_says(bytes in received()) {
        let _ = iperf3::counted(&bytes, true);
    }

    #[test]
    fn what_a_reflector_or_a_sender_says(bytes in vec(any::<u8>(), 0..100), number in any::<u32>()) {
        let _ = stamp::answered(&bytes);
        let answer = stamp::answer(&bytes, number, [1; 8], [2; 8], 64);
        prop_assert_eq!(answer.is_some(), bytes.len() >= stamp::PACKET);
    }

    #[test]
    fn what_a_datagram_says(bytes in vec(any::<u8>(), 0..100)) {
        for form in [Form::Ours, Form::Iperf3] {
            prop_assert_eq!(form.read(&bytes).size as usize, bytes.len());
            let _ = form.kind(&bytes);
        }
    }

    #[test]
    fn what_stands_in_the_list_of_peers(text in "(.{0,60}\n){0,5}") {
        if let Err(why) = known(&text) {
            prop_assert!(why.starts_with("line "), "{}", why);
        }
    }
}
