//! Prints a document from its layout.

use super::WIDTH;
use super::canonical::Canonical;
use super::gap::{CommentLine, Gap, content, take_deeper, trailing};
use crate::diag::{BYTE_ORDER_MARK, Span};
use crate::document::{Brackets, DocumentLayout, Kind, Layout, Part, PartKind, ScalarStyle, Shape};
use std::collections::HashMap;

/// The spaces of a level.
const INDENT: usize = 2;

/// The text of a document in canonical layout, from its `---` to the next one; `None` if it has parts that are not
/// supported: explicit keys, directives, several properties on several lines, indentation indicators.
pub(super) fn print(
    layout: &Layout,
    document: &DocumentLayout,
    shape: &'static Shape,
    canonical: &Canonical,
) -> Option<String> {
    let root = &document.root;
    let mut printer = Printer {
        layout,
        spellings: &canonical.spellings,
        keeps_order: root.any(&|part| part.has_anchor),
        out: String::new(),
    };
    printer.head(document)?;
    let end = Span::new(root.span.end, document.span.end);
    if root.has_anchor || root.has_tag || !content(layout, end).is_empty() {
        return None;
    }
    let kind = Some(Place::Object(shape));
    if is_json(root) {
        if layout.has_comment(Span::new(root.span.start, document.span.end)) {
            return None;
        }
        let json = printer.json(root, kind, 0)?;
        printer.out += &json;
        printer.out.push('\n');
    } else {
        let tail = Gap::of(layout, end.start, end.end).lines;
        let body =
            Body { part: root, place: kind, indent: 0, from: root.span.start, is_inline: false };
        printer.block(&body, tail)?;
    }
    let text = printer.out;
    Some(if layout.line_break() == "\n" { text } else { text.replace('\n', layout.line_break()) })
}

/// Whether a collection is written as JSON: in brackets, with keys in double quotes.
fn is_json(part: &Part) -> bool {
    match &part.kind {
        PartKind::Map(Brackets::Both, entries) => entries
            .first()
            .is_none_or(|entry| matches!(entry.key.kind, PartKind::Scalar(ScalarStyle::Double))),
        _ => false,
    }
}

/// The place of a value in the shape, for the order of keys.
#[derive(Debug, Clone, Copy)]
enum Place {
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
            (None, Self::Kind(Kind::Map(value))) => (usize::MAX, Some(Self::Kind(value))),
            (None, _) => (usize::MAX, None),
        }
    }
}

/// An item or entry.
struct Child<'a> {
    /// The key with its colon; `None` for an item.
    key: Option<String>,
    value: &'a Part,
    place: Option<Place>,
    order: usize,
    span: Span,
    /// The end of the dash or colon.
    indicator_end: usize,
}

/// A child with the comments that belong to it.
struct Entry<'a, 'l> {
    child: Child<'a>,
    /// What is above it.
    gap: Gap<'l>,
    /// The comment lines below that belong to it.
    tail: Vec<CommentLine<'l>>,
}

/// A collection to print in block style.
struct Body<'a> {
    part: &'a Part,
    place: Option<Place>,
    indent: usize,
    /// The end of what has been printed of the old text.
    from: usize,
    /// Whether it may begin on the current line.
    is_inline: bool,
}

struct Printer<'a> {
    layout: &'a Layout,
    spellings: &'a HashMap<usize, String>,
    /// Whether an alias could come before its anchor in another order.
    keeps_order: bool,
    out: String,
}

impl<'a> Printer<'a> {
    /// Prints what is before the top-level value: comments and `---`.
    fn head(&mut self, document: &DocumentLayout) -> Option<()> {
        let head = Span::new(document.span.start, document.root.span.start);
        if self.layout.text(head).starts_with(BYTE_ORDER_MARK) {
            self.out += BYTE_ORDER_MARK;
        }
        let mut from = head.start;
        match content(self.layout, head).as_str() {
            "" => {}
            "---" => {
                let is_mark = |at: &usize| {
                    self.layout.comment_line(*at).is_none() && self.layout.line_start(*at) == *at
                };
                let text = self.layout.text(head);
                let marks = text.match_indices("---").map(|(at, _)| head.start + at);
                let mark = marks.into_iter().find(is_mark)?;
                let before = Gap::of(self.layout, head.start, mark);
                self.lines(&before.lines, 0, true);
                self.out += "---";
                from = mark + "---".len();
                self.trailing(from);
                self.out.push('\n');
            }
            _ => return None,
        }
        let gap = Gap::of(self.layout, from, head.end);
        self.lines(&gap.lines, 0, true);
        if gap.ends_with_blank && !gap.lines.is_empty() {
            self.out.push('\n');
        }
        Some(())
    }

