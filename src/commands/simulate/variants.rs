//! Several sets of Armada's policies for one pass: those of `-f`, `--variant` and `--sweep`.

use super::variant_args::{FIRST_VARIANT, VariantArg};
use super::{SimulateArgs, notes};
use crate::commands::policy_set::{PolicySet, PolicySetArgs, Resolution};
use crate::commands::systems::PolicyFiles;
use crate::history::{ArmadaRun, History, Job, Reload};
use crate::policy::SchedulerSettings;
use crate::simulate::{NoteReport, merge_notes};
use crate::systems::armada::Armada;
use crate::ui::Ui;
use anyhow::Result;
use std::path::Path;

/// Sets of policies, each with a name. The first is the set of `-f`.
pub(super) struct Variants(Vec<(String, PolicySet)>);

impl Variants {
    /// Reads all sets.
    pub(super) fn load(ui: &mut Ui, args: &SimulateArgs, files: PolicyFiles) -> Result<Self> {
        let first = PolicySet::new(ui, files, &args.policies)?;
        VariantArg::refuse_equal_names(&args.variant)?;
        let mut all = vec![(FIRST_VARIANT.to_owned(), first.clone())];
        for variant in &args.variant {
            let files = variant.files.clone();
            let policies = PolicySetArgs { files, ..args.policies.clone() };
            all.push((variant.name.clone(), first.with_files(ui, &policies)?));
        }
        if let Some(sweep) = &args.sweep {
            all.extend(sweep.policies(&first)?);
        }
        Ok(Self(all))
    }

    /// The settings that all sets share, except the limit that a sweep sets.
    pub(super) fn settings(&self) -> &SchedulerSettings {
        &self.0[0].1.settings
    }

    /// The names of the sets.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// Binds the queues of a history to their policies.
    pub(super) fn bind(&mut self, history: &History<ArmadaRun>) {
        for (_, policies) in &mut self.0 {
            let queues = history.queues.iter();
            policies.bind(queues.map(|queue| (queue.name.clone(), queue.retry_policies.clone())));
        }
    }

    /// An engine for each set.
    pub(super) fn compile(&self, reloads: &[Reload]) -> Vec<Armada> {
        self.0.iter().map(|(_, policies)| policies.engine(reloads)).collect()
    }

    /// Empty resolutions, one for each set.
    pub(super) fn resolutions(&self) -> Resolutions {
        Resolutions(self.0.iter().map(|_| Resolution::default()).collect())
    }

    /// The notes of all sets, merged.
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

/// The policies that apply to the jobs of a history, variant by variant.
pub(super) struct Resolutions(Vec<Resolution>);

impl Resolutions {
    /// Resolves the policies of jobs; an error if a missing policy is one.
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
