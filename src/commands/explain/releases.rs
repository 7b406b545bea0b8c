//! `explain releases`: what a policy does otherwise in which release, or the whole table.

use crate::cli::{Context, Exit, Output, Refusal};
use crate::commands::system_args::SystemArgs;
use crate::project::{self, Manifests, PolicyScope, Project};
use crate::report::{self, NamedPolicy, ReleaseReport, release_table};
use anyhow::Result;
use armada_retry::policy::{Documents, Form};
use clap::Args;
use document::diag::Findings;
use std::path::PathBuf;
use systems::release::{
    AssumedRelease, Program, Release, Version, assumed_releases, differences, programs_of,
    reached_differences, rows_without_model,
};
use systems::{Options, SystemName, profile, with_system};

const EXAMPLES: &str = "\
Examples:
  # Print what a policy does otherwise in which release
  armadactl explain releases -f job.yaml

  # Between two releases only
  armadactl explain releases -f job.yaml --from kubernetes-1.33

  # Print the whole table, with sources
  armadactl explain releases -o wide";

/// Print what a policy does otherwise in which release
///
/// Each row has a failure that two neighbouring releases decide otherwise, judged under both; a difference that changes
/// nothing for the policy is not printed. Differences that are not replayed but concern a field of the policy are listed
/// with the reason. Without -f all differences are printed, with sources in `-o wide`. The programs are Kubernetes,
/// JobSet, Airflow and Armada.
#[derive(Debug, Args)]
#[command(before_long_help = EXAMPLES)]
pub struct ReleasesArgs {
    /// Files or directories of policies (repeatable)
    #[arg(short = 'f', long = "filename", value_name = "FILE", value_delimiter = ',')]
    files: Vec<PathBuf>,
    /// Compare releases of a program from this one on: kubernetes-1.33 (repeatable)
    #[arg(long, value_name = "PROGRAM-VERSION")]
    from: Vec<Release>,
    /// Compare releases of a program up to this one (repeatable)
    #[arg(long, value_name = "PROGRAM-VERSION")]
    to: Vec<Release>,
    #[command(flatten)]
    systems: SystemArgs,
}

/// Prints the table, or its rows for the policies.
pub(super) fn run(context: &mut Context<'_>, args: &ReleasesArgs) -> Result<Exit> {
    use Output::{Json, Table, Wide, Yaml};
    let output = context.globals.output("explain releases", &[Table, Wide, Json, Yaml])?;
    args.refuse_empty_range()?;
    let report = if args.files.is_empty() {
        let rows = differences().filter(|row| {
            let boundaries = row.boundaries();
            let covers = |version| args.is_asked(Release { program: row.program, version });
            boundaries.into_iter().any(|(older, newer)| covers(older) && covers(newer))
        });
        ReleaseReport::table(rows)
    } else {
        compare_policies(context, args)?
    };
    let text = match output {
        Json => report::json(&report),
        Yaml => report::yaml(&report)?,
        _ => release_table(&report, &context.layout(output == Wide)),
    };
    context.ui.data(&text)?;
    Ok(Exit::Done)
}

/// Compares the policies of the files under neighbouring releases.
fn compare_policies(context: &mut Context<'_>, args: &ReleasesArgs) -> Result<ReleaseReport> {
    let Project { documents, findings, .. } = Project::read(&args.files, PolicyScope::OneSystem);
    project::refuse_errors(context.ui, findings)?;
    project::note_ignored_documents(context.ui, &documents.unread)?;
    let mut report = ReleaseReport::without_policies();
    let options = args.systems.options()?;
    refuse_invalid(context, &documents, &options)?;
    let is_asked = |one| args.is_asked(one);
    for policy in &documents.policies {
        let is_design = policy.policy.form == Form::V1;
        let version = if is_design { Version::DESIGN } else { Program::Armada.default_release() };
        let release = Release { program: Program::Armada, version };
        report.add(
            NamedPolicy::new(
                "RetryPolicy",
                policy.document.source.name(),
                policy.policy.name.as_str(),
            ),
            vec![release.title()],
            &[],
            &rows_without_model(&[Program::Armada], &policy.document.root, &is_asked),
        );
    }
    for other in &documents.others {
        let Some(system) = SystemName::from_document(other) else { continue };
        with_system!(system, Armada => {}, S => {
            let assumed = assumed_releases::<S>(&other.document, &options);
            let name = profile::name(&other.document);
            let root = &other.document.root;
            report.add(
                NamedPolicy::new(system.description().name, other.document.source.name(), name),
                assumed.iter().map(AssumedRelease::title).collect(),
                &reached_differences::<S>(&other.document, &options, &is_asked),
                &rows_without_model(programs_of::<S>(), root, &is_asked),
            );
        });
    }
    if report.has_no_policies() {
        let message = "the files contain no policy whose decisions depend on a release";
        let help = "give Jobs, JobSets, RetryProfiles of airflow or RetryPolicies; leave out -f for all differences";
        return Err(Refusal::input(message).help(help).into());
    }
    Ok(report)
}

/// Refuses policies that have errors under the releases that are assumed.
fn refuse_invalid(
    context: &mut Context<'_>,
    documents: &Documents,
    options: &Options,
) -> Result<()> {
    let mut findings = Findings::new();
    for system in SystemName::all() {
        with_system!(system, Armada => {}, S => {
            Manifests::<S>::read(documents, options, &mut findings);
        });
    }
    if findings.has_errors() { project::refuse_errors(context.ui, findings) } else { Ok(()) }
}

impl ReleasesArgs {
    /// Returns whether a release is within the bounds of its program.
    fn is_asked(&self, release: Release) -> bool {
        let of_program = |bounds: &[Release]| -> Vec<Release> {
            bounds.iter().copied().filter(|bound| bound.program == release.program).collect()
        };
        let (from, to) = (of_program(&self.from), of_program(&self.to));
        // A program without bounds is left out if others have some.
        let is_left_out =
            from.is_empty() && to.is_empty() && !(self.from.is_empty() && self.to.is_empty());
        !is_left_out
            && from.iter().all(|bound| release.version >= bound.version)
            && to.iter().all(|bound| release.version <= bound.version)
    }

    fn refuse_empty_range(&self) -> Result<()> {
        for from in &self.from {
            let is_before = |to: &&Release| to.program == from.program && to.version < from.version;
            if let Some(to) = self.to.iter().find(is_before) {
                let message = format!("--from {from} is after --to {to}");
                return Err(Refusal::usage(message).help("exchange them").into());
            }
        }
        Ok(())
    }
}
