//! Is a question one that the text answers? The generator redraws and the shrinker skips what is not.
//!
//! This is no validator of documents: it knows only what the generator can draw and the shrinker can break.

mod policies;
mod records;

use super::json::{list, owned, text};
use super::resolve::{annotation_names, queue_list};
use super::{Engine, Input, World, history, units};

/// Everything that keeps a question from being asked; empty for a valid one.
pub fn problems(input: &Input) -> Vec<String> {
    let mut found = policies::problems(input);
    found.extend(records::problems(input));
    if found.is_empty() {
        found.extend(naming(input));
        found.extend(gangs(input));
    }
    found
}

/// Sections 3: every job has names from somewhere, and every name exists or is skipped.
fn naming(input: &Input) -> Vec<String> {
    let world = World::new(input);
    let mut names: Vec<String> = input.queue_policies.clone().unwrap_or_default();
    for queue in list(&input.history["spec"], "queues") {
        names.extend(
            list(queue, "retryPolicies").iter().filter_map(|name| Some(name.as_str()?.to_owned())),
        );
    }
    let default = world.settings.default_policy.clone();
    names.extend(default.clone());
    let mut found = Vec::new();
    if input.queue_policies.as_ref().is_some_and(Vec::is_empty) {
        found.push("a flag without names".to_owned());
    }
    for job in history::jobs(&input.history) {
        let annotated = annotation_names(&job);
        let looked_at = input.engine == Engine::V1 && !annotated.is_empty();
        if queue_list(&world, input, &job).is_none() && default.is_none() && !looked_at {
            found.push(format!("{}: no list of policies", job.id));
        }
        names.extend(annotated);
    }
    if !input.missing_policy_skip {
        let missing = names.iter().filter(|name| world.policy(name).is_none());
        found.extend(missing.map(|name| format!("{name}: no such policy")));
    }
    found
}

/// Section 9: as many members as the gang says or fewer, generations one after the other.
fn gangs(input: &Input) -> Vec<String> {
    let jobs = history::jobs(&input.history);
    let mut found = Vec::new();
    for unit in units(&jobs, Engine::V1) {
        let members: Vec<_> = unit.iter().map(|&of| &jobs[of]).collect();
        let Some(gang) = &members[0].gang else {
            continue;
        };
        let sizes = members.iter().filter_map(|job| job.gang.as_ref());
        if members.len() as u64 > gang.cardinality
            || sizes.clone().any(|other| other.cardinality != gang.cardinality)
        {
            found.push(format!("gang {}: wrong size", gang.id));
        }
        let longest = members.iter().map(|job| job.runs.len()).max().unwrap_or(0);
        let end = |generation: usize| {
            let runs = members.iter().filter_map(move |job| job.runs.get(generation));
            runs.filter_map(history::Run::time).max()
        };
        let ends: Vec<_> = (0..longest).filter_map(end).collect();
        if !ends.is_sorted() {
            found.push(format!("gang {}: generations go backwards", gang.id));
        }
    }
    found
}

/// A document that names something: a policy's name in either form.
fn policy_name(document: &serde_json::Value) -> Option<String> {
    owned(&document["metadata"], "name").or_else(|| owned(document, "name"))
}

/// True where `text` is present and is not a Go duration.
fn bad_duration(owner: &serde_json::Value, key: &str) -> bool {
    owner.get(key).is_some() && text(owner, key).and_then(super::time::duration).is_none()
}
