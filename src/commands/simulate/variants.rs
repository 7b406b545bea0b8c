//! Several sets of Armada's policies for one pass: those of `-f`, `--variant` and `--sweep`.

use super::variant_args::{LIVE_VARIANT, VariantArg};
use super::{SimulateArgs, live_notes, notes};
use crate::cli::Context;
use crate::commands::live_policies::LivePolicies;
use crate::commands::policy_set::{PolicySet, PolicySetArgs, Resolution};
use crate::project::Project;
use anyhow::Result;
use armada_retry::engine::compare::{Side, compare};
use armada_retry::engine::{Evaluator, JobFields, Reload};
use armada_retry::policy::SchedulerSettings;
use borsh::{BorshDeserialize, BorshSerialize};
use replay::history::{ArmadaRun, History, Job};
use replay::simulate::{
    NoteReport, QueuePoliciesReport, SimulationReport, VariantEngine, merge_notes,
};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use systems::armada::Armada;

/// Sets of policies, each with a name. The first is that of the server with `--live`, else the set of `-f`.
pub(super) struct Variants(Vec<Variant>);

/// A set of policies with its name.
struct Variant {
    name: String,
    policies: PolicySet,
    /// Whether the policies are replaced by `no-retries`: they are those of the first variant.
    is_without_retries: bool,
}

impl Variant {
    fn new(name: impl Into<String>, policies: PolicySet) -> Self {
        Self { name: name.into(), policies, is_without_retries: false }
    }

    fn engine(&self, reloads: &[Reload]) -> VariantEngine<Armada> {
        let engine = self.policies.engine(reloads);
        if self.is_without_retries {
            VariantEngine::without_retries(engine)
        } else {
            VariantEngine::new(engine)
        }
    }
}

impl Variants {
    /// Reads all sets.
    pub(super) fn load(
        context: &mut Context<'_>,
        args: &SimulateArgs,
        project: Project,
    ) -> Result<Self> {
        VariantArg::refuse_releases(&args.variant)?;
        let given = PolicySet::new(context.ui, project, &args.policies)?;
        let (first, _) = args.first_variant();
        let is_without_retries = !args.has_policies();
        let mut all = vec![Variant { is_without_retries, ..Variant::new(first, given.clone()) }];
        for variant in args.other_variants() {
            let is_without_retries = variant.is_without_retries();
            let policies = if is_without_retries {
                given.clone()
            } else {
                let files = variant.files.clone();
                given.with_files(context.ui, &PolicySetArgs { files, ..args.policies.clone() })?
            };
            all.push(Variant { is_without_retries, ..Variant::new(&variant.name, policies) });
        }
        if args.live {
            all = Self::with_live(context, args, all)?;
        }
        if !args.sweep.is_empty() {
            let given = all.iter().find(|variant| variant.name == first);
            if let Some(base) = given.or(all.first()) {
                let columns = args.sweeps().policies(&base.policies)?.into_iter();
                all.extend(columns.map(|(name, policies)| Variant::new(name, policies)));
            }
        }
        Ok(Self(all))
    }

    /// The set of the server, then these sets, completed by the server's policies; of `-f` only if it has files.
    fn with_live(
        context: &mut Context<'_>,
        args: &SimulateArgs,
        mut sets: Vec<Variant>,
    ) -> Result<Vec<Variant>> {
        // Requests come after all files are read, so that an invalid file is reported without them.
        let server = Arc::new(LivePolicies::fetch(context)?);
        let empty = sets[0].policies.without_files(&args.policies)?;
        if args.policies.files.is_empty() {
            sets.remove(0);
        }
        sets.insert(0, Variant::new(LIVE_VARIANT, empty));
        let complete = |variant: Variant| {
            let policies = variant.policies.with_live(&server, args.policies.engine)?;
            Ok(Variant { policies, ..variant })
        };
        sets.into_iter().map(complete).collect()
    }

    /// Sets with their names.
    pub(super) fn new(sets: Vec<(String, PolicySet)>) -> Self {
        Self(sets.into_iter().map(|(name, policies)| Variant::new(name, policies)).collect())
    }

    /// The first set.
    pub(super) fn first(&self) -> &PolicySet {
        &self.0[0].policies
    }

    /// The settings that all sets share, except the limit that a sweep sets.
    pub(super) fn settings(&self) -> &SchedulerSettings {
        &self.0[0].policies.settings
    }

