//! What must hold of any text that is read as a table of disruptions: nothing panics, every finding has a place in the text,
//! and a table that is printed and read again has the same rows.

use armadactl::internals::diag::{Findings, Source, Style, human, short};
use armadactl::internals::disruption::{Disruptions, RowReport, read_disruptions};
use serde_json::{Value, json};

/// Reads a table. Returns whether it is valid.
pub fn disruptions(input: &str) -> bool {
    let (table, found) = read_disruptions(&Source::new("table.yaml", input));
    assert_eq!(table.is_none(), found.has_errors());
    findings(found);
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

/// Each finding has a place in its text, and no renderer prints a control character.
fn findings(found: Findings) {
    let items = found.sorted();
    for item in &items {
        let place = item.place.as_ref().expect("a finding in a text has a place");
        assert!(place.source.text().get(place.span.range()).is_some(), "{item:?}");
        assert!(!item.message.is_empty(), "{item:?}");
    }
    for rendered in [human(&items, Style::Plain, Some(100)), short(&items)] {
        let is_control = |c: char| c.is_control() && c != '\n' && c != '\t';
        assert!(!rendered.contains(is_control), "{rendered:?}");
    }
}
