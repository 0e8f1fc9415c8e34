//! The names of Linux's headers that scripts use, with their values, as Linux has them on x86
//! and ARM (asm-generic).

mod errno;
mod icmp;

pub use errno::Errno;
pub use icmp::{IcmpMeaning, PATH_MTU_MIN, icmp_meaning};

/// Bits of `poll` and `epoll`.
pub(crate) const POLLIN: i64 = 0x1;
pub(crate) const POLLPRI: i64 = 0x2;
pub(crate) const POLLOUT: i64 = 0x4;
pub(crate) const POLLERR: i64 = 0x8;
pub(crate) const POLLHUP: i64 = 0x10;
pub(crate) const POLLNVAL: i64 = 0x20;
pub(crate) const POLLRDNORM: i64 = 0x40;
const POLLRDBAND: i64 = 0x80;
pub(crate) const POLLWRNORM: i64 = 0x100;
const POLLWRBAND: i64 = 0x200;
pub(crate) const POLLRDHUP: i64 = 0x2000;
pub(crate) const EPOLLONESHOT: i64 = 1 << 30;
pub(crate) const EPOLLET: i64 = 1 << 31;
pub(crate) const O_NONBLOCK: i64 = 0o4000;
const O_CLOEXEC: i64 = 0o2_000_000;
pub(crate) const MSG_OOB: i64 = 0x1;
pub(crate) const MSG_PEEK: i64 = 0x2;
pub(crate) const MSG_TRUNC: i64 = 0x20;
pub(crate) const MSG_DONTWAIT: i64 = 0x40;
pub(crate) const MSG_EOR: i64 = 0x80;
pub(crate) const MSG_WAITALL: i64 = 0x100;
pub(crate) const MSG_ERRQUEUE: i64 = 0x2000;
pub(crate) const MSG_NOSIGNAL: i64 = 0x4000;
pub(crate) const MSG_MORE: i64 = 0x8000;
pub(crate) const MSG_ZEROCOPY: i64 = 0x400_0000;
pub(crate) const MSG_FASTOPEN: i64 = 0x2000_0000;
pub(crate) const SPLICE_F_MORE: i64 = 4;
pub(crate) const SOCK_STREAM: i64 = 1;

