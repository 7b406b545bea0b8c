//! The jobs that succeed under the first set of policies of a comparison and fail under another: the queue and the kind
//! of failure with the most of them.

use super::grid::is_sweep;
use crate::report::figures::{count, several};
use crate::report::layout::{Layout, prose};
use replay::simulate::{FailedJobsReport, SimulationReport};
use std::fmt::Write;

/// Writes the line, if there are such jobs.
pub(super) fn write(out: &mut String, report: &SimulationReport, layout: &Layout) {
    if let Some(text) = line(report) {
        let _ = writeln!(out, "{}", prose(&text, layout));
    }
}

/// The line about the set of policies with the most such jobs; none for a sweep, whose values are a series.
pub(in crate::report) fn line(report: &SimulationReport) -> Option<String> {
    let [_, others @ ..] = report.variants.as_deref()? else { return None };
    // The first column is the record.
    let mut labels = report.answer.columns.iter().skip(1).map(|column| column.label.as_str());
    let first = labels.next().filter(|_| !is_sweep(report))?;
    let failed = others.iter().map(|variant| {
        // Those of a sweep beside others are a series too.
        let changes = variant.changes.as_ref().filter(|_| variant.sweep.is_none());
        Some(&changes?.succeeded_to_failed)
    });
    let failed = failed.zip(labels).filter_map(|(failed, label)| Some((failed?, label)));
    // Of several with as many, the first.
    let (failed, label) = failed.rev().max_by_key(|(failed, _)| failed.jobs)?;
    (failed.jobs > 0).then(|| text(failed, first, label))
}

fn text(failed: &FailedJobsReport, first: &str, label: &str) -> String {
    let queue = failed.by_queue.first().filter(|it| !it.queue.is_empty());
    let queue = queue.map(|it| (it.jobs, format!("in queue {}", it.queue)));
    let kind = failed.by_kind.first().map(|it| (it.jobs, format!("by {}", it.kind)));
    let part = |(jobs, what): (u64, String)| match jobs {
        1 if failed.jobs == 1 => what,
        all if all == failed.jobs => format!("all {what}"),
        most if most * 2 > failed.jobs => format!("most {what} ({})", count(most)),
        largest => format!("{} {what}", count(largest)),
    };
    let parts: Vec<String> = [queue, kind].into_iter().flatten().map(part).collect();
    let colon = if parts.is_empty() { "" } else { ": " };
    let s = if failed.jobs == 1 { "s" } else { "" };
    let (jobs, parts) = (several(failed.jobs, "job"), parts.join(" and "));
    format!("{jobs} succeed{s} under `{first}` and fail{s} under `{label}`{colon}{parts}.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use replay::simulate::{KindJobs, QueueJobs};

    #[test]
    fn a_line_names_the_queue_and_the_kind_with_the_most_jobs() {
        let failed = |jobs, queues: &[(&str, u64)], kinds: &[(&str, u64)]| {
            let queue =
                |(queue, jobs): &(&str, u64)| QueueJobs { queue: (*queue).to_owned(), jobs: *jobs };
            let kind =
                |(kind, jobs): &(&str, u64)| KindJobs { kind: (*kind).to_owned(), jobs: *jobs };
            let by_queue = queues.iter().map(queue).collect();
            let failed =
                FailedJobsReport { jobs, by_queue, by_kind: kinds.iter().map(kind).collect() };
            text(&failed, "given", "pr")
        };
        let start = "jobs succeed under `given` and fail under `pr`";
        for (text, wanted) in [
            (
                failed(1208, &[("a", 700), ("b", 508)], &[("exit 1", 1100)]),
                format!("1,208 {start}: most in queue a (700) and most by exit 1 (1,100)."),
            ),
            (
                failed(180, &[("a", 33), ("b", 30)], &[("memory", 145)]),
                format!("180 {start}: 33 in queue a and most by memory (145)."),
            ),
            (failed(3, &[("a", 3)], &[]), format!("3 {start}: all in queue a.")),
            (failed(2, &[("", 2)], &[("exit 1", 2)]), format!("2 {start}: all by exit 1.")),
            (failed(2, &[("", 2)], &[]), format!("2 {start}.")),
            (
                failed(1, &[("a", 1)], &[("exit 1", 1)]),
                "1 job succeeds under `given` and fails under `pr`: in queue a and by exit 1."
                    .to_owned(),
            ),
        ] {
            assert_eq!(text, wanted);
        }
    }
}
