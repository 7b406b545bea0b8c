//! Pods as YAML: what `kubectl get pods -o yaml` prints, and pods one after another.

use super::element::Element;
use crate::history::sources::sink::Fault;
use document::diag::{BYTE_ORDER_MARK, Code, Diagnostic, Place, Source, Span, json_message};
use document::{Document, Items, Limits, Node, NodeKind, json_of_any, parse_outline};
use serde::de::DeserializeOwned;
use std::io::{self, BufRead, Read};
use std::sync::Arc;

/// The path of the pods of a list.
const ITEMS: &[&str] = &["items"];

/// An object of a text, such as a pod.
pub(super) struct Object<'n> {
    pub(super) document: &'n Document,
    pub(super) node: &'n Node,
}

impl Element for Object<'_> {
    fn line(&self) -> usize {
        self.document.place(self.node.span).start().line
    }

    fn read<T: DeserializeOwned>(&self) -> Result<T, Fault> {
        let wrong = |message: String| self.fault(format!("invalid record: {message}")).into();
        // The position in the JSON text means nothing to a reader of the YAML.
        let message = |error: serde_json::Error| {
            json_message(error.to_string().split(" at line ").next().unwrap_or_default())
        };
        serde_json::from_str(&json_of_any(self.node)).map_err(message).map_err(wrong)
    }

    fn fault(&self, message: String) -> Diagnostic {
        let span = self.node.span.first_line(self.document.source.text());
        Diagnostic::error(Code::BadRecord, self.document.place(span), message)
    }
}

/// Whether bytes are YAML and not JSON, by the first that is not blank. The bytes that were read are put into
/// `head`.
pub(super) fn is_yaml(bytes: &mut dyn BufRead, head: &mut Vec<u8>) -> io::Result<bool> {
    loop {
        let begin =
            head.strip_prefix(BYTE_ORDER_MARK.as_bytes()).unwrap_or(head).trim_ascii_start();
        if let Some(first) = begin.first() {
            return Ok(!matches!(first, b'{' | b'['));
        }
        // A few bytes at a time: nearly always the first is not blank.
        if (&mut *bytes).take(64).read_to_end(head)? == 0 {
            return Ok(false);
        }
    }
}

/// Passes the objects of a text to `take` one at a time, those of its lists too, until it returns `false`; or
/// what is wrong with the text. The text is in memory, since the YAML parser reads a whole one.
pub(super) fn objects(
    name: &str,
    bytes: &mut dyn BufRead,
    mut take: impl FnMut(Result<&Object<'_>, Fault>) -> bool,
) -> io::Result<()> {
    let (limit, mut text) = (Limits::HISTORY.bytes, Vec::new());
    // One byte more than the limit shows that the text is too long.
    bytes.take(limit as u64 + 1).read_to_end(&mut text)?;
    let source = match String::from_utf8(text) {
        Ok(text) => Source::new(name, text),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let source = Source::new(name, String::from_utf8_lossy(error.as_bytes()));
            let place = Place::new(&source, Span::new(at, at + 1));
            take(Err(Diagnostic::error(Code::NotUtf8, place, "the text is not UTF-8").into()));
            return Ok(());
        }
    };
    if source.text().len() > limit {
        let place = Place::new(&source, Span::default());
        let message =
            format!("the text is larger than the {} MiB of YAML that are read", limit >> 20);
        let fault = Diagnostic::error(Code::TooMuch, place, message);
        take(Err(fault.help("run kubectl with `-o json`, which is read pod by pod").into()));
        return Ok(());
    }
    read(&source, &mut take);
    Ok(())
}

fn read(source: &Arc<Source>, take: &mut impl FnMut(Result<&Object<'_>, Fault>) -> bool) {
    let (outlines, findings) = parse_outline(source, Limits::HISTORY, ITEMS);
    for finding in findings.sorted() {
        if !take(Err(finding.into())) {
            return;
        }
    }
    let mut items = Items::new(source, Limits::HISTORY, ITEMS);
    for outline in &outlines {
        let document = &outline.document;
        let root = &document.root;
        let object = Object { document, node: root };
        let kind = root.get("kind").and_then(Node::text).unwrap_or("List");
        let mut is_open = true;
        if kind.ends_with("List") && !matches!(kind, "List" | "PodList") {
            // Its items may have no kind of their own.
            let fault = object.fault(format!("this is a {kind}, not a list of pods"));
            is_open = take(Err(fault.help("run `kubectl get pods -A -o yaml`").into()));
        } else if root.get("items").is_some_and(|items| matches!(items.kind, NodeKind::List(_))) {
            items.of(outline, |node| {
                is_open = take(Ok(&Object { document, node }));
                is_open
            });
        } else {
            is_open = take(Ok(&object));
        }
        if !is_open {
            return;
        }
    }
}
