//! Who an endpoint or a console is: an Ed25519 key, and the keys that it knows.

use std::fmt;
use std::fs;
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::str::FromStr;

use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use serde::{Deserialize, Serialize};

/// The bytes before an Ed25519 key in a SubjectPublicKeyInfo (RFC 8410 §4).
const SPKI: [u8; 12] = [
    0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00,
];
const PREFIX: &str = "ed25519:";

/// A public key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PublicKey([u8; 32]);

impl PublicKey {
    /// The key in a SubjectPublicKeyInfo; `None` if that is of another kind.
    pub fn from_spki(spki: &[u8]) -> Option<PublicKey> {
        Some(PublicKey(spki.strip_prefix(&SPKI)?.try_into().ok()?))
    }

    /// It as a SubjectPublicKeyInfo.
    pub fn spki(&self) -> Vec<u8> {
        [&SPKI[..], &self.0].concat()
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(PREFIX)?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for PublicKey {
    type Err = String;

    fn from_str(text: &str) -> Result<PublicKey, String> {
        let refused = || {
            format!(
                "\"{}\" is no key; allowed: ed25519: and 64 hexadecimal digits",
                text.escape_default()
            )
        };
        let digits = text.strip_prefix(PREFIX).ok_or_else(refused)?;
        let bytes = from_hex(digits).ok_or_else(refused)?;
        Ok(PublicKey(bytes.try_into().map_err(|_| refused())?))
    }
}

/// The bytes that hexadecimal digits stand for.
pub(crate) fn from_hex(digits: &str) -> Option<Vec<u8>> {
    if !digits.len().is_multiple_of(2) || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let pairs = (0..digits.len()).step_by(2);
    pairs
        .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).ok())
        .collect()
}

/// A secret key, as its file has it.
#[derive(Debug)]
pub struct Identity {
    /// PKCS #8 (RFC 8410).
    pub(crate) secret: Vec<u8>,
    /// What others know it by.
    pub key: PublicKey,
}

impl Identity {
    /// A new one.
    ///
    /// # Errors
    /// When the system gives no randomness.
    pub fn new() -> io::Result<Identity> {
        let secret = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new())
            .map_err(|_| io::Error::other("the system gives no randomness"))?;
        Identity::of(secret.as_ref().to_vec())
    }

    /// The one in a file, which is made, readable for its owner alone, where there is none.
    ///
    /// # Errors
    /// When the file cannot be read or made, or holds no key.
    pub fn at(path: &Path) -> io::Result<Identity> {
        match fs::read(path) {
            Ok(secret) => Identity::of(secret),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let made = Identity::new()?;
                if let Some(folder) = path.parent() {
                    fs::create_dir_all(folder)?;
                }
                let mut options = fs::OpenOptions::new();
                let mut file = options
                    .write(true)
                    .create_new(true)
                    .mode(0o600)
                    .open(path)?;
                file.write_all(&made.secret)?;
                Ok(made)
            }
            Err(error) => Err(error),
        }
    }

    fn of(secret: Vec<u8>) -> io::Result<Identity> {
        let no_key = |_| io::Error::new(io::ErrorKind::InvalidData, "it holds no Ed25519 key");
        let pair = Ed25519KeyPair::from_pkcs8(&secret).map_err(no_key)?;
        let bytes = pair.public_key().as_ref().try_into();
        let key = PublicKey(bytes.map_err(io::Error::other)?);
        Ok(Identity { secret, key })
    }
}

/// Somebody whom the owner of this machine knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Its key.
    pub key: PublicKey,
    /// Its name, for the log.
    pub name: String,
    /// Where it listens; `None` for a console, to which nothing is ever sent.
    pub address: Option<SocketAddr>,
}

/// What a program at the other end is that is no endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServerKind {
    /// An iperf3 server.
    Iperf3,
    /// A reflector of STAMP (RFC 8762) or TWAMP Light.
    Stamp,
}

