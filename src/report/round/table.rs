//! A round as tables: the summary, the queues, the jobs, and the nodes that waiting jobs cannot use.

use super::explanation::{JobOutcome, JobRow, NodeRow, QueueRow, RoundExplanation};
use crate::report::figures::percentage;
use crate::report::layout::Layout;
use crate::report::table::{Table, columns, head};
use crate::report::wrap;
use document::diag::{plural, printable};
use std::collections::HashMap;
use std::fmt::Write;

/// Jobs that differ only in their ids and nodes, with the first of them.
struct Group<'r> {
    first: &'r JobRow,
    count: usize,
    /// The node of all jobs; `None` if they have several.
    node: Option<&'r str>,
    nodes: usize,
}

/// The maximum of groups of waiting jobs whose nodes are listed, so that the output stays short; more groups
/// are only counted.
const DETAILED: usize = 8;

/// The maximum width of a paragraph without a terminal: longer lines are hard to read.
const PARAGRAPH: usize = 100;

/// Renders the round as text. If jobs were named, the text is the timeline of each.
pub fn table(round: &RoundExplanation, layout: &Layout) -> String {
    let width = layout.width.unwrap_or(PARAGRAPH);
    if round.jobs.iter().any(|job| !job.story.is_empty()) {
        let stories = round.jobs.iter().map(|job| story(job, width, layout));
        return stories.collect::<Vec<_>>().join("\n");
    }
    let mut out = format!("{}\n", wrap(&printable(&round.summary.sentence), width, 0));
    if !round.queues.is_empty() {
        let _ = write!(out, "\n{}", queues(round, layout));
    }
    if round.jobs.is_empty() {
        return out;
    }
    let groups = groups(&round.jobs);
    let jobs = if layout.wide { each(&round.jobs, layout) } else { grouped(&groups, layout) };
    let _ = write!(out, "\n{jobs}");
    let waiting: Vec<&Group<'_>> = groups.iter().filter(|it| !it.first.nodes.is_empty()).collect();
    for group in waiting.iter().take(DETAILED) {
        let _ = write!(out, "\n{}", why(group, width));
    }
    if let Some(more) = waiting.len().checked_sub(DETAILED).filter(|more| *more > 0) {
        let _ = writeln!(
            out,
            "\n{more} more {}: see --job ID or -o json",
            if more == 1 { "group waits" } else { "groups wait" }
        );
    }
    out
}

fn queues(round: &RoundExplanation, layout: &Layout) -> String {
    let name = |queue: &QueueRow| {
        if queue.cordoned { format!("{} (cordoned)", queue.name) } else { queue.name.clone() }
    };
    let columns = columns![queue in &QueueRow;
        "QUEUE" => name(queue),
        head("WEIGHT").leave_out(2) => queue.weight.to_string(),
        head("FAIR").leave_out(1) => percentage(queue.fair),
        "SHARE" => percentage(queue.demand_capped),
        "BEFORE" => percentage(queue.cost_before),
        "AFTER" => percentage(queue.cost_after),
        head("DEMAND").leave_out(4) => percentage(queue.demand),
        head("EVICTED").leave_out(3) => queue.evicted.to_string(),
        "STARTS" => queue.scheduled.to_string(),
        "PREEMPTED" => queue.preempted.to_string(),
        "QUEUED" => queue.queued.to_string(),
    ];
    Table::new(&round.queues, &columns).render(layout)
}

/// Groups jobs that differ only in their ids and nodes, in the order of the first job of each group.
fn groups(jobs: &[JobRow]) -> Vec<Group<'_>> {
    let mut positions = HashMap::new();
    let mut groups: Vec<Group<'_>> = Vec::new();
    for job in jobs {
        let key =
            (&job.queue, &job.priority_class, &job.requests, job.outcome, &job.brief, &job.nodes);
        let position = *positions.entry(key).or_insert(groups.len());
        let node = job.node.as_deref();
        match groups.get_mut(position) {
            None => {
                let nodes = usize::from(node.is_some());
                groups.push(Group { first: job, count: 1, node, nodes });
            }
            Some(group) => {
                group.count += 1;
                if group.node != node {
                    (group.node, group.nodes) = (None, group.nodes + 1);
                }
            }
        }
    }
    groups
}

/// A short text of the outcome, and whether it is a good one.
fn outcome(job: &JobRow) -> (&'static str, Option<bool>) {
    match job.outcome {
        JobOutcome::Scheduled => ("starts", Some(true)),
        JobOutcome::Kept => ("stays", Some(true)),
        JobOutcome::Preempted => ("preempted", Some(false)),
        JobOutcome::Queued => ("queued", Some(false)),
        JobOutcome::NotConsidered => ("not tried", Some(false)),
    }
}

