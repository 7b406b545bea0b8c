//! The answer about a cluster at every width: no number is cut, no line is too long.
//!
//! Holds cluster.md 7.

use super::{Section, answer, quiet};
use crate::report::testing::{digits, layout};
use cluster::report::{
    CauseFigures, ClusterReport, EndName, EndReport, Figure, Figures, FindingKind, FindingReport,
    Group, RetryFigures, Runs, SeriesReport, Waits, cluster_answer, combine_runs,
};
use proptest::prelude::*;
use replay::simulate::{AnswerColumn, NoteKind, NoteReport};
use unicode_width::UnicodeWidthStr;

/// The figures of a group from some numbers.
fn group(numbers: &[u32]) -> Group {
    let mut numbers = numbers.iter().cycle().map(|number| f64::from(*number));
    let mut next = || Figure(numbers.next().unwrap_or_default());
    let mut group = Group::default();
    group.jobs.succeeded = next();
    group.jobs.failed = next();
    group.jobs.recovered = next();
    group.jobs.unfinished = next();
    group.hours.core.useful = Figure(next().0 / 7.0);
    group.hours.core.lost = Figure(next().0 / 7.0);
    group.preemptions.fair_share = next();
    let mean = next();
    group.wait = Some(Waits { mean, p95: next(), max: next(), ..Waits::default() });
    let retry = RetryFigures { granted: next(), succeeded: next(), ..RetryFigures::default() };
    group.retries.insert(1, retry);
    group.fairness.fairness_error = Some(Figure(0.25));
    group.fairness.entitled = Some(Figure(0.5));
    group
}

/// Some runs of a variant, each with a finding.
fn runs(name: &str, numbers: &[Vec<u32>], queues: &[String]) -> Runs {
    let run = |(at, numbers): (usize, &Vec<u32>)| {
        let queues = queues.iter().enumerate().map(|(at, name)| {
            let numbers: Vec<u32> = numbers.iter().map(|number| number >> at.min(9)).collect();
            (name.clone(), group(&numbers))
        });
        let mut figures = Figures { total: group(numbers), ..Figures::default() };
        figures.queues = queues.collect();
        figures.causes.insert("oom".to_owned(), CauseFigures::default());
        let finding = FindingReport {
            kind: FindingKind::SameNode,
            message: format!("{} retries failed on the same node", numbers[0]),
            jobs: 1,
            job: None,
            queue: None,
            pool: None,
            rule: None,
            from: Figure(1.0),
            to: Figure(2.0),
        };
        let end = EndReport {
            seed: at as u64 + 1,
            reason: EndName::Done,
            time: Figure(3.0),
            open: Vec::new(),
            findings: vec![finding],
            series: SeriesReport::default(),
        };
        (figures, end)
    };
    let results = numbers.iter().enumerate().map(run).collect();
    Runs { name: name.to_owned(), engine: Some("v1".to_owned()), results }
}

/// The report of some runs.
fn report(all: Vec<Runs>) -> ClusterReport {
    let columns = all.iter().map(|runs| AnswerColumn::new(runs.name.clone(), "v1"));
    ClusterReport {
        api_version: "armadaproject.io/v1",
        kind: "ClusterReport",
        seed: 1,
        seeds: all.first().map_or(0, |runs| u32::try_from(runs.results.len()).unwrap()),
        scheduler: "landed".to_owned(),
        notes: vec![NoteReport::new(NoteKind::DefaultSettings, "default settings".to_owned())],
        answer: cluster_answer(&all, columns.collect()),
        variants: combine_runs(all),
        assertions: Vec::new(),
    }
}

/// The lines that do not count what is left out, since a narrow screen leaves out more.
fn counted(text: &str) -> String {
    let is_count = |line: &str| line.starts_with('(') && line.contains(": --show ");
    text.lines().filter(|line| !is_count(line)).collect::<Vec<_>>().join("\n")
}

/// Checks an answer against the one on the widest screen with all tables.
fn check(report: &ClusterReport, width: usize) -> Result<(), TestCaseError> {
    let text = answer(report, &[], &layout(width));
    let sections = Section::ALL.map(|(_, section)| section);
    let all = digits(&answer(report, &sections, &layout(10_000)));
    for run in digits(&counted(&text)) {
        prop_assert!(all.contains(&run), "{} in\n{}", run, text);
    }
    // A word that is wider than the screen has a line of its own.
    let is_word = |line: &str| !line.trim().contains(' ');
    let too_long = text.lines().find(|line| line.width() > width && !is_word(line));
    prop_assert!(width < 60 || too_long.is_none(), "{:?}\n{}", too_long, text);
    prop_assert!(text.starts_with(&quiet(report, &layout(width))));
    prop_assert_eq!(&text, &answer(report, &[], &layout(width)));
    Ok(())
}

proptest! {
    #[test]
    fn no_width_cuts_a_number_or_makes_a_line_too_long(
        names in prop::collection::vec("[a-z-]{1,20}", 1..4),
        queues in prop::collection::btree_set("[a-z]{1,12}", 0..30),
        numbers in prop::collection::vec(
            prop::collection::vec(prop::collection::vec(0_u32..5_000_000, 12), 3),
            3,
        ),
        seeds in 1_usize..4,
        width in 40_usize..=200,
    ) {
        let queues: Vec<String> = queues.into_iter().collect();
        let each = names.iter().zip(&numbers);
        let all = each.map(|(name, numbers)| runs(name, &numbers[..seeds], &queues)).collect();
        check(&report(all), width)?;
    }
}

#[test]
fn the_headline_and_the_table_have_one_base() {
    let all = [("lax", 9), ("strict", 7), ("no-retries", 4)];
    let all = all.map(|(name, succeeded)| {
        let numbers = vec![succeeded, 1, 0, 0, 40, 9, 0, 0, 0, 0, 0, 0];
        runs(name, &[numbers], &[])
    });
    let text = answer(&report(all.into()), &[], &layout(140));
    let headline = "2 fewer jobs succeed under `strict` than under `lax`. 5 fewer jobs succeed under `no-retries`.\n";
    assert!(text.starts_with(headline), "{text}");
    let row = text.lines().find(|line| line.starts_with("jobs succeeded ")).unwrap_or_default();
    let cells: Vec<&str> = row.split_whitespace().skip(2).collect();
    assert_eq!(cells, ["9", "7", "-2", "4", "-5"], "{text}");
}

#[test]
fn the_largest_and_the_emptiest_reports_are_bounded() {
    let queues: Vec<String> = (0..500).map(|number| format!("q{number:03}")).collect();
    let numbers = vec![vec![5, 1, 2, 0, 40, 9, 3, 600, 900, 7, 4, 2]];
    let large = report(vec![runs("given", &numbers, &queues)]);
    let text = answer(&large, &[], &layout(80));
    assert!(text.contains("500 queues: --show queues)"), "{text}");
    assert!(text.lines().count() <= 20, "{text}");
    for width in [60, 80, 140] {
        check(&large, width).expect("an answer");
    }

    let long = ["x".repeat(200), format!("{}y", "x".repeat(199))];
    let long = report(vec![runs(&long[0], &numbers, &long), runs(&long[1], &numbers, &long)]);
    for width in [60, 80, 140] {
        check(&long, width).expect("an answer");
    }

    // No failure, no retry, no wait, no hours.
    let none = report(vec![runs("given", &[vec![0; 12]], &[])]);
    let text = answer(&none, &[], &layout(80));
    assert!(text.starts_with("No job was simulated.\n"), "{text}");
    assert!(!text.contains("NaN") && !text.contains("jobs failed"), "{text}");
}
