//! `-o csv`: one table of a replay or of a simulated cluster as RFC 4180 has it, with the rows of the JSON, unrounded
//! figures, and its fields as headers (docs/answer.md).

mod cluster;
mod paths;
mod replay;
#[cfg(test)]
mod tests;

use super::{cluster as cluster_report, simulation};
use ::cluster::report::ClusterReport;
use ::replay::simulate::SimulationReport;
use document::diag::printable;
use paths::CsvTable;
use serde_json::Value;

/// Writes a table of a replay.
pub fn replay(report: &SimulationReport, section: simulation::Section) -> String {
    let columns = replay::columns(section, report.has_policies());
    csv(&(columns, replay::rows(report, section)))
}

/// Writes a table of a simulated cluster.
pub fn cluster(report: &ClusterReport, section: cluster_report::Section) -> String {
    csv(&cluster::table(report, section))
}

/// Writes a table. Lines end as those of other outputs do; cells have no line breaks.
fn csv((columns, rows): &CsvTable) -> String {
    let headers: Vec<String> = columns.iter().map(|path| header(path)).collect();
    let mut out = headers.join(",") + "\n";
    for row in rows {
        let cell =
            |path: &String| path.split('.').try_fold(row, |value, key| value.get(key)).map(cell);
        let cells = columns.iter().map(|path| cell(path).unwrap_or_default());
        out.push_str(&cells.collect::<Vec<_>>().join(","));
        out.push('\n');
    }
    out
}

/// The header of a column: its path in the JSON, where two fields have older names for the costs (docs/answer.md).
fn header(path: &str) -> String {
    let part = |part: &str| match part {
        "lostHours" => "failedRetryHours".to_owned(),
        "lostWorkHours" => "goodWorkLostHours".to_owned(),
        _ => part.to_owned(),
    };
    path.split('.').map(part).collect::<Vec<_>>().join(".")
}

/// A cell: numbers as in the JSON, texts quoted where they have to be, and nothing for null.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => quoted(text),
        other => other.to_string(),
    }
}

/// A text. A spreadsheet computes a cell that begins with one of these characters, also if it is quoted; an apostrophe
/// before it makes it text.
fn quoted(text: &str) -> String {
    let text = printable(text);
    let guard = if text.starts_with(['=', '+', '-', '@']) { "'" } else { "" };
    if guard.is_empty() && !text.contains([',', '"']) && text.trim() == text {
        return text.into_owned();
    }
    format!("\"{guard}{}\"", text.replace('"', "\"\""))
}
