//! Scheduling of a thread that has something to do.

#![expect(
    unsafe_code,
    reason = "system calls without pointers to others' memory"
)]

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::num::NonZeroU64;

use rustix::mm::MlockAllFlags;

/// Lets this thread run before all that are not of the real-time kind (sched(7), SCHED_FIFO).
///
/// # Errors
/// When the system does not allow it: it needs CAP_SYS_NICE, or a limit RLIMIT_RTPRIO, and in a
/// user namespace neither counts.
pub fn make_real_time(priority: i32) -> io::Result<()> {
    let priority = libc::sched_param {
        sched_priority: priority,
    };
    // SAFETY: `priority` outlives the call.
    let made = unsafe {
        // Children are ordinary again: programs that this process starts do not inherit it.
        let policy = libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK;
        libc::sched_setscheduler(0, policy, &raw const priority)
    };
    match made {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Lets timers of this thread expire when they are due, and not up to 50 µs later to save power.
///
/// # Errors
/// When the system does not know of it.
pub fn expire_exactly() -> io::Result<()> {
    Ok(rustix::thread::set_current_timer_slack(NonZeroU64::new(1))?)
}

/// Keeps idle processors from sleeping so deeply that they wake up late, as long as what is answered
/// lives (PM QoS, `/dev/cpu_dma_latency`).
///
/// # Errors
/// When the system has no such device or does not let this user open it.
pub fn stay_awake() -> io::Result<File> {
    let mut asked = OpenOptions::new()
        .write(true)
        .open("/dev/cpu_dma_latency")?;
    // Microseconds that waking up may take.
    asked.write_all(&0_i32.to_ne_bytes())?;
    Ok(asked)
}

/// Keeps all memory of this process, now and later, where it cannot be paged out.
///
/// # Errors
/// When the limit RLIMIT_MEMLOCK is too low.
pub fn stay_in_memory() -> io::Result<()> {
    Ok(rustix::mm::mlockall(
        MlockAllFlags::CURRENT | MlockAllFlags::FUTURE,
    )?)
}

/// Returns how many processors this process may use.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get)
}

/// Takes the thread back to the ordinary kind.
///
/// # Errors
/// When the system does not allow it.
pub fn make_ordinary() -> io::Result<()> {
    let priority = libc::sched_param { sched_priority: 0 };
    // SAFETY: `priority` outlives the call.
    match unsafe { libc::sched_setscheduler(0, libc::SCHED_OTHER, &raw const priority) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
