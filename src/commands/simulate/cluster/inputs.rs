//! Reads a cluster, a workload, and the scheduler configuration and the policies of each variant.

use super::variants::{Deciding, Variant};
use crate::cli::{Context, Refusal};
use crate::commands::policy_set::PolicySet;
use crate::commands::simulate::variant_args::FIRST_VARIANT;
use crate::commands::simulate::{SimulateArgs, notes};
use crate::input;
use crate::project::{self, PolicyScope, Project, read_input};
use anyhow::Result;
use armada_retry::engine::Reload;
use armada_retry::policy::{self, SchedulerSettings};
use cluster::events::unschedulable;
use cluster::read::{
    InputKind, Profile, read_cluster, read_scheduling, read_workload, warn_of_unschedulable,
};
use cluster::retry::Requeue;
use cluster::run_record;
use cluster::scheduling::Scheduling;
use cluster::spec::Workload;
use document::Limits;
use document::diag::{Diagnostic, Findings, Source};
use replay::history::Job;
use replay::simulate::{NoteKind, NoteReport, merge_notes};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use systems::SystemName;

/// The inputs of all variants.
pub(super) struct Inputs {
    /// At least one.
    pub(super) variants: Vec<Variant>,
    /// The facts that decide how the figures are read.
    pub(super) notes: Vec<NoteReport>,
}

/// A variant as the arguments describe it.
struct VariantSpec {
    name: String,
    /// The scheduler configuration, if one is given.
    config: Option<Config>,
    policies: PoliciesSpec,
}

/// A scheduler configuration file.
#[derive(Clone)]
struct Config {
    path: PathBuf,
    source: Arc<Source>,
}

/// The policies of a variant.
#[derive(Clone)]
enum PoliciesSpec {
    Nothing,
    NoRetries,
    Set(Box<PolicySet>),
}

/// The seed of a workload without one: 0 is the absent value of Armada's workload files.
const DEFAULT_SEED: u64 = 1;

impl Inputs {
    /// Reads all files. Errors in any of them stop the command; warnings are printed.
    pub(super) fn read(context: &mut Context<'_>, args: &SimulateArgs) -> Result<Self> {
        let simulated = &args.simulated;
        let (Some(cluster), Some(workload)) = (&simulated.cluster, &simulated.workload) else {
            return Err(Refusal::usage("--cluster and --workload must be given together").into());
        };
        let of_variants = args.variant.iter().flat_map(|variant| &variant.files);
        let files = of_variants.chain(&args.policies.files).chain(&args.policies.scheduler_config);
        project::refuse_second_stdin(files.chain([cluster, workload]))?;
        let specs = specs(context, args)?;
        let mut findings = Findings::new();
        let cluster = read_input(cluster, Limits::POLICY, InputKind::Cluster, &mut findings);
        let workload = read_input(workload, Limits::POLICY, InputKind::Workload, &mut findings);
        let (profile, requeue) = (args.simulated.scheduler.profile(), args.simulated.requeue());
        let mut reader = Reader { profile, requeue, findings, cluster, workload };
        let mut variants = Vec::new();
        let mut notes = Vec::new();
        for spec in specs {
            let name = spec.name.clone();
            let Some((variant, of_variant)) = reader.variant(spec)? else { continue };
            notes.push((name, of_variant));
            variants.push(variant);
        }
        project::refuse_errors(context.ui, deduplicate(reader.findings))?;
        let of_variants = notes.iter().map(|(name, notes)| (name.as_str(), notes.clone()));
        let mut notes = notes_of_all(args, &variants);
        notes.extend(merge_notes(of_variants.collect::<Vec<_>>()));
        Ok(Self { variants, notes })
    }

    /// The seed of the first run; `flag` is that of `--seed`.
    pub(super) fn seed(&self, flag: Option<u64>) -> u64 {
        let of_workload = self.variants.first().map_or(0, |variant| variant.workload.seed);
        flag.unwrap_or(if of_workload == 0 { DEFAULT_SEED } else { of_workload })
    }
}

/// Refuses a scheduler configuration among several files of a variant.
fn refuse_scheduler_among(files: &[PathBuf], name: &str) -> Result<()> {
    for file in files.iter().filter(|file| files.len() > 1 && !file.is_dir()) {
        let config = Config::read(file)?;
        if InputKind::of_source(&config.source) == Some(InputKind::Scheduler) {
            let message = format!(
                "--variant {name}: `{}` is a scheduler configuration, and there are other files",
                file.display()
            );
            let help = "a variant is policies, or one scheduler configuration";
            return Err(Refusal::usage(message).help(help).into());
        }
    }
    Ok(())
}

