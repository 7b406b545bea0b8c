//! The table of the queues of a history: which policies each has, and where they come from.

use super::layout::{Layout, write_left_out};
use super::table::{Table, columns, head};
use replay::simulate::{NoteKind, QueuePoliciesReport, SimulationReport};
use std::collections::BTreeMap;

/// The policies of a queue in some columns of the report.
struct Row<'r> {
    policies: &'r QueuePoliciesReport,
    columns: Vec<&'r str>,
}

/// Writes the table if policies of a server are among the columns, or with `-o wide`.
pub(super) fn table(out: &mut String, report: &SimulationReport, layout: &Layout) {
    let is_live = report.notes.iter().any(|note| note.kind == NoteKind::Live);
    let queues = queues(report);
    if queues.is_empty() || !(is_live || layout.wide) {
        return;
    }
    let differs = queues.iter().any(|rows| rows.len() > 1);
    let all = report.variants.as_ref().map_or(1, Vec::len);
    let in_columns = |row: &&Row<'_>| match row.columns.len() {
        _ if !differs => String::new(),
        number if number == all => "all".to_owned(),
        _ => row.columns.join(", "),
    };
    let columns = columns![row in &Row<'_>;
        "QUEUE" => row.policies.queue.clone(),
        "POLICIES" => row.policies.policies.join(", "),
        "SOURCE" => row.policies.source.as_str().to_owned(),
        head("COLUMNS").if_any() => in_columns(row),
    ];
    let shown = layout.first(&queues);
    Table::new(shown.iter().flatten(), &columns).write(out, layout);
    write_left_out(out, queues.len() - shown.len(), "queue");
}

/// The rows of each queue, those first of which most is assumed: a reader checks these.
fn queues(report: &SimulationReport) -> Vec<Vec<Row<'_>>> {
    let mut queues: BTreeMap<&str, Vec<Row<'_>>> = BTreeMap::new();
    for (name, list) in columns(report) {
        for policies in list {
            let rows = queues.entry(&policies.queue).or_default();
            match rows.iter_mut().find(|row| row.policies == policies) {
                Some(row) => row.columns.push(name),
                None => rows.push(Row { policies, columns: vec![name] }),
            }
        }
    }
    let mut queues: Vec<Vec<Row<'_>>> = queues.into_values().collect();
    queues.sort_by_key(|rows| rows.iter().map(|row| row.policies.source).min());
    queues
}

/// The columns of the report with their queues.
fn columns(report: &SimulationReport) -> Vec<(&str, &[QueuePoliciesReport])> {
    let first = report.queues.as_deref().unwrap_or_default();
    match &report.variants {
        None => vec![("", first)],
        Some(variants) => variants
            .iter()
            .map(|variant| (variant.name.as_str(), variant.queues.as_deref().unwrap_or(first)))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::Style;
    use replay::simulate::{
        AnswerReport, NoteReport, PolicySource, SummaryReport, VariantReport, VerdictReport,
    };
    use unicode_width::UnicodeWidthStr;

    fn queue(name: &str, policies: &[&str], source: PolicySource) -> QueuePoliciesReport {
        let policies = policies.iter().map(|&policy| policy.to_owned()).collect();
        QueuePoliciesReport { queue: name.to_owned(), policies, source }
    }

    fn variant(name: &str, queues: Option<Vec<QueuePoliciesReport>>) -> VariantReport {
        let (name, engine) = (name.to_owned(), "v1beta1".to_owned());
        VariantReport {
            name,
            sweep: None,
            engine,
            releases: Vec::new(),
            verdict: VerdictReport::default(),
            proved_same: false,
            summary: SummaryReport::default(),
            queues,
            changes: None,
            example: None,
        }
    }

    fn report(notes: Vec<NoteReport>, variants: Option<Vec<VariantReport>>) -> SimulationReport {
        SimulationReport {
            api_version: "armadaproject.io/v1",
            kind: "SimulationReport",
            engine: "v1beta1".to_owned(),
            releases: Vec::new(),
            notes,
            answer: AnswerReport::default(),
            jobs: None,
            verdict: VerdictReport::default(),
            summary: SummaryReport::default(),
            queues: Some(first()),
            variants,
            assertions: Vec::new(),
        }
    }

    fn first() -> Vec<QueuePoliciesReport> {
        let several = ["training", "infra", "gpu-node-failures", "image-pull-failures"];
        vec![
            queue("biology-interactive-with-a-long-name", &several, PolicySource::Server),
            queue("ml", &["training"], PolicySource::Server),
            queue("retired", &[], PolicySource::Assumed),
        ]
    }

    fn pull_request_report() -> SimulationReport {
        let mut new = first();
        new[1] = queue("ml", &["training", "gpu"], PolicySource::File);
        let live = NoteReport::new(NoteKind::Live, "live");
        let variants = vec![variant("live", None), variant("new", Some(new)), variant("lax", None)];
        report(vec![live], Some(variants))
    }

    fn render(report: &SimulationReport, wide: bool, width: usize) -> String {
        let mut out = String::new();
        let layout = Layout { wide, headers: true, width: Some(width), style: Style::Plain };
        table(&mut out, report, &layout);
        out
    }

    #[test]
    fn columns_are_named_where_they_differ() {
        insta::assert_snapshot!(render(&pull_request_report(), false, 80), @"
        QUEUE                          POLICIES                       SOURCE   COLUMNS
        retired                        -                              assumed  all
        ml                             training                       server   live, lax
        ml                             training, gpu                  file     new
        biology-interactive-with-a-..  training, infra, gpu-node-f..  server   all
        ");
        let same = SimulationReport { variants: None, ..pull_request_report() };
        assert!(!render(&same, false, 80).contains("COLUMNS"));
    }

    #[test]
    fn a_narrow_terminal_is_not_exceeded() {
        for width in [40, 60, 80] {
            let text = render(&pull_request_report(), false, width);
            assert!(text.lines().all(|line| line.width() <= width), "{width}\n{text}");
            assert!(text.contains("assumed") && text.contains("live, lax"), "{width}\n{text}");
        }
    }

    #[test]
    fn it_is_written_with_policies_of_a_server_or_wide() {
        let offline = report(Vec::new(), None);
        assert_eq!(render(&offline, false, 80), "");
        assert!(render(&offline, true, 80).contains("\nretired"));
    }

    #[test]
    fn the_assumed_of_many_queues_are_written_first_and_the_others_counted() {
        let mut many = pull_request_report();
        many.variants = None;
        let server =
            (0..20).map(|number| queue(&format!("a{number:02}"), &["p"], PolicySource::Server));
        many.queues.as_mut().unwrap().extend(server);
        let text = render(&many, false, 80);
        assert_eq!(text.lines().count(), 13, "{text}");
        assert_eq!(text.lines().nth(2).unwrap().split(' ').next(), Some("retired"));
        assert!(text.ends_with("(and 13 more queues: -o wide)\n"), "{text}");
        assert_eq!(render(&many, true, 80).lines().count(), 25);
    }
}
