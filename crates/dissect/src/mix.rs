//! Words made into one by which things are told apart: for hash tables and digests in memory.
//!
//! Fast, and good enough to spread what captures hold. Where it must withstand who makes a capture,
//! a random word goes in as well.

/// Odd words with about as many ones as zeros: the fractions of the square roots of 2, 3, 5, 7,
/// 11 and 13 (FIPS 180-4, 5.3.5; of 2 with the last bit set).
pub const WORDS: [u64; 6] = [
    0x6A09_E667_F3BC_C909,
    0xBB67_AE85_84CA_A73B,
    0x3C6E_F372_FE94_F82B,
    0xA54F_F53A_5F1D_36F1,
    0x510E_527F_ADE6_82D1,
    0x9B05_688C_2B3E_6C1F,
];

/// 2⁶⁴ over the golden ratio: in the upper bits of its multiples words that follow each other are
/// far apart (Knuth, vol. 3, 6.4).
pub const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The 64-bit halves of the product of two words, folded: mixes all bits of both.
#[inline]
pub fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ ((product >> 64) as u64)
}
