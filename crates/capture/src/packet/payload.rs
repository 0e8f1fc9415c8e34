//! Payload of a packet, not made until it is written.

/// The bytes behind the transport header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload<'a> {
    /// So many zero bytes.
    Zeros(usize),
    /// So many bytes of a stream whose byte number n is n modulo 256. A
    /// retransmission cut elsewhere then repeats the very bytes of the original,
    /// and a capture shows at a glance which part of the stream a segment holds.
    Pattern {
        /// The stream's number of the first byte.
        first: u64,
        /// Number of bytes.
        len: usize,
    },
    /// These bytes.
    Bytes(&'a [u8]),
}

/// Length of the run that the constants below hold; even, so that a run never splits a
/// word of the checksum, and the pattern's own period.
const RUN: usize = 256;
static ZEROS: [u8; RUN] = [0; RUN];
/// Two periods, so that a run may begin anywhere in the first.
static PATTERN: [u8; 2 * RUN] = {
    let mut bytes = [0; 2 * RUN];
    let mut i = 0;
    while i < bytes.len() {
        bytes[i] = i as u8;
        i += 1;
    }
    bytes
};

impl<'a> Payload<'a> {
    /// Returns how many bytes.
    pub const fn len(&self) -> usize {
        match *self {
            Payload::Zeros(len) | Payload::Pattern { len, .. } => len,
            Payload::Bytes(bytes) => bytes.len(),
        }
    }

    /// Returns whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes in runs, each but the last of an even length.
    pub(super) fn runs(&self) -> impl Iterator<Item = &'a [u8]> {
        let (run, len) = match *self {
            Payload::Zeros(len) => (&ZEROS[..], len),
            Payload::Pattern { first, len } => {
                let start = first as usize % RUN;
                (&PATTERN[start..start + RUN], len)
            }
            Payload::Bytes(bytes) => (bytes, bytes.len()),
        };
        let mut left = len;
        core::iter::from_fn(move || {
            let taken = left.min(run.len());
            left -= taken;
            (taken > 0).then(|| &run[..taken])
        })
    }

    /// Appends the first bytes, at most `limit` of them.
    pub(super) fn write(&self, limit: usize, out: &mut Vec<u8>) {
        let mut room = limit;
        for run in self.runs() {
            let taken = run.len().min(room);
            out.extend_from_slice(&run[..taken]);
            room -= taken;
            if room == 0 {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes_of(payload: Payload<'_>, limit: usize) -> Vec<u8> {
        let mut out = Vec::new();
        payload.write(limit, &mut out);
        out
    }

    #[test]
    fn a_retransmission_cut_elsewhere_repeats_the_same_bytes() {
        let first = bytes_of(
            Payload::Pattern {
                first: 1_000,
                len: 1_460,
            },
            usize::MAX,
        );
        let again = bytes_of(
            Payload::Pattern {
                first: 1_700,
                len: 760,
            },
            usize::MAX,
        );
        assert_eq!(first[700..], again);
        assert_eq!(first[0], (1_000 % 256) as u8);
    }

    #[test]
    fn a_limit_cuts_the_end() {
        assert_eq!(bytes_of(Payload::Bytes(&[1, 2, 3]), 2), [1, 2]);
        assert_eq!(bytes_of(Payload::Zeros(1_000), 300), [0; 300]);
        assert_eq!(bytes_of(Payload::Zeros(1_000), 0), [0; 0]);
        assert_eq!(bytes_of(Payload::Bytes(&[]), 5), [0; 0]);
    }
}
