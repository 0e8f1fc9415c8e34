//! Two captures of one path out of any bytes.
//!
//! Every ten bytes are a segment: who sent it, what it says, when it passed the first point and
//! the second, and which of the captures have it. The first byte says what the captures are.

use std::io::Cursor;

use pair::{Comparison, PacketOutcome, PairLimits, compare};
use dissect::read::PacketReader;

/// Few, so that the paths for too many are taken.
const LIMITS: PairLimits = PairLimits {
    connections: 4,
    packets: 32,
};

/// 2026, so that a clock may be behind.
const START_NS: i64 = 1_767_225_600_000_000_000;

const LINK_RAW_IP: u32 = 101;
const LINK_IEEE802_11: u32 = 105;

/// Two files; see the module.
pub fn as_two_captures(bytes: &[u8]) -> [Vec<u8>; 2] {
    let Some((&what, bytes)) = bytes.split_first() else {
        return Default::default();
    };
    let (is_air, is_sorted) = (what & 1 != 0, what & 2 != 0);
    let drift = i64::from(what >> 2) - 32;
    let mut captures: [Vec<(i64, Vec<u8>)>; 2] = Default::default();
    let mut now_ns = START_NS;
    for (number, chunk) in (0..).zip(bytes.as_chunks::<10>().0) {
        let sent = Sent(chunk, number);
        now_ns += sent.pause_ns();
        if sent.0[0] & 2 != 0 {
            captures[0].push((now_ns, sent.ip(false)));
        }
        if sent.0[0] & 4 != 0 {
            let drifted_ns = (now_ns - START_NS) / 100_000 * drift;
            let at_ns = now_ns + drifted_ns + sent.delay_ns();
            match is_air {
                true => sent.frames(at_ns, &mut captures[1]),
                false => captures[1].push((at_ns, sent.ip(true))),
            }
        }
    }
    if is_sorted {
        captures.iter_mut().for_each(|all| all.sort());
    }
    let links = [
        LINK_RAW_IP,
        if is_air { LINK_IEEE802_11 } else { LINK_RAW_IP },
    ];
    [0, 1].map(|side| file(links[side], &captures[side]))
}

/// Compares two files; what is told must add up.
pub fn compare_both(files: [Vec<u8>; 2]) {
    let open = |side: usize| PacketReader::new(Cursor::new(files[side].clone()));
    if let Ok(told) = compare(open, LIMITS, true) {
        check(&told);
    }
    // A capture is another of its own path: nothing is lost on it.
    let open = |_: usize| PacketReader::new(Cursor::new(files[0].clone()));
    if let Ok(told) = compare(open, LIMITS, true) {
        check(&told);
    }
}

fn check(told: &Comparison) {
    let rows = &told.rows;
    for (way, report) in told.ways.iter().enumerate() {
        let counts = [
            report.passed,
            report.lost,
            report.uncaptured,
            report.appeared,
            report.doubled,
            report.outside,
        ];
        for (fate, count) in PacketOutcome::ALL.iter().zip(counts) {
            let is_meant =
                |&at: &usize| usize::from(rows.way[at]) == way && rows.fate[at] == *fate as u8;
            assert_eq!((0..rows.way.len()).filter(is_meant).count() as u64, count);
        }
        let steps = &told.over_time.ways[way];
        assert_eq!(
            steps.iter().map(|step| step.passed).sum::<u64>(),
            report.passed
        );
        assert_eq!(steps.iter().map(|step| step.lost).sum::<u64>(), report.lost);
        assert!(report.lost_needless <= report.lost_data && report.lost_data <= report.lost);
        assert!(report.late + report.ambiguous <= report.passed);
        assert_eq!(report.delay.map_or(0, |delay| delay.count), report.passed);
        if let Some(delay) = report.delay {
            let spread = [
                delay.min_ns,
                delay.median_ns,
                delay.p90_ns,
                delay.p95_ns,
                delay.p99_ns,
            ];
            assert!(spread.is_sorted() && delay.p99_ns <= delay.max_ns);
        }
    }
    // Each capture's packets are told once, but for the pieces of large ones.
    for (side, numbers) in [&rows.number_first, &rows.number_second]
        .into_iter()
        .enumerate()
    {
        let mut known: Vec<i64> = numbers
            .iter()
            .copied()
            .filter(|&number| number > 0)
            .collect();
        known.sort_unstable();
        known.dedup();
        assert!(known.len() as u64 <= told.captures[side].tally.tcp);
    }
}

