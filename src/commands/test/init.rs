//! `test --init`: generates a test file that covers policies.

use super::TestArgs;
use super::armada::{gates, job_id, policy_args, settings_fields};
use super::cases;
use super::files::normalized;
use super::manifests::{gates_and_samples, read_sample};
use crate::analysis::unit_test::{Case, CaseRuns, Recorded, Scaffolding, armada_samples, scaffold};
use crate::cli::{Context, Exit, Refusal};
use crate::commands::load;
use crate::commands::policy_set::{EngineName, PolicySet};
use crate::commands::systems::{self, PolicyFiles};
use crate::diag::{Findings, Source, plural};
use crate::document::{Document, Limits, Node, parse};
use crate::history::{ArmadaRun, GraceBounds, Job, JobFields};
use crate::report::test_file::{TestFileHead, test_file};
use crate::systems::armada::Armada;
use crate::systems::{ManifestSystem, Options, with_system};
use anyhow::Result;
use serde_json::{Map, json};
use std::io::Write;
use std::path::{Component, Path, PathBuf};

/// Generates the file, and prints or writes it.
pub(super) fn run(context: &mut Context<'_>, args: &TestArgs) -> Result<Exit> {
    context.globals.output("test --init", &[])?;
    let paths: Vec<PathBuf> = args.policies.iter().chain(&args.files).cloned().collect();
    if paths.is_empty() {
        return Err(Refusal::usage("no policies were given").help("name them with -f").into());
    }
    if let Some(stdin) = paths.iter().find(|path| path.as_os_str() == "-") {
        let message = format!("`{}`: a test file names the files of its policies", stdin.display());
        return Err(Refusal::usage(message).help("write the policies to a file").into());
    }
    refuse_existing(args.save.as_deref())?;
    let files = PolicyFiles::read(&paths);
    let mut head =
        TestFileHead { policies: relative(&paths, args.save.as_deref()), settings: Map::new() };
    let scaffolding = with_system!(
        files.system,
        Armada => of_armada(context, args, files, &mut head)?,
        S => of_manifests::<S>(context, args, files)?,
    );
    let text = test_file(&head, &scaffolding);
    let Some(path) = &args.save else {
        context.ui.data(&text)?;
        return Ok(Exit::Done);
    };
    write(path, &text)?;
    let tests = plural(scaffolding.tests.len(), "test", "tests");
    let mut note = format!("note: wrote {tests} to {}", path.display());
    if !scaffolding.uncovered.is_empty() {
        note += &format!("; {} not covered, which comments name", scaffolding.uncovered.len());
    }
    context.ui.note(&note)?;
    Ok(Exit::Done)
}

/// Refuses to overwrite a file.
fn refuse_existing(path: Option<&Path>) -> Result<()> {
    let Some(path) = path.filter(|path| path.symlink_metadata().is_ok()) else { return Ok(()) };
    let message = format!("`{}` exists already", path.display());
    let refusal = Refusal { exit: Exit::Refused, ..Refusal::input(message) };
    Err(refusal.help("name another file, or remove it").into())
}

/// Writes a file, and the directories above it.
fn write(path: &Path, text: &str) -> Result<()> {
    let fault = |error: std::io::Error| {
        Refusal::input(format!("cannot write `{}`: {error}", path.display()))
    };
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).map_err(fault)?;
    }
    // A file that was made since the check is not overwritten either.
    let mut file = std::fs::File::create_new(path).map_err(fault)?;
    file.write_all(text.as_bytes()).map_err(fault)?;
    Ok(())
}

/// Paths relative to the directory of the file that is written; without one, to the working directory.
fn relative(paths: &[PathBuf], file: Option<&Path>) -> Vec<String> {
    let folder = file.and_then(Path::parent).map(normalized).unwrap_or_default();
    let up = folder.components().filter(|part| matches!(part, Component::Normal(_))).count();
    let relative = |path: &PathBuf| {
        let path = normalized(path);
        if path.is_absolute() || folder.is_absolute() {
            return std::path::absolute(&path).unwrap_or(path).display().to_string();
        }
        let common = path.components().zip(folder.components());
        let common = common.take_while(|(one, other)| one == other).count();
        let rest: PathBuf = path.components().skip(common).collect();
        format!("{}{}", "../".repeat(up.saturating_sub(common)), rest.display())
    };
    paths.iter().map(relative).collect()
}

