//! Lists of kinds: what all lists of queues, applications or rate controls have in common.
//!
//! A kind is a module with a declared `Config` (see [`declare!`](crate::declare)), and a line in its
//! list. The list makes the enum of all configurations, as plans have it, and a macro that does the
//! same with every kind: what a list adds of its own is written with that.
//!
//! ```
//! mod fixed {
//!     units::declare! {
//!         /// The same delay for all.
//!         pub struct Config = "fixed" {
//!             /// how long
//!             micros: u64 = Field::count("µs"),
//!         }
//!     }
//!
//!     #[derive(Debug)]
//!     pub struct Fixed(u64);
//!
//!     impl Fixed {
//!         pub fn new(config: &Config) -> Fixed {
//!             Fixed(config.micros)
//!         }
//!
//!         pub fn delay(&self) -> u64 {
//!             self.0
//!         }
//!     }
//! }
//!
//! units::kinds! {
//!     /// What delays packets, as a plan has it.
//!     pub enum Config with each;
//!
//!     /// The same delay for all.
//!     Fixed in fixed;
//! }
//!
//! each! {
//!     /// What delays packets.
//!     #[derive(Debug)]
//!     pub enum Delay;
//! }
//!
//! impl Delay {
//!     pub fn new(config: &Config) -> Delay {
//!         each!(Kind, match config { Config(config) => enum Delay(Kind::new(config)) })
//!     }
//!
//!     pub fn delay(&self) -> u64 {
//!         each!(match self { Delay(kind) => kind.delay() })
//!     }
//! }
//!
//! # fn main() {
//! let config = Config::from(fixed::Config { micros: 30 });
//! assert_eq!(config.check(), Ok(()));
//! assert_eq!(Delay::new(&config).delay(), 30);
//! assert_eq!(KINDS[0].name, "fixed");
//! # }
//! ```

/// Makes a list of kinds: the enum of their configurations, `KINDS` with what is declared of each,
/// and a macro of the given name.
///
/// That macro takes a `match` with one arm, named after an enum of the list and written once for
/// all kinds: `each!(match self { Queue(queue) => queue.len() })`. Where the arm needs the type of
/// the kind, which is called as its line is, or its module, a name for it stands in front:
/// `each!(Kind, match …)`, `each!(mod kind, match …)`; what such an arm makes is told by `enum` to
/// be the same variant of another enum.
///
/// It also makes an enum of the kinds' types, `each! { pub enum Queue; }`, or of the types that have
/// the same name in all modules, `each! { pub enum Sender of Sender; }`; an array of the constants
/// that do, `each!([ABOUT])`; and takes over what does under the names of the lines,
/// `each! { pub use Config; }`.
#[macro_export]
macro_rules! kinds {
    (
        $(#[$about:meta])*
        pub enum $config:ident with $each:ident;
        $($(#[$doc:meta])* $name:ident in $module:ident;)*
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, $crate::serde::Serialize, $crate::serde::Deserialize)]
        #[serde(tag = "kind", rename_all = "kebab-case", crate = "units::serde")]
        pub enum $config {
            $($(#[$doc])* $name($module::Config),)*
        }

        /// Declaration of each.
        pub const KINDS: &[$crate::declaration::Kind] = &[$($module::Config::KIND),*];

        impl $config {
            /// Returns whether every value is within its limits; else the first that is not.
            pub fn check(&self) -> Result<(), String> {
                match self {
                    $($config::$name(config) => config.check(),)*
                }
            }
        }

        $(impl From<$module::Config> for $config {
            fn from(config: $module::Config) -> $config {
                $config::$name(config)
            }
        })*

        $crate::each_kind! { ($) $each $($(#[$doc])* $name in $module;)* }
    };
}

/// The macro of a list, which is handed a dollar sign, as a macro that writes one cannot spell it.
#[doc(hidden)]
#[macro_export]
macro_rules! each_kind {
    (($d:tt) $each:ident $($(#[$doc:meta])* $name:ident in $module:ident;)*) => {
        macro_rules! $each {
            (match $d value:tt { $d of:ident($d bound:pat) => $d body:expr $d(,)? }) => {
                match $d value {
                    $($d of::$name($d bound) => $d body,)*
                }
            };
            (
                $d kind:ident, match $d value:tt {
                    $d of:ident($d bound:pat) => enum $d made:ident($d body:expr) $d(,)?
                }
            ) => {
                match $d value {
                    $($d of::$name($d bound) => {
                        use self::$module::$name as $d kind;
                        $d made::$name($d body)
                    })*
                }
            };
            (
                $d kind:ident, match $d value:tt {
                    $d of:ident($d bound:pat) => $d body:expr $d(,)?
                }
            ) => {
                match $d value {
                    $($d of::$name($d bound) => {
                        use self::$module::$name as $d kind;
                        $d body
                    })*
                }
            };
            (
                mod $d kind:ident, match $d value:tt {
                    $d of:ident($d bound:pat) => enum $d made:ident($d body:expr) $d(,)?
                }
            ) => {
                match $d value {
                    $($d of::$name($d bound) => {
                        use self::$module as $d kind;
                        $d made::$name($d body)
                    })*
                }
            };
            (
                mod $d kind:ident, match $d value:tt {
                    $d of:ident($d bound:pat) => $d body:expr $d(,)?
                }
            ) => {
                match $d value {
                    $($d of::$name($d bound) => {
                        use self::$module as $d kind;
                        $d body
                    })*
                }
            };
            ([$d item:ident]) => {
                [$($module::$d item),*]
            };
            (pub use $d item:ident;) => {
                $(pub use self::$module::$d item as $name;)*
            };
            ($d(#[$d about:meta])* $d vis:vis enum $d of:ident;) => {
                $d(#[$d about])*
                $d vis enum $d of {
                    $($(#[$doc])* $name($module::$name),)*
                }
            };
            ($d(#[$d about:meta])* $d vis:vis enum $d of:ident of $d item:ident;) => {
                $d(#[$d about])*
                $d vis enum $d of {
                    $($(#[$doc])* $name($module::$d item),)*
                }
            };
        }
    };
}
