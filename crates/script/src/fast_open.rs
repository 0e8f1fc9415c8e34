//! Cookies of TCP Fast Open (RFC 7413) as Linux makes them: a hash of a client's and a server's
//! address, by a key (`__tcp_fastopen_cookie_gen_cipher`).

use std::hash::Hasher as _;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use siphasher::sip::SipHasher24;
use tcp::Cookie;

use crate::ast::CommandLineOption;

/// Key that cookies are made by (ip-sysctl, tcp_fastopen_key).
pub(crate) type CookieKey = [u8; 16];

/// The keys that the settings of the kernel's own scripts have, with the names that their runner
/// gives the cookies that are made by them.
const NAMED: [(&str, &str); 2] = [
    ("TFO_COOKIE", "a1a1a1a1-b2b2b2b2-c3c3c3c3-d4d4d4d4"),
    ("TFO_COOKIE_ZERO", "00000000-00000000-00000000-00000000"),
];

/// The two ends' addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CookieAddresses {
    pub local: IpAddr,
    pub remote: IpAddr,
}

impl CookieAddresses {
    /// Packetdrill's own, or what a script's options name.
    pub fn of(settings: &[CommandLineOption]) -> CookieAddresses {
        let last = |name: &str| settings.iter().rev().find(|setting| setting.name == name);
        let is_v6 = last("ip_version").is_some_and(|version| version.value == "ipv6");
        let named = |name: &str| last(name).and_then(|setting| setting.value.parse().ok());
        let (local, remote) = match is_v6 {
            true => (
                Ipv6Addr::new(0xfd3d, 0x0a0b, 0x17d6, 0, 0, 0, 0, 1).into(),
                Ipv6Addr::new(0xfd3d, 0xfa7b, 0xd17d, 0, 0, 0, 0, 1).into(),
            ),
            false => (
                Ipv4Addr::new(192, 168, 0, 1).into(),
                Ipv4Addr::new(192, 0, 2, 1).into(),
            ),
        };
        CookieAddresses {
            local: named("local_ip").unwrap_or(local),
            remote: named("remote_ip").unwrap_or(remote),
        }
    }

    /// The cookie of the client at the remote end.
    pub fn cookie(&self, key: &CookieKey) -> Cookie {
        let word = |bytes: &[u8]| {
            bytes
                .iter()
                .rev()
                .fold(0, |sum, byte| sum << 8 | u64::from(*byte))
        };
        let mut hasher = SipHasher24::new_with_keys(word(&key[..8]), word(&key[8..]));
        for address in [self.remote, self.local] {
            match address {
                IpAddr::V4(address) => hasher.write(&address.octets()),
                IpAddr::V6(address) => hasher.write(&address.octets()),
            }
        }
        Cookie::new(&hasher.finish().to_le_bytes()).unwrap_or_default()
    }

    /// Names of cookies, and the cookies, as a script writes them.
    pub fn named_cookies(self) -> impl Iterator<Item = (String, String)> {
        NAMED.iter().filter_map(move |(name, text)| {
            let cookie = self.cookie(&keys(text)?.0);
            let digits = cookie.as_bytes().iter().map(|byte| format!("{byte:02x}"));
            Some(((*name).to_owned(), digits.collect()))
        })
    }
}

/// The key of "a1a1a1a1-b2b2b2b2-c3c3c3c3-d4d4d4d4", and the one of before after a comma.
pub(crate) fn keys(text: &str) -> Option<(CookieKey, Option<CookieKey>)> {
    match text.split_once(',') {
        Some((key, former)) => Some((one_key(key)?, Some(one_key(former)?))),
        None => Some((one_key(text)?, None)),
    }
}

fn one_key(text: &str) -> Option<CookieKey> {
    let mut key = CookieKey::default();
    let mut words = text.trim().split('-');
    for place in key.chunks_exact_mut(4) {
        let word = u32::from_str_radix(words.next()?, 16).ok()?;
        place.copy_from_slice(&word.to_le_bytes());
    }
    words.next().is_none().then_some(key)
}

/// The key or two of TCP_FASTOPEN_KEY.
pub(crate) fn keys_of_bytes(bytes: &[u8]) -> Option<(CookieKey, Option<CookieKey>)> {
    let (key, former) = bytes.split_at_checked(16)?;
    let key = key.try_into().ok()?;
    match former.is_empty() {
        true => Some((key, None)),
        false => Some((key, Some(former.try_into().ok()?))),
    }
}

/// The bytes that hexadecimal digits stand for.
pub(crate) fn bytes(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2);
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    pairs
        .map(|pair| byte(pair).filter(|_| pair.len() == 2))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(settings: &[CommandLineOption]) -> Vec<String> {
        let named = CookieAddresses::of(settings).named_cookies();
        named.map(|(_, cookie)| cookie).collect()
    }

    /// As the runner of Linux's tools/testing/selftests/net/packetdrill defines them (6.18), for
    /// both versions of IP.
    #[test]
    fn cookies_are_those_of_the_kernel() {
        assert_eq!(shown(&[]), ["3021b9d889017eeb", "b7c12350a90dc8f5"]);
        let v6 = CommandLineOption {
            line: 1,
            name: "ip_version".to_owned(),
            value: "ipv6".to_owned(),
        };
        assert_eq!(shown(&[v6]), ["c1d1e9742a47a9bc", "82af1a8f9a205c34"]);
    }

    #[test]
    fn a_key_has_four_words_and_one_of_before_may_follow() {
        let (key, former) = keys("1-2-3-4,5-6-7-8").unwrap();
        assert_eq!((key[0], key[12], former.unwrap()[0]), (1, 4, 5));
        assert_eq!(keys("1-2-3"), None);
        assert_eq!(keys("1-2-3-4-5"), None);
        assert_eq!(keys_of_bytes(&[0; 16]).unwrap().1, None);
        assert_eq!(keys_of_bytes(&[0; 3]), None);
    }

    #[test]
    fn digits_stand_for_bytes_in_pairs() {
        assert_eq!(bytes("0a1B"), Some(vec![10, 27]));
        assert_eq!(bytes("0a1"), None);
        assert_eq!(bytes("no"), None);
    }
}
