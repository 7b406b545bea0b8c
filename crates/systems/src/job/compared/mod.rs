//! The failed pods that represent all failed pods for a comparison of two Jobs, and how a Job treats one.

mod limits;

use super::RestartPolicy;
use super::engine::JobEngine;
use super::engine::pod::{IndexFailures, PodCondition, PodContainer};
use super::engine::rule_match::first_match;
use super::manifest::containers::Container;
use super::manifest::{ConditionPattern, ExitCodes, JobPolicy, PodAction, Requirement};
use super::record::{PodFields, PodOutcome};
use crate::compare::Treatment;
use replay::disruption::exit_codes;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet, HashSet};

pub(crate) use limits::{
    COUNTS, has_other_pods, incomparable, others_after, parameters, progress, undecided,
};

/// The most facts about pods that are combined with each other.
const MAX_FACTS: usize = 4000;

/// The value of `backoffLimit` and `backoffLimitPerIndex` that means no limit. With the waits between pods it is reached after
/// 40,000 years.
const NO_LIMIT: u32 = i32::MAX as u32;

/// The exit codes of a process.
const EXIT_CODES: std::ops::RangeInclusive<i32> = 1..=255;

/// The decision of a version about a failed pod: the place of the first rule that matches, and what else follows from the pod.
pub(crate) type Decided = (usize, String);

/// Returns one failed pod for each way in which the rules of both versions distinguish failed pods.
///
/// A pod shows any number of facts: of each container an exit code, and of each type of condition one. The first rule that
/// matches it is the first of those that match one of its facts. So two facts suffice for each pair of rules: that by which the
/// rule of the old version matches, and that by which the one of the new version does.
///
/// With `has_all_codes` exit codes are not joined that rules do not distinguish: messages have them.
///
/// # Errors
///
/// If there are too many facts.
pub(crate) fn failed_pods(
    versions: [&JobPolicy; 2],
    has_all_codes: bool,
    decide: &dyn Fn(&PodFields) -> [Decided; 2],
) -> Result<Vec<Value>, String> {
    let facts = facts(versions, has_all_codes);
    let mut seen_facts = HashSet::new();
    let mut facts: Vec<(Fact, [Decided; 2])> =
        facts.into_iter().map(|fact| (fact.clone(), decide(&pod(&[&fact])))).collect();
    // A fact that both versions decide like an earlier one of its subject shows nothing new.
    facts.retain(|(fact, decided)| seen_facts.insert((fact.subject(), decided.clone())));
    if facts.len() > MAX_FACTS {
        return Err(format!(
            "the rules distinguish more than {MAX_FACTS} exit codes and conditions"
        ));
    }
    let mut seen = HashSet::new();
    let mut records = Vec::new();
    for (fact, decided) in &facts {
        if seen.insert(decided.clone()) {
            records.push(record(&pod(&[fact])));
        }
    }
    // A pod of a node that is gone has no exit codes, and may have no condition. It comes last: others are usual.
    let plain = pod(&[]);
    if seen.insert(decide(&plain)) {
        records.push(record(&plain));
    }
    // Pairs only where neither fact alone has shown the pair of rules.
    for (one, [old, _]) in &facts {
        for (two, [_, new]) in &facts {
            if seen.contains(&[old.clone(), new.clone()]) || one.subject() == two.subject() {
                continue;
            }
            let both = pod(&[one, two]);
            if seen.insert(decide(&both)) {
                records.push(record(&both));
            }
        }
    }
    Ok(records)
}

/// Returns records of a pod whose containers were restarted in place, if both versions count such restarts: as often as each
/// limit allows no more.
pub(crate) fn restarted_pods(versions: [&JobPolicy; 2]) -> Vec<Value> {
    if versions.iter().any(|policy| policy.restart_policy != RestartPolicy::OnFailure) {
        return Vec::new();
    }
    // A limit of 0 allows as many restarts as one of 1 (`pastBackoffLimitOnFailure`).
    let limits = versions.map(|policy| policy.backoff_limit.max(1));
    let restarts = BTreeSet::from([1, limits[0], limits[1]]);
    let restarted =
        |restarts| json!({"outcome": PodOutcome::Running.as_str(), "restarts": restarts});
    restarts.into_iter().filter(|it| *it < NO_LIMIT).map(restarted).collect()
}

