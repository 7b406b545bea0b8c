//! Which policies apply to a job (section 3).

use serde_json::Value;

use super::history::Job;
use super::json::{list, text, texts};
use super::{Engine, Input, World};

/// The names of the job's effective policies, in order. Empty: the legacy path.
pub fn effective(world: &World, input: &Input, job: &Job) -> Vec<String> {
    let known = |name: &String| world.policy(name).is_some();
    let default = world.settings.default_policy.clone();
    let queues = queue_list(world, input, job).unwrap_or_default();
    if input.engine == Engine::V1beta1 {
        // "the queue's first name, else the default; skipped means legacy; annotation names are not looked at"
        return queues.into_iter().next().or(default).filter(known).into_iter().collect();
    }
    let names = without_repeats([queues, annotation_names(job)].concat());
    let left: Vec<String> = names.into_iter().filter(known).collect();
    if left.is_empty() { default.filter(known).into_iter().collect() } else { left }
}

/// The flag, else the history's queue, else the only policy given; `None` where none of these is there.
pub fn queue_list(world: &World, input: &Input, job: &Job) -> Option<Vec<String>> {
    let only = (world.policies.len() == 1).then(|| vec![world.policies[0].name.clone()]);
    let flag = input.queue_policies.clone();
    flag.or_else(|| recorded(&input.history, &job.queue)).or(only)
}

/// "A queue found with an empty list stays empty."
fn recorded(history: &Value, queue: &str) -> Option<Vec<String>> {
    let queues = list(&history["spec"], "queues").iter();
    let mut found = queues.filter(|entry| text(entry, "name") == Some(queue));
    found.next().map(|entry| texts(entry, "retryPolicies"))
}

/// "comma-separated, blanks trimmed, empty pieces ignored".
pub fn annotation_names(job: &Job) -> Vec<String> {
    let pieces = job.annotation("retry-policy").unwrap_or_default().split(',');
    pieces.map(str::trim).filter(|piece| !piece.is_empty()).map(str::to_owned).collect()
}

/// "a name seen before is dropped (the first place wins)".
fn without_repeats(names: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for name in names {
        if !kept.contains(&name) {
            kept.push(name);
        }
    }
    kept
}
