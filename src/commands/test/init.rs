//! `test --init`: generates a test file that covers policies.

use super::args::TestArgs;
use super::manifests::{read_example, targets_and_examples};
use super::relative_path::relative;
use super::suites;
use crate::analysis::unit_test::{Scaffolding, scaffold};
use crate::cli::{Context, Exit, Refusal};
use crate::project::{self, Manifests, PolicyScope, Project};
use crate::report::test_yaml::{TestFileHead, test_file};
use ::systems::{ManifestSystem, Options, with_system};
use anyhow::Result;
use armada_retry::policy::Documents;
use document::diag::{Findings, plural};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Generates the file, and prints or writes it.
pub(super) fn run(context: &mut Context<'_>, args: &TestArgs) -> Result<Exit> {
    context.globals.output("test --init", &[])?;
    let paths: &[PathBuf] = &args.files;
    if let Some(stdin) = paths.iter().find(|path| path.as_os_str() == "-") {
        let message = format!("`{}`: a test file names the files of its policies", stdin.display());
        return Err(Refusal::usage(message).help("write the policies to a file").into());
    }
    refuse_existing(args.save.as_deref())?;
    let Project { documents, system, findings } = Project::read(paths, PolicyScope::OneSystem);
    project::refuse_errors(context.ui, findings)?;
    let suites = with_system!(
        system,
        Armada => suites::write_armada_tests(context, args, paths, &documents)?,
        S => write_manifest_tests::<S>(context, args, paths, &documents)?,
    );
    match &args.save {
        Some(path) => save(context, path, &suites)?,
        None => context.ui.data(&test_file(&suites))?,
    }
    Ok(Exit::Done)
}

/// Writes the file, and prints a note.
pub(in crate::commands) fn save(
    context: &mut Context<'_>,
    path: &Path,
    suites: &[(TestFileHead, Scaffolding)],
) -> Result<()> {
    write(path, &test_file(suites))?;
    let count = |of: fn(&Scaffolding) -> usize| suites.iter().map(|(_, suite)| of(suite)).sum();
    let tests: usize = count(|suite| suite.tests.len());
    let mut note = format!("note: wrote {} to {}", plural(tests, "test", "tests"), path.display());
    if suites.len() > 1 {
        note += &format!(", in {} suites", suites.len());
    }
    let left: usize = count(|suite| suite.uncovered.len());
    if left > 0 {
        note += &format!("; {left} not covered, which comments name");
    }
    Ok(context.ui.note(&note)?)
}

/// Refuses to overwrite a file.
pub(in crate::commands) fn refuse_existing(path: Option<&Path>) -> Result<()> {
    let Some(path) = path.filter(|path| path.symlink_metadata().is_ok()) else { return Ok(()) };
    let message = format!("`{}` exists already", path.display());
    let refusal = Refusal { exit: Exit::Refused, ..Refusal::input(message) };
    Err(refusal.help("name another file, or remove it").into())
}

/// Writes a file, and makes the directories above it. After an error there are no new ones.
fn write(path: &Path, text: &str) -> Result<()> {
    let parents = path.ancestors().skip(1).filter(|parent| !parent.as_os_str().is_empty());
    let made: Vec<&Path> = parents.take_while(|parent| !parent.exists()).collect();
    let written = path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| {
        // A file that was made since the check is not overwritten either.
        let mut file = std::fs::File::create_new(path)?;
        file.write_all(text.as_bytes()).inspect_err(|_| _ = std::fs::remove_file(path))
    });
    written.map_err(|error| {
        for parent in made {
            _ = std::fs::remove_dir(parent);
        }
        Refusal::input(format!("cannot write `{}`: {error}", path.display())).into()
    })
}

/// Generates a suite for each profile, since only one applies to all units, or one for all manifests of units.
fn write_manifest_tests<S: ManifestSystem>(
    context: &mut Context<'_>,
    args: &TestArgs,
    paths: &[PathBuf],
    documents: &Documents,
) -> Result<Vec<(TestFileHead, Scaffolding)>> {
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
    let mut findings = Findings::new();
    let options = Options::default();
    let all = Manifests::<S>::read(documents, &options, &mut findings);
    project::refuse_errors(context.ui, findings)?;
    all.refuse_none()?;
    let of_file = |file: Option<&str>| {
        let own = documents.others.iter().filter(|other| S::DESCRIPTION.has_document(other));
        let own = own.filter(|it| file.is_none_or(|file| it.document.source.name() == file));
        let own = Documents { others: own.cloned().collect(), ..Documents::default() };
        let manifests = Manifests::<S>::read(&own, &options, &mut Findings::new());
        manifests.refuse_several()?;
        let engine = manifests.engine();
        let (targets, examples) = targets_and_examples::<S>(&own, &options);
        let scaffolding = scaffold(&engine, &targets, examples, &|document, case| {
            read_example(document, case, &manifests, &engine)
        });
        let paths = file.map_or_else(|| paths.to_vec(), |file| vec![PathBuf::from(file)]);
        let policies = relative(&paths, args.save.as_deref());
        Ok((TestFileHead { policies, ..TestFileHead::default() }, scaffolding))
    };
    let own = documents.others.iter().filter(|other| S::DESCRIPTION.has_document(other));
    let mut files: Vec<&str> = own.map(|other| other.document.source.name()).collect();
    files.dedup();
    if !S::DESCRIPTION.applies_to_all_units() || files.len() < 2 {
        return Ok(vec![of_file(None)?]);
    }
    files.into_iter().map(|file| of_file(Some(file))).collect()
}
