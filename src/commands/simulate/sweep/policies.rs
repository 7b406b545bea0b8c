//! Armada's policies with the values of a sweep.

use super::{Column, Sweep, Sweeps};
use crate::cli::Refusal;
use crate::commands::policy_set::PolicySet;
use anyhow::Result;
use armada_retry::policy::{Form, RetryPolicy};
use document::diag::plural;
use replay::simulate::SweptValue;
use std::sync::Arc;
use systems::LimitPath;
use systems::armada::{GLOBAL_LIMIT, LIMITS, LimitError, RETRY_LIMIT, has_limit, set_limits};

impl Sweeps<'_> {
    /// Armada's policies with the values of each column, each with the name of its column.
    pub(in crate::commands::simulate) fn policies(
        self,
        base: &PolicySet,
    ) -> Result<Vec<(String, PolicySet)>> {
        let columns = self.columns("RetryPolicy", LIMITS)?;
        let names: Vec<&str> = base.policies.iter().map(|policy| policy.name.as_str()).collect();
        for (number, sweep) in self.0.iter().enumerate() {
            let path = sweep.limit("RetryPolicy", LIMITS)?;
            sweep.check_policy(&path, &names)?;
            let is_of_rules = path.limit.list().is_some() && path.item.is_none();
            if is_of_rules && !base.policies.iter().any(|policy| has_limit(policy, &path)) {
                return Err(self.absent_error(number, "RetryPolicy", &[]));
            }
        }
        self.refuse_overlap("RetryPolicy", LIMITS, |one, other| {
            let is_of = |name: &&str| {
                [one, other].iter().all(|path| path.owner.is_none_or(|owner| owner == *name))
            };
            // Rules have numbers only.
            one.overlaps(other, &[]) && (names.is_empty() || names.iter().any(is_of))
        })?;
        columns.into_iter().map(|column| Ok((column.name.clone(), set(&column, base)?))).collect()
    }
}

impl Sweep {
    fn check_policy(&self, path: &LimitPath<'_>, names: &[&str]) -> Result<()> {
        if path.limit.name == GLOBAL_LIMIT && path.owner.is_some() {
            let message = format!(
                "--sweep: `{GLOBAL_LIMIT}` is a limit of the scheduler: write it without a name"
            );
            return Err(Refusal::usage(message).into());
        }
        if path.item.is_some_and(|item| item.parse::<usize>().is_err()) {
            let message = format!("--sweep: `{}` names no rule", self.path);
            let help = "write the number of a rule: `NAME.rules[1].retryLimit`";
            return Err(Refusal::usage(message).help(help).into());
        }
        self.check_owner("policy", path, (names, &[]))
    }
}

/// The policies with the values of a column.
fn set(column: &Column<'_>, base: &PolicySet) -> Result<PolicySet> {
    let mut set = base.clone();
    let is_global = |(path, _): &&(LimitPath<'_>, SweptValue)| path.limit.name == GLOBAL_LIMIT;
    for (_, value) in column.settings.iter().filter(is_global) {
        set.settings.global_max_retries = value.as_count();
    }
    for policy in &mut set.policies {
        let name = policy.name.as_str();
        let own = column.settings.iter().filter(|setting| !is_global(setting));
        let own = own.filter(|(path, _)| path.owner.is_none_or(|owner| owner == name));
        let own: Vec<(LimitPath<'_>, SweptValue)> = own.copied().collect();
        let has_rule = own.iter().any(|(path, _)| path.item.is_some());
        if own.is_empty() {
            continue;
        }
        let changed = if has_rule && base.evaluates_first_only() {
            Err(LimitError::Form)
        } else {
            set_limits(policy, &own)
        };
        let changed = changed.map_err(|error| refusal(&error, policy, (column, &own)))?;
        *Arc::make_mut(policy) = changed;
    }
    Ok(set)
}

/// The refusal of limits that a policy does not have.
fn refusal(
    error: &LimitError,
    policy: &RetryPolicy,
    (column, own): (&Column<'_>, &[(LimitPath<'_>, SweptValue)]),
) -> Refusal {
    let name = policy.name.as_str();
    match error {
        LimitError::Form => {
            let form = Form::V1beta1.as_str();
            let limits = own.iter().map(|(path, _)| path.limit.title());
            let limit = limits.clone().find(|limit| limit != RETRY_LIMIT).unwrap_or_default();
            let message = format!("--sweep: a policy in `{form}` has no `{limit}`");
            Refusal::usage(message).help(format!("write `{name}.{RETRY_LIMIT}`"))
        }
        LimitError::NoRule => {
            let rules = plural(policy.rules.len() as u64, "rule", "rules");
            Refusal::input(format!("--sweep: policy `{name}` has {rules}, counted from 0"))
        }
        LimitError::Invalid(message) => {
            let column = &column.name;
            Refusal::input(format!(
                "--sweep: with `{column}` policy `{name}` is invalid: {message}"
            ))
        }
    }
}
