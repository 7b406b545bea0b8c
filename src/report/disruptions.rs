//! The table of disruptions as `explain disruptions` prints it, and the disruptions of a history in a sentence.

use super::documents::API_VERSION;
use super::figures::{count, several};
use super::layout::Layout;
use super::table::{Table, columns, head};
use replay::disruption::{Disruptions, Kind, RowReport};
use replay::simulate::DisruptionRowReport;
use schemars::JsonSchema;
use serde::Serialize;

/// The table of disruptions.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DisruptionTable {
    /// `armadaproject.io/v1`.
    api_version: &'static str,
    /// `DisruptionTable`.
    kind: &'static str,
    /// The rows, in the order in which they are compared.
    items: Vec<RowReport>,
}

impl DisruptionTable {
    /// The rows of a source, or of all.
    pub fn new(table: &Disruptions, source: Option<&str>) -> Self {
        let rows = table.rows().map(RowReport::from);
        let items = rows.filter(|row| source.is_none_or(|source| row.source == source)).collect();
        Self { api_version: API_VERSION, kind: "DisruptionTable", items }
    }
}

/// Renders the rows; the wide table has the sources of the rules.
pub fn table(table: &DisruptionTable, layout: &Layout) -> String {
    let columns = columns![row in &RowReport;
        "SYSTEM" => row.system.to_owned(),
        "SOURCE" => row.source.to_owned(),
        "SIGN" => row.sign.clone(),
        "KIND" => row.kind.to_owned(),
        "CONDITION" => row.condition.unwrap_or_default().to_owned(),
        "COUNTS" => {
                let counts = match (row.enabled, row.kind) {
                (false, _) => "no",
                (true, "kill") => "possibly",
                (true, _) => "yes",
                };
                counts.to_owned()
                },
        head("RULE").only_if(layout.wide) => row.rule.to_owned(),
    ];
    Table::new(&table.items, &columns).render(layout)
}

/// The number of disrupted failures by kind, and of those that possibly were; none if there were none.
pub(super) fn sentence(rows: &[DisruptionRowReport]) -> Option<String> {
    let of = |is_of: &dyn Fn(Kind) -> bool| -> u64 {
        let counted = rows.iter().filter(|row| row.row.enabled);
        let found = counted.filter(|row| Kind::from_name(row.row.kind).is_some_and(is_of));
        found.map(|row| row.failures).sum()
    };
    let is = |kind: Kind| of(&|other| other == kind);
    let causes = listed(&[
        (is(Kind::ApiPreemption), "through the API"),
        (is(Kind::FairSharePreemption), "for fair share"),
        (is(Kind::UrgencyPreemption), "by urgency"),
    ]);
    let preempted =
        if causes.is_empty() { "preempted".to_owned() } else { format!("preempted ({causes})") };
    let kinds = listed(&[
        (of(&Kind::is_preemption), preempted.as_str()),
        (is(Kind::Eviction), "evicted"),
        (is(Kind::NodeLoss), "of a lost node"),
        (is(Kind::LeaseExpiry), "of an expired lease"),
        (is(Kind::LeaseReturn), "put back into the queue"),
    ]);
    let (killed, known) = (is(Kind::Kill), of(&|kind| kind != Kind::Kill));
    let more = if known > 0 { " more" } else { "" };
    let possibly = (killed > 0).then(|| {
        let failures = if known > 0 { count(killed) } else { several(killed, "failure") };
        format!("{failures}{more} ended by SIGKILL or SIGTERM, possibly disrupted")
    });
    let certainly =
        (known > 0).then(|| format!("{} disrupted: {kinds}", several(known, "failure")));
    let parts: Vec<String> = certainly.into_iter().chain(possibly).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// The counts that are not 0, with their words.
fn listed(counts: &[(u64, &str)]) -> String {
    let some = counts.iter().filter(|(number, _)| *number > 0);
    let texts: Vec<String> =
        some.map(|(number, what)| format!("{} {what}", count(*number))).collect();
    texts.join(", ")
}
