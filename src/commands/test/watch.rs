//! `--watch`: runs the tests again whenever a file changes.

use super::args::TestArgs;
use super::run::{report, run_tests};
use crate::cli::{Context, Exit, Output, Refusal, print_error};
use crate::commands::report_files::Reports;
use anyhow::Result;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The time between two looks at the files: shorter than a person notices, and little work for some hundred files.
const INTERVAL: Duration = Duration::from_millis(300);

/// When a file was changed, and its size; none if it does not exist.
type Stamp = Option<(SystemTime, u64)>;

/// Runs the tests until the process is interrupted. The command line refuses reports of such tests, so that there are none.
pub(super) fn run(
    context: &mut Context<'_>,
    (args, reports): (&TestArgs, &Reports),
    output: Output,
) -> Result<Exit> {
    if args.files.iter().any(|file| file.as_os_str() == "-") {
        return Err(Refusal::usage("`--watch` cannot watch standard input")
            .help("give a file")
            .into());
    }
    loop {
        let session = run_tests(args)?;
        let inputs: Vec<PathBuf> = session.inputs.iter().cloned().collect();
        let before = stamps(&inputs);
        if let Err(error) = report(context, (args, reports), output, session) {
            print_error(&error, context.globals, context.ui);
        }
        context.ui.flush()?;
        context.ui.note("note: waiting for a change of a file; end with Ctrl-C")?;
        while stamps(&inputs) == before {
            std::thread::sleep(INTERVAL);
        }
        context.ui.note("")?;
    }
}

/// The stamps of files, and of the files of directories.
fn stamps(paths: &[PathBuf]) -> BTreeMap<PathBuf, Stamp> {
    let mut all = BTreeMap::new();
    for path in paths {
        add(path, &mut all);
    }
    all
}

fn add(path: &Path, all: &mut BTreeMap<PathBuf, Stamp>) {
    let metadata = path.metadata().ok();
    let stamp = metadata.as_ref().and_then(|data| Some((data.modified().ok()?, data.len())));
    if all.insert(path.to_owned(), stamp).is_some() {
        return;
    }
    // A new file changes the time of its directory.
    if metadata.is_some_and(|data| data.is_dir()) {
        let entries = path.read_dir().into_iter().flatten().flatten();
        for entry in entries.filter(|entry| entry.path().is_dir()) {
            add(&entry.path(), all);
        }
    }
    // A pattern may match files that are new.
    if path.to_string_lossy().contains(['*', '?', '['])
        && let Some(parent) = path.ancestors().find(|parent| parent.is_dir())
    {
        let changed = parent.metadata().and_then(|it| it.modified()).ok();
        all.insert(parent.to_owned(), changed.map(|time| (time, 0)));
    }
}
