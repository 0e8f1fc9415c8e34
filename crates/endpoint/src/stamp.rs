//! Test packets of STAMP, unauthenticated (RFC 8762 §4.2.1 and §4.3.1), and the times that they carry.
//! TWAMP Light's are the same.

/// Bytes of a packet, on both ways.
pub(crate) const PACKET: usize = 44;
/// No clock is synchronized to another here: an error of a second, 2^-32 s times 2^32 (RFC 4656
/// §4.1.2).
const ERROR: u16 = 32 << 8 | 1;
/// The bit of an error estimate that says that times are those of IEEE 1588 and not of NTP
/// (RFC 8186 §2).
const IS_1588: u16 = 1 << 14;
const NS_PER_S: u64 = 1_000_000_000;
/// From 1900, when NTP's time begins, to 1970 (RFC 5905 §6).
const NTP_BEFORE_1970_S: u64 = 2_208_988_800;

/// A time as a packet carries it.
pub(crate) type PacketStamp = [u8; 8];

/// A time of CLOCK_REALTIME as NTP's: seconds since 1900, and their fractions of 2^-32.
pub(crate) fn stamp(realtime_ns: u64) -> PacketStamp {
    let seconds = (realtime_ns / NS_PER_S + NTP_BEFORE_1970_S) as u32;
    let fraction = ((realtime_ns % NS_PER_S) << 32) / NS_PER_S;
    let mut stamp = [0; 8];
    stamp[..4].copy_from_slice(&seconds.to_be_bytes());
    stamp[4..].copy_from_slice(&(fraction as u32).to_be_bytes());
    stamp
}

/// Nanoseconds from one time to a later one of the same clock.
fn between(from: PacketStamp, to: PacketStamp, is_1588: bool) -> i64 {
    let whole = |stamp: PacketStamp| {
        let [a, b, c, d, e, f, g, h] = stamp;
        let seconds = i64::from(u32::from_be_bytes([a, b, c, d]));
        let part = u64::from(u32::from_be_bytes([e, f, g, h]));
        let nanos = if is_1588 {
            part
        } else {
            (part * NS_PER_S) >> 32
        };
        seconds * NS_PER_S as i64 + nanos as i64
    };
    whole(to) - whole(from)
}

/// The packet of a sender.
pub(crate) fn request(number: u32, sent: PacketStamp) -> [u8; PACKET] {
    let mut packet = [0; PACKET];
    packet[..4].copy_from_slice(&number.to_be_bytes());
    packet[4..12].copy_from_slice(&sent);
    packet[12..14].copy_from_slice(&ERROR.to_be_bytes());
    packet
}

/// The reflector's answer to a packet that came at one time and is answered at another; `None` where
/// it is no packet of a sender.
pub(crate) fn answer(
    request: &[u8],
    number: u32,
    came: PacketStamp,
    sent: PacketStamp,
    ttl: u8,
) -> Option<[u8; PACKET]> {
    let head = request.get(..14).filter(|_| request.len() >= PACKET)?;
    let mut packet = [0; PACKET];
    packet[..4].copy_from_slice(&number.to_be_bytes());
    packet[4..12].copy_from_slice(&sent);
    packet[12..14].copy_from_slice(&ERROR.to_be_bytes());
    packet[16..24].copy_from_slice(&came);
    packet[24..38].copy_from_slice(head);
    packet[40] = ttl;
    Some(packet)
}

/// What an answer says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Answered {
    /// The number of the packet that it answers.
    pub number: u32,
    /// When that left, by what it said.
    pub sent: PacketStamp,
    /// How long the reflector had it.
    pub held_ns: i64,
}

/// Reads an answer; `None` where it is none.
pub(crate) fn answered(packet: &[u8]) -> Option<Answered> {
    let at = |from: usize| packet.get(from..from + 8)?.try_into().ok();
    let of_request = packet.get(24..28).filter(|_| packet.len() >= PACKET)?;
    let error = u16::from_be_bytes(packet.get(12..14)?.try_into().ok()?);
    Some(Answered {
        number: u32::from_be_bytes(of_request.try_into().ok()?),
        sent: at(28)?,
        held_ns: between(at(16)?, at(4)?, error & IS_1588 != 0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_names_what_it_answers_and_how_long_that_took() {
        let sent = stamp(1_700_000_000_000_000_000);
        let asked = request(7, sent);
        let [came, left] = [0, 250_000].map(|later| stamp(1_800_000_000_999_900_000 + later));
        let told = answered(&answer(&asked, 3, came, left, 64).unwrap()).unwrap();
        assert_eq!((told.number, told.sent), (7, sent));
        assert!((249_998..=250_002).contains(&told.held_ns), "{told:?}");
    }

    #[test]
    fn every_field_stands_where_rfc_8762_has_it() {
        let asked = request(0x0102_0304, [0xAA; 8]);
        assert_eq!(
            asked[..14],
            [1, 2, 3, 4, 170, 170, 170, 170, 170, 170, 170, 170, 32, 1]
        );
        let packet = answer(&asked, 9, [0xBB; 8], [0xCC; 8], 61).unwrap();
        assert_eq!(packet[..4], [0, 0, 0, 9]);
        assert_eq!(
            (packet[4], packet[11], packet[16], packet[23]),
            (0xCC, 0xCC, 0xBB, 0xBB)
        );
        assert_eq!(packet[24..38], asked[..14]);
        assert_eq!(packet[38..], [0, 0, 61, 0, 0, 0]);
    }

    #[test]
    fn a_reflector_whose_times_are_of_ieee_1588_is_understood() {
        let mut packet = answer(&request(1, [0; 8]), 0, [0; 8], [0; 8], 0).unwrap();
        packet[12] |= 0x40;
        packet[19] = 5;
        packet[20..24].copy_from_slice(&900_000_000_u32.to_be_bytes());
        packet[7] = 6;
        packet[8..12].copy_from_slice(&100_000_000_u32.to_be_bytes());
        assert_eq!(answered(&packet).unwrap().held_ns, 200_000_000);
    }

    #[test]
    fn what_is_too_short_is_no_packet() {
        assert!(answered(&[0; PACKET - 1]).is_none());
        assert!(answer(&[0; PACKET - 1], 0, [0; 8], [0; 8], 0).is_none());
    }

    #[test]
    fn the_first_second_of_ntp_is_70_years_before_1970() {
        assert_eq!(stamp(500_000_000), [0x83, 0xAA, 0x7E, 0x80, 0x80, 0, 0, 0]);
    }
}