const VALUES: &[(&str, i64)] = &[
    ("AF_INET", 2),
    ("AF_INET6", 10),
    ("AF_UNSPEC", 0),
    // What the runner of the kernel's own scripts defines for IPv4.
    ("CMSG_LEVEL_IP", 0),
    ("CMSG_TYPE_RECVERR", 11),
    ("EPOLLERR", POLLERR),
    ("EPOLLET", EPOLLET),
    ("EPOLLEXCLUSIVE", 1 << 28),
    ("EPOLLHUP", POLLHUP),
    ("EPOLLIN", POLLIN),
    ("EPOLLONESHOT", EPOLLONESHOT),
    ("EPOLLOUT", POLLOUT),
    ("EPOLLPRI", POLLPRI),
    ("EPOLLRDBAND", POLLRDBAND),
    ("EPOLLRDHUP", POLLRDHUP),
    ("EPOLLRDNORM", POLLRDNORM),
    ("EPOLLWAKEUP", 1 << 29),
    ("EPOLLWRBAND", POLLWRBAND),
    ("EPOLLWRNORM", POLLWRNORM),
    ("EPOLL_CLOEXEC", O_CLOEXEC),
    ("EPOLL_CTL_ADD", 1),
    ("EPOLL_CTL_DEL", 2),
    ("EPOLL_CTL_MOD", 3),
    ("FD_CLOEXEC", 1),
    ("FIONREAD", 0x541b),
    ("F_GETFD", 1),
    ("F_GETFL", 3),
    ("F_SETFD", 2),
    ("F_SETFL", 4),
    ("IPPROTO_IP", 0),
    ("IPPROTO_IPV6", 41),
    ("IPPROTO_TCP", 6),
    ("IP_BIND_ADDRESS_NO_PORT", 24),
    ("IP_FREEBIND", 15),
    ("IP_MTU", 14),
    ("IP_MTU_DISCOVER", 10),
    ("IP_PMTUDISC_DO", 2),
    ("IP_PMTUDISC_DONT", 0),
    ("IP_PMTUDISC_INTERFACE", 4),
    ("IP_PMTUDISC_OMIT", 5),
    ("IP_PMTUDISC_PROBE", 3),
    ("IP_PMTUDISC_WANT", 1),
    ("IP_RECVERR", 11),
    ("IP_RECVTOS", 13),
    ("IP_TOS", 1),
    ("IP_TRANSPARENT", 19),
    ("IP_TTL", 2),
    ("IPV6_MTU", 24),
    ("IPV6_RECVERR", 25),
    ("IPV6_TCLASS", 67),
    ("IPV6_UNICAST_HOPS", 16),
    ("IPV6_V6ONLY", 26),
    ("MSG_CTRUNC", 0x8),
    ("MSG_DONTROUTE", 0x4),
    ("MSG_DONTWAIT", MSG_DONTWAIT),
    ("MSG_EOR", MSG_EOR),
    ("MSG_ERRQUEUE", MSG_ERRQUEUE),
    ("MSG_FASTOPEN", MSG_FASTOPEN),
    ("MSG_MORE", MSG_MORE),
    ("MSG_NOSIGNAL", MSG_NOSIGNAL),
    ("MSG_OOB", MSG_OOB),
    ("MSG_PEEK", MSG_PEEK),
    ("MSG_TRUNC", MSG_TRUNC),
    ("MSG_WAITALL", MSG_WAITALL),
    ("MSG_ZEROCOPY", MSG_ZEROCOPY),
    ("O_CLOEXEC", O_CLOEXEC),
    ("O_NONBLOCK", O_NONBLOCK),
    ("O_RDONLY", 0),
    ("O_RDWR", 2),
    ("O_WRONLY", 1),
    ("PF_INET", 2),
    ("PF_INET6", 10),
    ("POLLERR", POLLERR),
    ("POLLHUP", POLLHUP),
    ("POLLIN", POLLIN),
    ("POLLNVAL", POLLNVAL),
    ("POLLOUT", POLLOUT),
    ("POLLPRI", POLLPRI),
    ("POLLRDBAND", POLLRDBAND),
    ("POLLRDHUP", POLLRDHUP),
    ("POLLRDNORM", POLLRDNORM),
    ("POLLWRBAND", POLLWRBAND),
    ("POLLWRNORM", POLLWRNORM),
    ("SCM_TIMESTAMPING", 37),
    ("SCM_TSTAMP_ACK", 2),
    ("SCM_TSTAMP_SCHED", 1),
    ("SCM_TSTAMP_SND", 0),
    ("SHUT_RD", 0),
    ("SHUT_RDWR", 2),
    ("SHUT_WR", 1),
    ("SIOCINQ", 0x541b),
    ("SIOCOUTQ", 0x5411),
    ("SIOCOUTQNSD", 0x894b),
    ("SOCK_CLOEXEC", O_CLOEXEC),
    ("SOCK_DGRAM", 2),
    ("SOCK_NONBLOCK", O_NONBLOCK),
    ("SOCK_RAW", 3),
    ("SOCK_STREAM", SOCK_STREAM),
    ("SOF_TIMESTAMPING_BIND_PHC", 1 << 15),
    ("SOF_TIMESTAMPING_OPT_CMSG", 1 << 10),
    ("SOF_TIMESTAMPING_OPT_ID", 1 << 7),
    ("SOF_TIMESTAMPING_OPT_ID_TCP", 1 << 16),
    ("SOF_TIMESTAMPING_OPT_PKTINFO", 1 << 13),
    ("SOF_TIMESTAMPING_OPT_RX_FILTER", 1 << 17),
    ("SOF_TIMESTAMPING_OPT_STATS", 1 << 12),
    ("SOF_TIMESTAMPING_OPT_TSONLY", 1 << 11),
    ("SOF_TIMESTAMPING_OPT_TX_SWHW", 1 << 14),
    ("SOF_TIMESTAMPING_RAW_HARDWARE", 1 << 6),
    ("SOF_TIMESTAMPING_RX_HARDWARE", 1 << 2),
    ("SOF_TIMESTAMPING_RX_SOFTWARE", 1 << 3),
    ("SOF_TIMESTAMPING_SOFTWARE", 1 << 4),
    ("SOF_TIMESTAMPING_SYS_HARDWARE", 1 << 5),
    ("SOF_TIMESTAMPING_TX_ACK", 1 << 9),
    ("SOF_TIMESTAMPING_TX_HARDWARE", 1),
    ("SOF_TIMESTAMPING_TX_SCHED", 1 << 8),
    ("SOF_TIMESTAMPING_TX_SOFTWARE", 1 << 1),
    ("SOL_IP", 0),
    ("SOL_IPV6", 41),
    ("SOL_SOCKET", 1),
    ("SOL_TCP", 6),
    ("SO_ACCEPTCONN", 30),
    ("SO_BINDTODEVICE", 25),
    ("SO_BROADCAST", 6),
    ("SO_BUSY_POLL", 46),
    ("SO_DEBUG", 1),
    ("SO_DOMAIN", 39),
    ("SO_DONTROUTE", 5),
    ("SO_EE_CODE_ZEROCOPY_COPIED", 1),
    ("SO_EE_ORIGIN_ICMP", 2),
    ("SO_EE_ORIGIN_LOCAL", 1),
    ("SO_EE_ORIGIN_TIMESTAMPING", 4),
    ("SO_EE_ORIGIN_ZEROCOPY", 5),
    ("SO_ERROR", 4),
    ("SO_INCOMING_CPU", 49),
    ("SO_INCOMING_NAPI_ID", 56),
    ("SO_KEEPALIVE", 9),
    ("SO_LINGER", 13),
    ("SO_LOCK_FILTER", 44),
    ("SO_MARK", 36),
    ("SO_MAX_PACING_RATE", 47),
    ("SO_NO_CHECK", 11),
    ("SO_OOBINLINE", 10),
    ("SO_PRIORITY", 12),
    ("SO_PROTOCOL", 38),
    ("SO_RCVBUF", 8),
    ("SO_RCVBUFFORCE", 33),
    ("SO_RCVLOWAT", 18),
    ("SO_RCVTIMEO", 20),
    ("SO_REUSEADDR", 2),
    ("SO_REUSEPORT", 15),
    ("SO_SNDBUF", 7),
    ("SO_SNDBUFFORCE", 32),
    ("SO_SNDLOWAT", 19),
    ("SO_SNDTIMEO", 21),
    ("SO_TIMESTAMP", 29),
    ("SO_TIMESTAMPING", 37),
    ("SO_TIMESTAMPNS", 35),
    ("SO_TXREHASH", 74),
    ("SO_TYPE", 3),
    ("SO_ZEROCOPY", 60),
    ("SPLICE_F_MORE", SPLICE_F_MORE),
    ("SPLICE_F_MOVE", 1),
    ("SPLICE_F_NONBLOCK", 2),
    ("TCP_CC_INFO", 26),
    ("TCP_CM_INQ", 36),
    ("TCP_CONGESTION", 13),
    ("TCP_CORK", 3),
    ("TCP_DEFER_ACCEPT", 9),
    ("TCP_FASTOPEN", 23),
    ("TCP_FASTOPEN_CONNECT", 30),
    ("TCP_FASTOPEN_KEY", 33),
    ("TCP_FASTOPEN_NO_COOKIE", 34),
    ("TCP_INFO", 11),
    ("TCP_INQ", 36),
    ("TCP_KEEPCNT", 6),
    ("TCP_KEEPIDLE", 4),
    ("TCP_KEEPINTVL", 5),
    ("TCP_LINGER2", 8),
    ("TCP_MAXSEG", 2),
    ("TCP_MD5SIG", 14),
    ("TCP_NODELAY", 1),
    ("TCP_NOTSENT_LOWAT", 25),
    ("TCP_QUEUE_SEQ", 21),
    ("TCP_QUICKACK", 12),
    ("TCP_REPAIR", 19),
    ("TCP_REPAIR_OPTIONS", 22),
    ("TCP_REPAIR_QUEUE", 20),
    ("TCP_RTO_MAX_MS", 44),
    ("TCP_RTO_MIN_US", 45),
    ("TCP_DELACK_MAX_US", 46),
    ("TCP_SAVED_SYN", 28),
    ("TCP_SAVE_SYN", 27),
    ("TCP_SYNCNT", 7),
    ("TCP_THIN_DUPACK", 17),
    ("TCP_THIN_LINEAR_TIMEOUTS", 16),
    ("TCP_TIMESTAMP", 24),
    ("TCP_TX_DELAY", 37),
    ("TCP_ULP", 31),
    ("TCP_USER_TIMEOUT", 18),
    ("TCP_WINDOW_CLAMP", 10),
    ("TCP_ZEROCOPY_RECEIVE", 35),
    ("TIOCOUTQ", 0x5411),
];

