//! Mappings of documents that are read into structs.

/// Declares a mapping of a document with its documentation, its fields and their defaults: a struct, its `Default`,
/// its [`Shape`](crate::Shape) and the function `read`.
///
/// A field is required unless its type is an `Option` or it has a default. `as` gives it a key that is not its name,
/// `=>` a kind that is not that of its type ([`FieldValue`](crate::FieldValue)). In parentheses after the name are other
/// members of the shape, and in `and {..}` fields of the struct that the mapping does not have.
///
/// ```
/// use document::diag::Source;
/// use document::{Kind, Limits, Need};
///
/// document::document! {
///     /// The retry settings of a task.
///     #[derive(Debug, PartialEq)]
///     pub struct Policy = "policy" (elsewhere: &[("tries", "write `maxRetries`")]) {
///         /// Tries after the first; absent means 2.
///         /// 0 retries nothing.
///         pub retries as "maxRetries": u32 = 2,
///         /// A share of the wait.
///         pub jitter: Option<f64> => Kind::Share,
///     }
/// }
/// assert_eq!(Policy::SHAPE.fields[0].doc, "Tries after the first; absent means 2.\n0 retries nothing.");
/// assert_eq!(Policy::SHAPE.fields[1].need, Need::Optional);
/// let (documents, _) = document::parse(&Source::new("policy.yaml", "jitter: 0.5"), Limits::POLICY);
/// assert_eq!(Policy::read(&documents[0].root), Policy { jitter: Some(0.5), ..Policy::default() });
/// ```
#[macro_export]
macro_rules! document {
    (
        $(#[doc = $doc:literal])*
        $(#[derive($($derive:path),+)])?
        $visibility:vis struct $type:ident = $name:literal
        $(($($member:ident: $value:expr),+ $(,)?))?
        {$(
            $(#[doc = $line:literal])*
            $field_visibility:vis $field:ident $(as $key:tt)?: $field_type:ty $(= $default:expr)? $(=> $kind:expr)?
        ),* $(,)?}
        $(and {$(
            $(#[doc = $other_line:literal])*
            $other_visibility:vis $other:ident: $other_type:ty = $other_value:expr
        ),* $(,)?})?
    ) => {
        $(#[doc = $doc])*
        $(#[derive($($derive),+)])?
        #[allow(clippy::doc_markdown, reason = "the documentation is printed as it is")]
        $visibility struct $type {
            $($(#[doc = $line])* $field_visibility $field: $field_type,)*
            $($($(#[doc = $other_line])* $other_visibility $other: $other_type,)*)?
        }

        impl ::core::default::Default for $type {
            fn default() -> Self {
                Self {
                    $($field: $crate::shapes!(@or $($default)?, ::core::default::Default::default()),)*
                    $($($other: $other_value,)*)?
                }
            }
        }

        impl $type {
            /// The shape of such a mapping.
            $visibility const SHAPE: &'static $crate::Shape = &$crate::Shape {
                fields: &[$($crate::Field {
                    name: $crate::shapes!(@or $($key)?, stringify!($field)),
                    doc: $crate::shapes!(@text $($line)*),
                    kind: $crate::shapes!(@or $($kind)?, <$field_type as $crate::FieldValue>::KIND),
                    need: $crate::document!(@need $field_type $(, $default)?),
                },)*],
                $($($member: $value,)+)?
                ..$crate::Shape::new($name, $crate::shapes!(@text $($doc)*))
            };

            /// Reads such a mapping. A value that its type cannot hold is read as absent.
            $visibility fn read(node: &$crate::Node) -> Self {
                Self {$(
                    $field: $crate::FieldValue::from_field(
                        node,
                        $crate::shapes!(@or $($key)?, stringify!($field)),
                    )
                    .unwrap_or_else(|| $crate::shapes!(@or $($default)?, ::core::default::Default::default())),
                )*$($($other: $other_value,)*)?}
            }
        }

        impl $crate::FieldValue for $type {
            const KIND: $crate::Kind = $crate::Kind::Object(Self::SHAPE);

            fn from_node(node: &$crate::Node) -> Option<Self> {
                Some(Self::read(node))
            }
        }
    };
    (@need $type:ty) => { <$type as $crate::FieldValue>::NEED };
    (@need $type:ty, $default:expr) => { $crate::Need::Optional };
}
