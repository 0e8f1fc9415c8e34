//! A channel between console and endpoint: TLS 1.3 with the raw public keys that both pinned.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{AlwaysResolvesClientRawPublicKeys, Resumption};
use rustls::crypto::{CryptoProvider, verify_tls13_signature_with_raw_key};
use rustls::pki_types::{
    CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName, SubjectPublicKeyInfoDer,
    UnixTime,
};
use rustls::server::AlwaysResolvesServerRawPublicKeys;
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::sign::CertifiedKey;
use rustls::{
    AlertDescription, CertificateError, ClientConfig, ClientConnection, DigitallySignedStruct,
    DistinguishedName, Error, ServerConfig, ServerConnection, SignatureScheme, StreamOwned,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::identity::{Identity, PublicKey};

/// What both ends say that they speak, in the handshake (ALPN, RFC 7301). A change of messages
/// changes its number: nothing is parsed of another version.
const PROTOCOL: &[u8] = b"anechoic/3";
/// How long a handshake may take.
const HANDSHAKE: Duration = Duration::from_secs(5);
/// Bytes of a message to an endpoint, at most.
pub const TO_ENDPOINT: usize = 64 << 10;
/// Bytes of a message to a console, at most: what an endpoint has room for, and as much again.
pub const TO_CONSOLE: usize = 64 << 20;

/// Accepts the peers whose keys are in a list, and no other.
#[derive(Debug)]
struct Pinned {
    keys: Vec<PublicKey>,
    provider: Arc<CryptoProvider>,
}

impl Pinned {
    fn check(&self, spki: &[u8]) -> Result<(), Error> {
        let known = PublicKey::from_spki(spki).is_some_and(|key| self.keys.contains(&key));
        let refused = Error::InvalidCertificate(CertificateError::UnknownIssuer);
        known.then_some(()).ok_or(refused)
    }

    fn signed(
        &self,
        message: &[u8],
        spki: &[u8],
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        let spki = SubjectPublicKeyInfoDer::from(spki);
        verify_tls13_signature_with_raw_key(message, &spki, signed, algorithms)
    }
}

/// The refusal of what only TLS 1.2 has.
fn old() -> Result<HandshakeSignatureValid, Error> {
    Err(Error::General("TLS 1.3 only".to_owned()))
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        key: &CertificateDer<'_>,
        _between: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.check(key).map(|()| ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        old()
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        key: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.signed(message, key, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ED25519]
    }

    fn requires_raw_public_keys(&self) -> bool {
        true
    }
}

impl ClientCertVerifier for Pinned {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        key: &CertificateDer<'_>,
        _between: &[CertificateDer<'_>],
        _now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        self.check(key).map(|()| ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        old()
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        key: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.signed(message, key, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ED25519]
    }

    fn requires_raw_public_keys(&self) -> bool {
        true
    }
}

fn certified(identity: &Identity, provider: &CryptoProvider) -> Result<Arc<CertifiedKey>, Error> {
    let secret = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(identity.secret.clone()));
    let signer = provider.key_provider.load_private_key(secret)?;
    let key = CertificateDer::from(identity.key.spki());
    Ok(Arc::new(CertifiedKey::new(vec![key], signer)))
}

fn pinned(keys: Vec<PublicKey>) -> (Arc<CryptoProvider>, Arc<Pinned>) {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = Pinned {
        keys,
        provider: provider.clone(),
    };
    (provider, Arc::new(verifier))
}

/// Returns how an endpoint meets consoles: those of `keys` alone, and no session twice.
///
/// # Errors
/// When the identity's key cannot sign.
pub fn meets(identity: &Identity, keys: Vec<PublicKey>) -> Result<Arc<ServerConfig>, Error> {
    let (provider, verifier) = pinned(keys);
    let own = certified(identity, &provider)?;
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .with_client_cert_verifier(verifier)
        .with_cert_resolver(Arc::new(AlwaysResolvesServerRawPublicKeys::new(own)));
    config.send_tls13_tickets = 0;
    config.alpn_protocols = vec![PROTOCOL.to_vec()];
    Ok(Arc::new(config))
}

/// Returns how a console meets the endpoint that has `key`.
///
/// # Errors
/// When the identity's key cannot sign.
pub fn calls(identity: &Identity, key: PublicKey) -> Result<Arc<ClientConfig>, Error> {
    let (provider, verifier) = pinned(vec![key]);
    let own = certified(identity, &provider)?;
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_client_cert_resolver(Arc::new(AlwaysResolvesClientRawPublicKeys::new(own)));
    config.resumption = Resumption::disabled();
    config.alpn_protocols = vec![PROTOCOL.to_vec()];
    Ok(Arc::new(config))
}

/// An endpoint's end of a channel.
pub type Answering = StreamOwned<ServerConnection, TcpStream>;
/// A console's end.
pub type Calling = StreamOwned<ClientConnection, TcpStream>;

/// A socket whose caller has to be done by an instant, however often a byte comes.
struct Hurried<'a> {
    socket: &'a mut TcpStream,
    until: Instant,
}

