//! The sources of a report: the command line, the hashes of its files, the size of histories.

use super::SimulateArgs;
use super::inputs::history_files;
use super::variant_args::FIRST_VARIANT;
use crate::commands::command_line;
use crate::project;
use crate::report::{InputFile, Provenance, ReplaySources, ShortPaths};
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::slice;

/// The sources of a simulation but for histories, by the words of its command line. Reads the files once more; one that
/// cannot be read has no hash.
pub(super) fn gather(args: &SimulateArgs, words: &[OsString]) -> Provenance {
    let names = command_line::names(words);
    let command = command_line::for_shell(words, &names);
    Provenance { command, inputs: inputs(args, &names), names }
}

/// The histories of a replay, and its seed.
pub(super) fn replay_sources(args: &SimulateArgs) -> ReplaySources {
    let histories = history_files(&args.history);
    let size =
        |path: &PathBuf| path.metadata().ok().filter(fs::Metadata::is_file).map(|file| file.len());
    ReplaySources {
        seed: args.seed.unwrap_or_default(),
        files: histories.len() as u64,
        bytes: histories.iter().map(size).sum(),
    }
}

/// The files of policies, of configuration and of a simulated cluster.
fn inputs(args: &SimulateArgs, names: &ShortPaths) -> Vec<InputFile> {
    let first = args.policies.files.iter().map(|path| (FIRST_VARIANT, path));
    let variants = args.variant.iter();
    let variants = variants.flat_map(|it| it.files.iter().map(|path| (it.name.as_str(), path)));
    let others = args.settings().chain(args.simulated.inputs()).map(|path| ("", path));
    let all = first.chain(variants).chain(others);
    all.flat_map(|(policies, path)| {
        let name = command_line::short_name(&path.to_string_lossy(), names);
        project::policy_files(slice::from_ref(path)).into_iter().map(move |file| InputFile {
            policies: policies.to_owned(),
            name: match file.strip_prefix(path) {
                Ok(below) if !below.as_os_str().is_empty() => format!("{name}/{}", below.display()),
                Ok(_) => name.clone(),
                Err(_) => command_line::short_name(&file.to_string_lossy(), names),
            },
            sha256: sha256(&file),
        })
    })
    .collect()
}

/// The SHA-256 of a file; `None` if it is no regular file.
fn sha256(path: &Path) -> Option<String> {
    let bytes = path.is_file().then(|| fs::read(path).ok()).flatten()?;
    let mut digits = String::with_capacity(64);
    for byte in Sha256::digest(&bytes) {
        let _ = write!(digits, "{byte:02x}");
    }
    Some(digits)
}
