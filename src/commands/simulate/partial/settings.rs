//! The settings on which figures depend. Parts of a history are merged only if theirs are the same.

use super::super::{SimulateArgs, TimelinesName};
use crate::cli::Refusal;
use crate::commands::policy_set::PolicySetArgs;
use crate::input::resolve_path;
use crate::project;
use anyhow::Result;
use armada_retry::engine::Reload;
use armada_retry::policy::Queue;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::PathBuf;

/// Hashes items one by one, each with its length.
#[derive(Default)]
struct Hash(Sha256);

impl Hash {
    fn add(&mut self, item: impl AsRef<[u8]>) {
        let item = item.as_ref();
        // With its length, so that the same bytes in other items have another hash.
        self.0.update((item.len() as u64).to_le_bytes());
        self.0.update(item);
    }

    /// Adds the contents of files, whose names may differ from one machine to another.
    fn add_files(&mut self, paths: &[PathBuf]) -> Result<()> {
        let files = project::policy_files(paths);
        self.add(files.len().to_string());
        for file in files {
            if file.as_os_str() == "-" {
                let message = "standard input has the policies, which --partial reads twice";
                return Err(Refusal::usage(message).help("write them to a file").into());
            }
            let read = fs::read(&file);
            self.add(read.map_err(|error| {
                Refusal::input(format!("cannot read `{}`: {error}", file.display()))
            })?);
        }
        Ok(())
    }
}

/// The hash of the policies and settings of a system, and of the queues and reloads of the history's documents. Flags that
/// change only the report are left out.
pub(in super::super) fn settings(
    args: &SimulateArgs,
    system: &str,
    variants: &[&str],
    (queues, reloads): (&[Queue], &[Reload]),
) -> Result<[u8; 32]> {
    let mut hash = Hash::default();
    hash.add(system);
    hash.add(format!("{variants:?}"));
    hash.add_files(&args.policies.files)?;
    for variant in &args.variant {
        hash.add(&variant.name);
        hash.add_files(&variant.files)?;
    }
    for executor in &args.executor_config {
        hash.add(format!("{:?}", executor.cluster));
        hash.add_files(&executor.files)?;
    }
    let files = args.policies.scheduler_config.iter().chain(&args.disruptions.disruptions);
    for file in files {
        hash.add_files(std::slice::from_ref(file))?;
    }
    // The names of files are left out.
    let policies =
        PolicySetArgs { files: Vec::new(), scheduler_config: None, ..args.policies.clone() };
    hash.add(format!("{policies:?} {:?}", args.systems));
    hash.add(format!("{:?} {:?}", args.policies.scheduler_config.is_some(), args.on_bad_record));
    hash.add(format!("{} {}", args.seed.unwrap_or_default(), args.strict_records));
    hash.add(format!("{queues:?} {reloads:?}"));
    Ok(hash.0.finalize().into())
}

/// Refuses flags that a replay of a part of a history cannot have, and a file that another flag reads.
pub(in super::super) fn refuse_flags(args: &SimulateArgs) -> Result<()> {
    let Some(file) = &args.partial else { return Ok(()) };
    let flags = [
        ("--timelines all", args.timelines == TimelinesName::All),
        ("--report", args.reports.is_given()),
    ];
    if let Some((flag, _)) = flags.into_iter().find(|(_, is_set)| *is_set) {
        let message = format!("`{flag}` needs a report, and --partial writes none");
        let help = "give it where the partial summaries are read";
        return Err(Refusal::usage(message).help(help).into());
    }
    if file.as_os_str() != "-" && args.reads(&resolve_path(file)) {
        let message = format!("--partial: `{}` is used by another flag", file.display());
        return Err(Refusal::usage(message).help("name another file").into());
    }
    Ok(())
}
