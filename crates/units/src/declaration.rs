//! Declarations: what a scenario may say of an application, a queue, an impairment.
//!
//! A kind of thing is one file, and what people may write of it stands there, once, beside the
//! code that means it: field, meaning, unit, limits, default, source. Whoever compiles
//! scenarios reads the [`Kind`] and needs no list of its own; a plan then holds each value in
//! the base unit of its [`Quantity`].
//!
//! ```
//! units::declare! {
//!     /// One TCP connection that sends as much as it can.
//!     pub struct Bulk = "bulk" {
//!         /// bytes to send; absent: until the run ends
//!         bytes: Option<u64> = Field::size().positive().optional().from("no end"),
//!     }
//! }
//! let bulk: Bulk = Bulk { bytes: Some(1_000_000) };
//! assert_eq!(Bulk::KIND.name, "bulk");
//! assert_eq!(Bulk::KIND.fields[0].about, "bytes to send; absent: until the run ends");
//! # assert_eq!(bulk.bytes, Some(1_000_000));
//! ```

use std::num::NonZeroU64;

use serde::Serialize;

use crate::{Db, Dbm, Duration, Rate};

/// One kind of application, queue, impairment or rate control.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Kind {
    /// Its name in scenarios.
    pub name: &'static str,
    /// Its description, in a sentence.
    pub about: &'static str,
    /// Its fields.
    pub fields: &'static [Field],
}

/// A number that a run gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Metric {
    /// Its name, the unit last where there is one.
    pub name: &'static str,
    /// Its name in figures and tables.
    pub label: &'static str,
    /// Its unit; empty for a ratio.
    pub unit: &'static str,
    /// Its exact definition.
    pub about: &'static str,
}

/// A metric that a counter gives: its increase over what is measured.
#[derive(Clone, Copy, Debug)]
pub struct CountedMetric<Counters: 'static> {
    /// Its name and meaning.
    pub metric: Metric,
    /// The count.
    pub count: fn(&Counters) -> u64,
}

/// A metric that is computed rather than counted, and how.
#[derive(Clone, Copy, Debug)]
pub struct Declared<Of: 'static> {
    /// Its name and meaning.
    pub metric: Metric,
    /// Its value; none where there is nothing to compute it from.
    pub value: fn(&Of) -> Option<f64>,
}

/// Declaration of one field of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Field {
    /// Its name, in scenarios and in plans.
    pub name: &'static str,
    /// Its meaning.
    pub about: &'static str,
    /// Its quantity, hence its units and its base unit.
    pub quantity: Quantity,
    /// Number of values, and their form.
    pub shape: Shape,
    /// Value where a scenario says nothing.
    pub default: Default,
    /// The unit of a bare number.
    pub unit: Option<&'static str>,
    /// The smallest value, in the base unit.
    pub at_least: Option<f64>,
    /// The largest value, in the base unit.
    pub at_most: Option<f64>,
    /// True if the limits themselves are refused.
    pub is_open: bool,
    /// A field of the same kind that this one has to be above.
    pub above: Option<&'static str>,
    /// Where the default comes from: clause, RFC, paper, or "inferred" and from what.
    pub source: Option<&'static str>,
}

/// Quantity that a field measures; a plan holds the base unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// A time, in nanoseconds.
    Duration,
    /// A bit rate, in bit/s.
    Rate,
    /// A size, in bytes.
    Size,
    /// A ratio of powers, in dB.
    Ratio,
    /// A power, in dBm.
    Power,
    /// A distance, in metres.
    Distance,
    /// A speed, in metres per second.
    Speed,
    /// A place on the plane: two distances from its origin.
    Place,
    /// Places, one or more.
    Places,
    /// Walls, one or more, each places from one to the next.
    Walls,
    /// Who is where when, in a file alone.
    Movements,
    /// Levels of a link over time, in a file alone.
    Levels,
    /// Count: a whole number.
    Count,
    /// A real number.
    Number,
    /// Yes or no.
    Flag,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Whole numbers, one or more.
    Counts,
    /// Steps of a script, by names of their own.
    Script,
    /// Frames of video, each a time in nanoseconds and bytes, in a file alone.
    Frames,
}

/// Number of values of a field, and their form in a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// One value.
    One,
    /// A list of the lowest and the highest: a [`Range`](crate::Range).
    Range,
    /// A list of pairs, each a time of the run and the value from then on: [`Steps`](crate::Steps).
    Steps,
    /// A list of pairs, each a time of the run and a later one: [`Spans`](crate::Spans).
    Spans,
    /// The name of a file, whose first line is their unit and every other one a number: a `Vec`.
    File,
}

