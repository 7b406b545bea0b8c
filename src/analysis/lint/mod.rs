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
mod duplicate_values;
mod exit_code_range;
mod fail_rule_fields;
mod futile_retries;
mod gang_failures;
mod huge_limit;
mod impossible_condition;
mod internal_subcategory;
mod limit_above_global;
mod memory_kinds;
mod memory_without_oom;
mod missing_policy;
mod mutate_of_expired_lease;
mod node_label;
mod redundant_rule;
mod retries_disabled;
mod retry_by_default;
mod shadowed_rule;
mod unmatched_rule;
mod unused_policy;
mod worst_case;
mod zero_limit;

use crate::diag::{Code, Findings};
use crate::document::Document;
use crate::policy::{Documents, SchedulerSettings};
use crate::simulate::SummaryReport;
use crate::systems::armada::classifier::ClusterConfig;
use crate::units::GoDuration;
use context::Context;

/// A lint: the code of its findings, and the search for them.
struct Lint {
    code: Code,
    check: fn(&Context<'_>, &mut Findings),
}

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
];

/// What is linted: policies and queues, and what is known of the system that they are for.
#[derive(Debug)]
pub struct LintInput<'d> {
    /// The documents.
    pub documents: &'d Documents,
    /// The scheduler's settings, if its configuration is known.
    pub scheduler: Option<SchedulerConfig<'d>>,
    /// The configurations of executors with which they start, if files of them are given. Their audit then reports
    /// on categories.
    pub executors: Option<&'d [ClusterConfig]>,
    /// The policies of every queue, in order, whatever the Queue documents list.
    pub queue_policies: Option<&'d [String]>,
    /// What a history came to under the policies.
    pub history: Option<&'d SummaryReport>,
    /// The bounds on the worst case of a job.
    pub bounds: Bounds,
    /// The files of Queue documents whose policies may be in other files.
    pub partial_queues: Vec<String>,
    /// Whether the scheduler's default policy is in the files, if it exists.
    pub knows_all_policies: bool,
}

/// The scheduler's settings, and the document that they were read from.
#[derive(Debug, Clone, Copy)]
pub struct SchedulerConfig<'d> {
    /// The settings.
    pub settings: &'d SchedulerSettings,
    /// The document.
    pub document: &'d Document,
}

/// The bounds on the worst case of a job.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// The most attempts, the first included.
    pub attempts: u64,
    /// The longest time that backoffs take in all.
    pub wait: GoDuration,
    /// The largest factor by which memory grows.
    pub memory_factor: f64,
}

/// 50 attempts, a day of waiting, 16 times the memory: each is beyond what the examples of the seed documents need.
impl Default for Bounds {
    fn default() -> Self {
        Self { attempts: 50, wait: GoDuration::from_secs(24 * 60 * 60), memory_factor: 16.0 }
    }
}

/// Runs the lints of Armada's policies whose codes are active.
pub fn lint(input: &LintInput<'_>, is_active: impl Fn(Code) -> bool) -> Findings {
    let context = Context::new(input);
    let mut findings = Findings::new();
    for lint in LINTS.iter().filter(|lint| is_active(lint.code)) {
        (lint.check)(&context, &mut findings);
    }
    findings
}
