//! The arguments of `explain decision`.

use crate::cli::Refusal;
use crate::commands::flag_values::whole_number;
use crate::commands::policy_set::PolicySetArgs;
use crate::commands::system_args::SystemArgs;
use crate::project::ExecutorFiles;
use anyhow::Result;
use clap::Args;
use replay::history::PairFault;

const EXAMPLES: &str = "\
Examples:
  # Print which rule decides an exit code
  armadactl explain decision -f policy.yaml --failure exitCode=137

  # Combine several properties of the failure
  armadactl explain decision -f policy.yaml --failure container=main \\
      --failure exitCode=1 --failure reason=Error

  # After 3 retries by the rule
  armadactl explain decision -f policy.yaml --failure exitCode=137 \\
      --rule-retries 3

  # Let the executor's configuration name the failure's category
  armadactl explain decision -f policy.yaml --failure exitCode=74 \\
      --executor-config executor.yaml";

/// Try every rule against one failure and print why each matches or not
///
/// The keys of --failure for a RetryPolicy are: outcome (default Failed), condition, container, init,
/// exitCode, reason, message, category, subcategory, node, cluster. `condition` is repeatable. `container=NAME`
/// begins a container; container keys before any `container` belong to `main`. For a JobSet, a Job and
/// a RetryProfile the keys are the fields of their run records; an unknown key lists them.
///
/// The exit code is 0 for the decision Fail too.
#[derive(Debug, Args)]
#[command(before_long_help = EXAMPLES)]
pub struct DecisionArgs {
    #[command(flatten)]
    pub(super) policies: PolicySetArgs,
    #[command(flatten)]
    pub(super) systems: SystemArgs,
    /// Set a property of the failure, such as `exitCode=137` (repeatable)
    #[arg(long = "failure", value_name = "KEY=VALUE", value_parser = parse_pair)]
    pub(super) failure: Vec<(String, String)>,
    /// Classify the failure by the configuration of Armada's executors (repeatable)
    ///
    /// One value for each cluster: its files, merged in order as the executor merges them, with the
    /// name of the cluster before them if there are several; `--failure cluster=NAME` names that of the
    /// failure. A failure with a category keeps it. If the executor returns the lease, no policy is
    /// consulted.
    #[arg(long, value_name = "[CLUSTER=]FILE[,FILE..]")]
    pub(super) executor_config: Vec<ExecutorFiles>,
    /// Set an annotation of the job, such as `armadaproject.io/failFast=true`
    #[arg(long = "annotation", value_name = "KEY=VALUE", value_parser = parse_pair)]
    pub(super) annotations: Vec<(String, String)>,
    /// Set the number of earlier retries of the job; in v1beta1 the only count
    #[arg(long, default_value_t = 0, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = whole_number(0..=u32::MAX))]
    pub(super) retries_used: u32,
    /// Set the number of earlier retries by the deciding rule; not in v1beta1
    #[arg(long, default_value_t = 0, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = whole_number(0..=u32::MAX))]
    pub(super) rule_retries: u32,
    /// Seed random values of the policy, such as jitter, with this number
    #[arg(long, default_value_t = 0, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = whole_number(0..=u64::MAX))]
    pub(super) seed: u64,
}

pub(super) fn parse_pair(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("write KEY=VALUE, such as `exitCode=137`")?;
    Ok((key.to_owned(), value.to_owned()))
}

/// The error of a pair that cannot be used.
pub(super) fn refuse_pair(fault: PairFault) -> Refusal {
    Refusal { help: fault.help, ..Refusal::usage(fault.message) }
}
