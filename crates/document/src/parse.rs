//! Parsing of texts into located trees. Only this file and `items` use the YAML parser.
//!
//! A syntax error ends its document; parsing continues with the next one. `aliases` resolves
//! aliases and merge keys.

use super::binary::{binary_finding, is_binary};
use super::node::MERGE_KEY;
use super::{
    Document, Entry, Limits, Node, NodeKind, Scalar, ScalarStyle, ScalarTag, limits::too_large,
    syntax, too_many_findings,
};
use crate::diag::{Code, Diagnostic, Findings, Place, Source, Span};
use granit_parser::{Event, Options, Parser, ScalarStyle as Style, ScanError, StrInput, Tag};
use std::collections::HashMap;
use std::sync::Arc;

/// Reads all documents of a text. Empty documents are left out.
pub fn parse(source: &Arc<Source>, limits: Limits) -> (Vec<Document>, Findings) {
    let (documents, findings) = parse_with(source, limits, &[]);
    (documents.into_iter().map(|(document, _)| document).collect(), findings)
}

/// A document, and the lists in it whose items are omitted.
type ParsedDocument = (Document, Vec<LongList>);

/// Like [`parse`], but omits the items of the lists at a path of keys, and returns those lists' spans.
pub(super) fn parse_with(
    source: &Arc<Source>,
    limits: Limits,
    path: &'static [&'static str],
) -> (Vec<ParsedDocument>, Findings) {
    let mut findings = Findings::new();
    if source.text().len() > limits.bytes {
        findings.push(too_large(source, limits));
        return (Vec::new(), findings);
    }
    let mut reader = Reader::new(source, limits, path);
    let mut documents = Vec::new();
    // More findings would not help: the text is probably no document at all.
    while findings.len() <= Limits::FINDINGS {
        match reader.document(&mut findings) {
            Next::Document(root) if root.is_null() => {}
            Next::Document(root) => {
                // The lists of this document: the next one begins without any.
                let lists = std::mem::take(&mut reader.long_lists);
                documents.push((Document { source: Arc::clone(source), root }, lists));
            }
            Next::Broken => {}
            Next::End => break,
        }
    }
    if findings.len() > Limits::FINDINGS {
        findings.push(too_many_findings(Place::new(source, reader.at)));
    }
    (documents, findings)
}

/// The longest key in characters, as `options` explains.
const LONGEST_KEY: usize = 1 << 16;

pub(super) fn options(limits: Limits) -> Options {
    let mut options = Options::default();
    options.emit_unresolved_aliases = true;
    // More than the limit, so that the reader's own finding comes first.
    options.flow_nesting_limit = limits.depth + 8;
    options.block_nesting_limit = limits.depth + 8;
    // The parser keeps a possible key as tokens until its colon comes, and tokens take much more memory than
    // their text. A document on one line begins with a possible key, so the key needs a limit.
    options.simple_key_max_lookahead = LONGEST_KEY.min(limits.bytes);
    options
}

pub(super) struct Reader<'a> {
    pub(super) source: &'a Arc<Source>,
    pub(super) limits: Limits,
    events: Parser<'a, StrInput<'a>>,
    pub(super) anchors: HashMap<usize, Node>,
    pub(super) copied_nodes: usize,
    /// The span of the last event.
    at: Span,
    /// The path of keys to lists whose items are omitted; empty if no items are.
    path: &'static [&'static str],
    /// The number of keys of `path` that lead to the current value.
    path_depth: usize,
    /// Whether the current value has an anchor, or is inside a value with one.
    has_anchor: bool,
    /// Whether the last document was indented by a tab, so that the next line may not fit it.
    is_after_tab: bool,
    long_lists: Vec<LongList>,
}

/// A list whose items are omitted.
#[derive(Debug, Clone, Copy)]
pub(super) struct LongList {
    /// The span of its start event.
    pub(super) begin: Span,
    /// The span of its node.
    pub(super) extent: Span,
}

/// The result of reading the next document.
enum Next {
    Document(Node),
    /// The document is invalid; the error has been reported.
    Broken,
    End,
}

/// The current document was abandoned; the reason has been reported.
pub(super) struct Abandoned;

pub(super) type Read<T> = Result<T, Abandoned>;

