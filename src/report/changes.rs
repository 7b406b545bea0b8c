//! What differs under each of several sets of policies from the first one, as tables.

use super::decision_line::label;
use super::figures::{count, count_of, several};
use super::layout::{Layout, prose};
use super::side_by_side;
use super::table::{Table, columns, head};
use super::variants::{series, swept_title, title};
use document::diag::printable;
use replay::simulate::{ChangesReport, DeciderReport, QueueChange, SampleReport, VariantReport};
use std::fmt::Write;
use systems::{Description, description_of_engine};

/// The end of a line about a set of policies that decides every failure as the first one.
const PROVED: &str = ", and no difference is possible: proved for all failures of these queues";

/// Writes what differs under each set of policies but the first: for a sweep a row for each value, unless the layout
/// is wide.
pub(super) fn tables(out: &mut String, variants: &[VariantReport], layout: &Layout) {
    let Some((first, others)) = variants.split_first() else { return };
    if series(variants).is_some() && !layout.wide {
        return sweep(out, variants, layout);
    }
    for variant in others {
        let Some(changes) = &variant.changes else { continue };
        if is_equal(changes) {
            let proof = if variant.proved_same { PROVED } else { "" };
            let text = format!(
                "No difference between {} and {}: {} of {} are the same{proof}",
                title(variant),
                title(first),
                several(changes.compared, "decision"),
                several(variant.summary.totals.jobs, "job"),
            );
            line(out, &text, layout);
        } else {
            add_variant(out, (first, variant), changes, layout);
        }
    }
}

/// Whether every set of policies but the first decides as the first, so that a comparison has nothing to show.
pub(super) fn are_all_equal(variants: &[VariantReport]) -> bool {
    let mut others = variants.iter().skip(1);
    others.all(|variant| variant.changes.as_ref().is_some_and(is_equal))
}

fn is_equal(changes: &ChangesReport) -> bool {
    changes.decisions + changes.jobs + changes.other_rule + changes.other_wait == 0
}

/// Writes a row for each value of a sweep.
fn sweep(out: &mut String, variants: &[VariantReport], layout: &Layout) {
    let Some((limit, values)) = series(variants) else { return };
    let rows = variants.iter().skip(1).zip(values);
    let rows =
        rows.filter_map(|(variant, value)| Some((variant, variant.changes.as_ref()?, value)));
    let rows: Vec<_> = rows.collect();
    if rows.is_empty() {
        return;
    }
    let columns = columns![row in &(&VariantReport, &ChangesReport, String);
        swept_title(&limit, variants) => row.2.clone(),
        "DECISIONS CHANGED" => count_of(row.1.decisions, row.1.compared),
        "JOBS CHANGED" => count_of(row.1.jobs, row.0.summary.totals.jobs),
    ];
    let first = variants.first().map(title).unwrap_or_default();
    line(out, &format!("Changes against {first} (-o wide: each value by itself):"), layout);
    out.push_str(&Table::new(&rows, &columns).render(layout));
}

/// Writes an empty line and a line of text, wrapped to the width of the terminal.
fn line(out: &mut String, text: &str, layout: &Layout) {
    let _ = writeln!(out, "\n{}", prose(&printable(text), layout));
}

/// What all tables of a set of policies have in common.
struct ChangeTables<'l> {
    system: &'static Description,
    /// The headers of the columns of the first and of the other set.
    from: String,
    to: String,
    layout: &'l Layout,
}

