//! Lints: findings about policies that are valid, and probably not what their authors intended.
//!
//! A lint is a file of this folder, a page under `docs/lints`, and a line in [`LINTS`]. What several lints use is in
//! [`context`]: the policies with the coverage of their rules, and the policies of each queue.

mod backoff_levels;
mod catch_all_pattern;
mod category_spelling;
mod charged_disruptions;
mod container_of_category;
mod context;
mod default_actions;
mod definition;
mod duplicate_values;
mod exit_code_range;
mod fail_rule_fields;
mod futile_retries;
mod gang_failures;
mod huge_limit;
mod impossible_condition;
mod input;
mod internal_subcategory;
mod limit_above_global;
mod memory_kinds;
mod memory_without_oom;
mod missing_policy;
mod mutate_of_expired_lease;
mod node_label;
mod oom_as_disruption;
mod redundant_rule;
mod retries_disabled;
mod retry_by_default;
mod same_memory;
mod shadowed_rule;
mod short_budget;
mod target_name;
#[cfg(test)]
mod tests;
mod unmatched_rule;
mod unused_policy;
mod worst_case;
mod zero_limit;

pub use input::{LintInput, SchedulerConfig};
pub use mutate_of_expired_lease::is_of_expired_leases;

use context::Context;
use definition::Lint;
use document::diag::{Code, Findings};
use replay::simulate::SummaryReport;
use systems::CoverageTarget;

/// All lints of Armada's policies, by code.
const LINTS: &[Lint] = &[
    shadowed_rule::LINT,
    impossible_condition::LINT,
    exit_code_range::LINT,
    container_of_category::LINT,
    catch_all_pattern::LINT,
    limit_above_global::LINT,
    zero_limit::LINT,
    huge_limit::LINT,
    backoff_levels::LINT,
    fail_rule_fields::LINT,
    worst_case::LINT,
    default_actions::LINT,
    memory_without_oom::LINT,
    charged_disruptions::LINT,
    retry_by_default::LINT,
    redundant_rule::LINT,
    category_spelling::LINT,
    duplicate_values::LINT,
    mutate_of_expired_lease::LINT,
    memory_kinds::LINT,
    retries_disabled::LINT,
    unused_policy::LINT,
    unmatched_rule::LINT,
    futile_retries::LINT,
    node_label::LINT,
    gang_failures::LINT,
    missing_policy::LINT,
    internal_subcategory::LINT,
    short_budget::LINT,
    oom_as_disruption::LINT,
    same_memory::LINT,
];

/// Runs the lints of Armada's policies whose codes are active.
pub fn lint(input: &LintInput<'_>, is_active: impl Fn(Code) -> bool) -> Findings {
    let context = Context::new(input);
    let mut findings = Findings::new();
    for lint in LINTS.iter().filter(|lint| is_active(lint.code)) {
        (lint.check)(&context, &mut findings);
    }
    findings
}

/// The lints of another system's policies that need a history which was replayed under them. `known` are the findings of
/// the other lints, and `help` is the correction of retries that never succeed.
pub fn lint_history(
    targets: &[CoverageTarget],
    summary: &SummaryReport,
    known: &Findings,
    help: &str,
) -> Findings {
    let mut findings = unmatched_rule::check_targets(targets, summary, known);
    findings.extend(futile_retries::check_targets(targets, summary, help));
    findings
}
