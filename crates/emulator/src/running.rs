//! The loop: the world as time goes by, between the kernels at its ports.

use std::io;
use std::path::Path;
use std::sync::atomic::Ordering;

use lab::{EmulationLimits, InterfaceId, Record, World};
use os::poll::Poll;
use twox_hash::XxHash3_128;
use units::{Duration, Time};

use crate::arrivals::ArrivalLog;
use crate::consequences::{Consequences, LATEST};
use crate::control::{ControlState, Status};
use crate::device::Read;
use crate::lateness::{LatenessCounts, LoopStall};
use crate::machines::{EmulatedPort, RealNode};
use crate::outcome::{EmulationCourse, EmulationOutcome, FrameOutcomes, PortOutcome, RunVerdict};
use crate::pacing::{Realtime, SleepThenSpin, WallClock};
use crate::rows_on_disk::RowsOnDisk;
use crate::settings;

/// The real-time priority of the loop: above ordinary programs, below what guards the machine.
const PRIORITY: i32 = 10;

/// Frames that are read from a port before the others have their turn.
const BATCH: usize = 64;

/// The longest sleep: so soon it is seen that the emulation is to end.
const LONGEST_SLEEP: Duration = Duration::from_millis(50);

/// Interval at which the numbers for others are renewed.
const STATUS_STEP: Duration = Duration::from_millis(250);

/// Interval at which the rows of the record are handed to the disk.
const ROWS_STEP: Duration = Duration::from_secs(5);

/// The loop, from its first event to its last.
pub struct EmulationLoop<'a> {
    world: World,
    ports: Vec<&'a EmulatedPort>,
    counts: Vec<PortOutcome>,
    /// The place of a port in `ports`, by its number in the world.
    places: Vec<Option<usize>>,
    poll: Poll,
    clock: WallClock,
    tail: SleepThenSpin,
    end: Time,
    log: Option<ArrivalLog>,
    rows: RowsOnDisk,
    next_rows: Time,
    late_out: LatenessCounts,
    late_in: LatenessCounts,
    stalls: Vec<LoopStall>,
    limits: EmulationLimits,
    egress: XxHash3_128,
    frame: Vec<u8>,
    out: Vec<u8>,
    shared: &'a ControlState,
    next_status: Time,
    is_real_time: bool,
    awake_at: Time,
}