/// A document that places of settings without a file refer to.
fn no_document() -> Result<Document> {
    let source = Source::new("-", "spec: {}");
    let (documents, _) = parse(&source, Limits::POLICY);
    documents.into_iter().next().ok_or_else(|| Refusal::input("no document").into())
}

fn of_armada(
    context: &mut Context<'_>,
    args: &TestArgs,
    files: PolicyFiles,
    head: &mut TestFileHead,
) -> Result<Scaffolding> {
    load::refuse_errors(context.ui, files.findings)?;
    let documents = files.documents;
    let all: Vec<String> = documents.policies.iter().map(|it| it.policy.name.to_string()).collect();
    if all.is_empty() {
        return Err(Refusal::input("the files contain no policies").into());
    }
    let names = args.queue_policies.clone().unwrap_or_else(|| all.clone());
    let settings = load::scheduler(args.scheduler_config.as_deref())?;
    context.ui.diagnostics(&settings.1)?;
    if all.len() > 1 || args.queue_policies.is_some() {
        head.settings.insert("queuePolicies".to_owned(), json!(names));
    }
    let fields = settings_fields(&settings.0);
    if !fields.is_empty() {
        head.settings.insert("schedulerConfig".to_owned(), fields.into());
    }
    if let Some(engine) = args.engine {
        let name = if engine == EngineName::V1beta1 { "v1beta1" } else { "v1" };
        head.settings.insert("engine".to_owned(), json!(name));
    }
    let policies =
        PolicySet::with_settings(documents, settings, &policy_args(Some(names), args.engine))?;
    let engine = policies.engine(&[]);
    let job = Job::new("", JobFields::default());
    let resolution = policies.resolve(engine.evaluator(), &[&job])?;
    policies.missing_findings(engine.evaluator(), &resolution.missing, None)?;
    let route = engine.bindings().effective(engine.evaluator(), &job).policies;
    let document = no_document()?;
    let gates = gates(&document, &engine, &policies, std::slice::from_ref(&route));
    let samples = armada_samples(engine.evaluator(), &route);
    let limits = GraceBounds::from(&policies.settings);
    Ok(scaffold(&engine, &gates, &samples, &|document, case| {
        read_armada_sample(document, case, limits)
    }))
}

/// Reads the failures of a sample.
fn read_armada_sample(
    document: &Document,
    case: &Case<'_>,
    limits: GraceBounds,
) -> Option<Recorded<ArmadaRun>> {
    let CaseRuns::Failures(nodes) = &case.runs else { return None };
    let mut findings = Findings::new();
    let defaults = |_: &Node| Ok(job_id());
    let limits = Some(limits);
    let recorded =
        cases::record_failures::<Armada>(document, case, nodes, limits, &defaults, &mut findings);
    recorded.filter(|_| !findings.has_errors())
}

fn of_manifests<S: ManifestSystem>(
    context: &mut Context<'_>,
    args: &TestArgs,
    files: PolicyFiles,
) -> Result<Scaffolding> {
    let flags = [
        (args.queue_policies.is_some(), "--queue-policies"),
        (args.scheduler_config.is_some(), "--scheduler-config"),
        (args.engine.is_some(), "--engine"),
    ];
    if let Some((_, flag)) = flags.into_iter().find(|(is_set, _)| *is_set) {
        let manifest = S::DESCRIPTION.manifest;
        let message =
            format!("`{flag}` applies to Armada's policies, but the files contain a {manifest}");
        return Err(Refusal::usage(message).help("leave it out").into());
    }
    let PolicyFiles { documents, mut findings, .. } = files;
    let options = Options::default();
    let manifests = systems::read::<S>(&documents, &options, &mut findings);
    load::refuse_errors(context.ui, findings)?;
    manifests.refuse_none()?;
    manifests.refuse_several()?;
    let engine = manifests.engine();
    let (gates, samples) = gates_and_samples::<S>(&documents, &options);
    Ok(scaffold(&engine, &gates, &samples, &|document, case| {
        read_sample(document, case, &manifests, &engine)
    }))
}
