//! Armada's policies in `simulate`: variants, sweeps, and the policies that apply to each queue.

use super::advice::{self, Proposals};
use super::explain;
use super::facts::UnitCounts;
use super::inputs::Inputs;
use super::pass;
use super::policies::{Policies, UnitNames};
use super::variants::{Resolutions, Variants};
use super::{SimulateArgs, listed_names, notes};
use crate::cli::{Context, Refusal};
use crate::project::{self, Project};
use crate::ui::{ErrorFormat, Ui};
use anyhow::Result;
use armada_retry::engine::Reload;
use borsh::{BorshDeserialize, BorshSerialize};
use document::diag::Findings;
use replay::history::{ArmadaRun, GraceBounds, History, Job, RunRecord};
use replay::simulate::{NoteReport, Observe, RunTransform, SimulationReport, VariantEngine};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use systems::armada::Armada;
use systems::armada::classifier::{ClassifiedCounts, Executors};

/// Replays the histories through every variant.
pub(super) fn replay(
    context: &mut Context<'_>,
    args: &SimulateArgs,
    project: Project,
    histories: (Inputs, Findings),
    observe: Option<&Observe<'_, ArmadaRun>>,
) -> Result<Option<SimulationReport>> {
    args.systems.refuse(&project.findings)?;
    let executors = project::read_executors(context.ui, &args.executor_config)?;
    let executors = executors.map(Arc::new);
    let transform = executors.clone().map(|executors| {
        Box::new(move |run: &mut RunRecord| executors.amend(run)) as Box<RunTransform<ArmadaRun>>
    });
    let variants = Variants::load(context, args, project)?;
    let mut policies = ArmadaPolicies {
        resolutions: Mutex::new(variants.resolutions()),
        variants,
        config: args.policies.scheduler_config.clone(),
        reloads: Vec::new(),
        executors,
        transform,
        observe,
    };
    let can_read_again = histories.0.can_be_read_again();
    let Some(mut report) = pass::replay(context, args, &mut policies, histories)? else {
        return Ok(None);
    };
    if !args.has_policies() {
        return Ok(Some(report));
    }
    if args.proposes() {
        propose(context, args, policies, can_read_again, &mut report);
        report.notes.sort_by_key(|note| note.kind);
    }
    Ok(Some(report))
}

/// Adds changes of the policies to a report that a further replay of the histories shows to be worth more than they
/// cost.
fn propose(
    context: &Context<'_>,
    args: &SimulateArgs,
    mut policies: ArmadaPolicies<'_>,
    can_read_again: bool,
    report: &mut SimulationReport,
) {
    let set = policies.variants.first();
    let proposals = Proposals::of(set, &set.engine(&policies.reloads), report);
    if proposals.is_empty() {
        return;
    }
    if !can_read_again {
        report.notes.push(advice::left_out("the histories cannot be read a second time"));
        return;
    }
    policies.variants = Variants::new(proposals.sets());
    policies.resolutions = Mutex::new(policies.variants.resolutions());
    // The first replay has printed the findings about the histories.
    let mut silent = Ui::silent(ErrorFormat::Human);
    let Context { globals, definition, .. } = *context;
    let mut context = Context { ui: &mut silent, globals, definition };
    let args = args.for_proposals();
    let inputs = Inputs::open(&args, &mut Findings::new());
    match pass::replay(&mut context, &args, &mut policies, (inputs, Findings::new())) {
        Ok(Some(replayed)) => proposals.report(report, &replayed.answer),
        Ok(None) => {}
        Err(error) => report.notes.push(advice::left_out(&error.to_string())),
    }
}

/// The policies of the jobs of a part of a history, and the failures that executors classified.
#[derive(BorshSerialize, BorshDeserialize)]
struct ArmadaFacts {
    resolutions: Resolutions,
    classified: ClassifiedCounts,
}

