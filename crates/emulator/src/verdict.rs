//! Verdict on an emulation: its figures are those of its network, and not of the machine it ran on.

use crate::outcome::{EmulationCourse, EmulationOutcome, RunVerdict};

/// The verdict on a run.
pub fn verdict(run: &EmulationOutcome) -> RunVerdict {
    let behind_the_end = [consequences(run), starving(run)];
    let mut reasons = reasons_so_far(&run.course);
    reasons.extend(behind_the_end.into_iter().flatten());
    RunVerdict { reasons }
}

/// Returns what speaks against a run so far, the first cause to remove first.
pub fn reasons_so_far(run: &EmulationCourse) -> Vec<String> {
    let checks = [
        stalls(run),
        lost_on_the_way_in(run),
        lost_on_the_way_out(run),
        refusals(run),
        lateness(run),
    ];
    checks.into_iter().flatten().collect()
}

fn stalls(run: &EmulationCourse) -> Option<String> {
    let longest = run.stalls.iter().map(|stall| stall.length_ns).max()?;
    Some(format!(
        "the emulator was kept from running {} times, {:.0} ms at most (limit {:.0} ms): {}",
        run.stalls.len(),
        longest.as_secs_f64() * 1e3,
        run.limits.stall_ns.as_secs_f64() * 1e3,
        remedy(run)
    ))
}

fn lost_on_the_way_in(run: &EmulationCourse) -> Option<String> {
    let port = run.ports.iter().find(|port| port.lost_in_ring > 0)?;
    Some(format!(
        "{} frames that {} sent ({}) were lost before the emulator read them: send less, or take a \
         machine with faster processors",
        port.lost_in_ring, port.node, port.interface
    ))
}

fn lost_on_the_way_out(run: &EmulationCourse) -> Option<String> {
    let port = run.ports.iter().find(|port| port.not_taken > 0)?;
    Some(format!(
        "{} did not take {} frames ({}): its interface was down, or full; leave it up",
        port.node, port.not_taken, port.interface
    ))
}

fn refusals(run: &EmulationCourse) -> Option<String> {
    let port = run.ports.iter().find(|port| port.refused > 0)?;
    Some(format!(
        "{} frames that came in at {} ({}) were longer than its MTU: what should have been cut by an \
         interface was not: ethtool -K tso off gso off at its other side",
        port.refused, port.node, port.interface
    ))
}

fn lateness(run: &EmulationCourse) -> Option<String> {
    let (found, limit) = (run.lateness_out.p99_ns, run.limits.lateness_p99_ns);
    (found > limit).then(|| {
        format!(
            "1 in 100 frames left more than {:.0} µs late (limit {:.0} µs): {}",
            found.as_secs_f64() * 1e6,
            limit.as_secs_f64() * 1e6,
            remedy(run)
        )
    })
}

fn consequences(run: &EmulationOutcome) -> Option<String> {
    let (found, limit) = (run.consequences.share(), run.course.limits.changed_share);
    (found > limit).then(|| {
        format!(
            "without lateness flows would differ by {:.2} % of the frames (limit {:.2} %): {}",
            found * 100.0,
            limit * 100.0,
            remedy(&run.course)
        )
    })
}

fn starving(run: &EmulationOutcome) -> Option<String> {
    (run.starved_share > run.course.limits.starved_share).then(|| {
        format!(
            "a program waited for a processor {:.0} % of the time (limit {:.0} %): run fewer of \
             them, or take a machine with more processors",
            run.starved_share * 100.0,
            run.course.limits.starved_share * 100.0
        )
    })
}

fn remedy(run: &EmulationCourse) -> &'static str {
    match run.is_real_time {
        true => "stop what else runs on this machine, or take one with more processors",
        false => "run it as root, or with a limit RLIMIT_RTPRIO of 10, for real-time priority",
    }
}
