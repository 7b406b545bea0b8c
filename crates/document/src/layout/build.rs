//! Builds the layout from the parser's events: what is between two values is indicators, blanks and comments.

use super::{Brackets, DocumentLayout, EntryPart, ItemPart, Layout, Part, PartKind};
use crate::diag::{BYTE_ORDER_MARK, Source, Span};
use crate::parse::{options, scalar_style};
use crate::{Limits, ScalarStyle};
use granit_parser::{Event, Parser, StrInput, StructureStyle};
use std::sync::Arc;

pub(super) fn build(source: &Arc<Source>, limits: Limits) -> Option<Layout> {
    let text = source.text();
    if text.len() > limits.bytes {
        return None;
    }
    let mut options = options(limits);
    options.emit_anchor_events = true;
    let events = Parser::new_from_str_with_options(text, options);
    let mut builder = Builder {
        text,
        events,
        cursor: 0,
        comments: Vec::new(),
        has_tabs: false,
        has_block_scalars: false,
        keeps_blanks: false,
    };
    let documents = builder.documents()?;
    let Builder { comments, has_tabs, has_block_scalars, keeps_blanks, .. } = builder;
    let is_only_spaces = |line: &str| !line.is_empty() && line.bytes().all(|byte| byte == b' ');
    // A line of spaces in a block scalar is part of its value.
    let has_delicate_blanks = keeps_blanks || has_block_scalars && text.lines().any(is_only_spaces);
    Some(Layout { source: Arc::clone(source), documents, comments, has_tabs, has_delicate_blanks })
}

struct Builder<'a> {
    text: &'a str,
    events: Parser<'a, StrInput<'a>>,
    /// The end of what has been assigned to values, indicators and comments.
    cursor: usize,
    comments: Vec<Span>,
    has_tabs: bool,
    has_block_scalars: bool,
    /// Whether a block scalar has the indicator `+`.
    keeps_blanks: bool,
}

/// An event of the parser.
struct Read<'a> {
    event: Event<'a>,
    span: Span,
    tag: Option<Span>,
}

/// The anchor and tag of a value.
#[derive(Default)]
struct Properties {
    /// The start of the first of them.
    start: Option<usize>,
    has_anchor: bool,
    has_tag: bool,
}

