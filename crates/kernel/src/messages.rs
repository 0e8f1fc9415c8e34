//! Messages of the kernel with what came beside their data.

use os::calls::RecvResult;
use script::{ControlMessage, Data, ReceivedMessage, symbol};

/// The message in the script's terms, which count time from when the wall's clock said `began`,
/// in nanoseconds since 1970.
pub(crate) fn message(received: RecvResult, began: i64) -> ReceivedMessage {
    let control = received.control.into_iter().map(|(level, kind, bytes)| {
        let data = data(level, kind, &bytes, began).unwrap_or(Data::Opaque);
        ControlMessage { level, kind, data }
    });
    ReceivedMessage {
        bytes: received.bytes,
        flags: received.flags,
        control: control.collect(),
    }
}

fn data(level: i64, kind: i64, bytes: &[u8], began: i64) -> Option<Data> {
    let is = |names: [&str; 2]| names.map(symbol) == [Some(level), Some(kind)];
    let byte = |at: usize| bytes.get(at).map(|byte| i64::from(*byte));
    let word = |at: usize| Some(i64::from(u32::from_ne_bytes(part(bytes, at)?)));
    if is(["SOL_TCP", "TCP_CM_INQ"]) {
        return word(0).map(Data::Integer);
    }
    if is(["SOL_SOCKET", "SCM_TIMESTAMPING"]) {
        let [seconds, nanos] = [0, 8].map(|at| part(bytes, at).map(i64::from_ne_bytes));
        let time = seconds?.saturating_mul(1_000_000_000) + nanos?;
        return Some(Data::Time(time - began));
    }
    if is(["SOL_IP", "IP_RECVERR"]) {
        // struct sock_extended_err (linux/errqueue.h)
        return Some(Data::Error([
            ("ee_errno", word(0)?),
            ("ee_origin", byte(4)?),
            ("ee_type", byte(5)?),
            ("ee_code", byte(6)?),
            ("ee_info", word(8)?),
            ("ee_data", word(12)?),
        ]));
    }
    None
}

fn part<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at + N)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_told_from_the_start_of_the_script() {
        let mut bytes = 100i64.to_ne_bytes().to_vec();
        bytes.extend_from_slice(&20_000_000i64.to_ne_bytes());
        let began = 100_000_000_000;
        assert_eq!(data(1, 37, &bytes, began), Some(Data::Time(20_000_000)));
        assert_eq!(data(1, 37, &bytes[..9], began), None, "cut short");
    }
}
