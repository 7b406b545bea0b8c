//! `--executor-config`: the configuration files of Armada's executors.

use super::misplaced::{other_input, read_input};
use super::{files, refuse_errors};
use crate::cli::Refusal;
use crate::input::Exclusions;
use crate::ui::Ui;
use anyhow::Result;
use armada_retry::policy::{self, SchedulerSettings};
use cluster::read::InputKind;
use document::diag::{Diagnostic, Findings, Source};
use document::{Document, Limits};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use systems::armada::classifier::config::{self, ExecutorConfig, ReadConfig};
use systems::armada::classifier::{ClusterConfig, Executor, Executors};

/// The files of one executor, and the cluster that it serves.
#[derive(Debug, Clone)]
pub struct ExecutorFiles {
    /// The cluster; `None` for all.
    pub cluster: Option<String>,
    /// The files, in the order in which they are merged.
    pub files: Vec<PathBuf>,
}

impl FromStr for ExecutorFiles {
    type Err = String;

    /// Reads `[CLUSTER=]FILE[,FILE..]`.
    fn from_str(text: &str) -> Result<Self, String> {
        let is_name = |name: &str| !name.is_empty() && !name.contains(['/', '\\']);
        let (cluster, files) = match text.split_once('=').filter(|(name, _)| is_name(name)) {
            Some((name, files)) => (Some(name.to_owned()), files),
            None => (None, text),
        };
        let files: Vec<PathBuf> = files.split(',').map(PathBuf::from).collect();
        if files.iter().any(|file| file.as_os_str().is_empty()) {
            return Err("write [CLUSTER=]FILE[,FILE..]".to_owned());
        }
        Ok(Self { cluster, files })
    }
}

impl ExecutorFiles {
    /// Reads the files; adds their findings. `None` if the executor would not start with them.
    pub fn read(&self, findings: &mut Findings) -> Option<ExecutorConfig> {
        let config = self.read_to_convert(findings)?;
        findings.extend(config::disabled_warning(&config.categories));
        Some(config)
    }

    /// The same without a finding about categories that are off.
    pub fn read_to_convert(&self, findings: &mut Findings) -> Option<ExecutorConfig> {
        config_of(&self.sources(findings)?, findings)
    }

    /// The texts of the files; `None` if one cannot be read.
    fn sources(&self, findings: &mut Findings) -> Option<Vec<Arc<Source>>> {
        let mut unreadable = Findings::new();
        let sources = files::texts(&self.files, &Exclusions::default(), &mut unreadable);
        let (name, content) = ("an executor's configuration", "application.errorCategories");
        unreadable.extend(sources.iter().filter_map(|it| other_input(it, None, name, content)));
        let is_readable = !unreadable.has_errors();
        findings.extend(unreadable);
        is_readable.then_some(sources)
    }
}

/// The configuration in the texts of one executor; `None` if it would not start with it.
fn config_of(sources: &[Arc<Source>], findings: &mut Findings) -> Option<ExecutorConfig> {
    let ReadConfig { config, stop, findings: more, .. } = config::read(sources);
    findings.extend(more);
    config.filter(|_| stop.is_none())
}

/// Reads the configurations of all clusters; adds their findings, and their texts to `texts`. Those with which an executor
/// would not start are left out.
pub fn read_clusters(
    all: &[ExecutorFiles],
    texts: &mut Vec<Arc<Source>>,
    findings: &mut Findings,
) -> Vec<ClusterConfig> {
    let mut clusters = Vec::new();
    for files in all {
        let Some(sources) = files.sources(findings) else { continue };
        if let Some(config) = config_of(&sources, findings) {
            findings.extend(config::disabled_warning(&config.categories));
            clusters.push(ClusterConfig { cluster: files.cluster.clone(), config });
        }
        texts.extend(sources);
    }
    clusters
}

/// The configuration of one executor; errors stop the command, warnings are printed.
pub fn read_executor(ui: &mut Ui, files: &ExecutorFiles) -> Result<ExecutorConfig> {
    let mut findings = Findings::new();
    let config = files.read(&mut findings);
    refuse_errors(ui, findings)?;
    config
        .ok_or_else(|| Refusal::input("the executor would not start with its configuration").into())
}

/// The executors of these files; `None` if there are none. Errors stop the command, warnings are printed.
pub fn read_executors(ui: &mut Ui, all: &[ExecutorFiles]) -> Result<Option<Executors>> {
    refuse_repeated(all)?;
    let mut by_cluster = Vec::new();
    for files in all {
        let config = read_executor(ui, files)?;
        by_cluster.push((files.cluster.clone(), Executor::new(&config)));
    }
    Ok((!all.is_empty()).then(|| Executors::new(by_cluster)))
}

/// Refuses a second configuration for the executor of one cluster: its files belong to one value.
pub fn refuse_repeated(all: &[ExecutorFiles]) -> Result<()> {
    for (number, files) in all.iter().enumerate() {
        if all[..number].iter().any(|earlier| earlier.cluster == files.cluster) {
            let message = match &files.cluster {
                Some(cluster) => format!("two --executor-config are for cluster `{cluster}`"),
                None => "two --executor-config name no cluster".to_owned(),
            };
            let help = "name the files of one executor with commas, or write CLUSTER=FILE";
            return Err(Refusal::usage(message).help(help).into());
        }
    }
    Ok(())
}

/// The settings of a scheduler configuration file, or those without one, and its warnings. Errors
/// stop the command.
pub fn scheduler_settings(path: Option<&Path>) -> Result<(SchedulerSettings, Vec<Diagnostic>)> {
    let Some(path) = path else { return Ok((SchedulerSettings::default(), Vec::new())) };
    let mut findings = Findings::new();
    let (settings, _) = read(path, &mut findings);
    if findings.has_errors() {
        return Err(Refusal::findings(findings.sorted()).into());
    }
    match settings {
        Some(settings) => Ok((settings, findings.sorted())),
        None => Err(Refusal::input(format!("cannot read `{}`", path.display())).into()),
    }
}

/// The settings of a scheduler configuration file with their document; `None` if it is empty or has errors, which are
/// added.
pub fn read_scheduler_document(
    path: &Path,
    findings: &mut Findings,
) -> Option<(SchedulerSettings, Document)> {
    let (settings, document) = read(path, findings);
    settings.zip(document)
}

fn read(path: &Path, findings: &mut Findings) -> (Option<SchedulerSettings>, Option<Document>) {
    let source = read_input(path, Limits::POLICY, InputKind::Scheduler, findings);
    let Some(source) = source else { return (None, None) };
    let (settings, document, more) = policy::read_scheduler_document(&source);
    findings.extend(more);
    (settings, document)
}
