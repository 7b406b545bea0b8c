//! The queues of a round, and the number of jobs by outcome.

use super::explanation::{JobOutcome, JobRow, QueueRow, RoundSummary};
use super::index::RoundIndex;
use cluster::job::JobIndex;
use document::diag::plural;
use std::collections::BTreeMap;

impl RoundIndex<'_> {
    /// The rows of the queues, sorted by name.
    pub(super) fn queues(&self, rows: &[(JobIndex, JobRow)]) -> Vec<QueueRow> {
        let named = self.state.queue_names.iter().zip(&self.state.queues);
        let mut queues: Vec<QueueRow> = named
            .zip(&self.outcome.queues)
            .map(|((name, input), outcome)| QueueRow {
                name: name.clone(),
                weight: input.weight,
                cordoned: input.is_cordoned,
                fair: outcome.shares.fair,
                demand_capped: outcome.shares.demand_capped,
                uncapped: outcome.shares.uncapped,
                demand: outcome.shares.demand,
                cost_before: outcome.cost_before,
                cost_after: outcome.cost_after,
                evicted: 0,
                rescheduled: 0,
                scheduled: 0,
                preempted: 0,
                queued: 0,
            })
            .collect();
        for eviction in self.trace.first_evictions() {
            let queue = self.job_of(eviction.job).queue;
            if let Some(queue) = queue.and_then(|queue| queues.get_mut(queue)) {
                queue.evicted += 1;
            }
        }
        for (job, row) in rows {
            let queue = self.job_of(*job).queue;
            let Some(queue) = queue.and_then(|queue| queues.get_mut(queue)) else { continue };
            match row.outcome {
                JobOutcome::Scheduled => queue.scheduled += 1,
                JobOutcome::Preempted => queue.preempted += 1,
                JobOutcome::Kept => {
                    queue.rescheduled += usize::from(self.evictions.contains_key(job));
                }
                JobOutcome::Queued | JobOutcome::NotConsidered => queue.queued += 1,
            }
        }
        queues
    }
}

/// Counts the jobs by outcome.
pub(super) fn summary(rows: &[(JobIndex, JobRow)]) -> RoundSummary {
    let mut summary = RoundSummary::default();
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, row) in rows {
        let state = match row.state_before {
            "Running" => &mut summary.running,
            _ => &mut summary.queued,
        };
        *state += 1;
        match row.outcome {
            JobOutcome::Scheduled => summary.scheduled += 1,
            JobOutcome::Preempted => summary.preempted += 1,
            JobOutcome::Kept => {}
            JobOutcome::Queued => {
                summary.refused += 1;
                *reasons.entry(row.brief.as_str()).or_default() += 1;
            }
            JobOutcome::NotConsidered => {
                summary.not_considered += 1;
                *reasons.entry("not tried").or_default() += 1;
            }
        }
    }
    let mut reasons: Vec<(&str, usize)> = reasons.into_iter().collect();
    reasons.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    summary.sentence = sentence(&summary, &reasons);
    summary
}

/// The outcome of the round as a sentence.
fn sentence(summary: &RoundSummary, reasons: &[(&str, usize)]) -> String {
    let is_one = |count: usize, all: usize| count == 1 || all == 1;
    let start = if is_one(summary.scheduled, summary.queued) { "starts" } else { "start" };
    let mut text = match summary.queued {
        0 => "No job is queued".to_owned(),
        _ => format!(
            "{} of {} {start}",
            summary.scheduled,
            plural(summary.queued, "queued job", "queued jobs")
        ),
    };
    let stay = summary.refused + summary.not_considered;
    if summary.running > 0 {
        let (lost, running) =
            (summary.preempted, plural(summary.running, "running job", "running jobs"));
        let verb = if is_one(lost, summary.running) { "is" } else { "are" };
        text += &format!(", {lost} of {running} {verb} preempted");
    }
    if stay > 0 {
        let reasons = reasons.iter().map(|(reason, count)| format!("{reason} ({count})"));
        let verb = if stay == 1 { "stays" } else { "stay" };
        text += &format!(", {stay} {verb} queued: {}", reasons.collect::<Vec<_>>().join("; "));
    }
    text + "."
}
