//! The policies of other systems in `simulate`: manifests, one or several a variant.

use super::facts::UnitCounts;
use super::inputs::Inputs;
use super::pass;
use super::policies::{MemberOf, Policies, Records, UnitNames};
use super::variant_args::VariantArg;
use super::{SimulateArgs, notes};
use crate::cli::{Context, Refusal};
use crate::project::{self, Manifests, PolicyScope, Project};
use ::systems::release::{Release, Releases, assumed_releases, has_releases_of};
use ::systems::{Description, ManifestSystem, Options, SystemName};
use anyhow::Result;
use armada_retry::policy::Documents;
use document::diag::{Findings, plural};
use replay::history::RecordFields;
use replay::simulate::{
    DecidingRelease, NoteKind, NoteReport, SimulationReport, Totals, Units, UnmatchedUnits,
    VariantEngine, merge_notes,
};
use std::collections::BTreeSet;

/// Replays the histories through every variant. `known` are findings about the manifests that were reported before.
pub(super) fn replay<S: ManifestSystem>(
    context: &mut Context<'_>,
    args: &SimulateArgs,
    project: Project,
    (histories, known): ((Inputs, Findings), Findings),
) -> Result<Option<SimulationReport>> {
    args.policies.refuse_for(S::DESCRIPTION.manifest)?;
    args.systems.refuse_for::<S>(&project.findings)?;
    if !args.executor_config.is_empty() {
        let manifest = S::DESCRIPTION.manifest;
        let message = format!(
            "`--executor-config` applies to Armada's jobs, but the files contain a {manifest}"
        );
        return Err(Refusal::usage(message).help("leave it out").into());
    }
    if args.live {
        let manifest = S::DESCRIPTION.manifest;
        let message = format!(
            "`--live` reads Armada's policies from a server, but the files contain a {manifest}"
        );
        return Err(Refusal::usage(message).help("leave it out").into());
    }
    let (variants, notes) = variants::<S>(context, args, (project, known))?;
    let mut policies = ManifestPolicies::new(variants, notes);
    let Some(mut report) = pass::replay(context, args, &mut policies, histories)? else {
        return Ok(None);
    };
    if !args.has_policies() {
        return Ok(Some(report));
    }
    report.notes.extend(substitute_ids::<S>(&report));
    // Parts that no failure has are noted already.
    if report.notes.iter().all(|note| note.kind != NoteKind::MissingParts) {
        report.notes.extend(missing_facts::<S>(&report));
    }
    let notes: Vec<NoteReport> = index_mismatches(&report).collect();
    report.notes.extend(notes);
    Ok(Some(report))
}

/// The greatest of a count over all variants; none if it is 0 for all of them.
fn most(report: &SimulationReport, count: fn(&Totals) -> u64) -> Option<u64> {
    let variants = report.variants.iter().flatten().map(|variant| &variant.summary);
    let counts = variants.chain([&report.summary]).map(|summary| count(&summary.totals));
    counts.max().filter(|most| *most > 0)
}

/// The note on waits that were computed from other ids than the system uses: the most of any variant.
fn substitute_ids<S: ManifestSystem>(report: &SimulationReport) -> Option<NoteReport> {
    let count = most(report, |totals| totals.guessed_waits)?;
    let waits = if count == 1 {
        "1 wait is an example".to_owned()
    } else {
        format!("{count} waits are examples")
    };
    let message = format!("{waits}: {}", S::DESCRIPTION.substituted_ids);
    Some(NoteReport::new(NoteKind::GuessedWaits, message).count(count))
}

/// The note on failures whose records lack parts that the policies depend on: the most of any variant.
fn missing_facts<S: ManifestSystem>(report: &SimulationReport) -> Option<NoteReport> {
    let count = most(report, |totals| totals.missing_facts)?;
    let failures = plural(count, "failure", "failures");
    let message = format!("{failures}: {}", S::DESCRIPTION.missing_facts);
    Some(NoteReport::new(NoteKind::MissingFacts, message).count(count))
}

