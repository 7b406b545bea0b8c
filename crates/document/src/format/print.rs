//! Prints a document from its layout.

use super::canonical::Canonical;
use super::children::is_json;
use super::children::{Child, Place};
use super::formatted::WIDTH;
use super::gap::{CommentLine, Gap, content, take_deeper, trailing};
use super::printer::{INDENT, Printer};
use crate::diag::{BYTE_ORDER_MARK, Span};
use crate::{Brackets, DocumentLayout, Layout, Part, PartKind, ScalarStyle, Shape};

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
        // Another order could put an alias before its anchor.
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
    // Printed with plain line feeds, and converted once.
    Some(if layout.line_break() == "\n" { text } else { text.replace('\n', layout.line_break()) })
}

/// A child with the comments that belong to it.
struct Entry<'a, 'l> {
    child: Child<'a>,
    /// The text between it and the value above it.
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
                // `---` within a comment is no mark.
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
        // The empty line separates comments about the file from those about its first entry.
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
        // An indentation indicator counts spaces of the old indentation.
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
        // The indentation is that of the first line that is not blank (YAML 1.2, 8.1.1.1).
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
            // One for the space before it.
            let width = self.out[line_start..].chars().count() + 1 + text.chars().count();
            // What was on one line stays so, also if it is longer.
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
        // A list under a key needs no indentation of its own, as `kubectl` prints it.
        let indent = if is_list && child.key.is_some() { indent } else { indent + INDENT };
        self.block(&Body { part, place: child.place, indent, from, is_inline }, tail)
    }
}
