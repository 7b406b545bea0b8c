//! The titles of groups: the kind of a difference, and its cause in a sentence.

use super::rule::{ComparedRule, RulePair};
use armada_retry::engine::compare::{Cause, DifferenceKind, Level};
use replay::simulate::DecisionReport;
use systems::compare::ChangedLimit;

/// The kind in a few words.
pub(super) fn kind_title(kind: DifferenceKind) -> &'static str {
    match kind {
        DifferenceKind::NoLongerRetried => "no longer retried",
        DifferenceKind::NowRetried => "now retried",
        DifferenceKind::FewerRetries => "ends after fewer retries",
        DifferenceKind::MoreRetries => "ends after more retries",
        DifferenceKind::Wait => "another wait",
        DifferenceKind::Nodes => "other nodes",
        DifferenceKind::Memory => "another memory",
        DifferenceKind::PodNames => "other names of pods",
        DifferenceKind::Members => "other members",
    }
}

/// The cause as a value of a field.
pub(super) fn cause_name(cause: Cause) -> &'static str {
    match cause {
        Cause::TakenBy(_) => "taken_by",
        Cause::TakenFrom(_) => "taken_from",
        Cause::Action => "action",
        Cause::Limit { .. } => "limit",
        Cause::LimitShared(_) => "limit_shared",
        Cause::LimitNotShared(_) => "limit_not_shared",
        Cause::Backoff(_) => "backoff",
        Cause::GracePeriod(_) => "grace_period",
        Cause::AntiAffinity(_) => "anti_affinity",
        Cause::Memory => "memory",
        Cause::Form => "form",
        Cause::PreemptedPods => "preempted_pods",
        Cause::Engine => "engine",
        Cause::ReturnedLeases(_) => "returned_leases",
    }
}

/// The cause in a sentence. `rules` are those that the cause names.
pub(super) fn cause_title(
    kind: DifferenceKind,
    cause: Cause,
    rules: &RulePair,
    pairs: &[RulePair],
) -> String {
    let new = Rules::new(pairs, |pair| &pair.new);
    let old = Rules::new(pairs, |pair| &pair.old);
    match cause {
        Cause::TakenBy(_) | Cause::TakenFrom(_) => takeover(pairs),
        Cause::Action => format!("{new} {} another action", new.verb("has", "have")),
        Cause::Limit { level, values } => changed_limit(level, values, &new),
        Cause::LimitShared(other) => {
            let took = other.map_or("other rules".to_owned(), |_| rules.old.title());
            format!(
                "the {} of {new} also {} what {took} took",
                limit(&new),
                new.verb("counts", "count")
            )
        }
        Cause::LimitNotShared(other) => {
            let takes =
                other.map_or("other rules take".to_owned(), |_| rules.new.title() + " takes");
            format!(
                "the {} of {old} no longer {} what {takes}",
                limit(&old),
                old.verb("counts", "count")
            )
        }
        Cause::Backoff(level) => match level {
            Level::Rule => format!("the backoff of {new} is another"),
            Level::Policy => "the backoff of the policy is another".to_owned(),
            Level::Scheduler => "the default backoff of the scheduler is another".to_owned(),
        },
        Cause::GracePeriod([before, after]) => {
            format!("`minTerminationGracePeriod` is {after}, before {before}")
        }
        Cause::AntiAffinity(Level::Rule) => format!("the anti-affinity of {new} is another"),
        Cause::AntiAffinity(_) => "the `antiAffinity` of the policy is another".to_owned(),
        Cause::Memory => format!("the growth of memory of {new} is another"),
        Cause::Form => form(kind).to_owned(),
        Cause::PreemptedPods => {
            "only retries of `v1` wait for the pods of preempted runs".to_owned()
        }
        Cause::Engine => engine(kind).to_owned(),
        Cause::ReturnedLeases([before, after]) => {
            format!("a job has {after} attempts if leases are returned, before {before}")
        }
    }
}

/// The cause and its sentence where the same rules of another system decide otherwise. `is_limit` is set if a limit ends the
/// unit; `changed` are the limits that differ.
pub(super) fn rules_title(
    (kind, is_limit): (DifferenceKind, bool),
    pairs: &[RulePair],
    decisions: [&DecisionReport; 2],
    changed: &[ChangedLimit],
) -> (&'static str, String) {
    use DifferenceKind::{FewerRetries, Members, MoreRetries, Wait};
    let limits = decisions.map(|it| it.limit_source.as_deref().zip(it.limit));
    let has_other_rules = pairs.iter().any(|pair| pair.old.description != pair.new.description);
    let is_of_limits = is_limit || matches!(kind, FewerRetries | MoreRetries);
    match (kind, limits) {
        (Wait, _) => return ("backoff", "the waits before retries differ".to_owned()),
        (_, [Some((source, before)), Some((other, after))])
            if kind != Members && is_limit && source == other && before != after =>
        {
            return ("limit", format!("`{source}` is {after}, before {before}"));
        }
        _ => {}
    }
    // A decision about a set follows from another one about its Job than before, whatever the rules are.
    let is_of_levels = decisions[0].system.text("level") != decisions[1].system.text("level");
    if (is_of_limits || kind == Members)
        && (is_of_levels || !has_other_rules)
        && let Some(text) = changed_limits(changed, limits)
    {
        return ("limit", text);
    }
    if kind == Members {
        return ("action", "they run again or end otherwise".to_owned());
    }
    if is_of_limits && !has_other_rules {
        let text = match limits.into_iter().flatten().last() {
            Some((source, limit)) => {
                format!("other failures count towards `{source}`, which is {limit}")
            }
            None => "other limits, or other failures count".to_owned(),
        };
        return ("limit", text);
    }
    let new = Rules::new(pairs, |pair| &pair.new);
    ("action", format!("{new} {} another action", new.verb("has", "have")))
}

