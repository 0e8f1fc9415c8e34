//! The calls of the system that an endpoint makes; the kernel refuses all others (seccomp(2)).

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter,
};

/// Memory, time, randomness, and what threads of any libc need.
const OF_A_PROGRAM: &[libc::c_long] = &[
    libc::SYS_brk,
    libc::SYS_clock_getres,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_futex,
    libc::SYS_getpid,
    libc::SYS_getrandom,
    libc::SYS_gettid,
    libc::SYS_madvise,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_munmap,
    libc::SYS_nanosleep,
    libc::SYS_restart_syscall,
    libc::SYS_rseq,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_yield,
    libc::SYS_set_robust_list,
    libc::SYS_set_tid_address,
    libc::SYS_sigaltstack,
    libc::SYS_tgkill,
    // What its threads and memory are named, by libc.
    libc::SYS_prctl,
    // What it may still do and may not: nothing.
    libc::SYS_capget,
];
/// What is open, and sockets.
const OF_DESCRIPTORS: &[libc::c_long] = &[
    libc::SYS_accept4,
    libc::SYS_bind,
    libc::SYS_close,
    libc::SYS_connect,
    libc::SYS_dup,
    libc::SYS_fcntl,
    libc::SYS_fstat,
    libc::SYS_getpeername,
    libc::SYS_getsockname,
    libc::SYS_getsockopt,
    libc::SYS_ioctl,
    libc::SYS_listen,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_poll,
    libc::SYS_ppoll,
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_recvfrom,
    libc::SYS_recvmsg,
    libc::SYS_sendmsg,
    libc::SYS_sendto,
    libc::SYS_setsockopt,
    libc::SYS_shutdown,
    libc::SYS_write,
    libc::SYS_writev,
];
/// Families of sockets: IPv4 and IPv6.
const FAMILIES: [libc::c_int; 2] = [libc::AF_INET, libc::AF_INET6];

/// Has the kernel refuse this thread and those that it begins all calls but these; tells whether it
/// does so.
///
/// # Errors
/// When a kernel that could, will not.
pub(crate) fn permit_only() -> Result<bool, String> {
    let Ok(arch) = TargetArch::try_from(std::env::consts::ARCH) else {
        return Ok(false);
    };
    let told = |error: &dyn std::fmt::Display| format!("seccomp: {error}");
    for filter in [old_clone(arch), permitted(arch)] {
        let program: BpfProgram = filter
            .and_then(BpfProgram::try_from)
            .map_err(|error| told(&error))?;
        match apply_filter(&program) {
            Ok(()) => {}
            Err(seccompiler::Error::Seccomp(error) | seccompiler::Error::Prctl(error))
                if matches!(error.raw_os_error(), Some(libc::ENOSYS | libc::EINVAL)) =>
            {
                return Ok(false);
            }
            Err(error) => return Err(told(&error)),
        }
    }
    Ok(true)
}

type FilterResult = Result<SeccompFilter, seccompiler::BackendError>;

/// Says that there is no clone3, whose flags no filter sees: every libc then takes clone.
fn old_clone(arch: TargetArch) -> FilterResult {
    let rules = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
    let unknown = SeccompAction::Errno(libc::ENOSYS as u32);
    SeccompFilter::new(rules, SeccompAction::Allow, unknown, arch)
}

fn permitted(arch: TargetArch) -> FilterResult {
    let plain = OF_A_PROGRAM.iter().chain(OF_DESCRIPTORS);
    let mut rules: BTreeMap<_, _> = plain.map(|&call| (call, Vec::new())).collect();
    let whole = SeccompCmpArgLen::Dword;
    let of_family = |family: libc::c_int| {
        let is_it = SeccompCondition::new(0, whole.clone(), SeccompCmpOp::Eq, family as u64)?;
        SeccompRule::new(vec![is_it])
    };
    let of_families = FAMILIES.into_iter().map(of_family);
    rules.insert(libc::SYS_socket, of_families.collect::<Result<_, _>>()?);
    let thread = libc::CLONE_THREAD as u64;
    let is_thread = SeccompCondition::new(0, whole, SeccompCmpOp::MaskedEq(thread), thread)?;
    rules.insert(libc::SYS_clone, vec![SeccompRule::new(vec![is_thread])?]);
    rules.insert(libc::SYS_clone3, Vec::new());
    let refused = SeccompAction::Errno(libc::EPERM as u32);
    SeccompFilter::new(rules, refused, SeccompAction::Allow, arch)
}