impl<'a> Builder<'a> {
    /// The next event; `None` after a syntax error.
    fn next(&mut self) -> Option<Read<'a>> {
        let (event, span) = self.events.next_event()?.ok()?;
        let of = |span: granit_parser::Span| {
            let range = span.byte_range().unwrap_or_default();
            Span::new(range.start, range.end)
        };
        Some(Read { event, span: of(span), tag: span.tag_span().map(of) })
    }

    fn documents(&mut self) -> Option<Vec<DocumentLayout>> {
        let mut documents: Vec<DocumentLayout> = Vec::new();
        loop {
            let read = self.next()?;
            match read.event {
                Event::StreamEnd => break,
                Event::DocumentStart(is_explicit, _) => {
                    let mut start = self.cursor;
                    if is_explicit {
                        self.pass(read.span.start);
                        start = read.span.start;
                        self.cursor = read.span.end;
                    }
                    while self.skip().is_some() && self.text[self.cursor..].starts_with("...") {
                        // The end of a document that has no event, since there is no document.
                        self.cursor += 3;
                    }
                    if let Some(last) = documents.last_mut() {
                        last.span.end = start;
                    } else {
                        start = 0;
                    }
                    let first = self.next()?;
                    let root = self.part(first)?;
                    documents.push(DocumentLayout { span: Span::new(start, start), root });
                }
                Event::DocumentEnd if read.span.end > read.span.start => {
                    self.pass(read.span.start);
                    self.cursor = read.span.end;
                }
                _ => {}
            }
        }
        self.pass(self.text.len());
        if let Some(last) = documents.last_mut() {
            last.span.end = self.text.len();
        }
        Some(documents)
    }

    fn part(&mut self, read: Read<'a>) -> Option<Part> {
        let Read { event, span, tag } = read;
        match event {
            Event::Alias(_) | Event::UnresolvedAlias(_) => {
                self.pass(span.start);
                self.cursor = span.end;
                let (has_anchor, has_tag) = (false, false);
                Some(Part { span, content: span, has_anchor, has_tag, kind: PartKind::Alias })
            }
            Event::Scalar(_, style, anchor, _) => {
                let properties = self.properties(anchor, tag)?;
                Some(self.scalar(span, scalar_style(style), &properties))
            }
            Event::SequenceStart(style, anchor, _) => {
                let properties = self.properties(anchor, tag)?;
                let begin = self.open(style, span);
                let items = self.items(style)?;
                let first = items.first().map(|item| item.span().start);
                Some(self.collection(
                    &properties,
                    begin,
                    first,
                    PartKind::List(brackets(style, begin), items),
                ))
            }
            Event::MappingStart(style, anchor, _) => {
                let properties = self.properties(anchor, tag)?;
                let begin = self.open(style, span);
                let entries = self.entries(style)?;
                let first = entries.first().map(|entry| entry.span().start);
                Some(self.collection(
                    &properties,
                    begin,
                    first,
                    PartKind::Map(brackets(style, begin), entries),
                ))
            }
            _ => None,
        }
    }

    /// Passes the anchor and the tag of the value whose event has just been read.
    fn properties(&mut self, anchor: usize, tag: Option<Span>) -> Option<Properties> {
        let anchor = if anchor == 0 { None } else { Some(self.next()?.span) };
        let mut spans: Vec<Span> = tag.into_iter().chain(anchor).collect();
        // Anchor and tag come in either order in the text.
        spans.sort_by_key(|span| span.start);
        for span in &spans {
            self.pass(span.start);
            self.cursor = span.end;
        }
        Some(Properties {
            start: spans.first().map(|span| span.start),
            has_anchor: anchor.is_some(),
            has_tag: tag.is_some(),
        })
    }

    fn scalar(&mut self, content: Span, style: ScalarStyle, properties: &Properties) -> Part {
        let is_block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
        let is_absent = style == ScalarStyle::Plain && content.end == content.start;
        let (start, end, content) = if is_absent {
            // The parser's place of an absent value may be after comments.
            (self.cursor, self.cursor, Span::new(self.cursor, self.cursor))
        } else if is_block {
            self.skip();
            let start = self.cursor;
            let header = &self.text[start..];
            let length = header.find([' ', '\t', '\r', '\n', '#']).unwrap_or(header.len());
            self.has_block_scalars = true;
            // `+` keeps all line breaks at the end (YAML 1.2, 8.1.1.2).
            self.keeps_blanks |= header[..length].contains('+');
            self.cursor = start + length;
            self.pass(content.start);
            self.cursor = self.cursor.max(content.end);
            let trimmed = self.text[content.range()].trim_end_matches([' ', '\t', '\r', '\n']);
            let end =
                if trimmed.is_empty() { start + length } else { content.start + trimmed.len() };
            (start, end, content)
        } else {
            self.pass(content.start);
            self.cursor = content.end;
            (content.start, content.end, content)
        };
        Part {
            span: Span::new(properties.start.unwrap_or(start), end),
            content,
            has_anchor: properties.has_anchor,
            has_tag: properties.has_tag,
            kind: PartKind::Scalar(style),
        }
    }

    /// Passes the opening bracket of a collection and returns its place.
    fn open(&mut self, style: StructureStyle, span: Span) -> Option<usize> {
        if style == StructureStyle::Block || span.end == span.start {
            return None;
        }
        self.pass(span.start);
        self.cursor = span.end;
        Some(span.start)
    }

    fn collection(
        &self,
        properties: &Properties,
        begin: Option<usize>,
        first: Option<usize>,
        kind: PartKind,
    ) -> Part {
        let end = self.cursor;
        let content = Span::new(begin.or(first).unwrap_or(end), end);
        let start = properties.start.unwrap_or(content.start);
        let mut part = Part {
            span: Span::new(start, end),
            content,
            has_anchor: properties.has_anchor,
            has_tag: properties.has_tag,
            kind,
        };
        // The cursor is after line breaks that end a block scalar.
        if !part.has_brackets() {
            let last = match &part.kind {
                PartKind::List(_, items) => items.last().map(|item| item.span().end),
                PartKind::Map(_, entries) => entries.last().map(|entry| entry.span().end),
                PartKind::Alias | PartKind::Scalar(_) => None,
            };
            part.span.end = last.unwrap_or(end);
            part.content.end = part.span.end;
        }
        part
    }

    fn items(&mut self, style: StructureStyle) -> Option<Vec<ItemPart>> {
        let mut items = Vec::new();
        loop {
            let read = self.next()?;
            if matches!(read.event, Event::SequenceEnd) {
                self.close(read.span);
                return Some(items);
            }
            let mut dash = None;
            if style == StructureStyle::Block {
                dash = Some(self.indicator(b'-')?);
            }
            items.push(ItemPart { dash, value: self.part(read)? });
            if style == StructureStyle::Flow {
                self.indicator(b',');
            }
        }
    }

    fn entries(&mut self, style: StructureStyle) -> Option<Vec<EntryPart>> {
        let mut entries = Vec::new();
        loop {
            let read = self.next()?;
            if matches!(read.event, Event::MappingEnd) {
                self.close(read.span);
                return Some(entries);
            }
            self.skip();
            // A key may begin with `?`, which is an indicator only before white space.
            let after = self.text.as_bytes().get(self.cursor + 1);
            let is_explicit = after.is_none_or(u8::is_ascii_whitespace);
            let question = if is_explicit { self.indicator(b'?') } else { None };
            let key = self.part(read)?;
            let colon = self.indicator(b':');
            let value = self.next()?;
            entries.push(EntryPart { question, key, colon, value: self.part(value)? });
            if style == StructureStyle::Flow {
                self.indicator(b',');
            }
        }
    }

    /// Passes the closing bracket of a collection.
    fn close(&mut self, span: Span) {
        if span.end > span.start {
            self.pass(span.start);
            self.cursor = span.end;
        }
    }

    /// Passes an indicator, if it is next, and returns its place.
    fn indicator(&mut self, indicator: u8) -> Option<usize> {
        let is_next = self.skip() == Some(indicator);
        self.cursor += usize::from(is_next);
        is_next.then(|| self.cursor - 1)
    }

    /// Passes blanks, line breaks and comments, and returns the next byte.
    fn skip(&mut self) -> Option<u8> {
        loop {
            let byte = *self.text.as_bytes().get(self.cursor)?;
            match byte {
                b'#' if self.is_comment(self.cursor) => self.comment(),
                b' ' | b'\r' | b'\n' => self.cursor += 1,
                b'\t' => {
                    self.has_tabs = true;
                    self.cursor += 1;
                }
                _ if self.text[self.cursor..].starts_with(BYTE_ORDER_MARK) => {
                    self.cursor += BYTE_ORDER_MARK.len();
                }
                _ => return Some(byte),
            }
        }
    }

    /// Passes everything up to a place, and records the comments in between.
    fn pass(&mut self, to: usize) {
        while self.cursor < to {
            match self.text.as_bytes()[self.cursor] {
                b'#' if self.is_comment(self.cursor) => self.comment(),
                byte => {
                    self.has_tabs |= byte == b'\t';
                    self.cursor += 1;
                }
            }
        }
    }

    /// Whether a `#` between values begins a comment.
    fn is_comment(&self, at: usize) -> bool {
        let before = &self.text[..at];
        // The parser accepts byte order marks before each document.
        let before = before.trim_end_matches(BYTE_ORDER_MARK);
        before.is_empty() || before.ends_with([' ', '\t', '\r', '\n'])
    }

    /// Passes the comment at the cursor.
    fn comment(&mut self) {
        let rest = &self.text[self.cursor..];
        let end = self.cursor + rest.find(['\r', '\n']).unwrap_or(rest.len());
        self.comments.push(Span::new(self.cursor, end));
        self.cursor = end;
    }
}

fn brackets(style: StructureStyle, begin: Option<usize>) -> Brackets {
    match (style, begin) {
        (StructureStyle::Block, _) => Brackets::None,
        (_, Some(_)) => Brackets::Both,
        (_, None) => Brackets::Implied,
    }
}