/// A fact about a failed pod.
#[derive(Debug, Clone)]
enum Fact {
    /// A container ended with an exit code.
    Exit(PodContainer),
    /// The pod has a condition.
    Condition(PodCondition),
}

impl Fact {
    /// The container, or the type of the condition: a pod shows one fact of each.
    fn subject(&self) -> (bool, String) {
        match self {
            Self::Exit(container) => (true, container.name.to_string()),
            Self::Condition(condition) => (false, condition.kind.to_string()),
        }
    }
}

/// The facts that rules distinguish: shorter texts first.
fn facts(versions: [&JobPolicy; 2], has_all_codes: bool) -> Vec<Fact> {
    let codes = exit_codes_of(versions, has_all_codes);
    let mut facts = Vec::new();
    for (name, init) in containers(versions) {
        let templates = versions.map(|policy| template(policy, &name));
        let ends = |code: i32| templates.iter().flatten().all(|it| ends_pod(it, code));
        let exits = codes.iter().filter(|code| ends(**code)).map(|code| PodContainer {
            name: name.as_str().into(),
            init,
            exit_code: Some(*code),
            ..PodContainer::default()
        });
        facts.extend(exits.map(Fact::Exit));
    }
    let patterns: BTreeSet<(usize, &str, &str)> = requirements(versions)
        .filter_map(|requirement| match requirement {
            Requirement::Conditions(patterns) => Some(patterns),
            Requirement::ExitCodes(_) | Requirement::Nothing => None,
        })
        .flatten()
        .map(|ConditionPattern { kind, status }| (kind.len(), &**kind, status.as_str()))
        .collect();
    let conditions = patterns.into_iter().filter_map(|(_, kind, status)| {
        let status = super::ConditionStatus::from_name(status)?;
        Some(Fact::Condition(PodCondition { kind: kind.into(), status, reason: None }))
    });
    facts.extend(conditions);
    facts
}

fn requirements(versions: [&JobPolicy; 2]) -> impl Iterator<Item = &Requirement> {
    versions.into_iter().flat_map(JobPolicy::rules).map(|rule| &rule.requirement)
}

fn codes_of(requirement: &Requirement) -> Option<&ExitCodes> {
    match requirement {
        Requirement::ExitCodes(codes) => Some(codes),
        Requirement::Conditions(_) | Requirement::Nothing => None,
    }
}

fn template<'p>(policy: &'p JobPolicy, name: &str) -> Option<&'p Container> {
    policy.containers.iter().find(|container| *container.name == *name)
}

/// Returns one exit code for each set of lists that contain it, and one that no list contains.
fn exit_codes_of(versions: [&JobPolicy; 2], has_all_codes: bool) -> Vec<i32> {
    let rules = requirements(versions).filter_map(codes_of).map(|codes| &codes.values);
    let containers = versions.into_iter().flat_map(|policy| &policy.containers);
    let restarts = containers.flat_map(|it| &it.restart_rules).map(|rule| &rule.values);
    // A pod that is deleted ends with one of these, whatever the rules of its containers.
    let signals: Vec<i32> = exit_codes().collect();
    let mut lists: BTreeMap<i32, Vec<usize>> = BTreeMap::new();
    for (number, list) in rules.chain(restarts).chain([&signals]).enumerate() {
        for code in list.iter().filter(|code| **code != 0) {
            let of_code = lists.entry(*code).or_default();
            if of_code.last() != Some(&number) {
                of_code.push(number);
            }
        }
    }
    let other = (1..=i32::MAX).find(|code| !lists.contains_key(code));
    let mut codes: Vec<i32> = lists.keys().copied().chain(other).collect();
    if has_all_codes {
        codes.extend(EXIT_CODES);
    }
    // Short numbers first: they stay in the examples that are shown.
    codes.sort_by_key(|code| (code.to_string().len(), *code));
    codes.dedup();
    let mut seen = HashSet::new();
    codes.retain(|code| has_all_codes || seen.insert(lists.get(code).cloned()));
    codes
}