/// The notes on records whose index does not fit their Job: the most of any variant.
fn index_mismatches(report: &SimulationReport) -> impl Iterator<Item = NoteReport> {
    let ignored = most(report, |totals| totals.ignored_indexes).map(|count| {
        let records = plural(count, "record has", "records have");
        let message = format!(
            "{records} a podIndex, which is ignored: the Job is not `completionMode: Indexed`, so that its pods \
             have no index"
        );
        NoteReport::new(NoteKind::IgnoredIndexes, message).count(count)
    });
    let missing = most(report, |totals| totals.missing_indexes).map(|count| {
        let pods = plural(count, "pod has", "pods have");
        let message = format!(
            "{pods} no completion index, so that the Job, which is `completionMode: Indexed`, does not count them; \
             keep the label `batch.kubernetes.io/job-completion-index`, or set `completionMode: NonIndexed`"
        );
        NoteReport::new(NoteKind::MissingIndexes, message).count(count)
    });
    ignored.into_iter().chain(missing)
}

/// A variant: its name and its manifests.
struct Variant<S: ManifestSystem> {
    name: String,
    manifests: Manifests<S>,
    /// The releases that the manifests are read under.
    releases: Vec<DecidingRelease>,
    /// Whether the manifests are replaced by `no-retries`: they are those of the first variant.
    is_without_retries: bool,
}

impl<S: ManifestSystem> Variant<S> {
    fn new(
        name: impl Into<String>,
        manifests: Manifests<S>,
        releases: Vec<DecidingRelease>,
    ) -> Self {
        Self { name: name.into(), manifests, releases, is_without_retries: false }
    }

    /// Returns the variant in which the manifests are replaced by `no-retries`, which no release decides.
    fn without_retries(self) -> Self {
        Self { is_without_retries: true, releases: Vec::new(), ..self }
    }

    fn engine(&self) -> VariantEngine<S> {
        let engine = self.manifests.engine();
        if self.is_without_retries {
            VariantEngine::without_retries(engine)
        } else {
            VariantEngine::new(engine)
        }
    }
}

/// The variants of another system's policies.
struct ManifestPolicies<S: ManifestSystem> {
    variants: Vec<Variant<S>>,
    limits: LimitsOf<S>,
    has_single_members: bool,
    notes: Vec<NoteReport>,
}

type LimitsOf<S> = <<S as Units>::Fields as RecordFields>::Limits;

impl<S: ManifestSystem> ManifestPolicies<S> {
    fn new(variants: Vec<Variant<S>>, notes: Vec<NoteReport>) -> Self {
        let engines: Vec<S> = variants.iter().map(|it| it.manifests.engine()).collect();
        let has_single_members = engines.iter().all(Units::has_single_members);
        let limits = S::limits(&engines.iter().collect::<Vec<_>>());
        Self { variants, limits, has_single_members, notes }
    }
}

impl<S: ManifestSystem> Policies for ManifestPolicies<S> {
    type Engine = VariantEngine<S>;
    type Limits = LimitsOf<S>;

    fn names(&self) -> Vec<&str> {
        self.variants.iter().map(|variant| variant.name.as_str()).collect()
    }

    fn limits(&self) -> LimitsOf<S> {
        self.limits.clone()
    }

    fn can_stream(&self) -> bool {
        self.has_single_members
    }

    fn engines(&mut self, _: &Records<Self>) -> Vec<VariantEngine<S>> {
        self.variants.iter().map(Variant::engine).collect()
    }

    fn is_unmatched(&self, variant: usize, unit: &str) -> bool {
        self.variants.get(variant).is_some_and(|variant| variant.manifests.is_unmatched(unit))
    }

    fn check_units(&self, _: &[VariantEngine<S>], _: &[MemberOf<Self>]) -> Result<()> {
        Ok(())
    }

    /// Refuses units that the manifests do not determine, and counts those of other names.
    fn check_history(
        &self,
        engines: &[VariantEngine<S>],
        units: &UnitNames<'_>,
        history: &Records<Self>,
    ) -> Result<UnitCounts> {
        let (unmatched, all) = match units {
            UnitNames::Memory(units) => {
                for Variant { manifests, .. } in &self.variants {
                    manifests.refuse_undetermined(units.iter().copied())?;
                }
                let all: BTreeSet<&str> = units.iter().copied().collect();
                let unmatched = all.iter().filter(|unit| self.is_unmatched(0, unit)).count();
                (unmatched as u64, all.len() as u64)
            }
            UnitNames::Stream(all, unmatched) => {
                for (variant, UnmatchedUnits { first, .. }) in self.variants.iter().zip(*unmatched)
                {
                    variant
                        .manifests
                        .refuse_undetermined(first.as_ref().map(|(_, id)| id.as_str()))?;
                }
                (unmatched.first().map_or(0, |unmatched| unmatched.count), *all)
            }
        };
        let unsupported =
            engines.iter().find_map(|it| it.system().unsupported_record(&history.members));
        if let Some(unsupported) = unsupported {
            return Err(Refusal::input(unsupported.message).help(unsupported.help).into());
        }
        Ok(UnitCounts { all, unmatched })
    }

