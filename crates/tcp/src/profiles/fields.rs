//! Fields of a stack profile: each declaration is its documentation everywhere.

use super::families::MtuProbingUse;
use crate::EcnUse;
use crate::choices::Named;
use crate::congestion::{CongestionAlgorithm, InitialWindow, WindowValidation};
use crate::recovery::RecoveryAlgorithm;
use crate::send::Nagle;

/// A field of a stack profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProfileField {
    /// Its name.
    pub name: &'static str,
    /// Its meaning: the sentence of its declaration.
    pub meaning: &'static str,
    /// The names it chooses among; none where it is a number or a switch.
    pub choices: &'static [&'static str],
}

impl ProfileField {
    /// The unit of the value, which its name ends with; "" for a choice, a switch or a count.
    pub fn unit(&self) -> &'static str {
        match self.name.rsplit('_').next() {
            Some("ms") => "ms",
            Some("us") => "us",
            Some("bytes") => "bytes",
            _ => "",
        }
    }
}

/// A type that a field of a profile may have.
pub(super) trait FieldValue {
    /// The names it chooses among.
    const CHOICES: &'static [&'static str];
}

impl FieldValue for u32 {
    const CHOICES: &'static [&'static str] = &[];
}

impl FieldValue for bool {
    const CHOICES: &'static [&'static str] = &[];
}

macro_rules! chosen_by_name {
    ($($choice:ty),*) => {
        $(impl FieldValue for $choice {
            const CHOICES: &'static [&'static str] = <$choice as Named>::NAMES;
        })*
    };
}

chosen_by_name!(
    CongestionAlgorithm,
    EcnUse,
    InitialWindow,
    MtuProbingUse,
    Nagle,
    RecoveryAlgorithm,
    WindowValidation
);

/// Declares a part of a profile: its own fields, with what each means, and after `with` the parts
/// it shares with others. In JSON all of them stand side by side.
macro_rules! part {
    (
        $(#[$meta:meta])*
        pub struct $part:ident {
            $($(#[doc = $meaning:literal])+ pub $field:ident: $kind:ty,)*
            $(with $(#[$shared_doc:meta])+ pub $shared:ident: $shared_kind:ty,)*
        }
    ) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        $(#[$meta])*
        pub struct $part {
            $($(#[doc = $meaning])+ pub $field: $kind,)*
            $($(#[$shared_doc])+ #[serde(flatten)] pub $shared: $shared_kind,)*
        }

        impl $part {
            pub(super) const FIELDS: &'static [$crate::profiles::ProfileField] = &[
                $($crate::profiles::ProfileField {
                    name: stringify!($field),
                    meaning: concat!($($meaning),+).trim_ascii(),
                    choices: <$kind as $crate::profiles::fields::FieldValue>::CHOICES,
                },)*
            ];
        }
    };
}

pub(super) use part;
