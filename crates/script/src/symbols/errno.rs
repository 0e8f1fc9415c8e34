//! Error numbers of calls.

/// Why a call failed, by Linux's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Errno(pub i32);

impl Errno {
    pub(crate) const BAD_DESCRIPTOR: Errno = Errno(9);
    pub(crate) const AGAIN: Errno = Errno(11);
    pub(crate) const FAULT: Errno = Errno(14);
    pub(crate) const INVALID: Errno = Errno(22);
    pub(crate) const TOO_MANY_FILES: Errno = Errno(24);
    pub(crate) const BROKEN_PIPE: Errno = Errno(32);
    pub(crate) const NOT_SOCKET: Errno = Errno(88);
    pub(crate) const NOT_SUPPORTED: Errno = Errno(95);
    pub(crate) const ABORTED: Errno = Errno(103);
    pub(crate) const RESET: Errno = Errno(104);
    pub(crate) const ALREADY_CONNECTED: Errno = Errno(106);
    pub(crate) const NOT_CONNECTED: Errno = Errno(107);
    pub(crate) const TIMED_OUT: Errno = Errno(110);
    pub(crate) const REFUSED: Errno = Errno(111);
    pub(crate) const ALREADY: Errno = Errno(114);
    pub(crate) const IN_PROGRESS: Errno = Errno(115);

    /// The name a script writes.
    pub fn name(self) -> String {
        let known = NAMES.iter().find(|entry| entry.1 == self.0);
        known.map_or_else(|| format!("error {}", self.0), |entry| entry.0.to_owned())
    }

    /// The error of this name.
    pub fn named(name: &str) -> Option<Errno> {
        let known = NAMES.iter().find(|entry| entry.0 == name);
        known.map(|entry| Errno(entry.1))
    }
}

/// asm-generic/errno-base.h and asm-generic/errno.h, as far as calls on sockets give them. Of two
/// names for a number the first is shown.
const NAMES: &[(&str, i32)] = &[
    ("EPERM", 1),
    ("ENOENT", 2),
    ("EINTR", 4),
    ("EIO", 5),
    ("EBADF", 9),
    ("EAGAIN", 11),
    ("EWOULDBLOCK", 11),
    ("ENOMEM", 12),
    ("EACCES", 13),
    ("EFAULT", 14),
    ("EBUSY", 16),
    ("EEXIST", 17),
    ("ENODEV", 19),
    ("EINVAL", 22),
    ("EMFILE", 24),
    ("ENOTTY", 25),
    ("ESPIPE", 29),
    ("EPIPE", 32),
    ("EDOM", 33),
    ("ERANGE", 34),
    ("ENOSYS", 38),
    ("ENOMSG", 42),
    ("ENONET", 64),
    ("EPROTO", 71),
    ("EBADMSG", 74),
    ("EOVERFLOW", 75),
    ("ENOTSOCK", 88),
    ("EDESTADDRREQ", 89),
    ("EMSGSIZE", 90),
    ("EPROTOTYPE", 91),
    ("ENOPROTOOPT", 92),
    ("EPROTONOSUPPORT", 93),
    ("ESOCKTNOSUPPORT", 94),
    ("EOPNOTSUPP", 95),
    ("ENOTSUP", 95),
    ("EPFNOSUPPORT", 96),
    ("EAFNOSUPPORT", 97),
    ("EADDRINUSE", 98),
    ("EADDRNOTAVAIL", 99),
    ("ENETDOWN", 100),
    ("ENETUNREACH", 101),
    ("ENETRESET", 102),
    ("ECONNABORTED", 103),
    ("ECONNRESET", 104),
    ("ENOBUFS", 105),
    ("EISCONN", 106),
    ("ENOTCONN", 107),
    ("ESHUTDOWN", 108),
    ("ETIMEDOUT", 110),
    ("ECONNREFUSED", 111),
    ("EHOSTDOWN", 112),
    ("EHOSTUNREACH", 113),
    ("EALREADY", 114),
    ("EINPROGRESS", 115),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_the_name_of_its_number() {
        assert_eq!(Errno::RESET.name(), "ECONNRESET");
        assert_eq!(Errno::named("EWOULDBLOCK"), Some(Errno::AGAIN));
        assert_eq!(Errno::AGAIN.name(), "EAGAIN");
        assert_eq!(Errno(9999).name(), "error 9999");
    }
}
