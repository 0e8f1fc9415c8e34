//! Radios without stations: what they hear of frames put on the air by hand.

use std::collections::VecDeque;

use dot11::{Address, Contention, Decoded, Draw, Frame, FrameKind};
use phy::{Curve, DSSS_HR, ErrorModel, Mode, Preamble, TxVector};
use units::{Db, Dbm, Time};

use super::at;
use crate::{Emitter, LinkBudget, Medium, Reception, ReceptionRandom, Stations, Transmission};

/// Draws as listed for receptions, zeros for backoffs.
#[derive(Default)]
pub struct Script {
    pub units: VecDeque<f64>,
}

impl ReceptionRandom for Script {
    fn unit(&mut self) -> f64 {
        self.units.pop_front().expect("chance decides nothing more")
    }
}

impl Draw for Script {
    fn up_to(&mut self, _max: u16) -> u16 {
        0
    }
}

/// Who has decoded what: the radio and who sent the frame.
#[derive(Default)]
pub struct Ears {
    pub random: Script,
    pub decoded: Vec<(usize, u16)>,
    /// The lengths of the MPDUs in every aggregate.
    pub mpdus: Vec<u16>,
    /// Which MPDUs of an aggregate its addressee has decoded, where not all.
    pub decoded_mpdus: Vec<Decoded>,
}

impl Stations for Ears {
    type Random = Script;

    fn random(&mut self, _radio: usize) -> &mut Script {
        &mut self.random
    }

    fn mpdus(&self, _radio: usize) -> impl Iterator<Item = u16> {
        self.mpdus.iter().copied()
    }

    fn on_decoded(&mut self, _radio: usize, decoded: Decoded) {
        self.decoded_mpdus.push(decoded);
    }

    fn on_reception(
        &mut self,
        radio: usize,
        frame: &Frame,
        reception: Reception,
        _contention: &mut Contention,
    ) -> Time {
        if reception.decoded {
            self.decoded.push((radio, frame.transmitter.0));
        }
        Time::NEVER
    }

    fn on_transmit_end(&mut self, _: usize, _: &Frame, _: &mut Contention) -> Time {
        Time::NEVER
    }
}

/// Thermal noise of these tests in dBm, and what their radios sense.
pub const NOISE: f64 = -95.0;
pub const CARRIER_SENSE: f64 = -82.0;

/// A channel on which radio `to` receives `powers[from][to]` dBm.
pub fn channel<const RADIOS: usize>(powers: [[f64; RADIOS]; RADIOS]) -> Medium {
    let loss = powers.map(|row| row.map(|power| Db(-power)).to_vec());
    let carrier_sense = Dbm(CARRIER_SENSE);
    with_budget(LinkBudget::new(
        &[Dbm(0.0); RADIOS],
        &loss,
        carrier_sense,
        Dbm(NOISE),
    ))
}

/// A channel whose radios report every reception.
pub fn with_budget(budget: LinkBudget) -> Medium {
    with_emitters(budget, Vec::new())
}

/// The same among what radiates.
pub fn with_emitters(budget: LinkBudget, emitters: Vec<Emitter>) -> Medium {
    let radios = budget.radios();
    let station = |radio| (Address(radio), Contention::new(&DSSS_HR, 31));
    let mut medium = Medium::new(budget, emitters, (0..radios as u16).map(station));
    for radio in 0..radios {
        medium.monitor(radio);
    }
    medium
}

/// Returns how frames of a mode err by NIST's model.
pub fn curve(mode: Mode) -> Curve {
    TxVector::of(mode, Preamble::Long).curve(ErrorModel::Nist)
}

/// A broadcast of 1000 bytes with a long preamble.
pub fn frame(from: u16, mode: Mode) -> Frame {
    Frame {
        msdu: 0,
        transmitter: Address(from),
        receiver: Address::BROADCAST,
        duration: 0,
        sequence: 0,
        bytes: 1000,
        ampdu_bytes: 0,
        body_bytes: 972,
        body_offset: 0,
        fragment: 0,
        kind: FrameKind::Data,
        vector: TxVector::of(mode, Preamble::Long),
        more_fragments: false,
        retry: false,
    }
}

/// Puts each frame on the air at its time in µs and takes it off at its end; how each fared.
pub fn play(medium: &mut Medium, ears: &mut Ears, sent: &[(u64, Frame)]) -> Vec<Transmission> {
    let begins = sent.iter().map(|&(begin, frame)| (at(begin), 1, frame));
    let ends = (sent.iter()).map(|&(begin, frame)| (at(begin) + frame.airtime(), 0, frame));
    let mut edges: Vec<_> = begins.chain(ends).collect();
    // What ends at an instant ends before what begins there.
    edges.sort_by_key(|&(when, begins, _)| (when, begins));
    let mut concluded = Vec::new();
    for (when, begins, frame) in edges {
        let from = usize::from(frame.transmitter.0);
        if begins == 1 {
            medium.begin(when, from, &frame);
        } else {
            concluded.push(ended(medium, when, from, ears));
        }
    }
    concluded
}

/// Who decodes what of `sent` where chance has nothing to decide.
pub fn decoded<const RADIOS: usize>(
    powers: [[f64; RADIOS]; RADIOS],
    sent: &[(u64, Frame)],
) -> Vec<(usize, u16)> {
    let mut ears = Ears::default();
    play(&mut channel(powers), &mut ears, sent);
    ears.decoded
}

/// Ends the frame of a radio; gives it with how it fared.
pub fn ended(
    medium: &mut Medium,
    now: Time,
    from: usize,
    stations: &mut impl Stations,
) -> Transmission {
    let mut done = medium.withdraw(from);
    medium.end(now, from, &mut done, stations);
    done
}
