//! What comes with a granted retry (sections 6 and 7): delay, avoided nodes, memory, and the counts after it.

use super::Engine;
use super::backoff::{Backoff, with_graceful_shutdown};
use super::decide::Case;
use super::decision::{Code, Decision};
use super::history::{Job, RunOutcome};
use super::policy::{Bump, Policy, Rule};
use super::quantity::Fraction;
use super::time::Nanos;

/// Fills in a decision of code [`Code::Retry`]: "the rule's count +1, total +1", and what the retry is given.
pub fn grant(case: &Case, policy: &Policy, rule: Option<usize>, decision: &mut Decision) {
    let rule = rule.map(|index| &policy.rules[index]);
    let run = &case.job.runs[case.position];
    let delay = delay(case, policy, rule);
    decision.total += 1;
    if let Some(limit) = &mut decision.limit {
        limit.count += 1;
    }
    decision.delay = Some(delay);
    decision.retry_after = run.finished.map(|failed| failed + delay);
    decision.avoid = avoided(case, policy, rule);
    // "`mutate` applies on rule-decided retries of Failed runs only"
    if run.outcome == RunOutcome::Failed {
        decision.bump = rule.and_then(|rule| rule.bump);
    }
    decision.memory = memory(case.job, case.past, decision.bump);
}

/// "backoff, graceful shutdown, `antiAffinity`: none" in `v1beta1`.
fn delay(case: &Case, policy: &Policy, rule: Option<&Rule>) -> Nanos {
    if case.world.engine == Engine::V1beta1 {
        return 0;
    }
    let settings = &case.world.settings;
    let of_rule = rule.map_or_else(Backoff::default, |rule| rule.backoff);
    let levels = [of_rule, policy.backoff, settings.default_backoff];
    let wait = Backoff::wait(&levels, case.failure_count());
    with_graceful_shutdown(wait, &case.job.runs[case.position], settings)
}

/// Section 7: in `v1` the node of the most recent failed run, in `v1beta1` the nodes of all runs so far.
fn avoided(case: &Case, policy: &Policy, rule: Option<&Rule>) -> Vec<String> {
    let asked = rule.and_then(|rule| rule.avoid_node).or(policy.avoid_node);
    // "`mutate` applies on rule-decided retries of Failed runs only"
    let failed = case.job.runs[case.position].outcome == RunOutcome::Failed;
    let mutated = failed && rule.is_some_and(|rule| rule.avoid_by_mutation);
    if asked != Some(true) && !mutated {
        return Vec::new();
    }
    let first = match case.world.engine {
        Engine::V1 => case.position,
        Engine::V1beta1 => 0,
    };
    let mut nodes: Vec<String> = Vec::new();
    for node in case.job.runs[first..=case.position].iter().filter_map(|run| run.node.as_ref()) {
        if !nodes.contains(node) {
            nodes.push(node.clone());
        }
    }
    nodes
}

/// Section 7: "`factor`s multiply, memory = ceil(original × product); `static`s add; one kind per job, the other
/// kind is then skipped"; `None` until a bump has happened and without `resources.memory`.
pub fn memory(job: &Job, past: &[Decision], this: Option<Bump>) -> Option<i128> {
    let granted = past.iter().filter(|past| past.code == Code::Retry);
    let bumps: Vec<Bump> = granted.filter_map(|past| past.bump).chain(this).collect();
    let original = job.memory?;
    let factor = |bump: &Bump| match bump {
        Bump::Factor(factor) => Some(*factor),
        Bump::Static(_) => None,
    };
    let added = |bump: &Bump| match bump {
        Bump::Factor(_) => None,
        Bump::Static(bytes) => Some(*bytes),
    };
    Some(match bumps.first()? {
        Bump::Factor(_) => {
            let one = Fraction { above: 1, below: 1 };
            bumps.iter().filter_map(factor).fold(one, Fraction::times).rounded_up(original)
        }
        Bump::Static(_) => original + bumps.iter().filter_map(added).sum::<i128>(),
    })
}
