//! Files that are packed with gzip or Zstandard.

use std::io::{self, Chain, Cursor, Read};

use flate2::read::MultiGzDecoder;

/// RFC 1952 §2.3.1 (ID1, ID2) and RFC 8878 §3.1.1.
const GZIP: &[u8] = &[0x1F, 0x8B];
const ZSTANDARD: &[u8] = &[0x28, 0xB5, 0x2F, 0xFD];

type WholeReader<R> = Chain<Cursor<Vec<u8>>, R>;

/// A source as its first bytes show it to be.
pub enum Unpacked<'a, R: Read> {
    /// Not packed.
    Plain(WholeReader<R>),
    /// One or more gzip members.
    Gzip(Box<MultiGzDecoder<WholeReader<R>>>),
    /// One or more Zstandard frames.
    Zstandard(zstd::Decoder<'a, io::BufReader<WholeReader<R>>>),
}

impl<R: Read> Unpacked<'_, R> {
    /// Looks at the first bytes of `source`.
    pub fn new(mut source: R) -> io::Result<Self> {
        let mut opening = Vec::with_capacity(ZSTANDARD.len());
        source
            .by_ref()
            .take(ZSTANDARD.len() as u64)
            .read_to_end(&mut opening)?;
        let (is_gzip, is_zstandard) = (opening.starts_with(GZIP), opening == ZSTANDARD);
        let whole = Cursor::new(opening).chain(source);
        Ok(if is_gzip {
            Unpacked::Gzip(Box::new(MultiGzDecoder::new(whole)))
        } else if is_zstandard {
            Unpacked::Zstandard(zstd::Decoder::new(whole)?)
        } else {
            Unpacked::Plain(whole)
        })
    }

    /// Returns whether there is a compression that could be damaged.
    pub const fn is_packed(&self) -> bool {
        !matches!(self, Unpacked::Plain(_))
    }
}

impl<R: Read> Read for Unpacked<'_, R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            Unpacked::Plain(source) => source.read(out),
            Unpacked::Gzip(source) => source.read(out),
            Unpacked::Zstandard(source) => source.read(out),
        }
    }
}

impl<R: Read> std::fmt::Debug for Unpacked<'_, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Unpacked::Plain(_) => "Plain",
            Unpacked::Gzip(_) => "Gzip",
            Unpacked::Zstandard(_) => "Zstandard",
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn unpacked(bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        Unpacked::new(bytes).unwrap().read_to_end(&mut out).unwrap();
        out
    }

    #[test]
    fn packed_or_not_the_bytes_are_the_same() {
        let text = b"the same bytes";
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(text).unwrap();
        assert_eq!(unpacked(&gzip.finish().unwrap()), text);
        assert_eq!(unpacked(&zstd::encode_all(&text[..], 1).unwrap()), text);
        assert_eq!(unpacked(text), text);
        assert_eq!(unpacked(b"a"), b"a");
    }
}
