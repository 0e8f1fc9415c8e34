//! Examples of bit errors, and their rates against closed forms.

use super::*;
use crate::chance::tests::{Loaded, MmixRandom};
use crate::impairment::SegmentFlags;

const SEGMENT: Facts = Facts {
    flow: 0,
    traffic: None,
    ip_bytes: 1500,
    protocol: CarriedProtocol::Tcp {
        payload: 1460,
        flags: SegmentFlags(SegmentFlags::ACK),
    },
};

fn stage(ber: f64, fcs: FrameCheck) -> BitError {
    BitError::new(&Config { ber, fcs })
}

/// Returns how many of so many full segments have what is wrong, of each that is asked for.
fn count<const N: usize>(
    mut stage: BitError,
    packets: u64,
    is_one: [fn(StageVerdict) -> bool; N],
) -> [f64; N] {
    let random = &mut MmixRandom(23);
    let mut counts = [0.0; N];
    for number in 1..=packets {
        let fate = stage.on_packet(Time::ZERO, number, &SEGMENT, random);
        for (count, is_one) in counts.iter_mut().zip(is_one) {
            *count += f64::from(u8::from(is_one(fate)));
        }
    }
    counts
}

#[track_caller]
fn assert_binomial(found: f64, packets: u64, probability: f64) {
    let expected = packets as f64 * probability;
    let sigma = (expected * (1.0 - probability)).sqrt();
    let off = (found - expected).abs();
    assert!(off < 3.5 * sigma, "{found} is not {expected} ± {sigma}");
}

fn is_hit(fate: StageVerdict) -> bool {
    fate != StageVerdict::Pass
}

fn has(fate: StageVerdict, what: Damage) -> bool {
    matches!(fate, StageVerdict::Damage(damage) if damage.any_of(what))
}

fn hit_of(ber: f64, bytes: i32) -> f64 {
    1.0 - (1.0 - ber).powi(8 * bytes)
}

#[test]
fn a_frame_is_hit_unless_all_its_bits_are_spared() {
    const PACKETS: u64 = 1_000_000;
    for ber in [1e-6, 1e-5, 1e-4] {
        let [hit] = count(stage(ber, FrameCheck::Recomputed), PACKETS, [is_hit]);
        assert_binomial(hit, PACKETS, hit_of(ber, 1514));
        let [hit] = count(stage(ber, FrameCheck::Wrong), PACKETS, [is_hit]);
        assert_binomial(hit, PACKETS, hit_of(ber, 1518));
    }
}

#[test]
fn each_part_of_a_frame_is_hit_by_its_length() {
    const PACKETS: u64 = 1_000_000;
    let found = count(
        stage(1e-5, FrameCheck::Recomputed),
        PACKETS,
        [
            |fate| has(fate, Damage::ADDRESS),
            |fate| has(fate, Damage::TYPE),
            |fate| has(fate, Damage::IP_HEADER),
        ],
    );
    for (found, bytes) in found.into_iter().zip([6, 2, 20]) {
        assert_binomial(found, PACKETS, hit_of(1e-5, bytes));
    }
}

/// Of pairs of bits in 740 words a pair is in the same place in 739 / 11839 cases, and of these one
/// in two goes opposite ways. At 1e-5 nearly all that cancels is a pair, and no other part is hit.
#[test]
fn one_pair_of_flips_in_thirty_two_slips_through_the_checksum_of_tcp() {
    const PACKETS: u64 = 4_000_000;
    let unnoticed = |fate| fate == StageVerdict::Damage(Damage::NONE);
    let [found] = count(stage(1e-5, FrameCheck::Recomputed), PACKETS, [unnoticed]);
    let (ber, bits) = (1e-5_f64, 8.0 * 1480.0);
    let pairs = bits * (bits - 1.0) / 2.0 * ber.powi(2) * (1.0 - ber).powi(8 * 1514 - 2);
    let cancels = 739.0 / 11_839.0 / 2.0;
    let of_sender = hit_of(ber, 6) * (1.0 - ber).powi(8 * 1508);
    assert_binomial(found, PACKETS, pairs * cancels + of_sender);
}

#[test]
fn a_wrong_check_sequence_tells_whatever_was_hit() {
    let mut stage = stage(1e-5, FrameCheck::Wrong);
    stage.spared = Some(8 * 1518 - 1);
    let random = &mut Loaded::with(&[0.1, 0.9]);
    let fate = stage.on_packet(Time::ZERO, 1, &SEGMENT, random);
    assert_eq!(
        fate,
        StageVerdict::Damage(Damage::FCS),
        "the last bit of the FCS itself"
    );
}

/// Returns what a single flip at a place of a frame does.
fn damage_at(place: u64, facts: &Facts) -> Damage {
    let mut flips = Flips::default();
    flips.add(place, true, facts);
    flips.damage()
}

#[test]
fn what_a_flip_does_depends_on_where_it_is() {
    let at = |byte: u64| damage_at(8 * byte, &SEGMENT);
    assert_eq!([0, 5].map(at), [Damage::ADDRESS; 2]);
    assert_eq!([6, 11].map(at), [Damage::NONE; 2], "the sender's address");
    assert_eq!([12, 13].map(at), [Damage::TYPE; 2]);
    assert_eq!([14, 33].map(at), [Damage::IP_HEADER; 2]);
    assert_eq!([34, 54, 1513].map(at), [Damage::SEGMENT; 3]);
}

#[test]
fn the_padding_of_a_short_frame_is_nobodys_and_arp_has_no_checksum() {
    let acknowledgment = Facts {
        ip_bytes: 40,
        ..SEGMENT
    };
    let at = |byte: u64| damage_at(8 * byte, &acknowledgment);
    assert_eq!([53, 54].map(at), [Damage::SEGMENT, Damage::NONE]);
    let question = Facts {
        ip_bytes: 28,
        protocol: CarriedProtocol::Arp,
        ..SEGMENT
    };
    let at = |byte: u64| damage_at(8 * byte, &question);
    assert_eq!(
        [14, 41, 42].map(at),
        [Damage::TYPE, Damage::TYPE, Damage::NONE]
    );
}

#[test]
fn none_or_all_bits_may_be_flipped() {
    let [hit] = count(stage(0.0, FrameCheck::Recomputed), 10_000, [is_hit]);
    assert_eq!(hit, 0.0);
    let [hit] = count(stage(1.0, FrameCheck::Recomputed), 100, [is_hit]);
    assert_eq!(hit, 100.0);
}