fn add_variant(
    out: &mut String,
    (first, variant): (&VariantReport, &VariantReport),
    changes: &ChangesReport,
    layout: &Layout,
) {
    let tables = ChangeTables {
        system: description_of_engine(&first.engine),
        from: title(first),
        to: title(variant),
        layout,
    };
    let decisions = count_of(changes.decisions, changes.compared);
    let jobs = count_of(changes.jobs, variant.summary.totals.jobs);
    let head = format!(
        "Changes under {} against {}: {decisions} of {}, {jobs} of {}",
        tables.to,
        tables.from,
        several(changes.compared, "decision"),
        several(variant.summary.totals.jobs, "job"),
    );
    line(out, &head, layout);
    if changes.other_rule + changes.other_wait > 0 {
        let text = format!(
            "Of the same code, and not counted as changed: {} with another wait, {} by another rule alone",
            count(changes.other_wait),
            count(changes.other_rule),
        );
        line(out, &text, layout);
    }
    outcomes(out, changes, &tables);
    decisions_by_code(out, changes, &tables);
    decisions_by_rule(out, changes, &tables);
    queues(out, changes, &tables);
    if let Some(example) = variant.example.as_ref().filter(|_| layout.wide) {
        side_by_side::timelines(out, (first, variant), example, layout);
    } else if let Some(job) = sample_of(changes) {
        let text = format!("Both timelines of one job: --job {job} -o wide");
        line(out, &text, layout);
    }
}

/// The first sample: a job that has changed, else one of a changed decision.
fn sample_of(changes: &ChangesReport) -> Option<&str> {
    let mut jobs = changes.by_outcome.iter().flat_map(|row| &row.samples);
    let mut decisions = changes.by_decision.iter().flat_map(|row| &row.samples);
    let of_decision = decisions.next().map(|sample| sample.job_id.as_str());
    jobs.next().map(String::as_str).or(of_decision)
}

impl ChangeTables<'_> {
    /// Writes a table of changes. `of` is the header of the counts, and the total that they are shares of.
    fn kinds(&self, out: &mut String, of: (&str, u64), rows: &[Row], noun: &str) {
        let (header, total) = of;
        let columns = columns![row in &Row;
            &self.from => row.0.clone(),
            &self.to => row.1.clone(),
            header => count_of(row.2, total),
            head("SAMPLES").leave_out(1).if_any() => row.3.clone(),
        ];
        Table::first(rows, noun, &columns, self.layout).write(out, self.layout);
    }

    /// The name of what decides.
    fn decider(&self, decider: Option<&DeciderReport>) -> String {
        let Some(decider) = decider else { return "no decision".to_owned() };
        let policy = decider.policy.as_deref();
        policy.map_or("no policy".to_owned(), |it| label(self.system, it, decider.rule_index))
    }
}

/// A row of a table of changes: both sides, the count, and the samples.
type Row = (String, String, u64, String);

fn outcomes(out: &mut String, changes: &ChangesReport, tables: &ChangeTables<'_>) {
    let rows = changes.by_outcome.iter();
    let rows = rows.map(|row| (row.from.clone(), row.to.clone(), row.jobs, row.samples.join(", ")));
    tables.kinds(out, ("JOBS", changes.jobs), &rows.collect::<Vec<_>>(), "kind");
}

fn decisions_by_code(out: &mut String, changes: &ChangesReport, tables: &ChangeTables<'_>) {
    let rows = changes.by_decision.iter();
    let rows = rows.map(|row| (row.from.clone(), row.to.clone(), row.count, samples(&row.samples)));
    tables.kinds(out, ("DECISIONS", changes.decisions), &rows.collect::<Vec<_>>(), "kind");
}

fn decisions_by_rule(out: &mut String, changes: &ChangesReport, tables: &ChangeTables<'_>) {
    let rows = changes.by_rule.iter().map(|row| {
        let (from, to) = (tables.decider(row.from.as_ref()), tables.decider(row.to.as_ref()));
        (from, to, row.count, samples(&row.samples))
    });
    tables.kinds(out, ("DECISIONS BY RULE", changes.decisions), &rows.collect::<Vec<_>>(), "pair");
}

