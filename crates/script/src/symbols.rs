//! The names of Linux's headers that scripts use, with their values.

/// Error numbers of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Errno {
    Again,
    BadDescriptor,
    Invalid,
    NotSocket,
    AlreadyConnected,
    NotConnected,
    InProgress,
    Already,
    BrokenPipe,
    Reset,
    Refused,
    TimedOut,
}

impl Errno {
    /// The name a script writes.
    pub const fn name(self) -> &'static str {
        match self {
            Errno::Again => "EAGAIN",
            Errno::BadDescriptor => "EBADF",
            Errno::Invalid => "EINVAL",
            Errno::NotSocket => "ENOTSOCK",
            Errno::AlreadyConnected => "EISCONN",
            Errno::NotConnected => "ENOTCONN",
            Errno::InProgress => "EINPROGRESS",
            Errno::Already => "EALREADY",
            Errno::BrokenPipe => "EPIPE",
            Errno::Reset => "ECONNRESET",
            Errno::Refused => "ECONNREFUSED",
            Errno::TimedOut => "ETIMEDOUT",
        }
    }

    /// The number, which SO_ERROR gives.
    pub const fn number(self) -> i64 {
        match self {
            Errno::BadDescriptor => 9,
            Errno::Again => 11,
            Errno::Invalid => 22,
            Errno::BrokenPipe => 32,
            Errno::NotSocket => 88,
            Errno::Reset => 104,
            Errno::AlreadyConnected => 106,
            Errno::NotConnected => 107,
            Errno::TimedOut => 110,
            Errno::Refused => 111,
            Errno::Already => 114,
            Errno::InProgress => 115,
        }
    }
}

pub(crate) const POLLIN: i64 = 0x1;
pub(crate) const POLLOUT: i64 = 0x4;
pub(crate) const POLLERR: i64 = 0x8;
pub(crate) const POLLHUP: i64 = 0x10;
pub(crate) const POLLRDHUP: i64 = 0x2000;
pub(crate) const EPOLLET: i64 = 1 << 31;
pub(crate) const O_NONBLOCK: i64 = 0o4000;
pub(crate) const MSG_DONTWAIT: i64 = 0x40;
pub(crate) const MSG_MORE: i64 = 0x8000;
pub(crate) const MSG_PEEK: i64 = 0x2;
pub(crate) const MSG_NOSIGNAL: i64 = 0x4000;
pub(crate) const MSG_WAITALL: i64 = 0x100;
pub(crate) const SOCK_STREAM: i64 = 1;

/// Values of asm-generic's headers, as Linux has them on x86 and ARM.
const VALUES: &[(&str, i64)] = &[
    ("AF_INET", 2),
    ("AF_INET6", 10),
    ("EPOLLERR", POLLERR),
    ("EPOLLET", EPOLLET),
    ("EPOLLHUP", POLLHUP),
    ("EPOLLIN", POLLIN),
    ("EPOLLOUT", POLLOUT),
    ("EPOLLRDHUP", POLLRDHUP),
    ("EPOLL_CTL_ADD", 1),
    ("EPOLL_CTL_DEL", 2),
    ("EPOLL_CTL_MOD", 3),
    ("FD_CLOEXEC", 1),
    ("F_GETFD", 1),
    ("F_GETFL", 3),
    ("F_SETFD", 2),
    ("F_SETFL", 4),
    ("IPPROTO_IP", 0),
    ("IPPROTO_TCP", 6),
    ("MSG_DONTWAIT", MSG_DONTWAIT),
    ("MSG_MORE", MSG_MORE),
    ("MSG_NOSIGNAL", MSG_NOSIGNAL),
    ("MSG_PEEK", MSG_PEEK),
    ("MSG_WAITALL", MSG_WAITALL),
    ("O_NONBLOCK", O_NONBLOCK),
    ("O_RDONLY", 0),
    ("O_RDWR", 2),
    ("POLLERR", POLLERR),
    ("POLLHUP", POLLHUP),
    ("POLLIN", POLLIN),
    ("POLLOUT", POLLOUT),
    ("POLLRDHUP", POLLRDHUP),
    ("SHUT_RD", 0),
    ("SHUT_RDWR", 2),
    ("SHUT_WR", 1),
    ("SOCK_NONBLOCK", O_NONBLOCK),
    ("SOCK_STREAM", SOCK_STREAM),
];

/// The value of a name.
pub(crate) fn value(name: &str) -> Option<i64> {
    VALUES
        .iter()
        .find(|entry| entry.0 == name)
        .map(|entry| entry.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_each_stands_once() {
        assert!(VALUES.is_sorted_by(|a, b| a.0 < b.0));
    }
}
