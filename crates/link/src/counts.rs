//! Counts of what is lost at ratios of signal to noise, curve by curve.

use std::fmt;
use std::str::FromStr;

use phy::{CodeRate, Coding, Constellation};

use crate::{Bcc, BlockLength, InterleaverLayout, Ldpc, Noise, SimulatedLink};

/// A curve: a code, and how its bits are modulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeCurve {
    /// The code.
    pub coding: Coding,
    /// The modulation of a carrier.
    pub constellation: Constellation,
    /// The rate of the code.
    pub rate: CodeRate,
}

/// Frames lost at a ratio of signal to noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Count {
    /// On which curve.
    pub curve: CodeCurve,
    /// Ratio of signal to noise on each carrier.
    pub snr_db: f64,
    /// Data bits of a frame, or of a codeword of LDPC.
    pub bits: u64,
    /// Frames or codewords sent.
    pub sent: u64,
    /// Number of them that were lost.
    pub lost: u64,
}

/// So many are lost at a point; their number is then right to 7 % (one standard error).
const ENOUGH: u64 = 200;

/// Points with fewer losses than this, or with fewer successes, are left out.
const LEAST: u64 = 20;

/// Most bits sent at a point.
const MOST_BITS: u64 = 25_000_000;

/// Number of which none has arrived when [`LEAST`] will not.
const HOPELESS: u64 = 100;

/// A length of frames, and of bits of it at most that are sent at a point: short ones tell where most
/// are lost, those of 1458 octets the rest.
const LENGTHS: [(usize, u64); 2] = [(256, 4_000_000), (11_664, MOST_BITS)];

impl CodeCurve {
    /// Every curve that a format has, code by code: MCS 0 to 11, and of the convolutional code that of
    /// 9 Mbit/s in 802.11a and g.
    pub fn all() -> impl Iterator<Item = CodeCurve> {
        use CodeRate::{FiveSixths, Half, ThreeQuarters, TwoThirds};
        use Constellation::{Bpsk, Qam16, Qam64, Qam256, Qam1024, Qpsk};
        let modulations = [
            (Bpsk, Half),
            (Qpsk, Half),
            (Qpsk, ThreeQuarters),
            (Qam16, Half),
            (Qam16, ThreeQuarters),
            (Qam64, TwoThirds),
            (Qam64, ThreeQuarters),
            (Qam64, FiveSixths),
            (Qam256, ThreeQuarters),
            (Qam256, FiveSixths),
            (Qam1024, ThreeQuarters),
            (Qam1024, FiveSixths),
            (Bpsk, ThreeQuarters),
        ];
        let of = move |coding| {
            modulations
                .into_iter()
                .map(move |(constellation, rate)| CodeCurve {
                    coding,
                    constellation,
                    rate,
                })
        };
        let exists = |curve: &CodeCurve| {
            let is_of_9_mbps = (curve.constellation, curve.rate) == (Bpsk, ThreeQuarters);
            !(is_of_9_mbps && curve.coding == Coding::Ldpc)
        };
        [Coding::Bcc, Coding::Ldpc]
            .into_iter()
            .flat_map(of)
            .filter(exists)
    }

    /// The ratio below which no code gets this much through (Shannon), where counting begins.
    fn limit_db(self) -> f64 {
        let [data, coded] = self.rate.fraction().map(f64::from);
        let bits = f64::from(self.constellation.bits()) * data / coded;
        10.0 * libm::log10(libm::exp2(bits) - 1.0)
    }

    /// Returns how far apart the ratios are at which errors are counted: LDPC's curves are the steeper
    /// ones.
    fn step_db(self) -> f64 {
        match self.coding {
            Coding::Bcc => 0.5,
            Coding::Ldpc => 0.25,
        }
    }

    fn links(self) -> Vec<(Box<dyn SimulatedLink>, u64)> {
        let (constellation, rate) = (self.constellation, self.rate);
        match self.coding {
            Coding::Bcc => (LENGTHS.into_iter())
                .map(|(bits, most)| -> (Box<dyn SimulatedLink>, u64) {
                    (
                        Box::new(Bcc::new(
                            constellation,
                            rate,
                            InterleaverLayout::MHZ_20,
                            bits,
                        )),
                        most,
                    )
                })
                .collect(),
            Coding::Ldpc => {
                let codewords = Ldpc::new(constellation, rate, BlockLength::Bits1944);
                vec![(Box::new(codewords), MOST_BITS)]
            }
        }
    }

