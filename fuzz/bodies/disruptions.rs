//! What must hold of any text that is read as a table of disruptions: nothing panics, every finding has a place in the text,
//! and a table that is printed and read again has the same rows.

use super::findings::check_findings;
use document::diag::Source;
use replay::disruption::{Disruptions, RowReport, read_disruptions};
use serde_json::{Value, json};

/// Reads a table. Returns whether it is valid.
pub fn disruptions(input: &str) -> bool {
    let (table, found) = read_disruptions(&Source::new("table.yaml", input));
    assert_eq!(table.is_none(), found.has_errors());
    check_findings(found);
    let Some(table) = table else { return false };
    let rows = rows(&table);
    let printed =
        json!({"apiVersion": "armadaproject.io/v1", "kind": "DisruptionTable", "items": rows});
    let (again, found) = read_disruptions(&Source::new("printed.json", printed.to_string()));
    assert!(found.is_empty(), "{:?}", found.sorted());
    assert_eq!(again.as_ref().map(self::rows), Some(rows));
    true
}

fn rows(table: &Disruptions) -> Value {
    let rows: Vec<RowReport> = table.rows().map(RowReport::from).collect();
    serde_json::to_value(rows).expect("rows are JSON")
}