    fn unit_notes(&self, units: UnitCounts) -> Vec<NoteReport> {
        other_names::<S>(units).into_iter().collect()
    }

    type Facts = ();

    fn facts(&self) {}

    fn add_facts(&self, (): ()) {}

    fn refuse_several(&self, unit: &str) -> Refusal {
        let Description { unit: kind, members, .. } = S::DESCRIPTION;
        let holder = if S::DESCRIPTION.profile().is_some() { "profile" } else { "manifest" };
        let message = format!(
            "{kind} `{unit}` has records of several {members}, but its {holder} creates one"
        );
        Refusal::input(message).help(format!(
            "give the {holder} that the records belong to, or replay it alone: --job {unit}"
        ))
    }

    fn notes(&self, _: &[VariantEngine<S>]) -> Result<Vec<NoteReport>> {
        Ok(self.notes.clone())
    }

    fn complete(&self, _: &SimulateArgs, report: &mut SimulationReport) {
        report.releases = self.variants.first().map(|it| it.releases.clone()).unwrap_or_default();
        for (report, variant) in report.variants.iter_mut().flatten().zip(&self.variants) {
            report.releases.clone_from(&variant.releases);
        }
    }
}

/// The note on units that the only manifest judges although they have other names. None if no unit of several has its
/// name: then the manifest was probably meant for all of them.
fn other_names<S: ManifestSystem>(units: UnitCounts) -> Option<NoteReport> {
    let kind = S::DESCRIPTION.unit;
    let UnitCounts { all, unmatched } = units;
    let message = match (unmatched, all) {
        (0, _) => return None,
        (1, 1) => format!(
            "the only {kind} in the history has another name than the manifest, which is applied to it"
        ),
        (1, _) => format!(
            "1 of the {kind}s in the history has another name than the manifest, which is applied to it too; \
             use --job to select one"
        ),
        _ if unmatched == all => return None,
        _ => format!(
            "{unmatched} of the {kind}s in the history have other names than the manifest, which is applied to \
             them too; use --job to select one"
        ),
    };
    Some(NoteReport::new(NoteKind::OtherName, message).count(unmatched))
}

/// The manifests of each variant, those of `-f` first, and the notes about other documents.
fn variants<S: ManifestSystem>(
    context: &mut Context<'_>,
    args: &SimulateArgs,
    (project, known): (Project, Findings),
) -> Result<(Vec<Variant<S>>, Vec<NoteReport>)> {
    let (first, _) = args.first_variant();
    let mut reported = KnownFindings::default();
    reported.remove_known(known);
    let mut all_notes = vec![(first, notes::manifest_notes(&project.documents))];
    if args.policies.files.is_empty() {
        VariantArg::refuse_releases(&args.variant)?;
    }
    let options = args.systems.options()?;
    let Project { documents, findings, .. } = project;
    let given = manifests::<S>(context, &options, (&documents, findings), &mut reported)?;
    let releases = deciding_releases::<S>(&documents, &options);
    let first = Variant::new(first, given.clone(), releases.clone());
    let mut all = vec![if args.has_policies() { first } else { first.without_retries() }];
    for variant in args.other_variants() {
        let name = &variant.name;
        if variant.is_without_retries() {
            all.push(Variant::new(name, given.clone(), Vec::new()).without_retries());
            continue;
        }
        if let Some(release) = variant.release {
            let options = under_release::<S>(&options, release)?;
            let read = (&documents, Findings::new());
            let manifests = manifests::<S>(context, &options, read, &mut reported)?;
            let releases = deciding_releases::<S>(&documents, &options);
            all.push(Variant::new(name, manifests, releases));
            continue;
        }
        let project = Project::read(&variant.files, PolicyScope::OneSystem);
        refuse_other_system::<S>(variant, &project)?;
        all_notes.push((name, notes::manifest_notes(&project.documents)));
        let Project { documents, findings, .. } = project;
        let releases = deciding_releases::<S>(&documents, &options);
        let read = (&documents, findings);
        let manifests = manifests::<S>(context, &options, read, &mut reported)?;
        all.push(Variant::new(name, manifests, releases));
    }
    let columns = args.sweeps().manifests(&given)?.into_iter();
    let column = |(name, manifests)| Variant::new(name, manifests, releases.clone());
    all.extend(columns.map(column));
    Ok((all, merge_notes(all_notes)))
}

