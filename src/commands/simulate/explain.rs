//! The command that explains why a job ended: `explain decision` with its last failure.

use super::SimulateArgs;
use crate::commands::command_line::quoted;
use crate::commands::policy_set::PolicySetArgs;
use crate::policy::Form;
use crate::simulate::{JobReport, SimulationReport};
use clap::ValueEnum;
use std::path::Path;

/// Decisions that another member of the gang, or an annotation of the job, has a part in.
const OF_MORE_THAN_THE_FAILURE: [&str; 2] = ["fail_gang", "fail_fast"];

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
    let is_of_policies = !job.effective_policies.is_empty();
    if !is_of_policies || OF_MORE_THAN_THE_FAILURE.contains(&last.decision.as_str()) {
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
    // The limit of the policy counts the retries of the rule too, and that of `v1beta1` those of the job.
    let by_rule = last.count.filter(|_| {
        counts_by_rule && matches!(last.limit_source.as_deref(), Some("rule" | "policy"))
    });
    if let Some(retries) = by_rule.filter(|retries| *retries > 0) {
        add("--rule-retries", retries.to_string());
    }
    Some(words.join(" "))
}
