//! Values of which a field of a document accepts only a few.

/// Declares static [`Choices`](crate::Choices): values with their documentation, and after `=>` other spellings.
///
/// ```
/// document::choices! {
///     static ACTIONS = "action" {
///         /// Another run follows.
///         "Retry",
///         /// No other run follows.
///         "Fail",
///     }
/// }
/// assert_eq!(ACTIONS.find("Fail").map(|choice| choice.doc), Some("No other run follows."));
/// ```
///
/// Or an enum with such names ([`names!`](crate::names!)): its `CHOICES`, and the type of a field's value.
///
/// ```
/// document::choices! {
///     /// How delays grow.
///     #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
///     pub enum Backoff = "backoff" {
///         /// All delays are equal.
///         #[default]
///         Fixed = "fixed",
///         /// Each delay is twice the one before.
///         Exponential = "exponential",
///     }
/// }
/// assert_eq!(Backoff::CHOICES.values[0].doc, "All delays are equal.");
/// ```
#[macro_export]
macro_rules! choices {
    ($(
        $visibility:vis static $choices:ident = $name:literal $(($($member:ident: $value:expr),+ $(,)?))? {$(
            $(#[doc = $line:literal])* $choice:literal $(=> $also:expr)?
        ),* $(,)?}
    )*) => {$(
        #[doc = concat!("The choices of a value: ", $name, ".")]
        $visibility static $choices: $crate::Choices = $crate::Choices {
            values: &[$($crate::Choice {
                value: $choice,
                doc: $crate::shapes!(@text $($line)*),
                also: $crate::shapes!(@or $($also)?, &[]),
            }),*],
            $($($member: $value,)+)?
            ..$crate::Choices::new($name)
        };
    )*};
    (
        $(#[$attribute:meta])*
        $visibility:vis enum $type:ident = $choices:literal $(($($member:ident: $value_of:expr),+ $(,)?))? {
            $($(#[$($of_value:tt)*])* $value:ident = $name:literal,)+
        }
    ) => {
        $crate::names! {
            $(#[$attribute])*
            #[allow(clippy::doc_markdown, reason = "the documentation is printed as it is")]
            $visibility enum $type {
                $($(#[$($of_value)*])* $value = $name,)+
            }
        }

        impl $type {
            /// The names as choices of a document.
            $visibility const CHOICES: &'static $crate::Choices = &$crate::Choices {
                values: &[$($crate::choice($name, $crate::choices!(@text $(#[$($of_value)*])*)),)+],
                $($($member: $value_of,)+)?
                ..$crate::Choices::new($choices)
            };
        }

        impl $crate::FieldValue for $type {
            const KIND: $crate::Kind = $crate::Kind::OneOf(Self::CHOICES);

            fn from_node(node: &$crate::Node) -> Option<Self> {
                node.text().and_then(Self::from_name)
            }
        }
    };
    (@text $(#[doc = $line:literal])* $(#[default])?) => { $crate::shapes!(@text $($line)*) };
}
