//! Collections in brackets: on one line, or as JSON.

use super::children::Place;
use super::printer::{INDENT, Printer};
use crate::diag::Span;
use crate::{Brackets, Part, PartKind};

impl Printer<'_> {
    /// A value on one line in flow style; `None` if it has comments or several lines.
    pub(super) fn in_brackets(&self, part: &Part, place: Option<Place>) -> Option<String> {
        if self.layout.has_comment(part.span) {
            return None;
        }
        match &part.kind {
            PartKind::Alias | PartKind::Scalar(_) => self.flow_scalar(part),
            PartKind::List(..) => {
                let items = self.flow_children(part, place)?;
                Some(format!("[{}]", items.join(", ")))
            }
            PartKind::Map(brackets, _) => {
                let entries = self.flow_children(part, place)?.join(", ");
                Some(if *brackets == Brackets::Implied {
                    entries
                } else {
                    format!("{{{entries}}}")
                })
            }
        }
    }

    fn flow_scalar(&self, part: &Part) -> Option<String> {
        let text = match self.spellings.get(&part.content.start) {
            Some(spelling) if !part.has_anchor && !part.has_tag => spelling,
            // A new spelling covers the text alone, and would lose the anchor or tag before it.
            Some(_) => return None,
            None => self.layout.text(part.span),
        };
        (!text.contains('\n')).then(|| text.to_owned())
    }

    fn flow_children(&self, part: &Part, place: Option<Place>) -> Option<Vec<String>> {
        let mut children = self.children(part, place)?;
        // The order is kept where an alias might otherwise come before its anchor.
        if !self.keeps_order {
            children.sort_by_key(|child| child.order);
        }
        let written = children.iter().map(|child| {
            let (properties, _) = match &child.value.kind {
                PartKind::List(..) | PartKind::Map(..) => self.properties(child.value)?,
                PartKind::Alias | PartKind::Scalar(_) => (String::new(), None),
            };
            let value = self.in_brackets(child.value, child.place)?;
            let space = if properties.is_empty() { "" } else { " " };
            let value = format!("{}{space}{value}", properties.trim_start());
            let has_colon = child.indicator_end > child.span.start
                && self.layout.text(Span::new(child.indicator_end - 1, child.indicator_end)) == ":";
            Some(match &child.key {
                None => value,
                Some(key) if has_colon => format!("{key} {value}"),
                Some(key) => key.trim_end_matches(':').to_owned(),
            })
        });
        written.collect()
    }

    /// JSON, indented as `get -o json` prints it.
    pub(super) fn json(&self, part: &Part, place: Option<Place>, indent: usize) -> Option<String> {
        if matches!(part.kind, PartKind::Alias | PartKind::Scalar(_)) {
            return self.flow_scalar(part).filter(|text| !text.is_empty());
        }
        let mut children = self.children(part, place)?;
        children.sort_by_key(|child| child.order);
        let (open, close) =
            if matches!(part.kind, PartKind::List(..)) { ('[', ']') } else { ('{', '}') };
        if children.is_empty() {
            return Some(format!("{open}{close}"));
        }
        let inner = " ".repeat(indent + INDENT);
        let written = children.iter().map(|child| {
            let value = self.json(child.value, child.place, indent + INDENT)?;
            let key = child.key.as_ref().map_or(String::new(), |key| format!("{key} "));
            Some(format!("{inner}{key}{value}"))
        });
        let written: Option<Vec<String>> = written.collect();
        Some(format!("{open}\n{}\n{}{close}", written?.join(",\n"), " ".repeat(indent)))
    }
}
