//! The command that explains why a job ended: `explain decision` with its last failure.

use super::SimulateArgs;
use crate::commands::command_line::quoted;
use crate::commands::policy_set::PolicySetArgs;
use armada_retry::policy::Form;
use clap::ValueEnum;
use replay::simulate::{JobReport, SimulationReport};
use std::path::Path;

/// The decisions that depend on the failure, the policies and the counts of retries alone: not on the gang of the job, its
/// annotations, or an engine that is off.
const OF_POLICIES: [&str; 5] =
    ["fail_rule", "fail_default", "fail_rule_limit", "fail_policy_limit", "fail_global_limit"];

/// Adds the command to the report of each job that failed under the first set of policies, which has to be in files.
/// With `has_reloads` the settings changed while the history ran, which no flag can say.
pub(super) fn add(args: &SimulateArgs, has_reloads: bool, report: &mut SimulationReport) {
    let files = &args.policies.files;
    let is_in_files = !files.is_empty() && files.iter().all(|file| file != Path::new("-"));
    if args.live || has_reloads || !is_in_files {
        return;
    }
    let counts_by_rule = report.engine == Form::V1.as_str();
    for job in report.jobs.iter_mut().flatten() {
        job.explain = command(&args.policies, counts_by_rule, job);
    }
}

/// The command for a job; `None` if it has no last failure.
fn command(policies: &PolicySetArgs, counts_by_rule: bool, job: &JobReport) -> Option<String> {
    let last = job.decisions.last().filter(|_| !job.failure.is_empty())?;
    if job.effective_policies.is_empty() || !OF_POLICIES.contains(&last.decision.as_str()) {
        return None;
    }
    let mut words: Vec<String> = ["armadactl", "explain", "decision"].map(str::to_owned).into();
    let mut add = |flag: &str, value: String| words.extend([flag.to_owned(), quoted(&value)]);
    for file in &policies.files {
        add("-f", file.display().to_string());
    }
    add("--queue-policies", job.effective_policies.join(","));
    if let Some(file) = &policies.scheduler_config {
        add("--scheduler-config", file.display().to_string());
    }
    if let Some(engine) = policies.engine.and_then(|engine| engine.to_possible_value()) {
        add("--engine", engine.get_name().to_owned());
    }
    for (key, value) in &job.failure {
        add("--failure", format!("{key}={value}"));
    }
    if last.total_retries > 0 {
        add("--retries-used", last.total_retries.to_string());
    }
    // In `v1beta1` the count is that of the job.
    let by_rule = last.count.filter(|_| counts_by_rule);
    if let Some(retries) = by_rule.filter(|retries| *retries > 0) {
        add("--rule-retries", retries.to_string());
    }
    Some(words.join(" "))
}
