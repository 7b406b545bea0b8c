//! The types of values that fields of a document have.

use crate::diag::{Code, Severity};
use crate::units::GoDuration;
use crate::{Choices, Kind, Need, Node, choice};

/// A type of values that a field of a document may have.
pub trait FieldValue: Sized {
    /// The kind by which a value is checked.
    const KIND: Kind;
    /// Whether a field without a default is required.
    const NEED: Need = Need::Required;

    /// Reads a value; `None` if the type cannot hold it.
    fn from_node(node: &Node) -> Option<Self>;

    /// Reads the value under a key; a null counts as absent.
    fn from_field(mapping: &Node, key: &str) -> Option<Self> {
        mapping.get(key).and_then(Self::from_node)
    }
}

impl<T: FieldValue> FieldValue for Option<T> {
    const KIND: Kind = T::KIND;
    const NEED: Need = Need::Optional;

    fn from_node(node: &Node) -> Option<Self> {
        T::from_node(node).map(Some)
    }

    fn from_field(mapping: &Node, key: &str) -> Option<Self> {
        T::from_field(mapping, key).map(Some)
    }
}

impl<T: FieldValue> FieldValue for Vec<T> {
    const KIND: Kind = Kind::List { item: &T::KIND, min: 0 };

    fn from_node(node: &Node) -> Option<Self> {
        Some(node.items().iter().filter_map(T::from_node).collect())
    }
}

impl FieldValue for String {
    const KIND: Kind = Kind::Text;

    fn from_node(node: &Node) -> Option<Self> {
        node.text().map(str::to_owned)
    }
}

impl FieldValue for Box<str> {
    const KIND: Kind = Kind::Text;

    fn from_node(node: &Node) -> Option<Self> {
        node.text().map(Self::from)
    }
}

impl FieldValue for GoDuration {
    const KIND: Kind = Kind::Duration;

    fn from_node(node: &Node) -> Option<Self> {
        Self::parse(node.text()?).ok()
    }
}

static SEVERITIES: Choices = Choices {
    values: &[
        choice("error", "The document cannot be used, or must not be."),
        choice("warning", "The document is probably not what its author intended."),
        choice("info", "The author may want to know."),
    ],
    ..Choices::new("severity")
};

impl FieldValue for Severity {
    const KIND: Kind = Kind::OneOf(&SEVERITIES);

    fn from_node(node: &Node) -> Option<Self> {
        node.text().and_then(Self::from_name)
    }
}

impl FieldValue for bool {
    const KIND: Kind = Kind::Boolean;

    fn from_node(node: &Node) -> Option<Self> {
        node.boolean()
    }
}

impl FieldValue for f64 {
    const KIND: Kind = Kind::Finite;

    fn from_node(node: &Node) -> Option<Self> {
        node.number()
    }
}

/// Whole numbers within the bounds of their type.
macro_rules! whole_numbers {
    ($($type:ident)*) => {$(
        impl FieldValue for $type {
            const KIND: Kind = Kind::Whole {
                min: $type::MIN as i128,
                max: $type::MAX as i128,
                code: Code::OutOfRange,
            };

            fn from_node(node: &Node) -> Option<Self> {
                node.integer()?.try_into().ok()
            }
        }
    )*};
}
whole_numbers!(i32 u32 i64 u64);
