//! The values of `--variant` and `--sweep`.

use crate::cli::Refusal;
use crate::commands::policy_set::PolicySet;
use anyhow::Result;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

/// The name of the variant without retries, which has no files.
pub(super) const NO_RETRIES: &str = "no-retries";

/// The name of the first variant: the policies of `-f`.
pub(super) const FIRST_VARIANT: &str = "given";

/// The name of the variant of `--live`: the policies of the server.
pub(super) const LIVE_VARIANT: &str = "live";

/// The value of `--variant`.
#[derive(Debug, Clone)]
pub(super) struct VariantArg {
    pub(super) name: String,
    pub(super) files: Vec<PathBuf>,
}

impl FromStr for VariantArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == NO_RETRIES {
            return Ok(Self { name: text.to_owned(), files: Vec::new() });
        }
        let form = || {
            format!(
                "write NAME=FILES, such as `strict=strict.yaml,common/`, or with --cluster `{NO_RETRIES}`"
            )
        };
        let (name, files) = text.split_once('=').ok_or_else(form)?;
        if files == NO_RETRIES {
            return Err(format!("write `--variant {NO_RETRIES}`: it has this name and no files"));
        }
        let files: Vec<PathBuf> =
            files.split(',').filter(|file| !file.is_empty()).map(PathBuf::from).collect();
        if name == NO_RETRIES {
            return Err(format!(
                "`{NO_RETRIES}` is the variant without retries, and takes no files"
            ));
        }
        if name.is_empty() || files.is_empty() {
            return Err(form());
        }
        Ok(Self { name: name.to_owned(), files })
    }
}

impl VariantArg {
    /// Refuses the variant without retries, which a history does not have: its runs are recorded.
    pub(super) fn refuse_no_retries(variants: &[Self]) -> Result<()> {
        if variants.iter().all(|variant| !variant.files.is_empty()) {
            return Ok(());
        }
        let message = format!("`--variant {NO_RETRIES}` needs --cluster");
        Err(Refusal::usage(message).help("write NAME=FILES, with the policies of a variant").into())
    }

    /// Refuses a name that two variants have, or that is reserved for policies of another flag.
    pub(super) fn refuse_equal_names(variants: &[Self], reserved: &[&str]) -> Result<()> {
        for (place, variant) in variants.iter().enumerate() {
            let taken = variants[..place].iter().any(|other| other.name == variant.name);
            if taken || reserved.contains(&variant.name.as_str()) {
                let message = format!("--variant: the name `{}` is already used", variant.name);
                return Err(Refusal::usage(message).into());
            }
        }
        Ok(())
    }
}

/// The value of `--sweep`.
#[derive(Debug, Clone)]
pub(super) struct Sweep {
    limit: Limit,
    /// The text before `=`.
    label: String,
    from: u32,
    to: u32,
}

/// The limit that a sweep sets.
#[derive(Debug, Clone)]
enum Limit {
    /// `globalMaxRetries`.
    Global,
    /// `retryLimit` of every policy.
    Policies,
    /// `retryLimit` of one rule.
    Rule { policy: String, index: usize },
}

/// The limits that a sweep sets without the name of a policy.
pub(in crate::commands) const SWEPT: [&str; 2] = ["globalMaxRetries", "retryLimit"];

/// Limit of columns: more do not fit a table, and each is a replay.
const MAX_COLUMNS: usize = 100;

impl FromStr for Sweep {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = || "write WHAT=FROM..TO, such as `globalMaxRetries=0..10`".to_owned();
        let (label, range) = text.split_once('=').ok_or_else(form)?;
        let (from, to) = range.split_once("..").ok_or_else(form)?;
        let number = |text: &str| {
            text.parse::<u32>()
                .map_err(|_| format!("`{text}` is not a limit from 0 to {}", u32::MAX))
        };
        let (from, to) = (number(from)?, number(to.strip_prefix('=').unwrap_or(to))?);
        if to < from {
            return Err(format!("range `{from}..{to}` is empty"));
        }
        if (to - from) as usize >= MAX_COLUMNS {
            return Err(format!("range `{from}..{to}` has more than {MAX_COLUMNS} values"));
        }
        let limit = match label {
            "globalMaxRetries" => Limit::Global,
            "retryLimit" => Limit::Policies,
            rule => Limit::parse_rule(rule).ok_or_else(|| {
                "the limits are `globalMaxRetries`, `retryLimit` and `NAME.rules[1].retryLimit`"
                    .to_owned()
            })?,
        };
        Ok(Self { limit, label: label.to_owned(), from, to })
    }
}

impl Sweep {
    /// The policies with each value of the limit, each with the name of its column.
    pub(super) fn policies(&self, base: &PolicySet) -> Result<Vec<(String, PolicySet)>> {
        let column = |value| Ok((format!("{}={value}", self.label), self.limit.set(base, value)?));
        (self.from..=self.to).map(column).collect()
    }
}

impl Limit {
    /// Parses `NAME.rules[1].retryLimit`.
    fn parse_rule(text: &str) -> Option<Self> {
        let (policy, rest) = text.split_once(".rules[")?;
        let index = rest.strip_suffix("].retryLimit")?.parse().ok()?;
        Some(Self::Rule { policy: policy.to_owned(), index })
    }

    /// The same policies with this limit set.
    fn set(&self, policies: &PolicySet, value: u32) -> Result<PolicySet> {
        let mut policies = policies.clone();
        match self {
            Self::Global => policies.settings.global_max_retries = Some(value),
            Self::Policies => {
                for policy in &mut policies.policies {
                    Arc::make_mut(policy).retry_limit = Some(value);
                }
            }
            Self::Rule { policy: name, index } => {
                let policy = policies.policies.iter_mut().find(|one| one.name.as_str() == name);
                let Some(policy) = policy else {
                    return Err(Refusal::usage(format!(
                        "--sweep: the policy `{name}` does not exist"
                    ))
                    .into());
                };
                let rules = policy.rules.len();
                let Some(rule) = Arc::make_mut(policy).rules.get_mut(*index) else {
                    let message =
                        format!("--sweep: policy `{name}` has {rules} rules, counted from 0");
                    return Err(Refusal::usage(message).into());
                };
                rule.retry_limit = Some(value);
            }
        }
        Ok(policies)
    }
}