/// The variants of Armada's policies, and the queues and jobs that they were resolved for.
struct ArmadaPolicies<'o> {
    variants: Variants,
    /// The policies of the jobs that were read so far.
    resolutions: Mutex<Resolutions>,
    config: Option<PathBuf>,
    reloads: Vec<Reload>,
    executors: Option<Arc<Executors>>,
    /// The changes that executors make to runs.
    transform: Option<Box<RunTransform<ArmadaRun>>>,
    observe: Option<&'o Observe<'o, ArmadaRun>>,
}

impl Policies for ArmadaPolicies<'_> {
    type Engine = VariantEngine<Armada>;
    type Limits = GraceBounds;

    const NAMES_UNITS: bool = false;

    fn names(&self) -> Vec<&str> {
        self.variants.names().collect()
    }

    fn limits(&self) -> GraceBounds {
        GraceBounds::from(self.variants.settings())
    }

    fn can_stream(&self) -> bool {
        true
    }

    fn engines(&mut self, history: &History<ArmadaRun>) -> Vec<VariantEngine<Armada>> {
        self.variants.bind(history);
        self.reloads.clone_from(&history.reloads);
        self.variants.compile(&history.reloads)
    }

    fn sort_kinds(&self, kinds: &mut [Job]) {
        kinds.sort_by_cached_key(|job| (job.queue.clone(), job.unit_fields.annotations.clone()));
    }

    fn expect_timelines(&self, runs: u64) {
        if let Some(executors) = &self.executors {
            executors.give_texts(runs);
        }
    }

    fn transform(&self) -> Option<&RunTransform<ArmadaRun>> {
        self.transform.as_deref()
    }

    fn observe(&self) -> Option<&Observe<'_, ArmadaRun>> {
        self.observe
    }

    fn check_units(&self, engines: &[VariantEngine<Armada>], jobs: &[Job]) -> Result<()> {
        let mut resolutions = self.resolutions.lock().unwrap_or_else(PoisonError::into_inner);
        let jobs: Vec<&Job> = jobs.iter().collect();
        resolutions.add(&self.variants, engines, &jobs)
    }

    fn check_history(
        &self,
        _: &[VariantEngine<Armada>],
        _: &UnitNames<'_>,
        _: &History<ArmadaRun>,
    ) -> Result<UnitCounts> {
        Ok(UnitCounts::default())
    }

    type Facts = ArmadaFacts;

    fn facts(&self) -> ArmadaFacts {
        let resolutions = self.resolutions.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let classified = self.executors.as_ref().map(|executors| executors.counts());
        ArmadaFacts { resolutions, classified: classified.unwrap_or_default() }
    }

    fn add_facts(&self, facts: ArmadaFacts) {
        let ArmadaFacts { resolutions, classified } = facts;
        self.resolutions.lock().unwrap_or_else(PoisonError::into_inner).extend(resolutions);
        if let Some(executors) = &self.executors {
            executors.add_counts(&classified);
        }
    }

    /// A job has one member, since records have no key of members: this error cannot happen.
    fn refuse_several(&self, job: &str) -> Refusal {
        Refusal::input(format!("job `{job}` has several members"))
    }

    fn complete(&self, args: &SimulateArgs, report: &mut SimulationReport) {
        let resolutions = self.resolutions.lock().unwrap_or_else(PoisonError::into_inner).clone();
        resolutions.report(report);
        self.variants.mark_proved(&self.reloads, &resolutions, report);
        report.notes.extend(notes::gangs_note(report));
        explain::add(args, !self.reloads.is_empty(), report);
        let known = self.executors.as_ref().map(|executors| executors.names()).unwrap_or_default();
        report.notes.extend(listed_names::notes(report, &known));
    }

    fn notes(&self, engines: &[VariantEngine<Armada>]) -> Result<Vec<NoteReport>> {
        let resolutions = self.resolutions.lock().unwrap_or_else(PoisonError::into_inner);
        let config = self.config.as_deref();
        let mut notes = self.variants.notes(config, &self.reloads, engines, &resolutions)?;
        let counts = self.executors.as_ref().map(|executors| executors.counts());
        notes.extend(counts.into_iter().flat_map(notes::classification_notes));
        Ok(notes)
    }
}