/// A segment, and its number.
struct Sent<'a>(&'a [u8; 10], u16);

impl Sent<'_> {
    /// Half of the pauses are of microseconds, the others of up to a minute.
    fn pause_ns(&self) -> i64 {
        let mantissa = i64::from(self.0[5] >> 4);
        mantissa << 2 * (self.0[5] & 15)
    }

    fn delay_ns(&self) -> i64 {
        i64::from(self.0[6].cast_signed()) * 1_000_000
    }

    /// A header of IPv4 and one of TCP; the payload was not kept.
    fn ip(&self, is_second: bool) -> Vec<u8> {
        let &[what, seq, ack, length, id, _, _, names, flags, ttl] = self.0;
        let to_server = what & 1 != 0;
        let is_translated = is_second && names & 0x80 != 0;
        let client = ([10, 0, 0, names & 3], 4000 + u16::from(is_translated));
        let ends = [client, ([10, 9, 9, 9], 80)];
        let [from, to] = if to_server { ends } else { [ends[1], ends[0]] };
        let has_timestamps = what & 8 != 0;
        let payload = u16::from(length) << (what >> 4 & 7);
        let tcp_words: u8 = if has_timestamps { 8 } else { 5 };
        let headers = 20 + 4 * u16::from(tcp_words);
        let shift = u32::from(is_second && names & 0x40 != 0) * 0xFFFF_F000;
        let of_client = |number: u32, is_shifted: bool| match is_shifted {
            true => number.wrapping_add(shift),
            false => number,
        };
        let seq = of_client(u32::from(seq) * 100, to_server);
        let ack = of_client(u32::from(ack) * 100, !to_server);
        let mut all = vec![0x45, 0];
        all.extend((headers + payload).to_be_bytes());
        // Either all have an identification, or none.
        all.extend([names >> 5 & 1, id * (names >> 4 & 1), 0x40, 0, ttl, 6, 0, 0]);
        all.extend(from.0);
        all.extend(to.0);
        all.extend(from.1.to_be_bytes());
        all.extend(to.1.to_be_bytes());
        all.extend(seq.to_be_bytes());
        all.extend(ack.to_be_bytes());
        all.extend([tcp_words << 4, flags, 0xFF, 0xFF, 0, 0, 0, 0]);
        if has_timestamps {
            all.extend([1, 1, 8, 10]);
            all.extend((u32::from(self.1) / 4).to_be_bytes());
            all.extend(u32::from(names).to_be_bytes());
        }
        all
    }

    /// QoS data, as often as it was tried, and an acknowledgment or none.
    fn frames(&self, at_ns: i64, capture: &mut Vec<(i64, Vec<u8>)>) {
        let &[what, .., flags, ttl] = self.0;
        let down = what & 1;
        for attempt in 0..=ttl & 3 {
            let at_ns = at_ns + i64::from(attempt) * 1_000_000;
            let mut frame = vec![0x88, (2 - down) | u8::from(attempt > 0) << 3, 0, 0];
            let stations = [[2, 0, 0, 0, 0, 1], [2, 0, 0, 0, 0, 2]];
            frame.extend(stations[usize::from(1 - down)]);
            frame.extend(stations[usize::from(down)]);
            frame.extend([2, 0, 0, 0, 0, 3]);
            frame.extend((self.1 << 4).to_le_bytes());
            frame.extend([flags >> 6, 0, 0xAA, 0xAA, 3, 0, 0, 0, 8, 0]);
            frame.extend(self.ip(true));
            capture.push((at_ns, frame));
            if attempt == ttl & 3 && ttl & 4 == 0 {
                let mut ack = vec![0xD4, 0, 0, 0];
                ack.extend(stations[usize::from(down)]);
                capture.push((at_ns + 50_000, ack));
            }
        }
    }
}

fn file(link: u32, packets: &[(i64, Vec<u8>)]) -> Vec<u8> {
    let mut file = Vec::new();
    for word in [0xA1B2_3C4D_u32, 0x0004_0002, 0, 0, 65_535, link] {
        file.extend(word.to_le_bytes());
    }
    for (time_ns, packet) in packets {
        let seconds = (time_ns / 1_000_000_000) as u32;
        let nanoseconds = (time_ns % 1_000_000_000) as u32;
        for word in [
            seconds,
            nanoseconds,
            packet.len() as u32,
            packet.len() as u32 + 65_000,
        ] {
            file.extend(word.to_le_bytes());
        }
        file.extend_from_slice(packet);
    }
    file
}
