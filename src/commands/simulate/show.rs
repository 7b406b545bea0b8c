//! The values of `--show`: the tables of a replay, and those of a simulated cluster.

use crate::cli::Refusal;
use crate::report::{cluster, simulation};
use anyhow::Result;

/// The value that names all tables.
const ALL: &str = "all";

/// All values: those of a replay, then those that only a cluster has.
pub(super) fn values() -> impl Iterator<Item = &'static str> {
    let of_replay = simulation::Section::ALL.map(|(name, _)| name);
    let of_cluster = cluster::Section::ALL.map(|(name, _)| name).into_iter();
    let others = of_cluster.filter(move |name| !of_replay.contains(name));
    of_replay.into_iter().chain(others).chain([ALL])
}

/// The tables of these names, in the order of `all`; refuses the name of a table that this kind of report lacks.
pub(super) fn sections<S: Copy>(
    names: &[String],
    all: &[(&'static str, S)],
    report: &str,
) -> Result<Vec<S>> {
    let has = |name: &str| name == ALL || all.iter().any(|(it, _)| *it == name);
    if let Some(name) = names.iter().find(|name| !has(name)) {
        let known: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
        let message = format!("--show {name}: the report of {report} has no such table");
        let help = format!("its tables are {}, {ALL}", known.join(", "));
        return Err(Refusal::usage(message).help(help).into());
    }
    let is_named = |name: &str| names.iter().any(|it| it == name || it == ALL);
    Ok(all.iter().filter(|(name, _)| is_named(name)).map(|(_, section)| *section).collect())
}

/// The table of `-o csv`: the only one of these.
pub(super) fn only<S: Copy>(sections: &[S]) -> Result<S> {
    match sections {
        [section] => Ok(*section),
        sections => {
            let number = if sections.is_empty() { "none" } else { "several" };
            let message = format!("`-o csv` prints one table, but --show names {number}");
            let help = "name it, such as `--show rules`, or use `-o json`, which has all";
            Err(Refusal::usage(message).help(help).into())
        }
    }
}
