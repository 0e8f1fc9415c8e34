//! Pairing by a short code that is typed once: both machines prove that they know it, by SPAKE2
//! (RFC 9382), and then believe what key the other one says it has.
//!
//! Whoever is between them, or calls instead of the other, has one guess for a code: the code has
//! no value after a wrong one. What is read before the proof has a fixed length.

use std::fmt;
use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::str::FromStr;
use std::time::Duration;

use ring::hmac::{self, HMAC_SHA256};
use ring::rand::{SecureRandom as _, SystemRandom};
use spake2::{Ed25519Group, Identity as Role, Password, Spake2};

use crate::identity::PublicKey;

/// Longest time that the other machine may take for each thing that it says.
const PATIENCE: Duration = Duration::from_secs(5);
/// Callers who end without a guess, until the code is given up as well.
const MOST_CALLERS: usize = 1000;
const DIGITS: u32 = 8;
const CALLER: &[u8] = b"anechoic pair: caller";
const AWAITER: &[u8] = b"anechoic pair: awaiter";
/// Bytes of what SPAKE2 sends: its side, and a point of the curve.
const SHARE: usize = 33;
const TAG: usize = 32;
const SPKI: usize = 44;

/// Eight digits that one machine shows and the other is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairingCode(u32);

impl PairingCode {
    /// A new one.
    ///
    /// # Errors
    /// If the system gives no randomness.
    pub fn new() -> io::Result<PairingCode> {
        let mut bytes = [0; 8];
        SystemRandom::new()
            .fill(&mut bytes)
            .map_err(|_| io::Error::other("the system gives no randomness"))?;
        // Of 2^64 numbers, that some codes stand for one more makes no difference.
        let number = u64::from_le_bytes(bytes) % 10_u64.pow(DIGITS);
        Ok(PairingCode(number as u32))
    }
}

/// As `1234-5678`.
impl fmt::Display for PairingCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:04}", self.0 / 10_000, self.0 % 10_000)
    }
}

impl FromStr for PairingCode {
    type Err = String;

    fn from_str(text: &str) -> Result<PairingCode, String> {
        let digits: String = text.chars().filter(|letter| *letter != '-').collect();
        let is_code = digits.len() == DIGITS as usize && digits.bytes().all(|d| d.is_ascii_digit());
        let number = is_code.then(|| digits.parse().ok()).flatten();
        number.map(PairingCode).ok_or_else(|| {
            let text = text.escape_default();
            format!("\"{text}\" is no code; allowed: eight digits, as 1234-5678")
        })
    }
}

/// Awaits a machine that knows a code; gives its key.
///
/// # Errors
/// If one guesses wrong, which ends the code's use, or nobody listens here.
pub fn awaited(
    listener: &TcpListener,
    own: PublicKey,
    code: PairingCode,
) -> Result<PublicKey, String> {
    for _ in 0..MOST_CALLERS {
        let Ok((socket, _)) = listener.accept() else {
            continue;
        };
        match answer(socket, own, code) {
            // It went before it guessed.
            Err(Failed::Gone(_)) => {}
            Err(Failed::Guess) => return Err("a caller had another code".to_owned()),
            Ok(key) => return Ok(key),
        }
    }
    Err("too many callers without a code".to_owned())
}

/// Calls the machine that awaits a code; gives its key.
///
/// # Errors
/// If nobody awaits one there, or another.
pub fn called(to: SocketAddr, own: PublicKey, code: PairingCode) -> Result<PublicKey, String> {
    let socket = TcpStream::connect_timeout(&to, PATIENCE);
    let done = socket
        .map_err(Failed::Gone)
        .and_then(|socket| ask(socket, own, code));
    done.map_err(|failed| match failed {
        Failed::Gone(error) => {
            format!("{to}: no pairing is awaited there, or by another code: {error}")
        }
        Failed::Guess => format!("{to} has another code"),
    })
}

/// Why a pairing came to nothing.
enum Failed {
    Gone(io::Error),
    Guess,
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Failed {
        Failed::Gone(error)
    }
}

fn ask(socket: TcpStream, own: PublicKey, code: PairingCode) -> Result<PublicKey, Failed> {
    let (state, share) =
        Spake2::<Ed25519Group>::start_a(&password(code), &role(CALLER), &role(AWAITER));
    let mut line = PairingConnection::over(socket)?;
    line.send(&share)?;
    let secret = line.secret(state)?;
    line.send(&proof(&secret, CALLER, own))?;
    line.proven(&secret, AWAITER)
}

fn answer(socket: TcpStream, own: PublicKey, code: PairingCode) -> Result<PublicKey, Failed> {
    let (state, share) =
        Spake2::<Ed25519Group>::start_b(&password(code), &role(CALLER), &role(AWAITER));
    let mut line = PairingConnection::over(socket)?;
    let secret = line.secret(state)?;
    line.send(&share)?;
    let key = line.proven(&secret, CALLER)?;
    line.send(&proof(&secret, AWAITER, own))?;
    Ok(key)
}

