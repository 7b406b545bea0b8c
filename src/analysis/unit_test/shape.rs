//! The shape of `kind: RetryPolicyTest` documents. It depends on the system of the policies, whose records the failures
//! are: each system has a shape of its own.

use super::fields::{EXPECTATION, JOB_EXPECTATION, ROW_EXPECTATION};
use armada_retry::policy::shapes::SETTINGS;
use document::diag::Code;
use document::{Choices, Constraint, Extra, Field, Kind, Shape, choice, optional, required};
use replay::history::{EVENT, RecordFields, Table};
use std::marker::PhantomData;

/// The kind of the documents.
pub const KIND: &str = "RetryPolicyTest";

/// The shapes of the tests of a system's policies, by its records.
#[derive(Debug)]
pub struct TestShape<F>(PhantomData<F>);

impl<F: RecordFields> TestShape<F> {
    /// A document.
    pub const DOCUMENT: &'static Shape = &Shape {
        name: KIND,
        doc: "Tests of retry policies: failures, and what the policies decide about them.",
        fields: &[
            required(
                "apiVersion",
                Kind::Exactly("armadaproject.io/v1"),
                "The form: armadaproject.io/v1.",
            ),
            required("kind", Kind::Exactly(KIND), "The kind: RetryPolicyTest."),
            optional("metadata", Kind::Anything, "Not read."),
            required("spec", Kind::Object(Self::SPEC), "The policies and their tests."),
        ],
        constraints: &[],
        extra: Extra::Refused,
        elsewhere: &[],
    };

    const SPEC: &'static Shape = &Shape {
        name: "spec",
        doc: "The policies and their tests.",
        fields: if F::HAS_SCHEDULER { Self::OF_SCHEDULER } else { Self::OF_MANIFESTS },
        constraints: &[],
        extra: Extra::Refused,
        elsewhere: if F::HAS_SCHEDULER { FIELDS_OF_MANIFESTS } else { FIELDS_OF_ARMADA },
    };

    const OF_SCHEDULER: &'static [Field] = &[
        POLICIES,
        optional(
            "queuePolicies",
            Kind::List { item: &Kind::SomeText, min: 0 },
            "The names of the policies that apply to the jobs of every queue, in order.\n\
             Absent: the list of the Queue document, else of the history, else the only policy.",
        ),
        optional("schedulerConfig", Kind::Object(&SETTINGS), "The scheduler's settings."),
        optional(
            "engine",
            Kind::OneOf(&ENGINES),
            "The rules of evaluation; absent: by the form of the policies.",
        ),
        Self::TESTS,
    ];

    const OF_MANIFESTS: &'static [Field] = &[
        POLICIES,
        optional(
            "featureGates",
            Kind::Map(&Kind::Boolean),
            "Features of JobSet's controller that are on or off: RestartJob and InPlaceRestart, both off.",
        ),
        optional(
            "podBackoffCap",
            Kind::Duration,
            "The longest wait of a Job's pod; absent means 10m.",
        ),
        optional(
            "releases",
            Kind::List { item: &Kind::SomeText, min: 0 },
            "The releases that the policies are read under, such as `jobset-0.9`; absent means the newest ones.",
        ),
        SEED,
        Self::TESTS,
    ];

    const TESTS: Field = required(
        "tests",
        Kind::List { item: Self::TEST_KIND, min: 1 },
        "The tests, of different names.",
    );
    const TEST_KIND: &'static Kind = &Kind::Object(Self::TEST);

    const TEST: &'static Shape = &Shape {
        name: "test",
        doc: "Failures of a job, or a table of independent cases, and what is expected.",
        fields: if F::HAS_SCHEDULER {
            Self::TEST_WITH_EVENTS
        } else {
            Self::TEST_FIELDS.split_at(Self::PLAIN).0
        },
        constraints: &[
            Constraint::ExactlyOne {
                fields: &["failures", "table", "history"],
                code: Code::MissingField,
                none: "the test has no failures",
                several: "the test has failures of several kinds",
                help: "write one of `failures`, `table` and `history`",
            },
            Constraint::Needs {
                field: "job",
                needs: "history",
                code: Code::MissingField,
                message: "`job` names a job of a history, and the test has none",
                help: "write `history: FILE`, or remove `job`",
            },
        ],
        extra: Extra::Refused,
        elsewhere: &[],
    };

    const PLAIN: usize = 8;
    const TEST_WITH_EVENTS: &'static [Field] = Self::TEST_FIELDS;
    const TEST_FIELDS: &'static [Field] = &[
        required("name", Kind::SomeText, "The name, by which `--run` selects it."),
        optional(
            "failures",
            Kind::List { item: Self::FAILURE_KIND, min: 1 },
            "The failures of one job, in order: the attempts.",
        ),
        optional(
            "table",
            Kind::List { item: Self::ROW_KIND, min: 1 },
            "Independent cases, each with a new job.",
        ),
        optional(
            "history",
            Kind::SomeText,
            "A recorded history in place of failures, relative to this file.",
        ),
        optional("job", Kind::SomeText, "The job of the history; absent means the only one."),
        optional(
            "start",
            Kind::Date,
            "The time that offsets count from; absent means 1970-01-01T00:00:00Z.",
        ),
        optional(
            "expect",
            Kind::List { item: &EXPECTATION_KIND, min: 1 },
            "What is expected of attempts. Those that are not listed are not checked.",
        ),
        optional("expectJob", Kind::Object(&JOB_EXPECTATION), "What is expected of the job's end."),
        optional(
            "events",
            Kind::List { item: &EVENT_KIND, min: 1 },
            "Reloads of the scheduler's settings. They need failures with a time.",
        ),
    ];
    const FAILURE_KIND: &'static Kind = &Kind::Object(Table::<F>::FAILURE);
    const ROW_KIND: &'static Kind = &Kind::Object(Self::ROW);
    const ROW: &'static Shape = &Shape {
        name: "case",
        doc: "A failure, and what is expected of the decision about it.",
        fields: &[
            required("failure", Kind::Object(Table::<F>::FAILURE), "The failure."),
            required("expect", Kind::Object(&ROW_EXPECTATION), "What is expected."),
        ],
        constraints: &[],
        extra: Extra::Refused,
        elsewhere: &[],
    };
}