    /// Counts from where nearly all is lost to where losses get too rare to be counted.
    pub fn count(self, seed: u64, mut tell: impl FnMut(Count)) {
        let mut links = self.links();
        let step = self.step_db();
        let first = libm::floor(self.limit_db() / step);
        for number in 0.. {
            let snr_db = (first + f64::from(number)) * step;
            let mut losses = 0;
            for (link, most_bits) in &mut links {
                let mut noise = Noise::new(seed, &format!("{self} {snr_db} {}", link.bits()));
                let [sent, lost] = count(link.as_mut(), snr_db, *most_bits, &mut noise);
                if lost >= LEAST && sent - lost >= LEAST {
                    let bits = link.bits() as u64;
                    tell(Count {
                        curve: self,
                        snr_db,
                        bits,
                        sent,
                        lost,
                    });
                }
                losses = lost;
            }
            if losses < LEAST {
                break;
            }
        }
    }
}

/// Returns how many are sent and lost until enough are, or so many bits have been sent.
pub fn count(
    link: &mut dyn SimulatedLink,
    snr_db: f64,
    most_bits: u64,
    noise: &mut Noise,
) -> [u64; 2] {
    let most = most_bits / link.bits() as u64;
    let [mut sent, mut lost] = [0; 2];
    // As many must arrive before it is known how many do.
    while sent < most && (lost < ENOUGH || sent - lost < ENOUGH) {
        let [more_sent, more_lost] = link.send(snr_db, noise);
        sent += more_sent;
        lost += more_lost;
        if sent >= HOPELESS && lost == sent {
            break;
        }
    }
    [sent, lost]
}

impl fmt::Display for CodeCurve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let coding = match self.coding {
            Coding::Bcc => "bcc",
            Coding::Ldpc => "ldpc",
        };
        let constellation = match self.constellation {
            Constellation::Bpsk => "bpsk",
            Constellation::Qpsk => "qpsk",
            Constellation::Qam16 => "16-qam",
            Constellation::Qam64 => "64-qam",
            Constellation::Qam256 => "256-qam",
            Constellation::Qam1024 => "1024-qam",
        };
        let [data, coded] = self.rate.fraction();
        write!(f, "{coding} {constellation} {data}/{coded}")
    }
}

impl FromStr for CodeCurve {
    type Err = String;

    fn from_str(name: &str) -> Result<CodeCurve, String> {
        let is_called = |curve: &CodeCurve| curve.to_string() == name;
        CodeCurve::all()
            .find(is_called)
            .ok_or_else(|| format!("no curve is called {name:?}"))
    }
}

/// The columns of a file of counts.
pub const COLUMNS: &str = "curve,snr_db,bits,sent,lost";

/// A line of a file of counts.
impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Count {
            curve,
            snr_db,
            bits,
            sent,
            lost,
        } = self;
        write!(f, "{curve},{snr_db},{bits},{sent},{lost}")
    }
}

impl FromStr for Count {
    type Err = String;

    fn from_str(line: &str) -> Result<Count, String> {
        let complaint = || format!("{line:?} is not {COLUMNS}");
        let [curve, snr_db, bits, sent, lost] = line
            .split(',')
            .collect::<Vec<_>>()
            .try_into()
            .map_err(|_| complaint())?;
        let number = |text: &str| text.parse().map_err(|_| complaint());
        Ok(Count {
            curve: curve.parse()?,
            snr_db: snr_db.parse().map_err(|_| complaint())?,
            bits: number(bits)?,
            sent: number(sent)?,
            lost: number(lost)?,
        })
    }
}

/// The counts of a file, whose comments begin with `#`.
pub fn read(text: &str) -> Result<Vec<Count>, String> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .filter(|line| *line != COLUMNS)
        .map(str::parse)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_is_read_as_it_is_written() {
        let line = "ldpc 64-qam 5/6,17.625,1620,20000,412";
        let count: Count = line.parse().unwrap();
        assert_eq!(count.to_string(), line);
        assert_eq!(count.curve.rate, CodeRate::FiveSixths);
        assert!("ldpc bpsk 3/4,1,2,3,4".parse::<Count>().is_err());
        assert!(
            "ldpc 64-qam 5/6,17.625,1620,20000"
                .parse::<Count>()
                .is_err()
        );
    }

    #[test]
    fn the_same_seed_counts_the_same() {
        let counted = |seed| {
            let mut link = Bcc::new(
                Constellation::Qam16,
                CodeRate::Half,
                InterleaverLayout::MHZ_20,
                256,
            );
            count(&mut link, 7.0, 40_000, &mut Noise::new(seed, "same"))
        };
        assert_eq!(counted(1), counted(1));
        assert_ne!(counted(1), counted(2));
    }
}