/// The value of a name.
pub fn value(name: &str) -> Option<i64> {
    VALUES
        .iter()
        .find(|entry| entry.0 == name)
        .map(|entry| entry.1)
        .or_else(|| Errno::named(name).map(|errno| i64::from(errno.0)))
}

/// The names of flags, which begin with `prefix`, and what is left of them as a number.
pub(crate) fn flags(prefix: &str, mut flags: i64) -> String {
    let mut names = Vec::new();
    for (name, bit) in VALUES.iter().filter(|entry| entry.0.starts_with(prefix)) {
        if flags & bit != 0 {
            flags &= !bit;
            names.push((*name).to_owned());
        }
    }
    if flags != 0 {
        names.push(format!("{flags:#x}"));
    }
    names.join("|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_stands_once() {
        let mut names: Vec<_> = VALUES.iter().map(|entry| entry.0).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), VALUES.len());
    }

    #[test]
    fn flags_have_names_as_far_as_they_are_known() {
        assert_eq!(flags("MSG_", 0x80 | 1), "MSG_EOR|MSG_OOB");
        assert_eq!(flags("MSG_", 0x1000_0000_0000), "0x100000000000");
    }

    #[test]
    fn errors_are_values_too() {
        assert_eq!(value("ECONNRESET"), Some(104));
        assert_eq!(value("SO_ERROR"), Some(4));
        assert_eq!(value("SO_MYSTERY"), None);
    }
}