/// The variants: that of `-f` and `--scheduler-config`, then those of `--variant` and `--sweep`.
fn specs(context: &mut Context<'_>, args: &SimulateArgs) -> Result<Vec<VariantSpec>> {
    let config =
        args.policies.scheduler_config.as_deref().map(Config::read_scheduler).transpose()?;
    let policies = match args.policies.files.as_slice() {
        [] => PoliciesSpec::Nothing,
        files => PoliciesSpec::Set(Box::new(set(
            context,
            args,
            Project::read(files, PolicyScope::OneSystem),
            config.as_ref(),
        )?)),
    };
    let mut all = vec![VariantSpec {
        name: FIRST_VARIANT.to_owned(),
        config: config.clone(),
        policies: policies.clone(),
    }];
    for variant in &args.variant {
        let name = variant.name.clone();
        if variant.files.is_empty() {
            let policies = PoliciesSpec::NoRetries;
            all.push(VariantSpec { name, config: config.clone(), policies });
            continue;
        }
        if let [file] = variant.files.as_slice()
            && let Some(own) = Config::read_variant(file)?
        {
            let policies = policies.with_config(&own)?;
            all.push(VariantSpec { name, config: Some(own), policies });
            continue;
        }
        refuse_scheduler_among(&variant.files, &name)?;
        let project = Project::read(&variant.files, PolicyScope::OneSystem);
        let policies = PoliciesSpec::Set(Box::new(set(context, args, project, config.as_ref())?));
        all.push(VariantSpec { name, config: config.clone(), policies });
    }
    if !args.sweep.is_empty() {
        let PoliciesSpec::Set(first) = &policies else {
            return Err(Refusal::usage("--sweep needs the policies of -f").into());
        };
        for (name, set) in args.sweeps().policies(first)? {
            let policies = PoliciesSpec::Set(Box::new(set));
            all.push(VariantSpec { name, config: config.clone(), policies });
        }
    }
    refuse_flags_of_policies(args, &all)?;
    Ok(all)
}

/// Refuses flags that have no effect without policies.
fn refuse_flags_of_policies(args: &SimulateArgs, variants: &[VariantSpec]) -> Result<()> {
    let has_policies = |spec: &VariantSpec| matches!(spec.policies, PoliciesSpec::Set(_));
    if variants.iter().any(has_policies) {
        return Ok(());
    }
    let policies = &args.policies;
    let flags = [
        (policies.queue_policies.is_some(), "--queue-policies"),
        (policies.engine.is_some(), "--engine"),
        (policies.missing_policy.is_skip(), "--missing-policy"),
        (args.simulated.requeue.is_some(), "--requeue"),
    ];
    let Some((_, flag)) = flags.into_iter().find(|(is_set, _)| *is_set) else { return Ok(()) };
    let refusal = Refusal::usage(format!("{flag} has no effect without policies"));
    Err(refusal.help("give policies with -f").into())
}

/// The policies of some files.
fn set(
    context: &mut Context<'_>,
    args: &SimulateArgs,
    project: Project,
    config: Option<&Config>,
) -> Result<PolicySet> {
    let system = project.system;
    let documents = project.into_documents(context.ui)?;
    if system != SystemName::Armada {
        let kind = system.description().manifest;
        let message = format!("--cluster simulates Armada, but the files contain a {kind}");
        return Err(Refusal::usage(message).help("give Armada's RetryPolicy documents").into());
    }
    PolicySet::with_settings(documents, Config::settings(config)?, &args.policies)
}

impl PoliciesSpec {
    /// The same policies under the settings of a configuration.
    fn with_config(&self, config: &Config) -> Result<Self> {
        let Self::Set(set) = self else { return Ok(self.clone()) };
        let settings = Config::settings(Some(config))?;
        Ok(Self::Set(Box::new(set.under(settings))))
    }
}

impl Config {
    fn read(path: &Path) -> Result<Self> {
        let mut findings = Findings::new();
        let source = input::read_text(path, Limits::POLICY, &mut findings);
        Self::of(path, source, findings)
    }

    /// Reads the file of `--scheduler-config`.
    fn read_scheduler(path: &Path) -> Result<Self> {
        let mut findings = Findings::new();
        let source = read_input(path, Limits::POLICY, InputKind::Scheduler, &mut findings);
        Self::of(path, source, findings)
    }

    fn of(path: &Path, source: Option<Arc<Source>>, findings: Findings) -> Result<Self> {
        match source {
            Some(source) => Ok(Self { path: path.to_owned(), source }),
            None => Err(Refusal::findings(findings.sorted()).into()),
        }
    }

    /// Reads the file of a variant, if it is a scheduler configuration: a file without policies and queues.
    fn read_variant(path: &Path) -> Result<Option<Self>> {
        if path.is_dir() {
            return Ok(None);
        }
        let config = Self::read(path)?;
        let (documents, _) = policy::read(&[Arc::clone(&config.source)]);
        let is_of_policies = !documents.policies.is_empty() || !documents.queues.is_empty();
        Ok((!is_of_policies && documents.others.is_empty()).then_some(config))
    }