/// Value where a scenario says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Default {
    /// The scenario has to say it.
    Required,
    /// Nothing, which has a meaning of its own.
    Absent,
    /// A text, as a scenario writes it, its unit included.
    Text(&'static str),
    /// A whole number.
    Count(u64),
    /// A real number.
    Number(f64),
    /// Yes or no.
    Flag(bool),
    /// The lowest and the highest of whole numbers.
    Range([u64; 2]),
}

impl Field {
    /// A field that measures `quantity`, to be named by [`declare!`](crate::declare).
    pub const fn of(quantity: Quantity) -> Field {
        Field {
            name: "",
            about: "",
            quantity,
            shape: Shape::One,
            default: Default::Required,
            unit: None,
            at_least: None,
            at_most: None,
            is_open: false,
            above: None,
            source: None,
        }
    }

    /// A time.
    pub const fn duration() -> Field {
        Field::of(Quantity::Duration)
    }

    /// A bit rate above zero.
    pub const fn rate() -> Field {
        Field::of(Quantity::Rate).positive()
    }

    /// A size; a bare number is of bytes.
    pub const fn size() -> Field {
        Field::of(Quantity::Size).in_unit("bytes")
    }

    /// A distance above zero.
    pub const fn distance() -> Field {
        Field::of(Quantity::Distance).within(0.0, 1e9).open()
    }

    /// A speed above zero.
    pub const fn speed() -> Field {
        Field::of(Quantity::Speed).within(0.0, 1e6).open()
    }

    /// A whole number of what `unit` names.
    pub const fn count(unit: &'static str) -> Field {
        Field::of(Quantity::Count).in_unit(unit)
    }

    /// A real number from 0 to 1.
    pub const fn probability() -> Field {
        Field::of(Quantity::Number).within(0.0, 1.0)
    }

    /// From a lowest to a highest value.
    pub const fn range(mut self) -> Field {
        self.shape = Shape::Range;
        self
    }

    /// That changes at times of the run.
    pub const fn steps(mut self) -> Field {
        self.shape = Shape::Steps;
        self
    }

    /// From a time to another, any number of times.
    pub const fn spans(mut self) -> Field {
        self.shape = Shape::Spans;
        self
    }

    /// From a file of values.
    pub const fn of_file(mut self) -> Field {
        self.shape = Shape::File;
        self
    }

    /// With the unit of a bare number.
    pub const fn in_unit(mut self, unit: &'static str) -> Field {
        self.unit = Some(unit);
        self
    }

    /// At least one of the base unit.
    pub const fn positive(mut self) -> Field {
        self.at_least = Some(1.0);
        self
    }

    /// From `least` to `most`, in the base unit.
    pub const fn within(mut self, least: f64, most: f64) -> Field {
        self.at_least = Some(least);
        self.at_most = Some(most);
        self
    }

    /// Without the limits themselves.
    pub const fn open(mut self) -> Field {
        self.is_open = true;
        self
    }

    /// Above what stands in another field.
    pub const fn above(mut self, other: &'static str) -> Field {
        self.above = Some(other);
        self
    }

    /// That may be absent, which has a meaning of its own.
    pub const fn optional(mut self) -> Field {
        self.default = Default::Absent;
        self
    }

    /// With a default.
    pub const fn or(mut self, default: Default) -> Field {
        self.default = default;
        self
    }

    /// With the source of the default.
    pub const fn from(mut self, source: &'static str) -> Field {
        self.source = Some(source);
        self
    }
}

impl Field {
    /// Returns whether a value in the base unit is within the limits; else what is wrong with it.
    pub fn check(&self, value: Option<f64>) -> Result<(), String> {
        let Some(value) = value else { return Ok(()) };
        let is_low = |least| value < least || self.is_open && value == least;
        let is_high = |most| value > most || self.is_open && value == most;
        if self.at_least.is_some_and(is_low) || self.at_most.is_some_and(is_high) {
            return Err(format!("{}: {value} is out of range", self.name));
        }
        Ok(())
    }
}

/// Returns whether every field that has to be above another one is so; else the first that is not.
pub fn check_order(fields: &[Field], values: &[&dyn Measure]) -> Result<(), String> {
    let of = |name| (fields.iter().zip(values)).find(|(field, _)| field.name == name);
    for (field, value) in fields.iter().zip(values) {
        let Some((other, lower)) = field.above.and_then(of) else {
            continue;
        };
        if value.measure() <= lower.measure() {
            return Err(format!("{}: not above {}", field.name, other.name));
        }
    }
    Ok(())
}

