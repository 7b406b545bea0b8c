//! `test`: runs unit tests of policies, and generates them.
//!
//! `args` has the arguments; `run` runs the tests of the files, `armada` and `manifests` those of one document of a
//! system, `init` generates a file, `suites` those of Armada's policies;
//! `pinned` makes tests of the differences that `compare` finds.

mod args;
mod armada;
mod cases;
#[cfg(test)]
mod coverage_tests;
mod files;
mod init;
mod manifests;
mod pinned;
mod relative_path;
mod run;
mod session;
mod suites;
mod watch;

pub use args::TestArgs;
#[cfg(feature = "internals")]
pub use files::run_texts;
pub(super) use files::validate_documents;
pub(super) use init::{refuse_existing, save};
pub(super) use pinned::{PinnedManifest, PinnedSuite, pinned_manifest, pinned_suite};

use super::report_files::Reports;
use crate::cli::{Context, Exit, Output};
use crate::input::is_read_by;
use crate::project;
use anyhow::Result;

/// Runs the tests, or generates a test file.
pub fn run(context: &mut Context<'_>, args: &TestArgs) -> Result<Exit> {
    if args.init {
        return init::run(context, args);
    }
    args.reports.begin("test").run(context, |context, reports| run_tests(context, args, reports))
}

fn run_tests(context: &mut Context<'_>, args: &TestArgs, reports: &Reports) -> Result<Exit> {
    project::refuse_second_stdin(&*args.files)?;
    let output = context.globals.output("test", &[Output::Table, Output::Json, Output::Yaml])?;
    if args.watch {
        return watch::run(context, (args, reports), output);
    }
    reports.refuse_inputs(|file| args.files.iter().any(|path| is_read_by(path, file)))?;
    let session = run::run_tests(args)?;
    run::report(context, (args, reports), output, session)
}
