//! Choices that a stack profile makes by name.

/// A choice whose names a profile's writer may use.
pub(crate) trait Named {
    /// The names, as they are written.
    const NAMES: &'static [&'static str];
}

/// Declares a choice: what each alternative is called stands beside it, once.
macro_rules! choices {
    (
        $(#[$meta:meta])*
        pub enum $choice:ident {
            $($(#[$doc:meta])* $alternative:ident = $name:literal,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $choice {
            $($(#[$doc])* #[serde(rename = $name)] $alternative,)*
        }

        #[cfg(test)]
        impl $choice {
            pub(crate) const ALL: &'static [$choice] = &[$($choice::$alternative),*];
        }

        impl $crate::choices::Named for $choice {
            const NAMES: &'static [&'static str] = &[$($name),*];
        }
    };
}

pub(crate) use choices;