fn grouped(groups: &[Group<'_>], layout: &Layout) -> String {
    let node = |group: &Group<'_>| match (group.node, group.nodes) {
        (Some(node), _) => node.to_owned(),
        (None, 0) => String::new(),
        (None, _) => "several".to_owned(),
    };
    let columns = columns![group in &Group<'_>;
        "JOBS" => group.count.to_string(),
        head("FIRST").at_least(12) => group.first.job_id.clone(),
        "QUEUE" => group.first.queue.clone(),
        head("REQUESTS").leave_out(1) => group.first.requests.clone(),
        "OUTCOME" => outcome(group.first).0.to_owned(),
        head("NODE").leave_out(2) => node(group),
        head("WHY").at_least(36) => group.first.brief.clone(),
    ];
    Table::new(groups, &columns).render(layout)
}

fn each(jobs: &[JobRow], layout: &Layout) -> String {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let cost = |cost: Option<f64>| cost.map(|cost| format!("{cost:.4}")).unwrap_or_default();
    let columns = columns![job in &JobRow;
        "STEP" => job.step.map(|step| step.to_string()).unwrap_or_default(),
        "JOB" => job.job_id.clone(),
        "QUEUE" => job.queue.clone(),
        "CLASS" => job.priority_class.clone(),
        head("GANG").if_any() => text(&job.gang),
        "REQUESTS" => job.requests.clone(),
        "OUTCOME" => outcome(job).0.to_owned(),
        "NODE" => text(&job.node),
        "METHOD" => job.method.or(job.preemption).unwrap_or_default().to_owned(),
        "COST" => cost(job.queue_cost),
        "WITH JOB" => cost(job.queue_cost_with_job),
        "SHARE" => cost(job.queue_share),
        "WHY" => job.reason.clone(),
    ];
    Table::new(jobs, &columns).render(layout)
}

/// The nodes that a group of jobs cannot use, with the reasons.
fn why(group: &Group<'_>, width: usize) -> String {
    let job = group.first;
    let more = match group.count {
        1 => String::new(),
        all => format!(" and {} more", all - 1),
    };
    let head = format!("Why {}{more} of queue {} ({})", job.job_id, job.queue, job.requests);
    let verb = match job.outcome {
        JobOutcome::Preempted => "cannot stay",
        _ if group.count > 1 => "wait",
        _ => "waits",
    };
    let mut out =
        format!("{}\n", wrap(&printable(&format!("{head} {verb}: {}", job.brief)), width, 2));
    nodes(&mut out, &job.nodes, width);
    out
}

fn nodes(out: &mut String, rows: &[NodeRow], width: usize) {
    let count = |row: &NodeRow| plural(row.count, "node", "nodes");
    let longest = rows.iter().map(|row| count(row).len()).max().unwrap_or_default();
    for row in rows {
        let example = match (&row.example, row.count) {
            (None, _) => String::new(),
            (Some(node), 1) => format!(" ({node})"),
            (Some(node), _) => format!(" (such as {node})"),
        };
        let line = format!("  {:>longest$}  {}{example}", count(row), row.reason);
        let _ = writeln!(out, "{}", wrap(&printable(&line), width, longest + 4));
    }
}

/// The timeline of a job.
fn story(job: &JobRow, width: usize, layout: &Layout) -> String {
    let gang = job.gang.as_ref().map(|gang| format!(", gang {gang}")).unwrap_or_default();
    let (word, is_good) = outcome(job);
    let head = format!(
        "Job {} (queue {}, class {}{gang}, {}):",
        job.job_id, job.queue, job.priority_class, job.requests
    );
    // Colours are added last: their escape sequences have no width.
    let head = format!("{} {}", wrap(&printable(&head), width, 2), layout.paint(word, is_good));
    let mut out = format!("{head}\n\n");
    for sentence in &job.story {
        let _ = writeln!(out, "{}", wrap(&printable(&format!("  {sentence}")), width, 2));
    }
    if !job.nodes.is_empty() {
        // A gang is refused because of one of its members, which may be another job.
        let is_of_gang = job.gang.is_some() && job.outcome == JobOutcome::Queued;
        let who = if is_of_gang { "the member without a node" } else { "it" };
        let _ = writeln!(out, "\nNodes that {who} could not use:");
        nodes(&mut out, &job.nodes, width);
    }
    out
}