/// Places and messages of the findings so far, so that those of a file that several variants share are reported
/// once.
#[derive(Default)]
struct KnownFindings(BTreeSet<(String, String)>);

impl KnownFindings {
    /// The findings that were not reported before.
    fn remove_known(&mut self, findings: Findings) -> Findings {
        let mut new = Findings::new();
        new.extend(findings.into_iter().filter(|finding| {
            let place = finding.place.as_ref().map(ToString::to_string).unwrap_or_default();
            self.0.insert((place, finding.message.clone()))
        }));
        new
    }
}

/// Refuses a variant whose files hold no policies of the system of `-f`.
fn refuse_other_system<S: ManifestSystem>(variant: &VariantArg, read: &Project) -> Result<()> {
    let Documents { policies, others, .. } = &read.documents;
    if read.findings.has_errors() || others.iter().any(|other| S::DESCRIPTION.has_document(other)) {
        return Ok(());
    }
    let (own, other) = (S::DESCRIPTION.manifest, read.system.description().manifest);
    let files: Vec<String> =
        variant.files.iter().map(|file| format!("`{}`", file.display())).collect();
    let (name, files) = (&variant.name, files.join(", "));
    // Files without any policies count as Armada's.
    if read.system == SystemName::Armada && policies.is_empty() {
        let message = format!("variant `{name}`: {files} contains no {own}");
        return Err(Refusal::input(message).into());
    }
    let message = format!("variant `{name}`: {files} contains a {other}, but -f a {own}");
    let help =
        "variants must be policies of one system; replay the histories of another separately";
    Err(Refusal::input(message).help(help).into())
}

/// Returns the releases that the documents of a system are read under, each once: profiles may name several of a program.
fn deciding_releases<S: ManifestSystem>(
    documents: &Documents,
    options: &Options,
) -> Vec<DecidingRelease> {
    let own = documents.others.iter().filter(|other| S::DESCRIPTION.has_document(other));
    let mut all: Vec<DecidingRelease> = Vec::new();
    for assumed in own.flat_map(|other| assumed_releases::<S>(&other.document, options)) {
        let deciding = DecidingRelease {
            program: assumed.release.program.as_str(),
            version: assumed.release.version.to_string(),
            origin: assumed.origin.as_str(),
            title: assumed.title(),
        };
        if !all.contains(&deciding) {
            all.push(deciding);
        }
    }
    all
}

/// Returns the options of a variant that is a release; an error if the policies do not depend on it.
fn under_release<S: ManifestSystem>(options: &Options, release: Release) -> Result<Options> {
    if !has_releases_of::<S>(release.program) {
        let manifest = S::DESCRIPTION.manifest;
        let message = format!(
            "--variant: the files contain a {manifest}, which does not depend on {release}"
        );
        return Err(Refusal::usage(message).help("leave it out").into());
    }
    // A profile that names a release is compared with it.
    let releases = Releases { replaces_profiles: true, ..options.releases.with(release) };
    Ok(Options { releases, ..*options })
}

/// Reads the manifests of one variant.
fn manifests<S: ManifestSystem>(
    context: &mut Context<'_>,
    options: &Options,
    (documents, mut findings): (&Documents, Findings),
    reported: &mut KnownFindings,
) -> Result<Manifests<S>> {
    let manifests = Manifests::<S>::read(documents, options, &mut findings);
    project::refuse_errors(context.ui, reported.remove_known(findings))?;
    manifests.refuse_none()?;
    manifests.refuse_several()?;
    Ok(manifests)
}
