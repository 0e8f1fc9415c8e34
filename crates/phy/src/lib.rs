//! IEEE 802.11's physical layers: how bits are put on the air, for whoever sends, hears, writes or
//! reads a frame.
//!
//! All of it is tables. A [`Format`] is a kind of PPDU, a [`Mode`] what gives it its rate, and a
//! [`TxVector`] all that its sender has chosen: it says how long a PPDU lasts and what its sections
//! are. Error models are asked by [`Curve`]. [`Characteristics`] are the slots, interframe
//! spaces and modes of an amendment.
//!
//! A new MCS is a row of [`Format::modulations`]; what it lasts, in what it is answered and how it
//! errs follows.
//!
//! ```
//! use phy::{Mode, Preamble, TxVector};
//! let frame = TxVector::of(Mode::ERP_54, Preamble::Long);
//! assert_eq!(frame.duration(1536).as_micros(), 254, "57 symbols, and the signal extension");
//! ```

mod characteristics;
pub mod error_model;
mod format;
mod ladder;
mod mode;
mod modulation;
mod ppdu;
mod responses;
mod sections;
mod spectrum;
mod tx_vector;

pub use characteristics::{
    ACK_BYTES, Band, Characteristics, DSSS_HR, DSSS_MODES, ERP, ERP_LONG_SLOT, ERP_MODES, OFDM,
    OFDM_MODES, Standard, estimated_ack, rx_start_delay,
};
pub use error_model::{Curve, ErrorModel};
pub use format::{Format, GuardInterval, Width};
pub use mode::{Mode, ModeName};
pub use modulation::{CodeRate, Coding, Constellation, Modulation};
pub use ppdu::{LONGEST_PPDU, LONGEST_PSDU};
pub use responses::{PerRate, response};
pub use sections::Section;
pub use spectrum::Spectrum;
pub use tx_vector::{Preamble, TxVector};
