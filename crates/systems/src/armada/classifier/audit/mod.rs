//! The audit of executors' configurations against retry policies: categories that no executor reports, reported ones that
//! no rule handles, and retries of pods that stay. Armada's guide to retry policies recommends it before they are turned on.
//!
//! [`reach`] decides which rules of a configuration can name a failure that policies decide, and whether its pod is then
//! deleted or kept; [`findings`] compares this with the rules of policies. A finding is only made if it is certain:
//! with patterns that are empty, `.*` or literal everything is decided, and with other patterns some
//! findings may be missing.

mod assigned;
mod candidates;
mod exit_codes;
mod findings;
mod index;
mod names;
mod pending;
mod reach;
mod rule;
mod steps;
mod terms;
#[cfg(test)]
mod tests;

use super::config::ExecutorConfig;
use super::internal::INTERNAL;
use armada_retry::policy::PolicyDocument;
use assigned::{Assigned, NeverSeen};
use document::diag::Diagnostic;
use reach::{Certainty, Reach, Reached};

/// The configuration of one cluster's executor. It must have no faults.
#[derive(Debug)]
pub struct ClusterConfig {
    /// The cluster; `None` for all others.
    pub cluster: Option<String>,
    /// The configuration.
    pub config: ExecutorConfig,
}

/// The subcategories of `internal` that policies decide. `max-runs-exceeded` and `job-rejected` are assigned after the
/// policies' decision, and `node-failure` of Armada's documentation by nothing.
const INTERNAL_SUBCATEGORIES: [&str; 7] = [
    "active-deadline",
    "externally-deleted",
    "issue-handler-error",
    "job-creation-failed",
    "lease-expired",
    "pod-missing",
    "stuck-terminating",
];

/// All findings about the configurations and policies.
pub fn audit(clusters: &[ClusterConfig], policies: &[PolicyDocument]) -> Vec<Diagnostic> {
    let mut assigned = Vec::new();
    for cluster in clusters {
        assigned.extend(assigned_by(cluster));
    }
    let mut findings = findings::check_rules(&assigned);
    assigned.extend(INTERNAL_SUBCATEGORIES.map(assigned_by_armada));
    if !clusters.is_empty() {
        findings.extend(findings::check_policies(&assigned, policies));
    }
    findings
}

/// The findings about subcategories of `internal`, which Armada itself assigns, without a configuration.
pub fn audit_internal(policies: &[PolicyDocument]) -> Vec<Diagnostic> {
    let assigned = INTERNAL_SUBCATEGORIES.map(assigned_by_armada);
    policies.iter().flat_map(|policy| findings::unreported_internal(&assigned, policy)).collect()
}

fn assigned_by_armada(subcategory: &'static str) -> Assigned<'static> {
    Assigned {
        category: INTERNAL,
        subcategory,
        place: None,
        config: None,
        cluster: None,
        reached: Reached::ALWAYS_DELETED,
        kept_by: None,
        never: None,
    }
}

/// Returns the categories that the rules and the default of a configuration assign; none if classification is off.
fn assigned_by(cluster: &ClusterConfig) -> Vec<Assigned<'_>> {
    let config = &cluster.config;
    if !config.categories.enabled {
        return Vec::new();
    }
    let reach = Reach::new(config);
    let categories = config.categories.categories.iter();
    let rules = categories.flat_map(|category| category.rules.iter().map(move |it| (category, it)));
    let rules: Vec<_> = rules.collect();
    let place = |number: Option<usize>| number.map(|number| &rules[number].1.place);
    let mut all: Vec<Assigned<'_>> = Vec::new();
    for (number, (category, rule)) in rules.iter().enumerate() {
        let reached = reach.reach_rule(number);
        let is_never = reached.any() == Certainty::Never;
        // The closure, since reasons are searched only for rules that are never reached.
        let why = || match place(reach.covered_by(number)) {
            _ if reach.matches_nothing(number) => NeverSeen::MatchesNothing,
            _ if reach.is_unread(number) => NeverSeen::Unread,
            Some(earlier) => NeverSeen::CoveredBy(earlier),
            None => NeverSeen::CoveredByAll,
        };
        all.push(Assigned {
            category: &category.name.text,
            subcategory: &rule.subcategory.text,
            place: Some(&rule.place),
            config: Some(category),
            cluster: cluster.cluster.as_deref(),
            reached,
            kept_by: place(reach.kept_by(number)),
            never: is_never.then(why),
        });
    }
    let default = &config.categories.default_category;
    all.push(Assigned {
        category: &default.text,
        subcategory: &config.categories.default_subcategory.text,
        // Without a default the place of the whole section is marked.
        place: Some(if default.is_empty() { &config.categories.place } else { &default.place }),
        config: None,
        cluster: cluster.cluster.as_deref(),
        reached: reach.reach_default(),
        kept_by: None,
        never: None,
    });
    all
}