fn queues(out: &mut String, changes: &ChangesReport, tables: &ChangeTables<'_>) {
    let mut rows: Vec<_> = changes.by_queue.iter().collect();
    if rows.len() < 2 {
        return;
    }
    rows.sort_by_key(|row| std::cmp::Reverse((row.decisions, row.jobs)));
    let columns = columns![row in &&QueueChange;
        "QUEUE" => row.queue.clone(),
        "DECISIONS CHANGED" => count_of(row.decisions, changes.decisions),
        "JOBS CHANGED" => count_of(row.jobs, changes.jobs),
    ];
    Table::first(&rows, "queue", &columns, tables.layout).write(out, tables.layout);
}

/// Samples as `job run 2, other-job run 0`.
fn samples(samples: &[SampleReport]) -> String {
    let text = |sample: &SampleReport| format!("{} run {}", sample.job_id, sample.run_index);
    samples.iter().map(text).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::Style;
    use crate::report::variants::limit_of_name;
    use proptest::prelude::*;
    use replay::simulate::{DecisionChange, RuleChange, SummaryReport, Totals, VerdictReport};
    use serde_json::{Value, json};
    use unicode_width::UnicodeWidthStr;

    /// A set of policies, of which the changes are given as in the JSON report.
    fn variant(name: &str, changes: Option<&Value>) -> VariantReport {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let number = |value: &Value| value.as_u64().unwrap_or_default();
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let decider = |value: &Value| {
            let policy = value.as_str().map(str::to_owned);
            policy.map(|policy| DeciderReport { policy: Some(policy), rule_index: Some(0) })
        };
        let samples = |value: &Value| {
            let sample = |id: Value| SampleReport { job_id: text(&id), run_index: 3 };
            list(value).into_iter().map(sample).collect::<Vec<_>>()
        };
        let changes = changes.map(|changes| ChangesReport {
            compared: number(&changes["compared"]),
            decisions: number(&changes["decisions"]),
            jobs: number(&changes["jobs"]),
            other_rule: number(&changes["otherRule"]),
            other_wait: 0,
            by_decision: list(&changes["byDecision"])
                .iter()
                .map(|row| DecisionChange {
                    from: text(&row[0]),
                    to: text(&row[1]),
                    count: number(&row[2]),
                    samples: samples(&row[3]),
                })
                .collect(),
            by_rule: list(&changes["byRule"])
                .iter()
                .map(|row| RuleChange {
                    from: decider(&row[0]),
                    to: decider(&row[1]),
                    count: number(&row[2]),
                    samples: samples(&row[3]),
                })
                .collect(),
            ..ChangesReport::default()
        });
        let totals = Totals { jobs: 5_204_318, ..Totals::default() };
        let summary = SummaryReport { totals, ..SummaryReport::default() };
        let engine = "v1".to_owned();
        VariantReport {
            name: name.to_owned(),
            sweep: limit_of_name(name),
            engine,
            releases: Vec::new(),
            verdict: VerdictReport::of(&summary),
            proved_same: false,
            summary,
            changes,
            example: None,
            queues: None,
        }
    }

    fn render(variants: &[VariantReport], width: Option<usize>) -> String {
        let mut out = String::new();
        let layout = Layout { wide: false, headers: true, width, style: Style::Plain };
        tables(&mut out, variants, &layout);
        out
    }

    fn changes() -> Value {
        json!({
            "compared": 10_000_000, "decisions": 1_204_318, "jobs": 26, "otherRule": 1_234,
            "byDecision": [
                ["fail_rule_limit", "retry", 1_200_000, ["01k6fz8q0000000000000000aa", "01k6fz8q0000000000000000ab"]],
                ["retry", "not_reached", 4_318, ["01k6fz8q0000000000000000ac"]],
            ],
            "byRule": [["infra", Value::Null, 1_204_318, ["01k6fz8q0000000000000000aa"]]],
        })
    }

    #[test]
    fn counts_have_separators_and_shares() {
        let variants = [variant("given", None), variant("lax", Some(&changes()))];
        let text = render(&variants, None);
        let wanted = "
Changes under lax (v1) against given (v1): 1,204,318 (12.0 %) of 10,000,000 decisions, 26 (<0.1 %) of 5,204,318 jobs

Of the same code, and not counted as changed: 0 with another wait, 1,234 by another rule alone

given (v1)       lax (v1)     DECISIONS           SAMPLES
fail_rule_limit  retry        1,200,000 (99.6 %)  01k6fz8q0000000000000000aa run 3, 01k6fz8q0000000000000000ab run 3
retry            not_reached  4,318 (0.4 %)       01k6fz8q0000000000000000ac run 3

given (v1)  lax (v1)     DECISIONS BY RULE    SAMPLES
infra[0]    no decision  1,204,318 (100.0 %)  01k6fz8q0000000000000000aa run 3

Both timelines of one job: --job 01k6fz8q0000000000000000aa -o wide
";
        assert_eq!(text, wanted);
        for width in [60, 80, 140] {
            let text = render(&variants, Some(width));
            assert!(text.lines().all(|line| line.width() <= width), "{width}\n{text}");
            assert!(text.contains("1,200,000 (99.6 %)"), "{width}\n{text}");
        }
        assert!(render(&variants, Some(60)).contains("(without SAMPLES: the terminal is narrow)"));
    }

    #[test]
    fn a_sweep_is_one_table() {
        let names = ["given", "retryLimit=0", "retryLimit=10"];
        let all = changes();
        let variants = names.map(|name| variant(name, (name != "given").then_some(&all)));
        let wanted = "
Changes against given (v1) (-o wide: each value by itself):
retryLimit (v1)  DECISIONS CHANGED   JOBS CHANGED
0                1,204,318 (12.0 %)  26 (<0.1 %)
10               1,204,318 (12.0 %)  26 (<0.1 %)
";
        assert_eq!(render(&variants, None), wanted);
        let narrow = render(&variants, Some(40));
        assert!(narrow.contains("DECISIONS CHANGED  1,204,318 (12.0 %)\n"), "{narrow}");
    }

    #[test]
    fn at_most_ten_rows() {
        let rows: Vec<Value> =
            (0..13).map(|number| json!([format!("code_{number}"), "retry", 1, []])).collect();
        let changes = json!({"compared": 20, "decisions": 13, "byDecision": rows});
        let variants = [variant("given", None), variant("lax", Some(&changes))];
        let text = render(&variants, None);
        assert!(text.contains("code_9 ") && !text.contains("code_10"), "{text}");
        assert!(text.ends_with("(and 3 more kinds: -o wide)\n"), "{text}");
    }

    /// The groups of digits in a text, with their separators.
    fn numbers(text: &str) -> Vec<&str> {
        text.split(|letter: char| !letter.is_ascii_digit() && letter != ',')
            .map(|number| number.trim_matches(','))
            .filter(|number| !number.is_empty())
            .collect()
    }

    proptest! {
        #[test]
        fn no_width_cuts_a_number(
            rows in prop::collection::vec(("[a-z_]{2,18}", "[a-z_]{2,18}", 0_u64..1 << 24), 1..5),
            name in "[a-z]{1,30}",
            width in 30_usize..140,
        ) {
            let decisions: u64 = rows.iter().map(|(.., count)| count).sum();
            let list: Vec<Value> =
                rows.iter().map(|(from, to, count)| json!([from, to, count, ["job-1234567"]])).collect();
            let changes = json!({
                "compared": decisions, "decisions": decisions, "byDecision": list, "byRule": list,
            });
            let variants = [variant("given", None), variant(&name, Some(&changes))];
            let whole = render(&variants, None);
            let text = render(&variants, Some(width));
            let known = numbers(&whole);
            for number in numbers(&text) {
                prop_assert!(known.contains(&number), "{} in\n{}", number, text);
            }
            for (.., number) in &rows {
                let number = count(*number);
                prop_assert!(numbers(&text).contains(&number.as_str()), "{} in\n{}", number, text);
            }
        }
    }
}