static EXPECTATION_KIND: Kind = Kind::Object(&EXPECTATION);
static EVENT_KIND: Kind = Kind::Object(&EVENT);

const POLICIES: Field = required(
    "policies",
    Kind::List { item: &Kind::SomeText, min: 1 },
    "Files, directories or patterns such as ../policies/*.yaml, relative to this file.\n\
     A pattern that matches nothing is an error.",
);

const SEED: Field = optional(
    "seed",
    Kind::Whole { min: 0, max: u64::MAX as i128, code: Code::OutOfRange },
    "The seed of random values of a policy, such as jitter; absent means 0.",
);

const FIELDS_OF_ARMADA: &[(&str, &str)] = &[
    ("queuePolicies", "remove it: only Armada has queues with policies"),
    ("schedulerConfig", "remove it: these are settings of Armada's scheduler"),
    ("engine", "remove it: only Armada's policies have two engines"),
];
const FIELDS_OF_MANIFESTS: &[(&str, &str)] = &[
    ("featureGates", "remove it: these are features of JobSet's controller"),
    ("podBackoffCap", "remove it: it is a setting of Kubernetes' Job controller"),
    ("releases", "remove it: the form of a policy names its engine"),
];

static ENGINES: Choices = Choices {
    name: "engine",
    values: &[
        choice("v1", "The design: all matchers, limits per rule, backoff, gangs."),
        choice("v1beta1", "Today's Armada servers: categories, one limit per job."),
    ],
    any_case: false,
    elsewhere: &[],
};
