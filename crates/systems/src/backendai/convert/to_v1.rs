//! Converts a profile of the draft to a `v1` policy.

use super::matchers::CauseMatcher;
use crate::backendai::engine::delay::nearest;
use crate::backendai::manifest::{DELAY_FIELDS, LAYERS, effective_entry};
use crate::backendai::{BackoffStrategy, Cause, JitterMode, Profile};
use crate::convert::{Conversion, Notes, note_fleet_limit};
use armada_retry::policy::{Action, Backoff, Form, PolicyName, RetryPolicy, Rule};
use document::Node;

/// Converts the profile of a checked document to a `v1` policy; `None` if its name cannot be made a policy's
/// name. `root` is the document's root.
pub fn to_v1(root: &Node, profile: &Profile) -> Option<Conversion<RetryPolicy>> {
    let name = PolicyName::new(&profile.name)?;
    let mut builder = PolicyBuilder { root, profile, notes: Notes::default() };
    let limit = builder.limit();
    // Without retries the policy is a single Fail, and rules would change nothing.
    let (default, rules) = if limit > 0 { builder.causes() } else { (Action::Fail, Vec::new()) };
    let retries = default == Action::Retry || rules.iter().any(|rule| rule.action == Action::Retry);
    let backoff = if retries { builder.backoff() } else { Backoff::default() };
    if retries {
        builder.note_jitter();
        builder.note_interpretation();
    } else {
        builder.note_unused();
    }
    builder.note_events();
    let policy = RetryPolicy {
        name,
        form: Form::V1,
        retry_limit: retries.then_some(limit),
        default_action: Some(default),
        backoff,
        anti_affinity: None,
        rules,
    };
    Some(Conversion { result: policy, notes: builder.notes.into_vec() })
}

const OPTIONS: &str = "spec.options";

struct PolicyBuilder<'m> {
    root: &'m Node,
    profile: &'m Profile,
    notes: Notes,
}

