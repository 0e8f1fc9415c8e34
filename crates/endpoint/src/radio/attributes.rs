//! Attributes of a netlink message. Any of them may be missing, unknown here, or cut off; then there
//! is no value, and the others have theirs.

use netlink_packet_core::{
    DefaultNla, Emitable as _, NLA_HEADER_SIZE, NLA_TYPE_MASK, NlasIterator,
};

/// The attributes that some bytes hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attributes<'a>(pub &'a [u8]);

impl<'a> Attributes<'a> {
    /// The kind and the value of each; one that is cut off is the end.
    pub fn each(self) -> impl Iterator<Item = (u16, &'a [u8])> {
        let whole = NlasIterator::new(self.0).map_while(Result::ok);
        whole.map(|each| {
            let (kind, end) = (each.kind(), usize::from(each.length()));
            (kind, &each.into_inner()[NLA_HEADER_SIZE..end])
        })
    }

    /// The value of a kind.
    pub fn bytes(self, kind: u16) -> Option<&'a [u8]> {
        self.each()
            .find_map(|(each, value)| (each == kind).then_some(value))
    }

    /// True if there is one of a kind.
    pub fn has(self, kind: u16) -> bool {
        self.bytes(kind).is_some()
    }

    /// A whole number, of whatever width the kernel gives it.
    pub fn number(self, kind: u16) -> Option<u64> {
        match *self.bytes(kind)? {
            [byte] => Some(byte.into()),
            [a, b] => Some(u16::from_ne_bytes([a, b]).into()),
            [a, b, c, d] => Some(u32::from_ne_bytes([a, b, c, d]).into()),
            [a, b, c, d, e, f, g, h] => Some(u64::from_ne_bytes([a, b, c, d, e, f, g, h])),
            _ => None,
        }
    }

    /// A whole number of parts, `per` of which are one.
    pub fn real(self, kind: u16, per: f64) -> Option<f64> {
        self.number(kind).map(|number| number as f64 / per)
    }

    /// A level in dBm: a byte with a sign.
    pub fn dbm(self, kind: u16) -> Option<f64> {
        match *self.bytes(kind)? {
            [byte] => Some(f64::from(byte as i8)),
            _ => None,
        }
    }

    /// A MAC address.
    pub fn address(self, kind: u16) -> Option<[u8; 6]> {
        self.bytes(kind)?.try_into().ok()
    }

    /// The attributes within one; none where it is missing.
    pub fn within(self, kind: u16) -> Attributes<'a> {
        Attributes(self.bytes(kind).unwrap_or_default())
    }
}

/// Writes attributes, each a kind and a value, behind some bytes.
pub(crate) fn write(before: &[u8], attributes: &[(u16, &[u8])]) -> Vec<u8> {
    let mut bytes = before.to_vec();
    for &(kind, value) in attributes {
        debug_assert_eq!(kind & NLA_TYPE_MASK, kind, "no flags");
        let attribute = DefaultNla::new(kind, value.to_vec());
        let begin = bytes.len();
        bytes.resize(begin + attribute.buffer_len(), 0);
        attribute.emit(&mut bytes[begin..]);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_cut_off_has_no_value_and_what_stands_before_it_has() {
        let whole = write(&[], &[(7, &[0xc4]), (10, &9_u32.to_ne_bytes())]);
        let cut = Attributes(&whole[..whole.len() - 1]);
        assert_eq!(cut.dbm(7), Some(-60.0));
        assert_eq!(cut.number(10), None);
        assert_eq!(Attributes(&whole).number(10), Some(9));
    }

    #[test]
    fn a_value_of_another_length_than_any_number_has_is_none() {
        let odd = write(&[], &[(10, &[1, 2, 3]), (7, &[]), (7, &[0xc4])]);
        assert_eq!(Attributes(&odd).number(10), None);
        assert_eq!(Attributes(&odd).dbm(7), None);
        assert!(Attributes(&odd).has(7));
    }

    proptest! {
        #[test]
        fn whatever_bytes_come_are_read(bytes in vec(any::<u8>(), 0..200), kind in any::<u16>()) {
            let read = Attributes(&bytes);
            let length: usize = read.each().map(|(_, value)| value.len() + NLA_HEADER_SIZE).sum();
            prop_assert!(length <= bytes.len());
            let _ = (read.number(kind), read.dbm(kind), read.address(kind));
            let _ = read.within(kind).each().count();
        }
    }
}