    /// The settings of the retry engine, and warnings about them.
    fn settings(config: Option<&Self>) -> Result<(SchedulerSettings, Vec<Diagnostic>)> {
        let Some(config) = config else { return Ok((SchedulerSettings::default(), Vec::new())) };
        let (settings, findings) = policy::read_scheduler_config(&config.source);
        match settings {
            Some(settings) if !findings.has_errors() => Ok((settings, findings.sorted())),
            _ => Err(Refusal::findings(findings.sorted()).into()),
        }
    }
}

/// Reads the files with the configuration of each variant, and collects their findings.
struct Reader {
    profile: Profile,
    requeue: Requeue,
    findings: Findings,
    cluster: Option<Arc<Source>>,
    workload: Option<Arc<Source>>,
}

impl Reader {
    fn scheduling(&mut self, config: Option<&Config>) -> Option<Scheduling> {
        let Some(config) = config else { return Some(Scheduling::of_profile(self.profile)) };
        let (scheduling, findings) = read_scheduling(&config.source, self.profile);
        self.findings.extend(findings);
        scheduling
    }

    /// Reads the cluster and the workload for a variant, and compiles its policies; the notes on them too.
    fn variant(&mut self, spec: VariantSpec) -> Result<Option<(Variant, Vec<NoteReport>)>> {
        let VariantSpec { name, config, policies } = spec;
        let scheduling = self.scheduling(config.as_ref());
        let (Some(scheduling), Some(cluster), Some(workload)) =
            (scheduling, &self.cluster, &self.workload)
        else {
            return Ok(None);
        };
        let (clusters, findings) = read_cluster(cluster, Some(&scheduling));
        self.findings.extend(findings);
        let (workload, findings) = read_workload(workload, Some(&scheduling));
        self.findings.extend(findings);
        let (Some(clusters), Some(workload)) = (clusters, workload) else { return Ok(None) };
        let unschedulable_jobs = unschedulable(&scheduling, &clusters, &workload);
        self.findings.extend(warn_of_unschedulable(&workload, &unschedulable_jobs));
        let (deciding, notes) = policies.compile(&workload, config.as_ref())?;
        let requeue = self.requeue;
        Ok(Some((Variant { name, scheduling, clusters, workload, requeue, deciding }, notes)))
    }
}

impl PoliciesSpec {
    /// Compiles the engine that judges the ends of a workload's runs, and the notes on it.
    fn compile(
        self,
        workload: &Workload,
        config: Option<&Config>,
    ) -> Result<(Deciding, Vec<NoteReport>)> {
        let set = match self {
            Self::Nothing => return Ok((Deciding::Nothing, Vec::new())),
            Self::NoRetries => return Ok((Deciding::NoRetries, Vec::new())),
            Self::Set(set) => set,
        };
        let reloads: Vec<Reload> = workload.reloads.iter().map(run_record::reload).collect();
        let engine = set.engine(&reloads);
        let jobs: Vec<Job> =
            workload.templates.iter().map(|template| run_record::job(workload, template)).collect();
        let resolution = set.resolve(engine.evaluator(), &jobs.iter().collect::<Vec<_>>())?;
        let missing = set.missing_findings(engine.evaluator(), &resolution.missing, None)?;
        let path = config.map(|config| config.path.as_path());
        let (base, _) = Config::settings(config)?;
        let notes = notes::policy_notes(&set, &base, path, &reloads, &resolution, &missing);
        Ok((Deciding::Policies(Box::new(engine)), notes))
    }
}

/// The findings, each once: variants that read the same files have the same findings.
fn deduplicate(findings: Findings) -> Findings {
    let mut seen = HashSet::new();
    let mut all = Findings::new();
    for finding in findings.sorted() {
        let place =
            finding.place.as_ref().map(|place| (place.source.name().to_owned(), place.span));
        if seen.insert((finding.code, place, finding.message.clone())) {
            all.push(finding);
        }
    }
    all
}

/// The notes that do not depend on policies.
fn notes_of_all(args: &SimulateArgs, variants: &[Variant]) -> Vec<NoteReport> {
    let mut notes = Vec::new();
    if args.policies.scheduler_config.is_none() {
        let message =
            "the scheduler uses default settings; give those of Armada with --scheduler-config";
        notes.push(NoteReport::new(NoteKind::DefaultSettings, message.to_owned()));
    }
    let without = variants.iter().filter(|variant| matches!(variant.deciding, Deciding::Nothing));
    let without: Vec<&str> = without.map(|variant| variant.name.as_str()).collect();
    if !without.is_empty() {
        let whose = if without.len() == variants.len() {
            String::new()
        } else {
            format!("{}: ", without.join(", "))
        };
        let reloads = if variants.iter().any(|variant| !variant.workload.reloads.is_empty()) {
            "; reloads have no effect"
        } else {
            ""
        };
        let message = format!(
            "{whose}without policies, a preempted job is submitted again with new work, and a failed \
             one is not{reloads}"
        );
        notes.push(NoteReport::new(NoteKind::WithoutPolicies, message));
    }
    notes
}