impl PolicyBuilder<'_> {
    /// Returns the path of the entry of a field that takes effect, or the path of the layers if no layer sets
    /// it.
    fn path(&self, field: &str) -> String {
        let layer = effective_entry(self.root, field).and_then(|(rank, _)| LAYERS.get(rank));
        let layers = "spec.layers";
        layer.map_or(layers.to_owned(), |layer| format!("{layers}.{layer}.{field}"))
    }

    fn limit(&mut self) -> u32 {
        let (limit, path) = (self.profile.policy.max_retries, self.path("max_retries"));
        let merged = "the layers are merged into one policy; a cancelled session ends, and one that is \
                      invalid or beyond a quota is refused when it is submitted";
        self.notes.carried("spec.layers", merged);
        if self.profile.policy.eligible_causes.iter().all(Cause::is_never_retried) {
            let path = self.path("eligible_causes");
            self.notes.carried(path, "no cause: as `defaultAction: Fail`");
            return 0;
        }
        match limit {
            0 => self.notes.carried(path, "as `defaultAction: Fail`"),
            _ => self.notes.carried(path, format!("as `retryLimit: {limit}`")),
        }
        note_fleet_limit(limit, &self.path("max_retries"), &mut self.notes);
        limit
    }

    /// Returns the default action, which is that of `unknown`, and the rules for causes with another action.
    fn causes(&mut self) -> (Action, Vec<Rule>) {
        let (eligible, path) = (self.profile.policy.eligible_causes, self.path("eligible_causes"));
        let action = |cause| if eligible.admit(cause) { Action::Retry } else { Action::Fail };
        let default = action(Cause::Unknown);
        self.notes
            .carried(path.clone(), format!("unknown as `defaultAction: {}`", default.as_str()));
        let mut rules: Vec<Rule> = Vec::new();
        // A container that runs out of memory also has an exit code. Therefore the rule for memory comes
        // first, and is needed only if its action differs from that for exit codes.
        let by_code = action(Cause::KernelNonzeroExit);
        let others = [
            (Cause::OomKilled, action(Cause::OomKilled) != by_code),
            (Cause::SchedulerTimeout, action(Cause::SchedulerTimeout) != default),
            (Cause::AgentTransient, action(Cause::AgentTransient) != default),
            (Cause::ImagePullFailure, action(Cause::ImagePullFailure) != default),
            (Cause::KernelNonzeroExit, by_code != default),
        ];
        for (cause, _) in others.into_iter().filter(|(_, needed)| *needed) {
            let Some(rule) = CauseMatcher::of(cause).rule(action(cause)) else {
                let what = format!(
                    "Armada has no condition for {}; such failures go on to the default action",
                    cause.as_str()
                );
                self.notes.lost(path.clone(), what).help(
                    "define a failure category for them in the fleet, and match it: `onFailureCategory`",
                );
                continue;
            };
            self.note_cause(cause, &path);
            match rules.last_mut() {
                Some(last) if can_join(last, &rule) => last.conditions.extend(rule.conditions),
                _ => rules.push(rule),
            }
        }
        self.note_shared_budget(default, &rules, path);
        (default, rules)
    }

    fn note_cause(&mut self, cause: Cause, path: &str) {
        let name = cause.as_str();
        match CauseMatcher::of(cause) {
            CauseMatcher::LeaseExpired => {
                let what =
                    format!("{name} as an expired lease, which is what Armada sees of a lost node");
                self.notes.approximated(path, what);
            }
            CauseMatcher::Condition(condition) if cause == Cause::SchedulerTimeout => {
                let what = format!(
                    "{name} as the condition {}: a job that waits in its queue does not fail in Armada",
                    condition.as_str()
                );
                self.notes.approximated(path, what);
            }
            CauseMatcher::Condition(condition) => {
                self.notes.carried(path, format!("{name} as the condition {}", condition.as_str()));
            }
            CauseMatcher::ExitCode => self.notes.carried(path, format!("{name} as any exit code")),
            CauseMatcher::Nothing => {}
        }
    }

    /// Notes that the draft has one budget for all causes.
    fn note_shared_budget(&mut self, default: Action, rules: &[Rule], path: String) {
        let retrying = rules.iter().filter(|rule| rule.action == Action::Retry).count();
        if retrying + usize::from(default == Action::Retry) > 1 {
            let limit = self.profile.policy.max_retries;
            let what = format!(
                "in v1 each rule, and the default, counts for itself: each has {limit} retries beside the others'"
            );
            self.notes.approximated(path, what);
        }
    }

    /// Converts the delays. `failureCount - 1` is the failed session's `retry_count`, since every failure is
    /// retried.
    fn backoff(&mut self) -> Backoff {
        let policy = &self.profile.policy;
        let cap = policy.cap(self.profile.interpretation.cap);
        let multiplier = match policy.backoff {
            BackoffStrategy::Fixed => 1.0,
            BackoffStrategy::Exponential => policy.backoff_multiplier,
        };
        let what = "as `backoff`, whose waits are counted from the same failures";
        self.notes.carried(self.path("retry_delay"), what);
        self.note_field(
            "backoff",
            match policy.backoff {
                BackoffStrategy::Fixed => "as `multiplier: 1`",
                BackoffStrategy::Exponential => "as `multiplier`",
            },
        );
        self.note_field("max_retry_delay", "as `maxDelay`");
        if policy.backoff == BackoffStrategy::Fixed {
            self.note_field("backoff_multiplier", "left out: waits that are fixed do not grow");
        } else if multiplier < 1.0 {
            let what = "in v1 waits do not shrink: all are as long as the first";
            self.notes.approximated(self.path("backoff_multiplier"), what);
        } else {
            self.note_field("backoff_multiplier", "as `multiplier`");
        }
        Backoff {
            initial_delay: Some(nearest(policy.retry_delay.min(cap))),
            max_delay: Some(nearest(cap)),
            // `v1` refuses multipliers below 1 (semantics.md, section 6).
            multiplier: Some(multiplier.max(1.0)),
        }
    }

    fn note_jitter(&mut self) {
        let policy = &self.profile.policy;
        if policy.jitter == JitterMode::None || policy.jitter_ratio <= 0.0 {
            self.notes.carried(self.path("jitter"), "Armada adds no jitter");
        } else {
            let what = format!(
                "Armada adds no jitter: waits are the shortest of those that {} jitter makes of them",
                policy.jitter.as_str()
            );
            self.notes.approximated(self.path("jitter"), what);
        }
    }

    /// Notes the options that choose an interpretation.
    fn note_interpretation(&mut self) {
        let policy = &self.profile.policy;
        let is_none = policy.jitter == JitterMode::None || policy.jitter_ratio <= 0.0;
        if is_none {
            self.note_field("jitter_ratio", "left out: nothing is added to waits");
        } else if effective_entry(self.root, "jitter_ratio").is_some() {
            self.notes.lost(self.path("jitter_ratio"), "Armada adds no jitter");
        }
        let hashes = policy.jitter == JitterMode::Deterministic && !is_none;
        for option in ["hash", "reduce"] {
            let path = format!("{OPTIONS}.{option}");
            match self.root.at(&["spec", "options", option]) {
                Some(_) if hashes => {
                    self.notes.lost(path, "Armada adds no jitter, and hashes nothing");
                }
                Some(_) => self.notes.carried(path, "left out: nothing is hashed"),
                None => {}
            }
        }
        if self.root.at(&["spec", "options", "cap"]).is_some() {
            self.notes.carried(format!("{OPTIONS}.cap"), "read into `maxDelay`");
        }
    }

    /// Notes fields that have no effect if nothing is retried.
    fn note_unused(&mut self) {
        for field in DELAY_FIELDS {
            self.note_field(field, "nothing is retried, so there are no waits");
        }
        if self.profile.policy.max_retries == 0 {
            self.note_field("eligible_causes", "nothing is retried, regardless of the cause");
        }
    }

    /// Notes the conversion of a field, if any layer sets it.
    fn note_field(&mut self, field: &str, what: &str) {
        if effective_entry(self.root, field).is_some() {
            self.notes.carried(self.path(field), what);
        }
    }

    fn note_events(&mut self) {
        let path = self.path("emit_retry_events");
        if self.profile.policy.emit_retry_events {
            self.notes.carried(path, "as Armada's events JobRequeued and JobFailed");
        } else {
            self.notes.lost(
                path,
                "Armada emits its events JobRequeued and JobFailed regardless of the policy",
            );
        }
    }
}

/// Returns whether two rules can be joined into one.
fn can_join(one: &Rule, other: &Rule) -> bool {
    one.action == other.action && !one.conditions.is_empty() && !other.conditions.is_empty()
}
