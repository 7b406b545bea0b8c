//! The finding that a list has a value twice.

use super::correction::correction;
use document::diag::{Code, Diagnostic, Findings, Place};
use document::{Document, Entry, Node};
use std::collections::HashMap;

/// Returns the finding that a list has a value twice.
pub fn duplicate_value(value: &str, place: Place, first: Place) -> Diagnostic {
    Diagnostic::warning(Code::DuplicateValue, place, format!("`{value}` is listed twice"))
        .also(first, "first")
        .help("remove one of them, or write the value that was meant")
}

/// Returns the title of the correction of such a finding.
pub fn duplicate_title(value: &str) -> String {
    format!("remove the second `{value}`")
}

/// Reports the values that a list has twice. `value` is the text of an item by which items are compared.
pub(crate) fn report_duplicates(
    document: &Document,
    list: Option<&Entry>,
    value: impl Fn(&Node) -> Option<String>,
    findings: &mut Findings,
) {
    let Some(list) = list else { return };
    let mut first: HashMap<String, &Node> = HashMap::new();
    for (index, item) in list.value.items().iter().enumerate() {
        let Some(text) = value(item) else { continue };
        let Some(earlier) = first.get(&text) else {
            first.insert(text, item);
            continue;
        };
        let source = document.source.text();
        let place = |node: &Node| document.place(node.span.first_line(source));
        let fix =
            correction(document, duplicate_title(&text), |layout| layout.remove_item(list, index));
        findings.push(duplicate_value(&text, place(item), place(earlier)).fixed_by(fix));
    }
}
