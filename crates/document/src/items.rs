//! Documents with one long list, whose items are read one by one.
//!
//! The tree of a text takes several times the text's memory. A list that makes up most of a document
//! is omitted from the tree that is checked ([`parse_outline`]), and its items are read afterwards from
//! the same text, each with its place ([`Items`]).

use super::parse::{LongList, Reader, parse_with};
use super::{Document, Limits, Node};
use crate::diag::{Findings, Source, Span};
use granit_parser::Event;
use std::sync::Arc;

/// A document that may lack the items of one list.
#[derive(Debug)]
pub struct Outline {
    /// The document; its list is empty if the items are omitted.
    pub document: Document,
    /// The start of the list whose items are omitted.
    list: Option<Span>,
}

/// Reads all documents of a text, without the items of the list at a path of keys. A list that has
/// an anchor, or is within a value that has one, is kept: an alias may repeat it.
pub fn parse_outline(
    source: &Arc<Source>,
    limits: Limits,
    path: &'static [&'static str],
) -> (Vec<Outline>, Findings) {
    let (documents, findings) = parse_with(source, limits, path);
    let outline = |(document, lists): (Document, Vec<LongList>)| {
        let extent = document.root.at(path).map(|node| node.span);
        let list = lists.iter().find(|list| Some(list.extent) == extent);
        Outline { list: list.map(|list| list.begin), document }
    };
    (documents.into_iter().map(outline).collect(), findings)
}

/// Reads the items that the outlines of a text's documents omit.
pub struct Items<'a> {
    reader: Reader<'a>,
    path: &'static [&'static str],
}

impl<'a> Items<'a> {
    /// A reader with the limits and the path that the outlines were read with.
    pub fn new(source: &'a Arc<Source>, limits: Limits, path: &'static [&'static str]) -> Self {
        Self { reader: Reader::new(source, limits, &[]), path }
    }

    /// Passes the items of a document's list to `take` until it returns `false`. The documents
    /// must come in the order of the text.
    pub fn of(&mut self, outline: &Outline, mut take: impl FnMut(&Node) -> bool) {
        let Some(list) = outline.list else {
            let list = outline.document.root.at(self.path);
            _ = list.map(Node::items).unwrap_or_default().iter().all(take);
            return;
        };
        // These findings are dropped: reading the outline has reported them.
        let mut findings = Findings::new();
        if !self.seek(list, &mut findings) {
            return;
        }
        while let Ok((event, span)) = self.reader.next(&mut findings) {
            if matches!(event, Event::SequenceEnd) {
                return;
            }
            match self.reader.node(event, span, self.path.len() + 1, &mut findings) {
                Ok(item) if take(&item) => {}
                _ => return,
            }
        }
    }

    /// Skips to the first item of a list; `false` if there is no such list. Values with anchors
    /// are read, since aliases in items may refer to them.
    fn seek(&mut self, list: Span, findings: &mut Findings) -> bool {
        loop {
            let Ok((event, span)) = self.reader.next(findings) else {
                if self.reader.skip_document() {
                    continue;
                }
                return false;
            };
            let anchor = match &event {
                Event::StreamEnd => return false,
                Event::DocumentStart(..) => {
                    self.reader.anchors.clear();
                    0
                }
                // By its place in the text, since a path may occur several times.
                Event::SequenceStart(_, 0, _) if span == list => return true,
                Event::Scalar(_, _, anchor, _)
                | Event::SequenceStart(_, anchor, _)
                | Event::MappingStart(_, anchor, _) => *anchor,
                _ => 0,
            };
            if anchor != 0 {
                _ = self.reader.node(event, span, 0, findings);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;
    use proptest::prelude::*;

    const PATH: &[&str] = &["spec", "jobs"];

    /// The items of a text, read one by one and from its trees, and the findings of both.
    fn both_ways(text: &str) -> [Vec<String>; 4] {
        let source = Source::new("x", text);
        let (outlines, found_without) = parse_outline(&source, Limits::POLICY, PATH);
        let mut items = Items::new(&source, Limits::POLICY, PATH);
        let mut one_by_one = Vec::new();
        for outline in &outlines {
            items.of(outline, |item| {
                one_by_one.push(format!("{item:?}"));
                true
            });
        }
        let (documents, found) = parse(&source, Limits::POLICY);
        assert_eq!(outlines.len(), documents.len());
        let lists = documents.iter().filter_map(|document| document.root.at(PATH));
        let whole = lists.flat_map(Node::items).map(|item| format!("{item:?}"));
        let messages = |findings: Findings| {
            let all = findings.sorted().into_iter();
            all.map(|it| format!("{:?} {}", it.place, it.message)).collect()
        };
        [one_by_one, whole.collect(), messages(found_without), messages(found)]
    }

    #[test]
    fn items_are_those_of_the_tree() {
        for (text, count) in [
            ("spec:\n  jobs:\n  - a: 1\n  - [b]\n  -\n  - 'c'\n", 4),
            ("{\"spec\": {\"jobs\": [{\"a\": 1}, 2], \"jobs2\": [3]}}", 2),
            ("a: &a {x: 1}\nspec:\n  b: &b [2]\n  jobs: [*a, *b, &c 3, *c]\n", 4),
            ("spec: &s\n  jobs: [1]\nmore: *s\n", 1),
            ("spec:\n  jobs: &j [1, 2]\n  more: *j\n", 2),
            ("base: &b {jobs: [1, 2]}\nspec: {<<: *b}\n", 2),
            ("base: &b {jobs: [1, 2]}\nspec: {<<: *b, jobs: [3]}\n", 1),
            ("spec: {jobs: [1], jobs: [2, 3]}\n", 1),
            ("spec: {jobs: null, jobs: [2, 3]}\n", 0),
            (
                "jobs: [1]\nx: {spec: {jobs: [1]}}\n? {spec: {jobs: [4]}}\n: 1\nspec: {jobs: [2]}\n",
                1,
            ),
            ("- spec: {jobs: [1]}\n", 0),
            (
                "spec: {jobs: [1]}\n---\nspec: {jobs: [2, *x]}\n---\n---\nspec: {jobs: [3}\n---\nspec: {jobs: [4]}\n",
                4,
            ),
            ("spec: {jobs: {a: 1}}\n", 0),
        ] {
            let [one_by_one, whole, outlined, found] = both_ways(text);
            assert_eq!(one_by_one, whole, "{text}");
            assert_eq!(outlined, found, "{text}");
            assert_eq!(whole.len(), count, "{text}");
        }
    }

    #[test]
    fn a_list_that_an_alias_repeats_is_kept() {
        let source = Source::new("x", "spec: &s {a: &a 1, jobs: [2]}\nmore: *s\n");
        let (outlines, _) = parse_outline(&source, Limits::POLICY, PATH);
        let more = outlines[0].document.root.at(&["more", "jobs"]);
        assert_eq!(more.map(|jobs| jobs.items().len()), Some(1));
    }

    proptest! {
        #[test]
        fn no_text_has_other_items_one_by_one(
            parts in prop::collection::vec(prop::sample::select(vec![
                "spec:", "jobs:", " ", "\n", "\n  ", "- ", "[", "]", "{", "}", ",", "&a ", "*a", "a: 1",
                "<<: ", "---\n", "\"jobs\": [", "1", "'x'", "spec: {jobs: [1, 2]}\n",
            ]), 0..24),
        ) {
            let [one_by_one, whole, outlined, found] = both_ways(&parts.concat());
            prop_assert_eq!(one_by_one, whole);
            prop_assert_eq!(outlined, found);
        }
    }
}