impl Read for Hurried<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if Instant::now() > self.until {
            return Err(io::Error::new(
                io::ErrorKind::TimedOut,
                "the handshake takes too long",
            ));
        }
        self.socket.read(buffer)
    }
}

impl Write for Hurried<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.socket.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.socket.flush()
    }
}

/// Shakes hands with whoever has called, and tells who it is.
///
/// # Errors
/// When the caller is unknown, speaks another protocol, or is silent.
pub fn answer(
    config: &Arc<ServerConfig>,
    mut socket: TcpStream,
) -> io::Result<(Answering, PublicKey)> {
    let mut tls = ServerConnection::new(config.clone()).map_err(io::Error::other)?;
    let mut hurried = Hurried {
        socket: &mut socket,
        until: Instant::now() + HANDSHAKE,
    };
    while tls.is_handshaking() {
        tls.complete_io(&mut hurried)?;
    }
    let key = tls
        .peer_certificates()
        .and_then(|keys| PublicKey::from_spki(keys.first()?));
    let key = key.ok_or_else(|| io::Error::other("the caller has no key"))?;
    check_protocol(tls.alpn_protocol())?;
    Ok((StreamOwned::new(tls, socket), key))
}

/// Shakes hands with an endpoint.
///
/// # Errors
/// When it is another, or does not know this console.
pub fn call(config: Arc<ClientConfig>, mut socket: TcpStream) -> io::Result<Calling> {
    // The key is what names an endpoint; TLS wants some name to send.
    let name = ServerName::try_from("endpoint.invalid").map_err(io::Error::other)?;
    let mut tls = ClientConnection::new(config, name).map_err(io::Error::other)?;
    while tls.is_handshaking() {
        tls.complete_io(&mut socket)?;
    }
    check_protocol(tls.alpn_protocol())?;
    Ok(StreamOwned::new(tls, socket))
}

fn check_protocol(spoken: Option<&[u8]>) -> io::Result<()> {
    let other = || io::Error::other(Error::NoApplicationProtocol);
    (spoken == Some(PROTOCOL)).then_some(()).ok_or_else(other)
}

/// Why a channel ended, in words.
pub(crate) fn told(error: &io::Error) -> String {
    let of_tls = error.get_ref().and_then(|why| why.downcast_ref::<Error>());
    if let Some(
        Error::NoApplicationProtocol
        | Error::AlertReceived(AlertDescription::NoApplicationProtocol),
    ) = of_tls
    {
        return "it is of another version".to_owned();
    }
    match error.kind() {
        io::ErrorKind::UnexpectedEof => "it hung up".to_owned(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => "it is silent".to_owned(),
        _ => error.to_string(),
    }
}

/// Sends a message: its length as four bytes, then JSON.
///
/// # Errors
/// When the channel is gone.
pub fn send(channel: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    send_bytes(channel, &serde_json::to_vec(message)?)
}

/// Sends bytes behind a message that tells of them: their length as four bytes, then they.
///
/// # Errors
/// When the channel is gone.
pub fn send_bytes(channel: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
    channel.write_all(&length.to_be_bytes())?;
    channel.write_all(bytes)?;
    channel.flush()
}

/// Receives a message of `most` bytes at most.
///
/// # Errors
/// When the channel is gone or silent, or the message is longer or another.
pub fn receive<T: DeserializeOwned>(channel: &mut impl Read, most: usize) -> io::Result<T> {
    Ok(serde_json::from_slice(&receive_bytes(channel, most)?)?)
}

/// Receives `most` bytes at most.
///
/// # Errors
/// When the channel is gone or silent, or they are more.
pub fn receive_bytes(channel: &mut impl Read, most: usize) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    channel.read_exact(&mut length)?;
    let length = u32::from_be_bytes(length) as usize;
    if length > most {
        let why = format!("a message of {length} bytes; allowed: {most} at most");
        return Err(io::Error::new(io::ErrorKind::InvalidData, why));
    }
    let mut bytes = vec![0; length];
    channel.read_exact(&mut bytes)?;
    Ok(bytes)
}
