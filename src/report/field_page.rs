//! A field's documentation as text, as `explain` prints it.

use crate::document::FieldPage;
use std::fmt::Write;

/// Renders a field's page in the layout of `kubectl explain`.
pub fn field_page(page: &FieldPage) -> String {
    let mut out = format!("DOCUMENT:  {}\n", page.document);
    if !page.path.is_empty() {
        let _ = writeln!(out, "FIELD:     {} <{}>", page.path.join("."), page.type_name);
        let need = if page.required { "required" } else { "optional" };
        let _ = writeln!(out, "           {need}");
    }
    let _ = writeln!(out, "\nDESCRIPTION:\n{}", indented(page.doc));
    if !page.values.is_empty() {
        out.push_str("\nVALUES:\n");
        let width = page.values.iter().map(|(value, _)| value.len()).max().unwrap_or(0);
        for (value, doc) in &page.values {
            let _ = writeln!(out, "    {value:width$}  {doc}");
        }
    }
    if !page.fields.is_empty() {
        out.push_str("\nFIELDS:\n");
        let names: Vec<String> =
            page.fields.iter().map(|(name, kind, _)| format!("{name} <{kind}>")).collect();
        let width = names.iter().map(String::len).max().unwrap_or(0);
        for (name, (_, _, doc)) in names.iter().zip(&page.fields) {
            let _ = writeln!(out, "    {name:width$}  {doc}");
        }
    }
    out
}

fn indented(doc: &str) -> String {
    doc.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}
