//! Numbers in network byte order.

/// The two bytes at a place.
#[inline]
pub(crate) fn word(bytes: &[u8], at: usize) -> Option<u16> {
    let two = bytes.get(at..)?.first_chunk()?;
    Some(u16::from_be_bytes(*two))
}

/// The four bytes at a place.
#[inline]
pub(crate) fn double(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..)?.first_chunk()?;
    Some(u32::from_be_bytes(*four))
}
