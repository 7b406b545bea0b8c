//! The pool before the round, from the state and the files that fill it in.

use super::RoundArgs;
use crate::cli::Refusal;
use crate::cluster::read::{Profile, Scheduling, StateFile, read_cluster, read_scheduling};
use crate::cluster::spec::ClusterSpec;
use crate::cluster::state::PoolState;
use crate::commands::load::refuse_errors;
use crate::diag::{Findings, Source};
use crate::document::Limits;
use crate::input;
use crate::ui::Ui;
use anyhow::Result;
use std::path::Path;
use std::sync::Arc;

/// Reads the state and what it lacks. Errors stop the command; warnings are printed.
pub(super) fn state(ui: &mut Ui, args: &RoundArgs) -> Result<PoolState> {
    let file = read(ui, &args.state, Limits::HISTORY, StateFile::parse)?;
    refuse_both(&file, args)?;
    let scheduling = scheduling(ui, &file, args)?;
    let clusters: Option<ClusterSpec> = match &args.cluster {
        None => None,
        Some(path) => {
            Some(read(ui, path, Limits::POLICY, |source| read_cluster(source, Some(&scheduling)))?)
        }
    };
    let (state, findings) = file.read(&scheduling, clusters.as_ref());
    refuse_errors(ui, findings)?;
    state.ok_or_else(|| unreadable(&args.state))
}

/// Refuses a flag for what the state has.
fn refuse_both(file: &StateFile, args: &RoundArgs) -> Result<()> {
    let state = args.state.display();
    let pairs = [
        (file.has_config(), "config", &args.scheduler_config, "--scheduler-config"),
        (file.has_nodes(), "nodes", &args.cluster, "--cluster"),
    ];
    for (is_in_state, key, path, flag) in pairs {
        if let (true, Some(path)) = (is_in_state, path) {
            let message = format!("`{state}` has `{key}`, and `{flag} {}` is set", path.display());
            let help = format!("remove `{key}` from the state, or leave out `{flag}`");
            return Err(Refusal::usage(message).help(help).into());
        }
    }
    Ok(())
}

fn scheduling(ui: &mut Ui, file: &StateFile, args: &RoundArgs) -> Result<Scheduling> {
    let profile = Profile::Landed;
    if let Some(path) = &args.scheduler_config {
        return read(ui, path, Limits::POLICY, |source| read_scheduling(source, profile));
    }
    let (scheduling, findings) = file.scheduling(profile);
    refuse_errors(ui, findings)?;
    scheduling.ok_or_else(|| unreadable(&args.state))
}

/// Reads a file of some kind.
fn read<T>(
    ui: &mut Ui,
    path: &Path,
    limits: Limits,
    parse: impl Fn(&Arc<Source>) -> (Option<T>, Findings),
) -> Result<T> {
    let mut findings = Findings::new();
    let source = input::read_text(path, limits, &mut findings);
    let parsed = source.and_then(|source| {
        let (parsed, more) = parse(&source);
        findings.extend(more);
        parsed
    });
    refuse_errors(ui, findings)?;
    parsed.ok_or_else(|| unreadable(path))
}

fn unreadable(path: &Path) -> anyhow::Error {
    Refusal::input(format!("cannot read `{}`", path.display())).into()
}