impl ServerKind {
    /// All of them.
    pub const ALL: [ServerKind; 2] = [ServerKind::Iperf3, ServerKind::Stamp];

    /// The word that stands where an endpoint has its key.
    pub fn word(self) -> &'static str {
        match self {
            ServerKind::Iperf3 => "iperf3",
            ServerKind::Stamp => "stamp",
        }
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            ServerKind::Iperf3 => "iperf3 server",
            ServerKind::Stamp => "STAMP reflector",
        }
    }

    /// The one that a word stands for.
    pub fn of(word: &str) -> Option<ServerKind> {
        ServerKind::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// A server of another kind that the owner lets traffic go to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignServer {
    /// What it is.
    pub kind: ServerKind,
    /// Its name, by which consoles call it.
    pub name: String,
    /// Where it listens.
    pub address: SocketAddr,
}

/// Whom and what the owner of a machine knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownPeers {
    /// Consoles and endpoints.
    pub peers: Vec<Peer>,
    /// Servers of other kinds.
    pub foreign: Vec<ForeignServer>,
}

impl From<Vec<Peer>> for KnownPeers {
    fn from(peers: Vec<Peer>) -> KnownPeers {
        let foreign = Vec::new();
        KnownPeers { peers, foreign }
    }
}

/// Reads a list of peers: a line for each, `KEY NAME [HOST:PORT]`, or `iperf3 NAME HOST:PORT` and
/// `stamp NAME HOST:PORT`.
///
/// # Errors
/// When a line is none of these, with its number.
pub fn known(text: &str) -> Result<KnownPeers, String> {
    let mut known = KnownPeers::default();
    for (line, number) in text.lines().zip(1..) {
        if !line.trim().is_empty() && !line.starts_with('#') {
            add(&mut known, line).map_err(|why| format!("line {number}: {why}"))?;
        }
    }
    Ok(known)
}

const ALLOWED: &str =
    "allowed: KEY NAME [ADDRESS:PORT], iperf3 NAME ADDRESS:PORT, stamp NAME ADDRESS:PORT";

fn add(known: &mut KnownPeers, line: &str) -> Result<(), String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    if let (Some(kind), [_, name, at]) = (
        words.first().and_then(|word| ServerKind::of(word)),
        &words[..],
    ) {
        let (name, address) = ((*name).to_owned(), address(at)?);
        known.foreign.push(ForeignServer {
            kind,
            name,
            address,
        });
        return Ok(());
    }
    let (key, name, address) = match words[..] {
        [key, name] => (key, name, None),
        [key, name, at] => (key, name, Some(address(at)?)),
        _ => return Err(ALLOWED.to_owned()),
    };
    known.peers.push(Peer {
        key: key.parse()?,
        name: name.to_owned(),
        address,
    });
    Ok(())
}

fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        format!(
            "\"{}\" is no address; allowed: ADDRESS:PORT, as 192.0.2.1:5301",
            text.escape_default()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_as_it_is_written() {
        let key = Identity::new().unwrap().key;
        assert_eq!(key.to_string().parse(), Ok(key));
        assert_eq!(PublicKey::from_spki(&key.spki()), Some(key));
        assert!("ed25519:12".parse::<PublicKey>().is_err());
    }

    #[test]
    fn a_line_that_is_no_peer_is_told_by_its_number() {
        let key = Identity::new().unwrap().key;
        let text =
            format!("# known\n{key} desk\n{key} pi 192.0.2.1:5301\niperf3 nas 192.0.2.2:5201\n");
        let found = known(&text).unwrap();
        assert_eq!(found.peers[0].address, None);
        assert_eq!(
            found.peers[1].address,
            Some("192.0.2.1:5301".parse().unwrap())
        );
        assert_eq!(found.foreign[0].kind, ServerKind::Iperf3);
        assert_eq!(found.foreign[0].name, "nas");
        let why = known(&format!("\n{key} pi somewhere")).unwrap_err();
        assert!(
            why.starts_with("line 2: \"somewhere\" is no address"),
            "{why}"
        );
    }
}
