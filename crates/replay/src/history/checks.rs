//! The rules that a record can break by its times and between the runs of a member.

use document::units::Time;

/// A field, and the rule that its value breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldFault {
    /// The field.
    pub key: &'static str,
    /// The number of the item at fault, if the field is a list and one item is.
    pub item: Option<usize>,
    /// The rule.
    pub message: String,
    /// A correction, if there is one.
    pub help: Option<String>,
}

impl FieldFault {
    /// A fault of a whole field, without help.
    pub fn new(key: &'static str, message: impl Into<String>) -> Self {
        Self { key, item: None, message: message.into(), help: None }
    }

    /// The fault with a help.
    #[must_use]
    pub fn help(self, text: &str) -> Self {
        Self { help: Some(text.to_owned()), ..self }
    }
}

/// The runs of a member before a record, as far as the rules between runs depend on them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PreviousRuns {
    /// The latest time so far.
    pub(crate) latest: Option<Time>,
    /// The index of the last run.
    pub(crate) last_index: Option<u32>,
}

impl PreviousRuns {
    /// The rule that the next run breaks: times do not go backwards, indices grow (semantics.md, section
    /// 10).
    #[cold]
    pub(crate) fn fault(
        self,
        time: Option<Time>,
        is_finished: bool,
        index: u32,
    ) -> Option<FieldFault> {
        if let (Some(latest), Some(time)) = (self.latest, time)
            // Equal times are in order (semantics.md, section 10).
            && time < latest
        {
            let key = if is_finished { "finishedAt" } else { "startedAt" };
            let message =
                format!("time goes backwards: {time} comes after {latest} of the run before");
            return Some(FieldFault::new(key, message));
        }
        let last = self.last_index.filter(|last| index <= *last)?;
        let message = format!("runIndex {index} does not increase: the run before has {last}");
        Some(FieldFault::new("runIndex", message))
    }
}

/// The rule that a run breaks if it ends before it starts.
pub(super) fn ends_before_it_starts(start: Option<Time>, end: Option<Time>) -> Option<FieldFault> {
    let (start, end) = start.zip(end).filter(|(start, end)| end < start)?;
    let message = format!("the run finishes at {end}, before it starts at {start}");
    Some(FieldFault::new("finishedAt", message).help("check whether the two are swapped"))
}
