//! How runs end, and what becomes of a Job and its members then.

use super::model::PodAction;
use super::pod::Pod;
use super::record::PodFields;
use super::status::{Failure, FailureReason, Ruling};
use crate::units::{GoDuration, Time};
use std::borrow::Cow;

/// A run of a member that has ended, or whose containers have been restarted in place.
#[derive(Debug, Clone, Copy)]
pub struct PodEnd<'r> {
    /// Which of the Job's members it is of.
    pub member: usize,
    /// What its record says.
    pub fields: &'r PodFields,
    /// When it ended, if that is known.
    pub at: Option<Time>,
}

/// How a Job is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobEnd {
    /// Every pod on record did its work.
    Complete,
    /// It failed.
    Failed(Failure),
}

/// What becomes of a member whose run ended, in a Job that goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Its run goes on.
    Running,
    /// It did its work.
    Succeeded,
    /// Another pod takes its place.
    Replaced {
        /// The wait.
        delay: GoDuration,
        /// When the wait is over, if that is known.
        not_before: Option<Time>,
    },
    /// Its index has failed.
    IndexFailed,
    /// No pod takes its place: another's success is enough, or it has no index of the Job.
    NotReplaced,
}

impl Ruling {
    /// The message of the Job's failure, if the pod that was ruled on brought it about.
    pub fn failure_message(
        &self,
        reason: FailureReason,
        pod: &Pod<'_>,
    ) -> Option<Cow<'static, str>> {
        let fixed = reason.message().map(Cow::Borrowed);
        let fails = self.matched.filter(|matched| matched.action == PodAction::FailJob);
        fixed.or_else(|| fails.map(|matched| super::message(matched, pod).into()))
    }
}
