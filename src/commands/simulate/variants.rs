//! Several sets of policies in one pass: `--variant` and `--sweep`.

use super::{SimulateArgs, notes};
use crate::cli::Refusal;
use crate::commands::policy_set::{PolicySet, PolicySetArgs, Resolution};
use crate::commands::systems::PolicyFiles;
use crate::history::{ArmadaRun, History, Job, Reload};
use crate::policy::SchedulerSettings;
use crate::simulate::{NoteReport, merge_notes};
use crate::systems::armada::Armada;
use crate::ui::Ui;
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

/// The value of `--variant`.
#[derive(Debug, Clone)]
pub(super) struct VariantArg {
    pub(super) name: String,
    pub(super) files: Vec<PathBuf>,
}

impl FromStr for VariantArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = || "write NAME=FILES, such as `strict=strict.yaml,common/`".to_owned();
        let (name, files) = text.split_once('=').ok_or_else(form)?;
        let files: Vec<PathBuf> =
            files.split(',').filter(|file| !file.is_empty()).map(PathBuf::from).collect();
        if name.is_empty() || files.is_empty() {
            return Err(form());
        }
        Ok(Self { name: name.to_owned(), files })
    }
}

impl VariantArg {
    /// Refuses a name that is given twice, or is that of the policies of `-f`.
    pub(super) fn distinct(variants: &[Self]) -> Result<()> {
        for (place, variant) in variants.iter().enumerate() {
            let taken = variants[..place].iter().any(|other| other.name == variant.name);
            if taken || variant.name == GIVEN {
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
    /// What stands before `=`.
    label: String,
    from: u32,
    to: u32,
}

#[derive(Debug, Clone)]
enum Limit {
    Global,
    Policies,
    Rule { policy: String, index: usize },
}

/// How many columns a table may have.
const MOST: usize = 100;

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
        if (to - from) as usize >= MOST {
            return Err(format!("range `{from}..{to}` has more than {MOST} values"));
        }
        let limit = match label {
            "globalMaxRetries" => Limit::Global,
            "retryLimit" => Limit::Policies,
            rule => Limit::of_rule(rule).ok_or_else(|| {
                "the limits are `globalMaxRetries`, `retryLimit` and `NAME.rules[1].retryLimit`"
                    .to_owned()
            })?,
        };
        Ok(Self { limit, label: label.to_owned(), from, to })
    }
}

impl Limit {
    /// `NAME.rules[1].retryLimit`.
    fn of_rule(text: &str) -> Option<Self> {
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

/// Sets of policies, each with a name. The first is the one that was given with `-f`.
pub(super) struct Variants(Vec<(String, PolicySet)>);

/// The name of the first.
pub(super) const GIVEN: &str = "given";

impl Variants {
    /// Reads them all.
    pub(super) fn load(ui: &mut Ui, args: &SimulateArgs, given: PolicyFiles) -> Result<Self> {
        let given = PolicySet::new(ui, given, &args.policies)?;
        VariantArg::distinct(&args.variant)?;
        let mut all = vec![(GIVEN.to_owned(), given.clone())];
        for variant in &args.variant {
            let files = variant.files.clone();
            let policies = PolicySetArgs { files, ..args.policies.clone() };
            all.push((variant.name.clone(), given.beside(ui, &policies)?));
        }
        if let Some(sweep) = &args.sweep {
            for value in sweep.from..=sweep.to {
                all.push((format!("{}={value}", sweep.label), sweep.limit.set(&given, value)?));
            }
        }
        Ok(Self(all))
    }

    /// The settings that all of them share, but for what a sweep changes.
    pub(super) fn settings(&self) -> &SchedulerSettings {
        &self.0[0].1.settings
    }

    /// Their names.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// Binds the queues that a history knows.
    pub(super) fn bind(&mut self, history: &History<ArmadaRun>) {
        for (_, policies) in &mut self.0 {
            let queues = history.queues.iter();
            policies.bind(queues.map(|queue| (queue.name.clone(), queue.retry_policies.clone())));
        }
    }

    /// An engine each.
    pub(super) fn compile(&self, reloads: &[Reload]) -> Vec<Armada> {
        self.0.iter().map(|(_, policies)| policies.engine(reloads)).collect()
    }

    /// No jobs resolved yet.
    pub(super) fn resolutions(&self) -> Resolutions {
        Resolutions(self.0.iter().map(|_| Resolution::default()).collect())
    }

    /// The notes of all of them.
    pub(super) fn notes(
        &self,
        config: Option<&Path>,
        reloads: &[Reload],
        engines: &[Armada],
        resolutions: &Resolutions,
    ) -> Result<Vec<NoteReport>> {
        let notes = self.0.iter().zip(engines).zip(&resolutions.0);
        let notes = notes.map(|(((name, policies), engine), resolution)| {
            let missing = policies.missing_findings(engine.evaluator(), &resolution.missing)?;
            let base = self.settings();
            let notes = notes::of_policies(policies, base, config, reloads, resolution, &missing);
            Ok((name.as_str(), notes))
        });
        Ok(merge_notes(notes.collect::<Result<Vec<_>>>()?))
    }
}

/// Whose policies apply to the jobs of a history, variant by variant.
pub(super) struct Resolutions(Vec<Resolution>);

impl Resolutions {
    /// Resolves the policies of jobs; an error where a missing policy is one.
    pub(super) fn add(
        &mut self,
        variants: &Variants,
        engines: &[Armada],
        jobs: &[&Job],
    ) -> Result<()> {
        for (((_, policies), engine), all) in variants.0.iter().zip(engines).zip(&mut self.0) {
            let resolution = policies.resolve(engine.evaluator(), jobs)?;
            policies.missing_findings(engine.evaluator(), &resolution.missing)?;
            all.extend(resolution);
        }
        Ok(())
    }
}