/// Returns the containers of the templates that rules name or that have a restart policy of their own, and two others: rules
/// distinguish no more. Each comes with whether it is an init container.
fn containers(versions: [&JobPolicy; 2]) -> Vec<(String, bool)> {
    let named: BTreeSet<&str> =
        requirements(versions).filter_map(|it| codes_of(it)?.container.as_deref()).collect();
    let templates = || versions.into_iter().flat_map(|policy| &policy.containers);
    let is_told_apart = |name: &str| {
        named.contains(name)
            || templates().any(|it| *it.name == *name && it.restart_policy.is_some())
    };
    let mut all: Vec<(String, bool)> = Vec::new();
    let mut others = 0;
    for container in templates() {
        let name = &*container.name;
        if name.is_empty() || all.iter().any(|(known, _)| *known == *name) {
            continue;
        }
        let is_other = !is_told_apart(name);
        others += usize::from(is_other);
        // Two others, since a requirement without a name may be met by either, and by both together.
        if !is_other || others <= 2 {
            all.push((name.to_owned(), container.is_init));
        }
    }
    // A template without containers is invalid: its pods are given the containers that rules name.
    if all.is_empty() {
        let usual = named.into_iter().chain(["main", "other"]);
        all = usual.map(|name| (name.to_owned(), false)).collect();
        all.dedup();
    }
    all
}

/// Returns whether a pod can fail with this exit code of a container: the code does not restart it in place by fields of its own.
fn ends_pod(container: &Container, code: i32) -> bool {
    container.is_sidecar()
        || exit_codes().any(|signal| signal == code)
        || container.restarted_by(RestartPolicy::Never, code.into()).is_none()
}

/// Makes a failed pod of facts, its containers in the order of the facts.
fn pod(facts: &[&Fact]) -> PodFields {
    let mut pod = PodFields { outcome: PodOutcome::Failed, ..PodFields::default() };
    for fact in facts {
        match fact {
            Fact::Exit(container) => pod.containers.push(container.clone()),
            Fact::Condition(condition) => pod.conditions.push(condition.clone()),
        }
    }
    pod
}

fn record(pod: &PodFields) -> Value {
    let mut fields = Map::from_iter([("outcome".to_owned(), json!(pod.outcome.as_str()))]);
    let container = |container: &PodContainer| {
        let mut fields = json!({"name": &*container.name, "exitCode": container.exit_code});
        if container.init {
            fields["init"] = json!(true);
        }
        fields
    };
    let containers: Vec<Value> = pod.containers.iter().map(container).collect();
    let condition = |condition: &PodCondition| json!({"type": &*condition.kind, "status": condition.status.as_str()});
    let conditions: Vec<Value> = pod.conditions.iter().map(condition).collect();
    for (key, list) in [("containers", containers), ("podConditions", conditions)] {
        if !list.is_empty() {
            fields.insert(key.to_owned(), Value::Array(list));
        }
    }
    Value::Object(fields)
}

/// Returns one failed pod for each pair of rules that are first to match it, and restarted ones.
pub(super) fn representatives(versions: [&JobPolicy; 2]) -> Result<Vec<Value>, String> {
    let first = |policy: &JobPolicy, pod: &PodFields| {
        let matched = first_match(policy.rules(), &pod.pod(None, IndexFailures::default()));
        (matched.map_or(usize::MAX, |matched| matched.rule), String::new())
    };
    let decide = |pod: &PodFields| versions.map(|policy| first(policy, pod));
    if lacks_pods(versions) {
        return Ok(Vec::new());
    }
    let mut records = failed_pods(versions, false, &decide)?;
    records.extend(restarted_pods(versions));
    Ok(records)
}

/// Returns whether one of the Jobs is Indexed and has no index: no record of a pod belongs to it.
pub(crate) fn lacks_pods(versions: [&JobPolicy; 2]) -> bool {
    versions.into_iter().any(|policy| policy.lacks_index(0))
}

/// Returns how a Job treats a pod.
pub(crate) fn treatment(policy: &JobPolicy, pod: &PodFields) -> Treatment {
    if pod.outcome == PodOutcome::Running {
        // Later failures do not depend on the restarts of a pod that goes on.
        let action = format!("{} restarts", pod.restarts);
        return Treatment { rule: None, action, is_counted: false };
    }
    let matched = first_match(policy.rules(), &pod.pod(None, IndexFailures::default()));
    let action = matched.map_or(PodAction::Count, |matched| matched.action).as_str().to_owned();
    Treatment { rule: matched.map(|matched| matched.rule), action, is_counted: true }
}

impl JobEngine {
    /// The policy of the only manifest.
    pub(super) fn only_policy(&self) -> Option<&JobPolicy> {
        self.manifests.first().map(|manifest| &manifest.policy)
    }
}
