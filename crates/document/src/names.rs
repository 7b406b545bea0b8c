//! Enums whose values have names.

/// Declares an enum with the name of each value, as documents, records or reports have it: `ALL`, `as_str` and
/// `from_name`.
///
/// ```
/// document::names! {
///     /// How a run ended.
///     #[derive(Debug, Clone, Copy, PartialEq, Eq)]
///     pub enum Outcome {
///         /// It failed.
///         Failed = "Failed",
///         /// The scheduler took its place.
///         Preempted = "Preempted",
///     }
/// }
/// assert_eq!(Outcome::from_name("Failed").map(Outcome::as_str), Some("Failed"));
/// ```
#[macro_export]
macro_rules! names {
    (
        $(#[$attribute:meta])*
        $visibility:vis enum $type:ident {
            $($(#[$of_value:meta])* $value:ident = $name:literal,)+
        }
    ) => {
        $(#[$attribute])*
        $visibility enum $type {
            $($(#[$of_value])* $value,)+
        }

        impl $type {
            /// All values, in the order of their declaration.
            $visibility const ALL: [Self; [$($name),+].len()] = [$(Self::$value),+];

            /// The name.
            $visibility const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$value => $name,)+
                }
            }

            // A match instead of a search of `ALL`: some names are read from every line of a stream.
            /// The value of this name.
            $visibility fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$value),)+
                    _ => None,
                }
            }
        }
    };
}
