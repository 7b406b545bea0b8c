//! The value of `--sweep`: a limit, and the values that it is set to, each in a column of its own.

use crate::cli::Refusal;
use crate::commands::policy_set::PolicySet;
use crate::project::Manifests;
use anyhow::Result;
use armada_retry::policy::{Form, RetryPolicy};
use document::diag::{did_you_mean, plural};
use replay::simulate::SweptLimit;
use std::str::FromStr;
use std::sync::Arc;
use systems::ManifestSystem;

/// The value of `--sweep`.
#[derive(Debug, Clone)]
pub(super) struct Sweep {
    /// The text before `=`.
    label: String,
    /// The policy or manifest, if one is named.
    owner: Option<String>,
    /// The rule of it, if one is named.
    rule: Option<usize>,
    limit: &'static str,
    values: Vec<u32>,
}

const GLOBAL: &str = "globalMaxRetries";
const OF_POLICIES: &str = "retryLimit";

/// The limits that a sweep sets without the name of a policy.
pub(in crate::commands) const SWEPT: [&str; 4] =
    [GLOBAL, OF_POLICIES, "backoffLimit", "maxRestarts"];

/// Limit of columns: more do not fit a table, and each is a replay.
const MAX_COLUMNS: usize = 100;

const FORM: &str = "write WHAT=VALUES, such as `globalMaxRetries=0..10` or `retryLimit=1,2,4`";

impl FromStr for Sweep {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (label, values) = text.split_once('=').ok_or(FORM)?;
        // The names of Jobs may contain dots.
        let (owner, name) = label.rsplit_once('.').map_or((None, label), |(o, l)| (Some(o), l));
        let limit = SWEPT.into_iter().find(|limit| *limit == name).ok_or_else(|| {
            let near = did_you_mean(name, SWEPT).map(|near| format!("; did you mean `{near}`?"));
            format!(
                "the limits are `{}`, `NAME.retryLimit` and `NAME.rules[1].retryLimit`{}",
                SWEPT.join("`, `"),
                near.unwrap_or_default()
            )
        })?;
        let (owner, rule) = match owner.and_then(|owner| owner.split_once(".rules[")) {
            Some((owner, index)) => {
                let index = index.strip_suffix(']').and_then(|index| index.parse().ok());
                let form = "write the number of a rule: `NAME.rules[1].retryLimit`";
                (Some(owner), Some(index.filter(|_| limit == OF_POLICIES).ok_or(form)?))
            }
            None => (owner, None),
        };
        if owner.is_some() && limit == GLOBAL {
            return Err(format!("`{GLOBAL}` is a limit of the scheduler: write it without a name"));
        }
        let owner = owner.map(str::to_owned);
        Ok(Self { label: label.to_owned(), owner, rule, limit, values: values_of(values)? })
    }
}

/// The values of a list of numbers and ranges.
fn values_of(text: &str) -> Result<Vec<u32>, String> {
    let number = |text: &str| {
        let limit = text.parse::<u32>();
        limit.map_err(|_| format!("`{text}` is not a limit from 0 to {}; {FORM}", u32::MAX))
    };
    let mut values = Vec::new();
    for part in text.split(',') {
        let (from, to) = part.split_once("..").unwrap_or((part, part));
        let (from, to) = (number(from)?, number(to.strip_prefix('=').unwrap_or(to))?);
        if to < from {
            return Err(format!("range `{part}` is empty"));
        }
        if (to - from) as usize >= MAX_COLUMNS - values.len() {
            return Err(format!("`{text}` has more than {MAX_COLUMNS} values"));
        }
        for value in from..=to {
            if values.contains(&value) {
                return Err(format!("`{value}` is listed twice"));
            }
            values.push(value);
        }
    }
    Ok(values)
}

