//! Reads a cluster, a workload, and the scheduler configuration of each variant.

use crate::cli::{Context, Refusal};
use crate::cluster::events::unschedulable;
use crate::cluster::read::{
    Profile, read_cluster, read_scheduling, read_workload, warn_of_unschedulable,
};
use crate::cluster::scheduling::Scheduling;
use crate::cluster::spec::{ClusterSpec, Workload};
use crate::commands::load;
use crate::commands::simulate::SimulateArgs;
use crate::commands::simulate::variant_args::FIRST_VARIANT;
use crate::diag::{Findings, Source};
use crate::document::Limits;
use crate::input;
use crate::simulate::{NoteKind, NoteReport};
use anyhow::Result;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The inputs of all variants.
pub(super) struct Inputs {
    /// At least one.
    pub(super) variants: Vec<Variant>,
}

/// A scheduler configuration, and the cluster and workload read with it.
pub(super) struct Variant {
    pub(super) name: String,
    pub(super) scheduling: Scheduling,
    pub(super) clusters: ClusterSpec,
    pub(super) workload: Workload,
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
        let configs = configs(args)?;
        let files = configs.iter().filter_map(|(_, path)| path.as_ref());
        load::refuse_second_stdin(files.chain([cluster, workload]))?;
        let mut findings = Findings::new();
        let cluster = source(cluster, &mut findings);
        let workload = source(workload, &mut findings);
        let mut reader = Reader { profile: args.simulated.scheduler.profile(), findings };
        let mut variants = Vec::new();
        for (name, path) in configs {
            let scheduling = reader.scheduling(path.as_deref());
            let (Some(scheduling), Some(cluster), Some(workload)) =
                (scheduling, &cluster, &workload)
            else {
                continue;
            };
            variants.extend(reader.variant(name, scheduling, cluster, workload));
        }
        load::refuse_errors(context.ui, deduplicate(reader.findings))?;
        Ok(Self { variants })
    }

    /// The seed of the first run; `flag` is that of `--seed`.
    pub(super) fn seed(&self, flag: Option<u64>) -> u64 {
        let of_workload = self.variants.first().map_or(0, |variant| variant.workload.seed);
        flag.unwrap_or(if of_workload == 0 { DEFAULT_SEED } else { of_workload })
    }
}

/// The name and the configuration of each variant; the first is that of `--scheduler-config`.
fn configs(args: &SimulateArgs) -> Result<Vec<(String, Option<PathBuf>)>> {
    let mut configs = vec![(FIRST_VARIANT.to_owned(), args.policies.scheduler_config.clone())];
    for variant in &args.variant {
        let [file] = variant.files.as_slice() else {
            let message = format!(
                "--variant {}: without policies, a variant is one scheduler configuration",
                variant.name
            );
            return Err(Refusal::usage(message).help("write NAME=FILE").into());
        };
        configs.push((variant.name.clone(), Some(file.clone())));
    }
    Ok(configs)
}

fn source(path: &Path, findings: &mut Findings) -> Option<Arc<Source>> {
    input::read_text(path, Limits::POLICY, findings)
}

/// Reads files, and collects their findings.
struct Reader {
    profile: Profile,
    findings: Findings,
}

impl Reader {
    fn scheduling(&mut self, path: Option<&Path>) -> Option<Scheduling> {
        let Some(path) = path else { return Some(Scheduling::of_profile(self.profile)) };
        let source = source(path, &mut self.findings)?;
        let (scheduling, findings) = read_scheduling(&source, self.profile);
        self.findings.extend(findings);
        scheduling
    }

    fn variant(
        &mut self,
        name: String,
        scheduling: Scheduling,
        cluster: &Arc<Source>,
        workload: &Arc<Source>,
    ) -> Option<Variant> {
        let (clusters, findings) = read_cluster(cluster, Some(&scheduling));
        self.findings.extend(findings);
        let (workload, findings) = read_workload(workload, Some(&scheduling));
        self.findings.extend(findings);
        let (clusters, workload) = (clusters?, workload?);
        let unschedulable_jobs = unschedulable(&scheduling, &clusters, &workload);
        self.findings.extend(warn_of_unschedulable(&workload, &unschedulable_jobs));
        Some(Variant { name, scheduling, clusters, workload })
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

/// The facts that decide how the figures are read.
pub(super) fn notes(args: &SimulateArgs) -> Vec<NoteReport> {
    let mut notes = Vec::new();
    if args.policies.scheduler_config.is_none() {
        let message =
            "the scheduler uses default settings; give those of Armada with --scheduler-config";
        notes.push(NoteReport::new(NoteKind::DefaultSettings, message.to_owned()));
    }
    let message = "without policies, a preempted job is submitted again with new work, and a failed \
                   one is not";
    notes.push(NoteReport::new(NoteKind::WithoutPolicies, message.to_owned()));
    notes
}