impl<'a> Reader<'a> {
    /// A reader at the start of a text.
    pub(super) fn new(
        source: &'a Arc<Source>,
        limits: Limits,
        path: &'static [&'static str],
    ) -> Self {
        Self {
            source,
            limits,
            events: Parser::new_from_str_with_options(source.text(), options(limits)),
            anchors: HashMap::new(),
            copied_nodes: 0,
            at: Span::default(),
            path,
            path_depth: 0,
            has_anchor: false,
            is_after_tab: false,
            long_lists: Vec::new(),
        }
    }

    fn document(&mut self, findings: &mut Findings) -> Next {
        let mut caused_by_tab = Findings::new();
        // Findings about what follows a tab may only be caused by it.
        let is_after_tab = std::mem::take(&mut self.is_after_tab);
        loop {
            match self.next(if is_after_tab { &mut caused_by_tab } else { findings }) {
                Ok((Event::StreamEnd, _)) => return Next::End,
                Ok((Event::DocumentStart(..), _)) => break,
                Ok(_) => {}
                Err(Abandoned) => return self.skip_broken(),
            }
        }
        // Anchors are those of one document.
        self.anchors.clear();
        self.long_lists.clear();
        (self.path_depth, self.has_anchor) = (0, false);
        let root = match self.next(findings) {
            Ok((event, span)) => self.node(event, span, 0, findings),
            Err(abandoned) => Err(abandoned),
        };
        match root {
            Ok(root) if let Some(tab) = self.tab_before(&root) => {
                let (message, help) = syntax::TAB_INDENT;
                findings.push(self.error(Code::Syntax, tab, message).help(help));
                self.is_after_tab = true;
                self.skip_broken()
            }
            Ok(root) => Next::Document(root),
            Err(Abandoned) => self.skip_broken(),
        }
    }

    /// A tab that indents a block mapping or a list of a document. The parser accepts it there.
    fn tab_before(&self, root: &Node) -> Option<Span> {
        let (before, after) = self.source.text().split_at(root.span.start);
        let is_block = root.scalar().is_none() && !after.starts_with(['{', '[']);
        let line = before.rfind('\n').map_or(0, |at| at + 1);
        let tab = line + before[line..].find('\t').filter(|_| is_block)?;
        before[line..].trim_start().is_empty().then(|| Span::new(tab, tab + 1))
    }

    fn skip_broken(&mut self) -> Next {
        if self.skip_document() { Next::Broken } else { Next::End }
    }

    /// Skips to the next document; `false` if there is none.
    pub(super) fn skip_document(&mut self) -> bool {
        self.events.proceed_next_document().unwrap_or(false)
    }

    pub(super) fn next(&mut self, findings: &mut Findings) -> Read<(Event<'a>, Span)> {
        // Stops a document in which each value has a finding.
        if findings.len() > Limits::FINDINGS {
            return Err(Abandoned);
        }
        match self.events.next_event() {
            Some(Ok((event, span))) => {
                let range = span.byte_range().unwrap_or_default();
                self.at = Span::new(range.start, range.end);
                Ok((event, self.at))
            }
            Some(Err(error)) => {
                findings.push(self.syntax_error(&error));
                Err(Abandoned)
            }
            None => Ok((Event::StreamEnd, Span::default())),
        }
    }

    fn syntax_error(&self, error: &ScanError) -> Diagnostic {
        let text = self.source.text();
        let at = error.marker().byte_offset().unwrap_or(0);
        let at = syntax::place_of_error(&error.info(), text, at);
        let end = text[at..].chars().next().map_or(at, |c| at + c.len_utf8());
        if error.info() == "recursion limit exceeded" {
            return self.too_deep(Span::new(at, end));
        }
        let (before, after) = text.split_at(at);
        let (message, help) = syntax::explain_error(&error.info(), before, after);
        self.error(Code::Syntax, Span::new(at, end), message).maybe_help(help.map(str::to_owned))
    }

    fn too_deep(&self, span: Span) -> Diagnostic {
        let message = format!("more than {} nested levels", self.limits.depth);
        self.error(Code::TooMuch, span, message).help("nest the values less deeply")
    }

    pub(super) fn node(
        &mut self,
        event: Event<'a>,
        span: Span,
        depth: usize,
        findings: &mut Findings,
    ) -> Read<Node> {
        if depth > self.limits.depth {
            findings.push(self.too_deep(span));
            return Err(Abandoned);
        }
        let (node, anchor) = match event {
            Event::Scalar(text, style, anchor, tag) => {
                let tag = tag.as_deref().map_or(ScalarTag::None, scalar_tag);
                if tag == ScalarTag::Bytes && !self.source.is_in_walk() {
                    findings.push(binary_finding(Place::new(self.source, span)));
                }
                let scalar = Scalar { text: text.into_owned(), style: scalar_style(style), tag };
                (Node { span, kind: NodeKind::Scalar(scalar) }, anchor)
            }
            Event::SequenceStart(_, anchor, _) => {
                (self.with_anchor(anchor, |it| it.list(span, depth, findings))?, anchor)
            }
            Event::MappingStart(_, anchor, _) => {
                (self.with_anchor(anchor, |it| it.map(span, depth, findings))?, anchor)
            }
            Event::Alias(id) => (self.copy_anchored(id, span, findings)?, 0),
            Event::UnresolvedAlias(name) => {
                let message = format!("undefined alias: there is no anchor `&{name}` before it");
                let help = format!(
                    "put `&{name}` before a value earlier in this document, or the text in quotes"
                );
                findings.push(self.error(Code::UnknownAlias, span, message).help(help));
                let text =
                    Scalar { text: String::new(), style: ScalarStyle::Plain, tag: ScalarTag::None };
                (Node { span, kind: NodeKind::Scalar(text) }, 0)
            }
            _ => return Err(Abandoned),
        };
        if anchor != 0 {
            // Stored after the value is read: an alias within it has no anchor yet, as in YAML.
            self.anchors.insert(anchor, node.clone());
            self.charge(node.weight(), span, findings)?;
        }
        Ok(node)
    }

    /// Reads a value with this anchor; 0 is none.
    fn with_anchor(
        &mut self,
        anchor: usize,
        read: impl FnOnce(&mut Self) -> Read<Node>,
    ) -> Read<Node> {
        let has_anchor = self.has_anchor;
        self.has_anchor |= anchor != 0;
        let node = read(self);
        self.has_anchor = has_anchor;
        node
    }

    fn list(&mut self, start: Span, depth: usize, findings: &mut Findings) -> Read<Node> {
        // Aliases of such a list would need its items.
        let omits_items = !self.has_anchor
            && !self.path.is_empty()
            && (self.path_depth, depth) == (self.path.len(), self.path.len());
        let mut items = Vec::new();
        let mut first = None;
        loop {
            let (event, span) = self.next(findings)?;
            if matches!(event, Event::SequenceEnd) {
                let extent = extent(start, span, first);
                if omits_items {
                    self.long_lists.push(LongList { begin: start, extent });
                }
                return Ok(Node { span: extent, kind: NodeKind::List(items) });
            }
            let item = self.node(event, span, depth + 1, findings)?;
            first = first.or(Some(item.span));
            if !omits_items {
                items.push(item);
            }
        }
    }

    fn map(&mut self, start: Span, depth: usize, findings: &mut Findings) -> Read<Node> {
        let mut entries: Vec<Entry> = Vec::new();
        // Merged at the end, as keys of the mapping itself win wherever they are.
        let mut merges: Vec<Node> = Vec::new();
        loop {
            let (event, span) = self.next(findings)?;
            if matches!(event, Event::MappingEnd) {
                let span = extent(start, span, entries.first().map(|entry| entry.key_span));
                self.merge(&mut entries, merges, findings)?;
                return Ok(Node { span, kind: NodeKind::Map(entries) });
            }
            let key = self.node(event, span, depth + 1, findings)?;
            let (event, span) = self.next(findings)?;
            let path_depth = self.path_depth;
            self.path_depth += usize::from(path_depth == depth && self.is_on_path(&key));
            let value = self.node(event, span, depth + 1, findings);
            // Before an error is returned: the reader goes on with the next document.
            self.path_depth = path_depth;
            let value = value?;
            match key.kind {
                // In quotes it is an ordinary key.
                NodeKind::Scalar(scalar)
                    if scalar.text == MERGE_KEY && scalar.style == ScalarStyle::Plain =>
                {
                    merges.push(value);
                }
                NodeKind::Scalar(scalar) => {
                    entries.push(Entry { key: scalar.text, key_span: key.span, value });
                }
                NodeKind::List(_) | NodeKind::Map(_) => {
                    let message = format!("{} cannot be a key", key.describe());
                    let finding = self.error(Code::WrongType, key.span, message);
                    findings.push(finding.help("a key must be a string"));
                }
            }
        }
    }

    /// Whether a key is the next one of `path`.
    fn is_on_path(&self, key: &Node) -> bool {
        let next = self.path.get(self.path_depth);
        next.is_some_and(|next| key.scalar().is_some_and(|key| key.text == *next))
    }

    pub(super) fn error(&self, code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(code, Place::new(self.source, span), message)
    }
}

fn scalar_tag(tag: &Tag) -> ScalarTag {
    match tag {
        _ if is_binary(tag) => ScalarTag::Bytes,
        _ if tag.is_yaml_core_schema_tag("str") => ScalarTag::Text,
        _ => ScalarTag::None,
    }
}

pub(super) fn scalar_style(style: Style) -> ScalarStyle {
    match style {
        Style::Plain => ScalarStyle::Plain,
        Style::SingleQuoted => ScalarStyle::Single,
        Style::DoubleQuoted => ScalarStyle::Double,
        Style::Literal => ScalarStyle::Literal,
        Style::Folded => ScalarStyle::Folded,
    }
}

/// The span of a collection: from bracket to bracket in flow style; that of the first entry in
/// block style.
fn extent(start: Span, end: Span, first: Option<Span>) -> Span {
    if start.end > start.start { Span::new(start.start, end.end) } else { first.unwrap_or(start) }
}
