//! The command line of the simulation of a link.
//!
//! ```text
//! link count SEED [CURVE]...   counts what is lost, of all curves or of some
//! link fit FILE                draws a curve through the counts of a file
//! link lengths SEED            short frames and long ones, each against what the other predicts
//! link widths SEED             the interleavers of the formats side by side
//! ```

use std::process::ExitCode;

use link::counts::{COLUMNS, CodeCurve, Count, count, read};
use link::fit::fit;
use link::{Bcc, BlockLength, InterleaverLayout, Ldpc, Noise, SimulatedLink};
use phy::error_model::{Fitted, TERMS};
use phy::{CodeRate, Coding, Constellation};

const USAGE: &str = "link count SEED [CURVE]... | fit FILE | lengths SEED | widths SEED";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["count", seed, ref curves @ ..] => seed_of(seed).and_then(|seed| counted(seed, curves)),
        ["fit", file] => fitted(file),
        ["lengths", seed] => seed_of(seed).map(lengths),
        ["widths", seed] => seed_of(seed).map(widths),
        _ => Err(USAGE.to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(complaint) => {
            eprintln!("link: {complaint}");
            ExitCode::from(2)
        }
    }
}

fn seed_of(word: &str) -> Result<u64, String> {
    word.parse()
        .map_err(|_| format!("a seed is a whole number, not {word:?}"))
}

fn counted(seed: u64, names: &[&str]) -> Result<(), String> {
    let curves: Vec<CodeCurve> = match names {
        [] => CodeCurve::all().collect(),
        names => names
            .iter()
            .map(|name| name.parse())
            .collect::<Result<_, _>>()?,
    };
    println!("{COLUMNS}");
    for curve in curves {
        curve.count(seed, |count| println!("{count}"));
    }
    Ok(())
}

/// Prints the curves as the file of `phy` that has them, and to standard error where they lie and how
/// well they fit.
fn fitted(file: &str) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let counts = read(&text)?;
    print!("{HEAD}");
    for (coding, name) in [(Coding::Bcc, "BCC"), (Coding::Ldpc, "LDPC")] {
        let curves = || CodeCurve::all().filter(|curve| curve.coding == coding);
        println!(
            "\npub(super) const {name}: [Fitted; {}] = [",
            curves().count()
        );
        for curve in curves() {
            let of_curve = |count: &Count| count.curve == curve;
            let counts: Vec<Count> = counts.iter().copied().filter(of_curve).collect();
            if counts.len() <= TERMS {
                return Err(format!("{file} has too few counts of {curve}"));
            }
            let (fitted, deviance) = fit(&counts);
            let terms = fitted.terms.map(|term| format!("{term:.5}")).join(", ");
            println!("    // {curve}");
            println!(
                "    curve({:?}, {:?}, [{terms}]),",
                fitted.from_db, fitted.until_db
            );
            let freedom = counts.len() - TERMS;
            eprintln!(
                "{curve:18} {:5.2} dB for 10 %; deviance {deviance:.1} of {freedom} degrees of freedom",
                ratio_of_tenth(&fitted)
            );
        }
        println!("];");
    }
    Ok(())
}

/// The ratio of signal to noise at which one in ten of frames of 1458 octets is lost.
fn ratio_of_tenth(fitted: &Fitted) -> f64 {
    let ln_events = (-f64::ln_1p(-0.1) / 11_664.0).ln();
    let [mut low, mut high] = [fitted.from_db, fitted.until_db];
    for _ in 0..40 {
        let middle = (low + high) / 2.0;
        match fitted.ln_events_per_bit(middle) > ln_events {
            true => low = middle,
            false => high = middle,
        }
    }
    low
}

const HEAD: &str = "\
//! Curves of the simulation of links, from `crates/link/counts.csv`. Written by
//! `cargo run --release -p anechoic-link -- fit crates/link/counts.csv`.

use super::simulated::{Fitted, TERMS};

const fn curve(from_db: f64, until_db: f64, terms: [f64; TERMS]) -> Fitted {
    Fitted {
        from_db,
        until_db,
        terms,
    }
}
";

/// A part lost of each of two links, and what the shorter one's says of the longer one's.
fn lengths(seed: u64) {
    println!("what                        SNR, dB   lost of short   predicted   lost of long");
    let bcc = |bits| -> Box<dyn SimulatedLink> {
        let (constellation, rate) = (Constellation::Qam16, CodeRate::ThreeQuarters);
        Box::new(Bcc::new(
            constellation,
            rate,
            InterleaverLayout::MHZ_20,
            bits,
        ))
    };
    let ldpc = |length| -> Box<dyn SimulatedLink> {
        Box::new(Ldpc::new(
            Constellation::Qam16,
            CodeRate::ThreeQuarters,
            length,
        ))
    };
    for snr_db in [12.0, 12.5, 13.0] {
        compare(
            seed,
            "bcc, 32 and 1500 octets",
            snr_db,
            [bcc(256), bcc(12_000)],
        );
    }
    for snr_db in [10.5, 10.75, 11.0] {
        let links = [ldpc(BlockLength::Bits648), ldpc(BlockLength::Bits1944)];
        compare(seed, "ldpc, 648 and 1944 bits", snr_db, links);
    }
}

fn compare(seed: u64, what: &str, snr_db: f64, [mut short, mut long]: [Box<dyn SimulatedLink>; 2]) {
    let lost = |link: &mut dyn SimulatedLink| {
        let mut noise = Noise::new(seed, &format!("{what} {snr_db} {}", link.bits()));
        let [sent, lost] = count(link, snr_db, 100_000_000, &mut noise);
        lost as f64 / sent as f64
    };
    let ratio = long.bits() as f64 / short.bits() as f64;
    let [of_short, of_long] = [lost(short.as_mut()), lost(long.as_mut())];
    let predicted = 1.0 - (1.0 - of_short).powf(ratio);
    println!("{what:27} {snr_db:7.2}   {of_short:13.5}   {predicted:9.4}   {of_long:12.4}");
}

fn widths(seed: u64) {
    let layouts = [
        ("802.11a and g", InterleaverLayout::LEGACY),
        ("20 MHz", InterleaverLayout::MHZ_20),
        ("40 MHz", InterleaverLayout::MHZ_40),
        ("80 and 160 MHz, 20 of ax", InterleaverLayout::MHZ_80),
    ];
    println!("interleaver                 lost of 1500 octets in 64-QAM 3/4 at 18 dB");
    for (name, layout) in layouts {
        let mut link = Bcc::new(
            Constellation::Qam64,
            CodeRate::ThreeQuarters,
            layout,
            12_000,
        );
        let mut noise = Noise::new(seed, name);
        let [sent, lost] = count(&mut link, 18.0, 100_000_000, &mut noise);
        println!("{name:27} {:.4} of {sent}", lost as f64 / sent as f64);
    }
}