fn password(code: PairingCode) -> Password {
    Password::new(code.to_string())
}

fn role(name: &[u8]) -> Role {
    Role::new(name)
}

/// One's own key, with what only those can make who have the secret.
fn proof(secret: &hmac::Key, name: &[u8], own: PublicKey) -> Vec<u8> {
    let spki = own.spki();
    let tag = hmac::sign(secret, &[name, &spki].concat());
    [&spki, tag.as_ref()].concat()
}

/// The connection between both.
struct PairingConnection(TcpStream);

impl PairingConnection {
    fn over(socket: TcpStream) -> io::Result<PairingConnection> {
        socket.set_read_timeout(Some(PATIENCE))?;
        socket.set_write_timeout(Some(PATIENCE))?;
        Ok(PairingConnection(socket))
    }

    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)
    }

    fn secret(&mut self, state: Spake2<Ed25519Group>) -> io::Result<hmac::Key> {
        let mut share = [0; SHARE];
        self.0.read_exact(&mut share)?;
        let refused = |_| io::Error::new(io::ErrorKind::InvalidData, "it speaks of something else");
        let secret = state.finish(&share).map_err(refused)?;
        Ok(hmac::Key::new(HMAC_SHA256, &secret))
    }

    /// Reads the other's key, and believes it where the proof is right.
    fn proven(&mut self, secret: &hmac::Key, name: &[u8]) -> Result<PublicKey, Failed> {
        let mut said = [0; SPKI + TAG];
        self.0.read_exact(&mut said)?;
        let (spki, tag) = said.split_at(SPKI);
        hmac::verify(secret, &[name, spki].concat(), tag).map_err(|_| Failed::Guess)?;
        PublicKey::from_spki(spki).ok_or(Failed::Guess)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::identity::Identity;

    fn code(text: &str) -> PairingCode {
        text.parse().unwrap()
    }

    /// Awaits a code in a thread; gives where, and what comes of it.
    fn awaiting(own: PublicKey) -> (SocketAddr, thread::JoinHandle<Result<PublicKey, String>>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let at = listener.local_addr().unwrap();
        let awaits = move || awaited(&listener, own, code("0412-9977"));
        (at, thread::spawn(awaits))
    }

    fn keys() -> [PublicKey; 2] {
        [(); 2].map(|()| Identity::new().unwrap().key)
    }

    #[test]
    fn two_machines_with_one_code_learn_each_others_keys() {
        let [console, endpoint] = keys();
        let (at, awaits) = awaiting(endpoint);
        assert_eq!(called(at, console, code("04129977")), Ok(endpoint));
        assert_eq!(awaits.join().unwrap(), Ok(console));
    }

    #[test]
    fn guessing_a_code_once_ends_its_use() {
        let [console, endpoint] = keys();
        let (at, awaits) = awaiting(endpoint);
        assert!(called(at, console, code("0412-9978")).is_err());
        let why = awaits.join().unwrap().unwrap_err();
        assert_eq!(why, "a caller had another code");
        assert!(called(at, console, code("0412-9977")).is_err());
    }

    #[test]
    fn callers_without_a_guess_take_nothing_from_a_code() {
        let [console, endpoint] = keys();
        let (at, awaits) = awaiting(endpoint);
        drop(TcpStream::connect(at).unwrap());
        let mut stranger = TcpStream::connect(at).unwrap();
        stranger.write_all(&[7; 200]).unwrap();
        drop(stranger);
        assert_eq!(called(at, console, code("0412-9977")), Ok(endpoint));
        assert_eq!(awaits.join().unwrap(), Ok(console));
    }

    #[test]
    fn a_key_that_was_exchanged_on_the_way_is_not_believed() {
        let [own, other] = keys();
        let secret = hmac::Key::new(HMAC_SHA256, &[7; 32]);
        let mut forged = proof(&secret, CALLER, own);
        forged[..SPKI].copy_from_slice(&other.spki());
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut socket = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        socket.write_all(&forged).unwrap();
        let mut line = PairingConnection::over(listener.accept().unwrap().0).unwrap();
        assert!(matches!(line.proven(&secret, CALLER), Err(Failed::Guess)));
    }

    #[test]
    fn a_code_is_read_as_it_is_shown() {
        let made = PairingCode::new().unwrap();
        assert_eq!(made.to_string().parse(), Ok(made));
        assert_eq!(code("0000-0042").to_string(), "0000-0042");
        for wrong in ["", "1234", "1234-567x", "123456789", "+1234567"] {
            let why = wrong.parse::<PairingCode>().unwrap_err();
            assert!(
                why.ends_with("allowed: eight digits, as 1234-5678"),
                "{why}"
            );
        }
    }
}
