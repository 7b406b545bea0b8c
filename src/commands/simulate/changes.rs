//! `--changes` and `--samples`: what differs under each variant from the first one.

use super::SimulateArgs;
use crate::cli::Refusal;
use crate::commands::output_file::OutputFile;
use crate::input::resolve_path;
use anyhow::Result;
use document::diag::json_printable;
use replay::simulate::{Change, ChangeLine, ChangeLines, CompareOptions, Engine, RuleLabel};
use std::sync::{Mutex, PoisonError};

/// Number of samples of each kind of change without `--samples`.
const SAMPLES: usize = 3;

/// The comparison of variants, and the file of `--changes`.
pub(super) struct Comparing {
    samples: usize,
    file: Option<ChangesFile>,
}

/// The file of `--changes`.
struct ChangesFile {
    output: Mutex<OutputFile>,
    /// The name and the rules of each variant.
    variants: Vec<(String, Vec<RuleLabel>)>,
}

impl Comparing {
    /// The comparison, if there are several variants and it is not switched off. Creates the file.
    pub(super) fn new<E: Engine>(
        args: &SimulateArgs,
        names: &[&str],
        engines: &[E],
    ) -> Result<Option<Self>> {
        let samples = args.samples.map_or(SAMPLES, usize::from);
        let Some(path) = &args.changes else {
            let is_compared = engines.len() > 1 && samples > 0;
            return Ok(is_compared.then_some(Self { samples, file: None }));
        };
        let output = Mutex::new(OutputFile::create(path)?);
        let variants = names.iter().zip(engines);
        let variants = variants.map(|(name, engine)| ((*name).to_owned(), engine.rules()));
        let file = ChangesFile { output, variants: variants.collect() };
        Ok(Some(Self { samples, file: Some(file) }))
    }

    /// How engines are compared.
    pub(super) fn compare(&self) -> CompareOptions<'_> {
        let lines = self.file.as_ref().map(|file| file as &dyn ChangeLines);
        CompareOptions { samples: self.samples, lines }
    }

    /// Writes what is buffered; an error if the file could not be written.
    pub(super) fn finish(self) -> Result<()> {
        let Some(file) = self.file else { return Ok(()) };
        file.output.into_inner().unwrap_or_else(PoisonError::into_inner).finish()
    }
}

impl ChangeLines for ChangesFile {
    fn format(&self, change: &Change<'_>, line: &mut Vec<u8>) {
        let ([(_, first), ..], Some((name, own))) =
            (self.variants.as_slice(), self.variants.get(change.engine))
        else {
            return;
        };
        // Writing texts and numbers to memory cannot fail.
        let json = serde_json::to_string(&ChangeLine::new(change, name, first, own));
        line.extend_from_slice(json_printable(&json.unwrap_or_default()).as_bytes());
        line.push(b'\n');
    }

    fn write(&self, line: &[u8]) {
        self.output.lock().unwrap_or_else(PoisonError::into_inner).bytes(line);
    }
}

/// Refuses a file of `--changes` that is also read, or that is standard output, which has the report.
pub(super) fn refuse_file(args: &SimulateArgs) -> Result<()> {
    let Some(path) = &args.changes else { return Ok(()) };
    if path.as_os_str() == "-" {
        let refusal = Refusal::usage("`--changes -`: standard output has the report");
        return Err(refusal.help("name a file").into());
    }
    if args.reads(&resolve_path(path)) {
        let message = format!("--changes: `{}` is used by another flag", path.display());
        return Err(Refusal::usage(message).help("name another file").into());
    }
    Ok(())
}
