//! An emulation run again offline, from what came in.

use std::io;
use std::path::Path;

use lab::{Plan, Record, World};
use twox_hash::XxHash3_128;
use units::Time;

use crate::arrivals::ArrivalReader;
use crate::running::note_egress;

/// Results of a replay.
#[derive(Debug)]
pub struct Replayed {
    /// Record of what was measured.
    pub record: Record,
    /// Hash of all that left the world: times, ports and bytes.
    pub egress: String,
}

/// Runs a plan again with what came in at its ports until `end`; taps write to `captures`, if given.
///
/// # Errors
/// When the log cannot be read or a capture cannot be written.
pub fn replay(
    plan: Plan,
    seed: u64,
    log: &Path,
    end: Time,
    captures: Option<&Path>,
) -> io::Result<Replayed> {
    let mut world = World::new(plan, seed);
    if let Some(folder) = captures {
        world.capture_to(folder)?;
    }
    let mut reader = ArrivalReader::open(log)?;
    let (mut hash, mut out) = (XxHash3_128::new(), Vec::new());
    while let Some(arrival) = reader.next()? {
        world.run_until(arrival.admitted);
        hand_out(&mut world, &mut hash, &mut out);
        arrival.enter(&mut world).map_err(io::Error::other)?;
    }
    world.run_until(end);
    hand_out(&mut world, &mut hash, &mut out);
    Ok(Replayed {
        record: world.finish()?,
        egress: format!("{:032x}", hash.finish_128()),
    })
}

fn hand_out(world: &mut World, hash: &mut XxHash3_128, out: &mut Vec<u8>) {
    while let Some((at, port)) = world.poll_egress(out) {
        note_egress(hash, at, port, out);
    }
}