impl Sweep {
    /// Armada's policies with each value of the limit, each with the name of its column.
    pub(super) fn policies(&self, base: &PolicySet) -> Result<Vec<(String, PolicySet)>> {
        if ![GLOBAL, OF_POLICIES].contains(&self.limit) {
            return Err(self.other_system("RetryPolicy", &[GLOBAL, OF_POLICIES]).into());
        }
        let names: Vec<&str> = base.policies.iter().map(|policy| policy.name.as_str()).collect();
        self.check_owner("policy", &names)?;
        let set = |value| {
            let mut set = base.clone();
            if self.limit == GLOBAL {
                set.settings.global_max_retries = Some(value);
                return Ok(set);
            }
            let policies = set.policies.iter_mut();
            let is_of = |name: &str| self.owner.as_ref().is_none_or(|owner| owner == name);
            for policy in policies.filter(|policy| is_of(policy.name.as_str())) {
                if self.rule.is_some()
                    && (base.evaluates_first_only() || policy.form == Form::V1beta1)
                {
                    return Err(Self::rules_without_limit(policy.name.as_str()).into());
                }
                self.set_limit(Arc::make_mut(policy), value)?;
            }
            Ok(set)
        };
        self.columns(set)
    }

    /// The refusal of a limit of a rule in `v1beta1`.
    fn rules_without_limit(policy: &str) -> Refusal {
        let message = format!("--sweep: rules of `v1beta1` have no `{OF_POLICIES}`");
        Refusal::usage(message).help(format!("write `{policy}.{OF_POLICIES}`"))
    }

    fn set_limit(&self, policy: &mut RetryPolicy, value: u32) -> Result<()> {
        let Some(index) = self.rule else {
            policy.retry_limit = Some(value);
            return Ok(());
        };
        let rules = plural(policy.rules.len() as u64, "rule", "rules");
        let Some(rule) = policy.rules.get_mut(index) else {
            let message = format!("--sweep: policy `{}` has {rules}, counted from 0", policy.name);
            return Err(Refusal::input(message).into());
        };
        rule.retry_limit = Some(value);
        Ok(())
    }

    /// The manifests of another system with each value of the limit, each with the name of its column.
    pub(super) fn manifests<S: ManifestSystem>(
        &self,
        base: &Manifests<S>,
    ) -> Result<Vec<(String, Manifests<S>)>> {
        if !S::LIMITS.contains(&self.limit) {
            return Err(self.other_system(S::DESCRIPTION.manifest, S::LIMITS).into());
        }
        self.check_owner(S::DESCRIPTION.manifest, &base.names())?;
        self.columns(|value| Ok(base.with_limit(self.owner.as_deref(), self.limit, value)))
    }

    fn columns<P>(&self, set: impl Fn(u32) -> Result<P>) -> Result<Vec<(String, P)>> {
        self.values.iter().map(|value| Ok((self.column_name(*value), set(*value)?))).collect()
    }

    /// The name of the column of a value. No other column has `=` in its name.
    fn column_name(&self, value: u32) -> String {
        format!("{}={value}", self.label)
    }

    /// The limit that is set in the column of a name; none if it is a column of other policies.
    pub(super) fn limit_of(&self, column: &str) -> Option<SweptLimit> {
        let mut values = self.values.iter().copied();
        let value = values.find(|value| self.column_name(*value) == column)?;
        Some(SweptLimit { path: self.label.clone(), value })
    }

    /// Refuses the name of a policy or manifest that is not among the given ones.
    fn check_owner(&self, kind: &str, names: &[&str]) -> Result<()> {
        let Some(owner) = self.owner.as_deref().filter(|owner| !names.contains(owner)) else {
            return Ok(());
        };
        let message = format!("--sweep: the {kind} `{owner}` does not exist");
        let is_rule =
            |(name, index): &(&str, &str)| names.contains(name) && index.parse::<usize>().is_ok();
        let rule = owner.rsplit_once(".rules.").filter(is_rule);
        let rule = rule.map(|(name, index)| format!("{name}.rules[{index}].{}", self.limit));
        let near = || did_you_mean(owner, names.iter().copied()).map(str::to_owned);
        let help = match rule.or_else(near) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("write one of {}", names.join(", ")),
        };
        Err(Refusal::input(message).help(help).into())
    }

    /// The refusal of a limit that policies of this kind do not have.
    fn other_system(&self, manifest: &str, limits: &[&str]) -> Refusal {
        let message = format!("--sweep: a {manifest} has no `{}`", self.limit);
        Refusal::usage(message).help(match limits {
            [] => "write a file for each limit, and give each with --variant".to_owned(),
            limits => format!("write one of {}", limits.join(", ")),
        })
    }
}