    fn lines(&mut self, lines: &[CommentLine<'_>], indent: usize, is_first: bool) {
        for (index, line) in lines.iter().enumerate() {
            if line.is_after_blank && (index > 0 || !is_first) {
                self.out.push('\n');
            }
            self.indent(indent);
            self.out += line.text;
            self.out.push('\n');
        }
    }

    fn indent(&mut self, indent: usize) {
        self.out.extend(std::iter::repeat_n(' ', indent));
    }

    /// Prints the comment after a place on its line.
    fn trailing(&mut self, after: usize) {
        if let Some(comment) = trailing(self.layout, after) {
            self.out.push(' ');
            self.out += comment;
        }
    }

    /// Prints a collection in block style, one line or more for each item or entry.
    fn block(&mut self, body: &Body<'_>, tail: Vec<CommentLine<'a>>) -> Option<()> {
        let (mut entries, tail) = self.entries(body, tail)?;
        if !self.keeps_order {
            entries.sort_by_key(|entry| entry.child.order);
        }
        for (index, entry) in entries.into_iter().enumerate() {
            let is_first = index == 0;
            let is_inline = is_first && body.is_inline && entry.gap.lines.is_empty();
            if is_inline {
                self.out.push(' ');
            } else if is_first && body.is_inline {
                self.out.push('\n');
            }
            self.lines(&entry.gap.lines, body.indent, is_first);
            if entry.gap.ends_with_blank && !(is_first && entry.gap.lines.is_empty()) {
                self.out.push('\n');
            }
            if !is_inline {
                self.indent(body.indent);
            }
            self.out += entry.child.key.as_deref().unwrap_or("-");
            self.value(&entry.child, body.indent, entry.tail)?;
        }
        self.lines(&tail, body.indent, false);
        Some(())
    }

    /// The items or entries of a collection, each with its comments, and the comments at its end.
    fn entries<'p>(
        &self,
        body: &Body<'p>,
        mut tail: Vec<CommentLine<'a>>,
    ) -> Option<(Vec<Entry<'p, 'a>>, Vec<CommentLine<'a>>)> {
        let children = self.children(body.part, body.place)?;
        let column = self.layout.column(children.first()?.span.start);
        // Columns have no meaning in brackets.
        let has_columns = matches!(
            body.part.kind,
            PartKind::List(Brackets::None, _) | PartKind::Map(Brackets::None, _)
        );
        let mut entries: Vec<Entry<'p, 'a>> = Vec::with_capacity(children.len());
        let mut from = body.from;
        for child in children {
            let mut gap = Gap::of(self.layout, from, child.span.start);
            from = child.span.end;
            if let Some(last) = entries.last_mut()
                && has_columns
            {
                last.tail = gap.take_deeper(column);
            }
            self.hoist(&child, &mut gap);
            entries.push(Entry { child, gap, tail: Vec::new() });
        }
        if has_columns {
            entries.last_mut()?.tail = take_deeper(&mut tail, column);
        } else if body.part.has_brackets() {
            let mut inside = Gap::of(self.layout, from, body.part.span.end).lines;
            inside.append(&mut tail);
            tail = inside;
        }
        Some((entries, tail))
    }

    /// Moves comments between an indicator and its value above the entry, unless the value is a block.
    fn hoist(&self, child: &Child<'_>, gap: &mut Gap<'a>) {
        let is_block = matches!(
            child.value.kind,
            PartKind::List(Brackets::None, _)
                | PartKind::Map(Brackets::None | Brackets::Implied, _)
                | PartKind::Scalar(ScalarStyle::Literal | ScalarStyle::Folded)
        );
        let is_absent = child.value.content.start == child.value.content.end;
        if is_block || is_absent {
            return;
        }
        let span = Span::new(child.indicator_end, child.value.content.start);
        for comment in self.layout.comments_in(span) {
            let text = self.layout.text(*comment).trim_end();
            gap.lines.push(CommentLine { text, column: 0, is_after_blank: false });
            gap.ends_with_blank = false;
        }
    }

