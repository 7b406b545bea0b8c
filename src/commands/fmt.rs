//! `fmt`: documents in their canonical layout.

use super::check::check;
use super::edit_proof::EditProof;
use super::fix;
use super::input_files::{ARGUMENTS, InputFiles};
use super::system_args::SystemArgs;
use crate::analysis::formatted_kind;
use crate::cli::{Context, Exit, Output, Refusal};
use crate::project::{self, CheckInputs, ExcludeArgs, FileSelectionArgs};
use ::systems::Bounds;
use anyhow::Result;
use armada_retry::policy::{SchedulerSettings, WITHOUT_KIND};
use clap::Args;
use document::diag::{Code, Findings, Severity, Source, printable};
use document::format;
use std::sync::Arc;

const EXAMPLES: &str = "\
Examples:
  # Rewrite the files of a directory
  armadactl fmt -f policies/

  # Print what would change
  armadactl fmt -f policies/ --diff

  # Fail if a file would change, as in a pull request
  armadactl fmt -f policies/ --check

  # Format standard input, as an editor does
  armadactl fmt -f - < policy.yaml";

const EXITS: &str = "\
Exit codes:
  0  success; with --check: no file would change
  1  --check: a file would change
  2  invalid command line
  3  a document has an error, or a file cannot be written: nothing is changed
  6  a file is read-only, has hard links, is compressed, or was changed in the meantime";

/// Rewrite documents in their canonical layout
///
/// The layout: 2 spaces for a level, items of a list in the column of their key, keys in the order in
/// which `explain` lists them, the usual spelling of values that Armada accepts in several, and at
/// most one blank line between entries. Values, quotes and comments stay; comments move with their
/// entries. The new text is compared with the old one before it is written.
///
/// RetryPolicy, Queue, RetryProfile and `RetryPolicyTest` documents are formatted. Other documents stay as
/// they are, byte for byte, with a note.
///
/// The names of changed files are printed, one per line. Standard input is written to standard output.
#[derive(Debug, Args)]
#[command(before_long_help = EXAMPLES, after_long_help = EXITS)]
#[command(mut_arg(ARGUMENTS, |arg| arg.help("Format these files or directories (`-` for stdin)")))]
pub struct FmtArgs {
    #[command(flatten)]
    files: InputFiles,
    /// Write nothing, and fail if a file would change
    #[arg(long)]
    check: bool,
    /// Write nothing, and print the changes
    #[arg(long)]
    diff: bool,
    #[command(flatten)]
    exclude: ExcludeArgs,
}

/// Formats the files, or prints what would change.
pub fn run(context: &mut Context<'_>, args: &FmtArgs) -> Result<Exit> {
    context.globals.output("fmt", &[Output::Table])?;
    project::refuse_second_stdin(&*args.files)?;
    let writes = !args.check && !args.diff;
    let is_stdin = args.files.iter().any(|path| path.as_os_str() == "-");
    if writes && is_stdin && args.files.len() > 1 {
        let message = "`-` writes to standard output, so it cannot be given with other files";
        return Err(Refusal::usage(message).help("format it with a separate command").into());
    }
    let old = read(args)?;
    let new = formatted(context, &old)?;
    EditProof::new(&old, &new, &SchedulerSettings::default())?.refuse_changes()?;
    let differs = fix::changed(&old, &new).next().is_some();
    if args.diff {
        fix::print_diff(context.ui, &old, &new)?;
    } else if writes && is_stdin {
        new.iter().try_for_each(|source| context.ui.data(source.text()))?;
    } else {
        if writes {
            fix::write(&old, &new)?;
        }
        for (source, _) in fix::changed(&old, &new) {
            context.ui.data(&format!("{}\n", printable(source.name())))?;
        }
    }
    Ok(if args.check && differs { Exit::No } else { Exit::Done })
}

/// The texts of the files, if none of them has an error.
fn read(args: &FmtArgs) -> Result<Vec<Arc<Source>>> {
    // Documents of other kinds stay as they are, so they are no errors.
    let selection = FileSelectionArgs::skipping_other_kinds(&args.exclude);
    let inputs = CheckInputs {
        files: &args.files,
        executors: &[],
        scheduler: None,
        selection: &selection,
        others: Vec::new(),
    };
    let mut findings = Findings::new();
    let texts = inputs.read(&mut findings)?;
    check(&inputs, &texts, (&SystemArgs::default(), &Bounds::default()), &mut findings)?;
    // Whether a feature is on depends on the cluster.
    let findings = project::name_templates(findings.without(&[Code::GateDisabled]));
    if !findings.has_errors() {
        return Ok(texts.sources);
    }
    let mut items = findings.sorted();
    items.retain(|item| item.severity == Severity::Error);
    Err(Refusal::findings(items).with_count("nothing was changed").into())
}

/// The texts in canonical layout. Documents that stay as they are are noted.
fn formatted(context: &mut Context<'_>, sources: &[Arc<Source>]) -> Result<Vec<Arc<Source>>> {
    let mut new = Vec::with_capacity(sources.len());
    let mut ignored = Vec::new();
    for source in sources {
        let start = ignored.len();
        let (text, unsafe_documents) = format(source, |document| {
            let kind = formatted_kind(document);
            if kind.is_none() {
                let kind = document.root.entry_in_any_case("kind");
                let kind = kind.and_then(|entry| entry.value.text()).unwrap_or(WITHOUT_KIND);
                let head = document.root.span.first_line(source.text());
                ignored.push((kind.to_owned(), document.place(head)));
            }
            kind
        });
        ignored[start..].reverse();
        for document in unsafe_documents {
            let place = document.place(document.root.span.first_line(source.text()));
            let why = "its layout stays: it has a notation that is not formatted, such as `? key`, a directive or `|2`";
            context.ui.note_at(&place, "skipped", why)?;
        }
        let is_same = text == source.text();
        new.push(if is_same { Arc::clone(source) } else { fix::with_text(source, text) });
    }
    project::note_ignored_documents(context.ui, &ignored)?;
    Ok(new)
}