    /// The names of the sets.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|variant| variant.name.as_str())
    }

    /// Binds the queues of a history to their policies.
    pub(super) fn bind(&mut self, history: &History<ArmadaRun>) {
        for Variant { policies, .. } in &mut self.0 {
            let queues = history.queues.iter();
            policies.bind(queues.map(|queue| (queue.name.clone(), queue.retry_policies.clone())));
        }
    }

    /// An engine for each set.
    pub(super) fn compile(&self, reloads: &[Reload]) -> Vec<VariantEngine<Armada>> {
        self.0.iter().map(|variant| variant.engine(reloads)).collect()
    }

    /// Empty resolutions, one for each set.
    pub(super) fn resolutions(&self) -> Resolutions {
        Resolutions(self.0.iter().map(|_| Resolution::default()).collect())
    }

    /// Marks the sets of which it is proved that they decide every failure as the first one does. Those with other figures are
    /// not compared, nor the columns of a sweep. With reloads nothing is proved: each has settings of its own.
    pub(super) fn mark_proved(
        &self,
        reloads: &[Reload],
        resolutions: &Resolutions,
        report: &mut SimulationReport,
    ) {
        let Some([first, others @ ..]) = report.variants.as_deref_mut() else { return };
        let (Some((base, sets)), Some(resolution)) = (self.0.split_first(), resolutions.0.first())
        else {
            return;
        };
        if base.is_without_retries || !reloads.is_empty() {
            return;
        }
        let jobs = resolution.jobs();
        let engine = base.policies.engine(reloads);
        for (variant, set) in others.iter_mut().zip(sets) {
            let [old, new] = [&first.summary, &variant.summary];
            let is_alike = old.outcomes == new.outcomes && old.totals.retries == new.totals.retries;
            if is_alike && !set.is_without_retries && variant.sweep.is_none() {
                variant.proved_same = is_same([&engine, &set.policies.engine(reloads)], &jobs);
            }
        }
    }

    /// The notes of all sets, merged.
    pub(super) fn notes(
        &self,
        config: Option<&Path>,
        reloads: &[Reload],
        engines: &[VariantEngine<Armada>],
        resolutions: &Resolutions,
    ) -> Result<Vec<NoteReport>> {
        let notes = self.0.iter().zip(engines).zip(&resolutions.0);
        let notes = notes.filter(|((variant, _), _)| !variant.is_without_retries);
        let notes = notes.map(|((Variant { name, policies, .. }, engine), resolution)| {
            let evaluator = engine.system().evaluator();
            let missing = policies.missing_findings(evaluator, &resolution.missing, None)?;
            let base = self.settings();
            let mut notes =
                notes::policy_notes(policies, base, config, reloads, resolution, &missing);
            notes.extend(live_notes::collect(policies, config));
            Ok((name.as_str(), notes))
        });
        Ok(merge_notes(notes.collect::<Result<Vec<_>>>()?))
    }
}

/// The policies that apply to the jobs of a history, variant by variant.
#[derive(Clone, Default, BorshSerialize, BorshDeserialize)]
pub(super) struct Resolutions(Vec<Resolution>);

impl Resolutions {
    /// Adds the policies of each queue to the report. A variant has them only if they are others than those of
    /// the first variant.
    pub(super) fn report(&self, report: &mut SimulationReport) {
        let queues = |resolution: &Resolution| -> Vec<QueuePoliciesReport> {
            resolution.queues.values().cloned().collect()
        };
        report.queues = self.0.first().map(queues);
        for (variant, resolution) in report.variants.iter_mut().flatten().zip(&self.0) {
            variant.queues =
                Some(queues(resolution)).filter(|own| report.queues.as_ref() != Some(own));
        }
    }

    /// Adds those of another part of the history.
    pub(super) fn extend(&mut self, other: Self) {
        self.0.iter_mut().zip(other.0).for_each(|(own, other)| own.extend(other));
    }

    /// Resolves the policies of jobs; an error if a missing policy is one.
    pub(super) fn add(
        &mut self,
        variants: &Variants,
        engines: &[VariantEngine<Armada>],
        jobs: &[&Job],
    ) -> Result<()> {
        let is_one_of_several = variants.0.len() > 1;
        for ((variant, engine), all) in variants.0.iter().zip(engines).zip(&mut self.0) {
            let Variant { name, policies, .. } = variant;
            let evaluator = engine.system().evaluator();
            let resolution = policies.resolve(evaluator, jobs)?;
            let name = is_one_of_several.then_some(name.as_str());
            policies.missing_findings(evaluator, &resolution.missing, name)?;
            all.extend(resolution);
        }
        Ok(())
    }
}

/// The most pairs of rules that are compared, such as those of two lists of 50 rules: the comparison of more may take longer than
/// the replay. `armadactl compare` has no such limit.
const MOST_PAIRS: usize = 2_500;

/// Whether it is proved that two sets decide every failure of these jobs alike. Each job has its queue.
pub(super) fn is_same(engines: [&Armada; 2], jobs: &[(String, JobFields)]) -> bool {
    let evaluators = engines.map(Armada::evaluator);
    // Decisions about gangs and `failFast` follow from those about single jobs only under the same profile.
    if evaluators[0].profile().form != evaluators[1].profile().form {
        return false;
    }
    let lists: BTreeSet<[Vec<usize>; 2]> = jobs
        .iter()
        .map(|(queue, job)| {
            let list = |engine: &Armada| {
                engine.bindings().effective(engine.evaluator(), queue, job).policies
            };
            engines.map(list)
        })
        .collect();
    let pairs = |lists: &[Vec<usize>; 2]| {
        rule_count(evaluators[0], &lists[0]).saturating_mul(rule_count(evaluators[1], &lists[1]))
    };
    let count = lists.iter().map(pairs).fold(0, usize::saturating_add);
    let is_proved = |lists: &[Vec<usize>; 2]| {
        let [old, new] = [0, 1].map(|number| Side {
            evaluator: evaluators[number],
            route: evaluators[number].route(&lists[number]),
        });
        compare(&old, &new).is_same()
    };
    !lists.is_empty() && count <= MOST_PAIRS && lists.iter().all(is_proved)
}

/// The rules of policies with these numbers, and their default.
fn rule_count(evaluator: &Evaluator, policies: &[usize]) -> usize {
    let policies = policies.iter().filter_map(|number| evaluator.policies().get(*number));
    policies.map(|policy| policy.rules.len()).sum::<usize>() + 1
}
