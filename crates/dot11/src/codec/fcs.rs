//! The frame check sequence: the CRC-32 of Ethernet (IEEE 802.11-2007 §7.1.3.7).

/// The generator polynomial x³² + x²⁶ + x²³ + … + 1, lowest power in the highest bit.
const POLYNOMIAL: u32 = 0xEDB8_8320;

const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut remainder = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            let carry = remainder & 1;
            remainder >>= 1;
            if carry != 0 {
                remainder ^= POLYNOMIAL;
            }
            bit += 1;
        }
        table[byte] = remainder;
        byte += 1;
    }
    table
};

/// The FCS of a header and body; transmitted least significant byte first.
pub fn fcs(bytes: &[u8]) -> u32 {
    let step = |crc: u32, &byte: &u8| crc >> 8 ^ TABLE[usize::from(crc as u8 ^ byte)];
    !bytes.iter().fold(!0, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_check_value() {
        assert_eq!(fcs(b"123456789"), 0xCBF4_3926);
    }
}