/// The limits that differ, of which those of the decisions suffice if there are some.
fn changed_limits(changed: &[ChangedLimit], limits: [Option<(&str, i64)>; 2]) -> Option<String> {
    let is_of_decision =
        |it: &&ChangedLimit| limits.into_iter().flatten().any(|(source, _)| source == it.field);
    let of_decisions: Vec<&ChangedLimit> = changed.iter().filter(is_of_decision).collect();
    let all = if of_decisions.is_empty() { changed.iter().collect() } else { of_decisions };
    let texts: Vec<String> = all.into_iter().map(ToString::to_string).collect();
    (!texts.is_empty()).then(|| texts.join("; "))
}

/// The rules of the version after, and those whose failures they take.
pub(super) fn takeover(pairs: &[RulePair]) -> String {
    let new = Rules::new(pairs, |pair| &pair.new);
    let old = Rules::new(pairs, |pair| &pair.old);
    let took = if old.is_default() {
        "failures that no rule matched".to_owned()
    } else {
        format!("what {old} took")
    };
    if new.is_default() {
        return format!("no rule takes {took}");
    }
    format!("{new} {} {took}", new.verb("takes", "take"))
}

fn limit(rules: &Rules<'_>) -> &'static str {
    rules.verb("limit", "limits")
}

/// A limit with its values before and after; `new` has the rules whose limit it may be.
fn changed_limit(level: Level, [before, after]: [u64; 2], new: &Rules<'_>) -> String {
    match level {
        Level::Rule => {
            let is = new.verb("is", "are");
            format!("the {} of {new} {is} {after}, before {before}", limit(new))
        }
        Level::Policy => format!("the `retryLimit` of the policy is {after}, before {before}"),
        Level::Scheduler => format!("`globalMaxRetries` is {after}, before {before}"),
    }
}

/// A difference since a policy applies in one version alone.
fn engine(kind: DifferenceKind) -> &'static str {
    match kind {
        DifferenceKind::NoLongerRetried => "no policy applies any more",
        DifferenceKind::NowRetried => "a policy applies now",
        _ => "a policy applies in one version alone",
    }
}

/// A difference between the engines of the forms.
fn form(kind: DifferenceKind) -> &'static str {
    match kind {
        DifferenceKind::NowRetried => "rules of `v1` decide about preempted runs",
        DifferenceKind::NoLongerRetried => "preempted runs end the job in `v1beta1`",
        DifferenceKind::MoreRetries => "each rule of `v1` counts its own retries",
        DifferenceKind::FewerRetries => "`v1beta1` counts the retries of all rules together",
        DifferenceKind::Wait => "only retries of `v1` wait",
        DifferenceKind::Nodes => "the forms avoid other nodes",
        DifferenceKind::Memory => "the forms grow memory otherwise",
        DifferenceKind::Members => "other members of the unit",
        DifferenceKind::PodNames => "`v1` numbers the pods of a job, `v1beta1` does not",
    }
}

/// The different rules of one version in a group.
struct Rules<'p> {
    first: Option<&'p ComparedRule>,
    others: usize,
}

impl<'p> Rules<'p> {
    fn new(pairs: &'p [RulePair], of: impl Fn(&'p RulePair) -> &'p ComparedRule) -> Self {
        let mut different: Vec<&ComparedRule> = Vec::new();
        for rule in pairs.iter().map(of) {
            if !different.contains(&rule) {
                different.push(rule);
            }
        }
        // A rule is a better example than the default.
        let first = different.iter().find(|rule| !rule.is_default()).or(different.first());
        Self { first: first.copied(), others: different.len().saturating_sub(1) }
    }

    fn is_default(&self) -> bool {
        self.others == 0 && self.first.is_some_and(ComparedRule::is_default)
    }

    fn verb(&self, one: &'static str, several: &'static str) -> &'static str {
        if self.others == 0 { one } else { several }
    }
}

impl std::fmt::Display for Rules<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.first.map_or_else(String::new, ComparedRule::title))?;
        match self.others {
            0 => Ok(()),
            1 => f.write_str(" and 1 other"),
            others => write!(f, " and {others} others"),
        }
    }
}
