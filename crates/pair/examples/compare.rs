//! Compares two captures of one path, and tells how many of their packets are in both:
//! `cargo run --release -p anechoic-pair --example compare -- wired.pcapng aired.pcapng`.

use std::process::ExitCode;

use pair::{PairLimits, compare_paths};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [first, second] = &arguments[..] else {
        eprintln!("usage: compare FIRST SECOND");
        return ExitCode::from(2);
    };
    match compare_paths(
        [first.as_ref(), second.as_ref()],
        PairLimits::default(),
        false,
    ) {
        Ok(found) => {
            let [first, second] = found.captures.map(|capture| capture.tally.packets);
            let passed = found.ways[0].passed + found.ways[1].passed;
            println!("packets={} passed={passed}", first + second);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