impl<'a> EmulationLoop<'a> {
    /// A loop that is ready to run; what it gathers meanwhile takes room in `folder`.
    ///
    /// # Errors
    /// When the log cannot be made, or ports cannot be waited for.
    pub fn new(
        world: World,
        machines: &'a [RealNode],
        log: Option<&Path>,
        folder: &Path,
        limits: EmulationLimits,
        shared: &'a ControlState,
    ) -> io::Result<EmulationLoop<'a>> {
        let ports: Vec<&EmulatedPort> = machines.iter().flat_map(|each| &each.ports).collect();
        let counts = machines.iter().flat_map(|machine| {
            machine.ports.iter().map(|port| PortOutcome {
                node: machine.name.clone(),
                interface: port.name.clone(),
                ..PortOutcome::default()
            })
        });
        let poll = Poll::new(ports.len().max(1))?;
        let most = ports.iter().map(|port| port.number).max();
        let mut places = vec![None; most.map_or(0, usize::from) + 1];
        for (place, port) in ports.iter().enumerate() {
            poll.add(&port.device, place as u64)?;
            places[usize::from(port.number)] = Some(place);
        }
        let log = log.map(ArrivalLog::create).transpose()?;
        let longest = ports.iter().map(|port| port.most_bytes).max();
        Ok(EmulationLoop {
            end: world.ends_at(),
            world,
            counts: counts.collect(),
            // Longer than any that is let in, so that one that was cut is none of them.
            frame: vec![0; longest.unwrap_or(0) + 8],
            out: Vec::with_capacity(longest.unwrap_or(0)),
            ports,
            places,
            poll,
            clock: WallClock::start(),
            tail: SleepThenSpin::new(),
            log,
            rows: RowsOnDisk::begin(folder)?,
            next_rows: Time::ZERO + ROWS_STEP,
            late_out: LatenessCounts::default(),
            late_in: LatenessCounts::default(),
            stalls: Vec::new(),
            limits,
            egress: XxHash3_128::new(),
            shared,
            next_status: Time::ZERO,
            is_real_time: false,
            awake_at: Time::ZERO,
        })
    }

    /// Runs it to its end.
    ///
    /// # Errors
    /// When an interface is gone, or a file cannot be written.
    pub fn run(mut self) -> io::Result<(Record, EmulationOutcome)> {
        // Each is worth having and may be forbidden: the lateness says what it was worth.
        self.is_real_time = os::priority::make_real_time(PRIORITY).is_ok();
        let _ = os::priority::expire_exactly();
        let _awake = os::priority::stay_awake();
        let _ = os::priority::stay_in_memory();
        self.clock = WallClock::start();
        loop {
            let now = self.wake();
            if now >= self.end || self.shared.stop.load(Ordering::Acquire) {
                break;
            }
            self.world.run_until(now);
            self.set_radios()?;
            self.hand_out()?;
            self.tell(now)?;
            self.wait()?;
        }
        let _ = os::priority::make_ordinary();
        self.finish()
    }

    /// Notes that the loop runs; answers the time.
    fn wake(&mut self) -> Time {
        let now = self.clock.now();
        self.tail.awake(now);
        now
    }

    /// Sets radios as their access points ask, and tells them how they are set.
    fn set_radios(&mut self) -> io::Result<()> {
        let now = self.world.now();
        for question in self.shared.questions.take() {
            let checked = settings::check(&question.wanted);
            if checked.is_ok() {
                for (&setting, &value) in &question.wanted {
                    self.world.set(question.radio, setting, value);
                    if let Some(log) = &mut self.log {
                        log.note_setting(now, question.radio, setting, value)?;
                    }
                }
            }
            question.answer(checked.map(|()| settings::values_of(&self.world, question.radio)));
        }
        Ok(())
    }

    /// Waits for the next event of the world or frame from a port, and takes in what has come.
    fn wait(&mut self) -> io::Result<()> {
        let wake = self.world.next_wake().min(self.end);
        let sleep = wake
            .saturating_since(self.clock.now())
            .saturating_sub(self.tail.length());
        let asleep = sleep.min(LONGEST_SLEEP);
        self.note_stall_before_sleep();
        self.take_in(asleep)?;
        let began = self.clock.now();
        let mut now = began;
        if wake.saturating_since(now) <= self.tail.length() {
            while now < wake {
                self.take_in(Duration::ZERO)?;
                now = self.clock.now();
            }
            self.tail.spent(now.saturating_since(began));
        }
        self.note_stall(began, sleep);
        Ok(())
    }

    fn note_stall_before_sleep(&mut self) {
        let now = self.clock.now();
        self.note_gap(now, Duration::ZERO);
    }

    fn note_stall(&mut self, now: Time, slept: Duration) {
        self.note_gap(now, slept.min(LONGEST_SLEEP));
    }

    /// Notes a stall if more time went by than the loop meant to sleep and its work may take.
    fn note_gap(&mut self, now: Time, meant: Duration) {
        let gap = now.saturating_since(self.awake_at).saturating_sub(meant);
        if gap > self.limits.stall_ns {
            self.stalls.push(LoopStall {
                at_ns: self.awake_at.as_nanos(),
                length_ns: gap,
            });
        }
        self.awake_at = now;
    }

    /// Waits for frames, and lets those that have come into the world.
    fn take_in(&mut self, longest: Duration) -> io::Result<()> {
        let mut ready = [0; 64];
        let mut count = 0;
        for (slot, place) in ready.iter_mut().zip(self.poll.wait(longest.as_nanos())?) {
            *slot = place as usize;
            count += 1;
        }
        if count == 0 {
            return Ok(());
        }
        let realtime = self.clock.realtime();
        for &place in &ready[..count] {
            for _ in 0..BATCH {
                let Some(read) = self.ports[place].device.read(&mut self.frame)? else {
                    break;
                };
                self.let_in(place, read, realtime)?;
            }
            self.hand_out()?;
        }
        Ok(())
    }

    /// Returns when a frame came that was read from a port now.
    fn came(read: Read, now: Time, realtime: Realtime) -> Time {
        let came = (read.realtime_ns).map_or(now, |stamp| realtime.world_time(stamp));
        // The clock that stamps are by may have been set meanwhile.
        match now.saturating_since(came) < LATEST {
            true => came.min(now),
            false => now,
        }
    }

    fn let_in(&mut self, place: usize, read: Read, realtime: Realtime) -> io::Result<()> {
        let now = self.clock.now().max(self.world.now());
        if now >= self.end {
            return Ok(());
        }
        let came = Self::came(read, now, realtime);
        self.late_in.add(came, now, false);
        self.world.run_until(now);
        let (port, frame) = (self.ports[place].number, &self.frame[..read.length]);
        let counts = &mut self.counts[place];
        match self.world.inject(port, frame) {
            Ok(()) => {
                counts.frames_in += 1;
                counts.bytes_in += frame.len() as u64;
                if let Some(log) = &mut self.log {
                    log.note(now, came, port, frame)?;
                }
            }
            Err(_) => counts.refused += 1,
        }
        Ok(())
    }

    /// Writes what has left the world.
    fn hand_out(&mut self) -> io::Result<()> {
        while let Some((due, number)) = self.world.poll_egress(&mut self.out) {
            note_egress(&mut self.egress, due, number, &self.out);
            let Some(place) = self.places.get(usize::from(number)).copied().flatten() else {
                continue;
            };
            let taken = self.ports[place].device.write(&self.out)?;
            self.late_out
                .add(due, self.clock.now(), is_for_many(&self.out));
            let counts = &mut self.counts[place];
            counts.frames_out += 1;
            counts.bytes_out += self.out.len() as u64;
            counts.not_taken += u64::from(!taken);
        }
        Ok(())
    }

    /// Lets others see what happened: captures, and the numbers if somebody wants them.
    fn tell(&mut self, now: Time) -> io::Result<()> {
        if now < self.next_status {
            return Ok(());
        }
        self.next_status = now + STATUS_STEP;
        if now >= self.next_rows {
            self.next_rows = now + ROWS_STEP;
            self.rows.add(self.world.take_gathered());
        }
        self.world.flush_captures()?;
        let is_wanted = self.shared.is_status_wanted.swap(false, Ordering::AcqRel);
        if is_wanted && let Ok(mut status) = self.shared.status.try_lock() {
            *status = Some(Status {
                course: self.course(now),
                end: self.end,
                world: self.world.standing(),
            });
        }
        Ok(())
    }

    fn course(&self, now: Time) -> EmulationCourse {
        EmulationCourse {
            ran_ns: now.as_nanos(),
            lateness_out: self.late_out.spread(),
            lateness_in: self.late_in.spread(),
            stalls: self.stalls.clone(),
            ports: self.counts.clone(),
            is_real_time: self.is_real_time,
            limits: self.limits,
        }
    }

    fn finish(mut self) -> io::Result<(Record, EmulationOutcome)> {
        let end = self.clock.now().min(self.end).max(self.world.now());
        self.world.run_until(end);
        self.hand_out()?;
        if let Some(log) = self.log.take() {
            log.finish()?;
        }
        let waited = self.shared.longest_wait_ns.load(Ordering::Relaxed);
        let outcome = EmulationOutcome {
            course: self.course(end),
            fates: FrameOutcomes::of(&self.world),
            consequences: Consequences::default(),
            starved_share: waited as f64 / end.as_nanos().max(1) as f64,
            ended_by_force: Vec::new(),
            egress: format!("{:032x}", self.egress.finish_128()),
            kernel: std::fs::read_to_string("/proc/version").unwrap_or_default(),
            verdict: RunVerdict::default(),
        };
        let (mut record, last) = self.world.finish_in_pieces()?;
        self.rows.add(last);
        record.taken = self.rows.finish(&record.names)?;
        Ok((record, outcome))
    }
}

/// Returns whether a frame goes to a group: the lowest bit of the first octet says so (IEEE
/// 802-2014 §8.2).
fn is_for_many(frame: &[u8]) -> bool {
    frame.first().is_some_and(|octet| octet & 1 == 1)
}

/// Hashes a frame that has left the world, with its time and its port.
pub fn note_egress(hash: &mut XxHash3_128, at: Time, port: InterfaceId, frame: &[u8]) {
    hash.write(&at.as_nanos().to_le_bytes());
    hash.write(&port.0.to_le_bytes());
    hash.write(&(frame.len() as u32).to_le_bytes());
    hash.write(frame);
}