/// Types with a size that limits can be put to.
pub trait Measure {
    /// The size in the base unit; none of what is absent or has no size.
    fn measure(&self) -> Option<f64>;

    /// Returns whether it is within the limits of its field; else what is wrong with it.
    fn check(&self, field: &Field) -> Result<(), String> {
        field.check(self.measure())
    }
}

macro_rules! measures {
    ($($of:ty: $value:ident => $size:expr;)*) => {
        $(impl Measure for $of {
            fn measure(&self) -> Option<f64> {
                let $value = self;
                $size
            }
        })*
    };
}

measures! {
    u8: value => Some(f64::from(*value));
    u16: value => Some(f64::from(*value));
    u32: value => Some(f64::from(*value));
    u64: value => Some(*value as f64);
    NonZeroU64: value => Some(value.get() as f64);
    f64: value => Some(*value);
    Duration: value => Some(value.as_nanos() as f64);
    Rate: value => Some(value.as_bps() as f64);
    Db: value => Some(value.0);
    Dbm: value => Some(value.0);
    bool: _value => None;
}

impl<T: Measure> Measure for Option<T> {
    fn measure(&self) -> Option<f64> {
        self.as_ref().and_then(T::measure)
    }

    fn check(&self, field: &Field) -> Result<(), String> {
        self.as_ref().map_or(Ok(()), |value| value.check(field))
    }
}

impl<T: Measure> Measure for Vec<T> {
    fn measure(&self) -> Option<f64> {
        None
    }

    fn check(&self, field: &Field) -> Result<(), String> {
        if self.is_empty() {
            return Err(format!("{}: there are no values", field.name));
        }
        self.iter().try_for_each(|value| value.check(field))
    }
}

/// Declares a kind: a struct of its parameters, as a plan holds them, and what people may write.
///
/// Each field's comment is its meaning for people, its right-hand side a [`Field`].
#[macro_export]
macro_rules! declare {
    (
        $(#[doc = $about:literal])+
        pub struct $kind:ident = $name:literal {
            $(
                $(#[doc = $meaning:literal])+
                $field:ident: $of:ty = $declared:expr,
            )*
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug, PartialEq, $crate::serde::Serialize, $crate::serde::Deserialize)]
        #[serde(deny_unknown_fields, crate = "units::serde")]
        pub struct $kind {
            $(
                $(#[doc = $meaning])+
                pub $field: $of,
            )*
        }

        impl $kind {
            /// Its declaration for scenarios.
            pub const KIND: $crate::declaration::Kind = $crate::declaration::Kind {
                name: $name,
                about: concat!($($about),+).trim_ascii_start(),
                fields: &[$(
                    {
                        #[allow(unused_imports, reason = "not every field needs all of them")]
                        use $crate::declaration::{Default, Field, Quantity};
                        Field {
                            name: stringify!($field),
                            about: concat!($($meaning),+).trim_ascii_start(),
                            ..$declared
                        }
                    },
                )*],
            };

            /// Returns whether every value is within its limits; else the first that is not.
            pub fn check(&self) -> Result<(), String> {
                let values: &[&dyn $crate::declaration::Measure] = &[$(&self.$field),*];
                let mut fields = Self::KIND.fields.iter().zip(values);
                fields.try_for_each(|(field, value)| value.check(field))?;
                $crate::declaration::check_order(Self::KIND.fields, values)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate as units;
    use crate::Duration;

    units::declare! {
        /// Echo requests
        /// and their replies.
        pub struct Ping = "ping" {
            /// bytes after the ICMP header
            payload: u32 = Field::size().positive().or(Default::Count(56)).from("usual for ping"),
            /// time between requests
            interval: Duration = Field::duration().positive().or(Default::Text("1 s")),
        }
    }

    #[test]
    fn a_declaration_tells_all_that_people_have_to_know() {
        let Kind {
            name,
            about,
            fields,
        } = Ping::KIND;
        assert_eq!((name, about), ("ping", "Echo requests and their replies."));
        let payload = &fields[0];
        assert_eq!(
            (payload.name, payload.about),
            ("payload", "bytes after the ICMP header")
        );
        assert_eq!(payload.default, Default::Count(56));
        assert_eq!((payload.unit, payload.at_least), (Some("bytes"), Some(1.0)));
        assert_eq!(fields[1].quantity, Quantity::Duration);
    }

    #[test]
    fn a_value_outside_its_limits_is_refused() {
        let ping = |payload| Ping {
            payload,
            interval: Duration::from_millis(1),
        };
        assert_eq!(ping(56).check(), Ok(()));
        assert_eq!(
            ping(0).check(),
            Err("payload: 0 is out of range".to_owned())
        );
    }
}
