//! The items and entries of a collection in the text, with their keys, their order and their anchors.

use super::printer::Printer;
use crate::diag::Span;
use crate::{Brackets, EntryPart, ItemPart, Kind, Part, PartKind, ScalarStyle, Shape};

/// The place of a value in the shape, for the order of keys.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place {
    Object(&'static Shape),
    Kind(&'static Kind),
}

impl Place {
    fn shape(self) -> Option<&'static Shape> {
        match self {
            Self::Object(shape) => Some(shape),
            Self::Kind(Kind::Object(shape) | Kind::ShareOr(shape)) => Some(shape),
            Self::Kind(_) => None,
        }
    }

    fn item(self) -> Option<Self> {
        match self {
            Self::Kind(Kind::List { item, .. } | Kind::Pair(item)) => Some(Self::Kind(item)),
            _ => None,
        }
    }

    /// The order of a key, and the place of its value.
    fn entry(self, key: &str) -> (usize, Option<Self>) {
        let field = self.shape().and_then(|shape| {
            let fields = shape.fields.iter().enumerate();
            fields.into_iter().find(|(_, field)| field.name.eq_ignore_ascii_case(key))
        });
        match (field, self) {
            (Some((index, field)), _) => (index, Some(Self::Kind(&field.kind))),
            // Keys of no field stay behind all others, in their order.
            (None, Self::Kind(Kind::Map(value))) => (usize::MAX, Some(Self::Kind(value))),
            (None, _) => (usize::MAX, None),
        }
    }
}

/// An item or entry.
pub(super) struct Child<'a> {
    /// The key with its colon; `None` for an item.
    pub(super) key: Option<String>,
    pub(super) value: &'a Part,
    pub(super) place: Option<Place>,
    pub(super) order: usize,
    pub(super) span: Span,
    /// The end of the dash or colon.
    pub(super) indicator_end: usize,
}

impl Printer<'_> {
    pub(super) fn children<'p>(
        &self,
        part: &'p Part,
        place: Option<Place>,
    ) -> Option<Vec<Child<'p>>> {
        match &part.kind {
            PartKind::Alias | PartKind::Scalar(_) => None,
            PartKind::List(_, items) => {
                let child = |item: &'p ItemPart| Child {
                    key: None,
                    value: &item.value,
                    place: place.and_then(Place::item),
                    order: 0,
                    span: item.span(),
                    indicator_end: item.dash.map_or(item.value.span.start, |dash| dash + 1),
                };
                Some(items.iter().map(child).collect())
            }
            PartKind::Map(_, entries) => {
                let child = |entry: &'p EntryPart| {
                    let key = self.key(&entry.key).filter(|_| entry.question.is_none())?;
                    let name = key.trim_matches(['"', '\'']);
                    let (order, place) = place.map_or((0, None), |place| place.entry(name));
                    // Without the space the colon would be a part of the alias's name (YAML 1.2, 7.1).
                    let space = if matches!(entry.key.kind, PartKind::Alias) { " " } else { "" };
                    Some(Child {
                        key: Some(format!("{key}{space}:")),
                        value: &entry.value,
                        place,
                        order,
                        span: entry.span(),
                        indicator_end: entry.colon.map_or(entry.key.span.end, |colon| colon + 1),
                    })
                };
                entries.iter().map(child).collect()
            }
        }
    }

    pub(super) fn key(&self, key: &Part) -> Option<String> {
        let text = match self.spellings.get(&key.content.start) {
            Some(spelling) => spelling.clone(),
            None => self.layout.text(key.span).to_owned(),
        };
        let is_scalar = matches!(key.kind, PartKind::Alias | PartKind::Scalar(_));
        (is_scalar && !text.is_empty() && !text.contains('\n')).then_some(text)
    }

    /// The anchor and tag of a value; `None` if they are not on one line.
    pub(super) fn properties(&self, part: &Part) -> Option<(String, Option<usize>)> {
        if !part.has_anchor && !part.has_tag {
            return Some((String::new(), None));
        }
        let text = self.layout.text(Span::new(part.span.start, part.content.start));
        let line = text.split(['\r', '\n']).next().unwrap_or_default();
        let line = line.split(" #").next().unwrap_or_default().trim_end();
        let count = usize::from(part.has_anchor) + usize::from(part.has_tag);
        let words: Vec<&str> =
            line.split_whitespace().take_while(|word| word.starts_with(['&', '!'])).collect();
        (words.len() == count)
            .then(|| (format!(" {}", words.join(" ")), Some(part.span.start + line.len())))
    }
}

/// Whether a collection is written as JSON: in brackets, with keys in double quotes.
pub(super) fn is_json(part: &Part) -> bool {
    match &part.kind {
        PartKind::Map(Brackets::Both, entries) => entries
            .first()
            .is_none_or(|entry| matches!(entry.key.kind, PartKind::Scalar(ScalarStyle::Double))),
        _ => false,
    }
}
