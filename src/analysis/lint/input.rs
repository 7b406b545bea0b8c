//! The input of all lints.

use armada_retry::policy::{Documents, SchedulerSettings};
use document::Document;
use replay::simulate::SummaryReport;
use systems::Bounds;
use systems::armada::classifier::ClusterConfig;

/// The policies and queues that are linted, with the known settings of the system that they are for.
#[derive(Debug)]
pub struct LintInput<'d> {
    /// The documents.
    pub documents: &'d Documents,
    /// The scheduler's settings, if its configuration is known.
    pub scheduler: Option<SchedulerConfig<'d>>,
    /// The configurations of executors with which they start, if files of them are given. Their audit then reports
    /// on categories.
    pub executors: Option<&'d [ClusterConfig]>,
    /// The policies of every queue, in order, whatever the Queue documents list.
    pub queue_policies: Option<&'d [String]>,
    /// The summary of a history that was replayed under the policies.
    pub history: Option<&'d SummaryReport>,
    /// The bounds on what one job may cost.
    pub bounds: Bounds,
    /// The files of Queue documents whose policies may be in other files.
    pub partial_queues: Vec<String>,
    /// Whether the scheduler's default policy is in the files, if it exists.
    pub knows_all_policies: bool,
}

/// The scheduler's settings, and the document that they were read from.
#[derive(Debug, Clone, Copy)]
pub struct SchedulerConfig<'d> {
    /// The settings.
    pub settings: &'d SchedulerSettings,
    /// The document.
    pub document: &'d Document,
}