    fn children<'p>(&self, part: &'p Part, place: Option<Place>) -> Option<Vec<Child<'p>>> {
        match &part.kind {
            PartKind::Alias | PartKind::Scalar(_) => None,
            PartKind::List(_, items) => {
                let child = |item: &'p crate::document::ItemPart| Child {
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
                let child = |entry: &'p crate::document::EntryPart| {
                    let key = self.key(&entry.key).filter(|_| entry.question.is_none())?;
                    let name = key.trim_matches(['"', '\'']);
                    let (order, place) = place.map_or((0, None), |place| place.entry(name));
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

    fn key(&self, key: &Part) -> Option<String> {
        let text = match self.spellings.get(&key.content.start) {
            Some(spelling) => spelling.clone(),
            None => self.layout.text(key.span).to_owned(),
        };
        let is_scalar = matches!(key.kind, PartKind::Alias | PartKind::Scalar(_));
        (is_scalar && !text.is_empty() && !text.contains('\n')).then_some(text)
    }

    /// The anchor and tag of a value; `None` if they are not on one line.
    fn properties(&self, part: &Part) -> Option<(String, Option<usize>)> {
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

    /// Prints a value after its key or dash, up to the end of its last line.
    fn value(
        &mut self,
        child: &Child<'_>,
        indent: usize,
        tail: Vec<CommentLine<'a>>,
    ) -> Option<()> {
        let part = child.value;
        match &part.kind {
            PartKind::Scalar(ScalarStyle::Literal | ScalarStyle::Folded) => {
                self.block_scalar(part, indent)?;
            }
            PartKind::Alias | PartKind::Scalar(_) => {
                let (properties, end) = self.properties(part)?;
                self.out += &properties;
                let is_absent = part.content.start == part.content.end;
                if is_absent {
                    self.trailing(end.unwrap_or(child.indicator_end));
                } else {
                    self.out.push(' ');
                    self.scalar(part, indent);
                    self.trailing(part.span.end);
                }
                self.out.push('\n');
            }
            PartKind::List(..) | PartKind::Map(..) => return self.collection(child, indent, tail),
        }
        self.lines(&tail, indent + INDENT, false);
        Some(())
    }

    /// Prints a scalar. The second and further lines of a folded one are indented.
    fn scalar(&mut self, part: &Part, indent: usize) {
        if let Some(spelling) = self.spellings.get(&part.content.start) {
            self.out += spelling;
            return;
        }
        for (index, line) in self.layout.text(part.content).split('\n').enumerate() {
            let line = line.trim_end_matches('\r');
            if index == 0 {
                self.out += line;
                continue;
            }
            let line = line.trim_start_matches([' ', '\t']);
            self.out.push('\n');
            if !line.is_empty() {
                self.indent(indent + INDENT);
                self.out += line;
            }
        }
    }

    /// Prints the header of a block scalar and its lines with another indentation.
    fn block_scalar(&mut self, part: &Part, indent: usize) -> Option<()> {
        let header =
            self.layout.text(Span::new(part.span.start, self.layout.line_end(part.span.start)));
        let header = header.split(" #").next().unwrap_or_default().trim_end();
        let style = header.rsplit([' ', '\t']).next().unwrap_or_default();
        if !style.starts_with(['|', '>']) || style.contains(|c: char| c.is_ascii_digit()) {
            return None;
        }
        self.out.push(' ');
        self.out += header;
        self.trailing(part.span.start + header.len());
        self.out.push('\n');
        let first = self.layout.next_line(part.span.start);
        if part.span.end <= first {
            return Some(());
        }
        let lines = self.layout.text(Span::new(first, self.layout.line_end(part.span.end)));
        let lines = lines.split('\n').map(|line| line.trim_end_matches('\r'));
        let is_blank = |line: &str| line.trim_matches(' ').is_empty();
        let old = lines.clone().find(|line| !is_blank(line))?;
        let old = old.len() - old.trim_start_matches(' ').len();
        for line in lines {
            if line.len() > old {
                self.indent(indent + INDENT);
                self.out += line.get(old..)?;
            }
            self.out.push('\n');
        }
        Some(())
    }

    fn collection(
        &mut self,
        child: &Child<'_>,
        indent: usize,
        mut tail: Vec<CommentLine<'a>>,
    ) -> Option<()> {
        let part = child.value;
        let (properties, properties_end) = self.properties(part)?;
        let (is_list, has_brackets) =
            (matches!(part.kind, PartKind::List(..)), part.has_brackets());
        let line_start = self.out.rfind('\n').map_or(0, |at| at + 1);
        self.out += &properties;
        if has_brackets && let Some(text) = self.in_brackets(part, child.place) {
            let width = self.out[line_start..].chars().count() + 1 + text.chars().count();
            let is_one_line = !self.layout.text(part.content).contains('\n');
            if is_one_line || width <= WIDTH || part.children().is_empty() {
                self.out.push(' ');
                self.out += &text;
                self.trailing(part.span.end);
                self.out.push('\n');
                self.lines(&tail, indent + INDENT, false);
                return Some(());
            }
        }
        let mut from = properties_end.unwrap_or(child.indicator_end);
        let mut comment = trailing(self.layout, from);
        if has_brackets {
            from = part.content.start + 1;
            let closing = trailing(self.layout, part.span.end);
            comment = trailing(self.layout, from);
            if let (Some(closing), Some(_)) = (closing, comment) {
                let line = CommentLine { text: closing, column: 0, is_after_blank: false };
                tail.insert(0, line);
            }
            comment = comment.or(closing);
        }
        if let Some(comment) = comment {
            self.out.push(' ');
            self.out += comment;
        }
        let is_inline = child.key.is_none() && properties.is_empty() && comment.is_none();
        if !is_inline {
            self.out.push('\n');
        }
        let indent = if is_list && child.key.is_some() { indent } else { indent + INDENT };
        self.block(&Body { part, place: child.place, indent, from, is_inline }, tail)
    }

    /// A value on one line in flow style; `None` if it has comments or several lines.
    fn in_brackets(&self, part: &Part, place: Option<Place>) -> Option<String> {
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
            Some(_) => return None,
            None => self.layout.text(part.span),
        };
        (!text.contains('\n')).then(|| text.to_owned())
    }

    fn flow_children(&self, part: &Part, place: Option<Place>) -> Option<Vec<String>> {
        let mut children = self.children(part, place)?;
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
    fn json(&self, part: &Part, place: Option<Place>, indent: usize) -> Option<String> {
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
