//! The field table of the run records of attempts.

use compact_str::CompactString;
use document::diag::Code;
use document::{Kind, choices, names, optional, required};
use replay::history::run_fields;
use replay::history::{Field, FieldFault, RecordFields, ValueReader};

names! {
    /// How an attempt ended.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum AttemptOutcome {
        /// It succeeded.
        Succeeded = "Succeeded",
        /// It failed.
        #[default]
        Failed = "Failed",
        /// It is in error.
        Error = "Error",
        /// The workflow was stopped, or its deadline passed.
        Stopped = "Stopped",
    }
}

pub(super) const NAME: &str = "argo";

/// The fields of an attempt's record beyond those of all records.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AttemptFields {
    /// The template; absent if the workflow has one strategy.
    pub template: Option<CompactString>,
    /// How the attempt ended.
    pub outcome: AttemptOutcome,
    /// The exit code of the main container.
    pub exit_code: Option<i32>,
    /// The message of the attempt's node.
    pub message: Option<CompactString>,
    /// Whether the message is that of a transient error, if the record tells.
    pub transient: Option<bool>,
}

impl RecordFields for AttemptFields {
    /// A retry node is the only member of its unit.
    type Key = ();
    type Unit = ();
    type Limits = ();

    const SOURCE_ENGINE: &'static str = NAME;
    const DOC: &'static str =
        "One attempt of a retry node of Argo Workflows, as one line of a JSON Lines history.";

    const FIELDS: &'static [Field<Self>] = &[
        Field::id(
            "The retry node, by its name, which begins with that of its workflow: `ml/train-7k2p.prepare`.",
        ),
        Field::queue(run_fields::QUEUE),
        Field::own(
            optional(
                "template",
                Kind::SomeText,
                "The template that the node runs: `templateName`.\n\
                 Absent means the only one of the workflow that has a retry strategy.",
            ),
            |run, value| value.some_text(|text| run.template = Some(text.into())),
        ),
        Field::run_index(run_fields::RUN_INDEX),
        Field::started_at(run_fields::STARTED),
        Field::finished_at(run_fields::FINISHED),
        Field::node(run_fields::NODE),
        Field::cluster(run_fields::CLUSTER),
        Field::own(
            required(
                "outcome",
                Kind::OneOf(&OUTCOMES),
                "The phase of the attempt's node at its end.",
            ),
            |run, value| {
                run.outcome = value.text(AttemptOutcome::from_name)??;
                Some(())
            },
        ),
        Field::own(
            optional(
                "exitCode",
                EXIT_CODE,
                "The exit code of the main container: `outputs.exitCode`.\n\
                 Absent means none, which expressions read as -1, as that of steps and DAGs.",
            ),
            |run, value| {
                run.exit_code = value.optional(ValueReader::i32)?;
                Some(())
            },
        ),
        Field::own(
            optional("message", Kind::Text, "The message of the attempt's node."),
            |run, value| value.some_text(|text| run.message = Some(text.into())),
        ),
        Field::own(
            optional(
                "transient",
                Kind::Boolean,
                "Whether the controller takes the message for that of a transient error.\n\
                 Absent means by the texts that Argo has built in; TRANSIENT_ERROR_PATTERN may match more.",
            ),
            |run, value| {
                run.transient = value.optional(ValueReader::boolean)?;
                Some(())
            },
        ),
    ];

    fn fault(&self) -> Option<FieldFault> {
        None
    }

    fn key(&self) {}
}

const EXIT_CODE: Kind =
    Kind::Whole { min: i32::MIN as i128, max: i32::MAX as i128, code: Code::OutOfRange };

choices! {
    static OUTCOMES = "outcome" (elsewhere: &[
        ("Skipped", "leave the record out: a node that is skipped has no attempt"),
        ("Omitted", "leave the record out: a node that is omitted has no attempt"),
    ]) {
        /// It completed its work.
        "Succeeded",
        /// Its main container failed, or its pod did: evicted, or over its deadline.
        "Failed",
        /// The controller or an init container failed, or its pod was deleted.
        "Error",
        /// It ended because its workflow was stopped or terminated, or reached activeDeadlineSeconds:
        /// nothing is retried then.
        "Stopped",
    }
}
