//! The arguments of `explain decision`.

use crate::cli::Refusal;
use crate::commands::policy_set::PolicySetArgs;
use crate::commands::systems::SystemArgs;
use crate::history::PairFault;
use anyhow::Result;
use clap::Args;

/// Try every rule against one failure and say why each matches or not
///
/// For a policy of Armada the keys of --failure are: outcome (default Failed), condition, container, init, exitCode, reason,
/// message, category, subcategory, node. `condition` may stand several times; `container=NAME`
/// starts a container, and container keys before any mean `main`. For a JobSet, a Job and a
/// RetryProfile they are the fields of their run records; a wrong one lists them.
///
/// Exits 0 for Fail too.
#[derive(Debug, Args)]
pub struct DecisionArgs {
    #[command(flatten)]
    pub(super) policies: PolicySetArgs,
    #[command(flatten)]
    pub(super) systems: SystemArgs,
    /// What is known of the failure, such as `exitCode=137`
    #[arg(long = "failure", value_name = "KEY=VALUE", value_parser = parse_pair)]
    pub(super) failure: Vec<(String, String)>,
    /// An annotation of the job, such as `armadaproject.io/failFast=true`
    #[arg(long = "annotation", value_name = "KEY=VALUE", value_parser = parse_pair)]
    pub(super) annotations: Vec<(String, String)>,
    /// Retries the job has had in all; in v1beta1 its only count
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub(super) retries_used: u32,
    /// Retries the deciding rule has granted to the job
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub(super) rule_retries: u32,
    /// Draw by this seed what the policy leaves to chance, such as a random jitter
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub(super) seed: u64,
}

fn parse_pair(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("write KEY=VALUE")?;
    Ok((key.to_owned(), value.to_owned()))
}

/// The error of a pair that cannot be used.
pub(super) fn refuse_pair(fault: PairFault) -> Refusal {
    Refusal { help: fault.help, ..Refusal::usage(fault.message) }
}
