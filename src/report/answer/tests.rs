//! The answer at every width: no number is cut, no line is too long.
//!
//! Holds answer.md 5.

use super::{answer, quiet, sentences};
use crate::report::testing::{digits, layout};
use proptest::prelude::*;
use replay::simulate::{
    AnswerColumn, AnswerReport, AnswerRow, CostUnit, PeriodReport, ReasonReport, SimulationReport,
    SummaryReport, VerdictReport,
};
use unicode_width::UnicodeWidthStr;

/// The ids, labels and units of the rows.
const ROWS: [(&str, &str, &str); 5] = [
    ("jobsSucceeded", "jobs succeeded", "jobs"),
    ("jobsFailed", "jobs failed", "jobs"),
    ("retries", "retries", "retries"),
    ("retriesSucceeded", "retries that succeeded", "retries"),
    ("failedRetryHours", "GPU-hours in failed retries", "GPU-hours"),
];

/// A report whose rows have these values, column by column; the first is the record.
fn report(names: &[String], values: &[Vec<f64>], reasons: &[(String, u64)]) -> SimulationReport {
    let base = usize::from(names.len() > 2);
    let column = |(at, name): (usize, &String)| {
        let column = AnswerColumn::new(name.clone(), "v1");
        AnswerColumn { engine: column.engine.filter(|_| at > 0), ..column }
    };
    let columns = names.iter().enumerate().map(column).collect();
    let row = |(at, (id, label, unit)): (usize, &(&'static str, &str, &'static str))| {
        let values: Vec<Option<f64>> = values.iter().map(|column| Some(column[at])).collect();
        let difference = |(column, value): (usize, &Option<f64>)| {
            value.zip(values[base]).filter(|_| column > base).map(|(value, base)| value - base)
        };
        let differences = values.iter().enumerate().map(difference).collect();
        AnswerRow { id, label: (*label).to_owned(), unit, values: values.clone(), differences }
    };
    let reason = |(kind, retries): &(String, u64)| ReasonReport {
        kind: kind.clone(),
        policy: Some("policy".to_owned()),
        rule_index: Some(1),
        decision: None,
        failed_jobs: Some(*retries),
        jobs: Some(1),
        retries: *retries,
        succeeded: 1,
        saved_hours: Some(1234.5),
        lost_work_hours: Some(0.0),
        failed_retry_hours: None,
        succeeded_retry_hours: None,
    };
    let answer = AnswerReport {
        period: Some(PeriodReport {
            from: "2026-09-28T10:00:00Z".to_owned(),
            to: "2026-10-30T10:00:00Z".to_owned(),
        }),
        runs: 7,
        untimed: 0,
        load: None,
        unit: CostUnit::Gpu,
        uncounted: None,
        base,
        columns,
        rows: ROWS.iter().enumerate().map(row).collect(),
        reasons: reasons.iter().map(reason).collect(),
        recorded_retries: None,
        advice: Vec::new(),
        evidence: Vec::new(),
        samples: Vec::new(),
        sentences: Vec::new(),
    };
    SimulationReport {
        api_version: "armadaproject.io/v1",
        kind: "SimulationReport",
        engine: "v1".to_owned(),
        releases: Vec::new(),
        notes: Vec::new(),
        answer,
        jobs: None,
        verdict: VerdictReport::default(),
        summary: SummaryReport::default(),
        queues: None,
        variants: None,
        assertions: Vec::new(),
    }
}

proptest! {
    #[test]
    fn no_width_cuts_a_number_or_makes_a_line_too_long(
        names in prop::collection::vec("[a-z-]{1,20}", 0..4),
        values in prop::collection::vec(prop::collection::vec(0_u32..5_000_000, 5), 4),
        reasons in prop::collection::vec(("[a-z/]{1,12}( [0-9]{1,3})?", 1_u64..100_000), 0..6),
        width in prop::sample::select(vec![40_usize, 60, 80, 140]),
    ) {
        let names: Vec<String> = std::iter::once("on record".to_owned()).chain(names).collect();
        let values = values.into_iter().take(names.len());
        let values: Vec<Vec<f64>> =
            values.map(|column| column.into_iter().map(f64::from).collect()).collect();
        let mut report = report(&names, &values, &reasons);
        report.answer.sentences = sentences(&report);
        let text = answer(&report, &[], &layout(width));
        let whole = answer(&report, &[], &layout(1000));
        let all = digits(&whole);
        for run in digits(&text) {
            prop_assert!(all.contains(&run), "{} in\n{}", run, text);
        }
        // A word that is wider than the screen has a line of its own.
        let is_word = |line: &str| !line.trim().contains(' ');
        let too_long = text.lines().find(|line| line.width() > width && !is_word(line));
        prop_assert_eq!(too_long, None, "\n{}", text);
        if width == 80 {
            prop_assert!(text.lines().count() <= 20 || names.len() > 2, "{}", text);
        }
        prop_assert!(text.starts_with(&quiet(&report, &layout(width))));
    }
}

#[test]
fn unresolved_jobs_are_explained_once() {
    let unresolved = |values: Vec<f64>, sentence: &str| {
        let names = ["on record", "given", "lax"].map(str::to_owned);
        let names = &names[..values.len()];
        let columns = vec![vec![1.0; 5]; values.len()];
        let mut report = report(names, &columns, &[]);
        let [id, label, unit] = ["jobsUnresolved", "jobs unresolved", "jobs"];
        let values: Vec<Option<f64>> = values.into_iter().map(Some).collect();
        let differences = vec![None; values.len()];
        report.answer.rows.push(AnswerRow {
            id,
            label: label.to_owned(),
            unit,
            values,
            differences,
        });
        report.answer.sentences = vec![sentence.to_owned()];
        answer(&report, &[], &layout(80))
    };
    let granted = "\n(unresolved: granted a retry that is not on record)\n";
    let text = unresolved(vec![0.0, 1.0, 2.0], "2 more are unresolved.");
    assert!(text.contains(granted), "{text}");
    let text = unresolved(vec![0.0, 1.0], "1 is unresolved: the next run is not on record.");
    assert!(!text.contains("(unresolved"), "{text}");
    let text = unresolved(vec![3.0], "");
    assert!(text.contains("\n(unresolved: not ended on record)\n"), "{text}");
    let text = unresolved(vec![3.0, 4.0], "");
    assert!(text.contains("not on record, or not ended on record)\n"), "{text}");
    let text = unresolved(vec![0.0, 0.0], "");
    assert!(!text.contains("unresolved"), "{text}");
}
