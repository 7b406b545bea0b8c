//! Queues, with the fields that retries depend on. The shape checks the other fields too.

use document::diag::{Code, Diagnostic};
use document::{Constraint, Document, Field, Kind, Node, choices, optional, required, shapes};

/// The fields of a Queue document that concern retries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Queue {
    pub name: String,
    /// The names of the queue's policies, in order.
    pub retry_policies: Vec<String>,
}

const NAME: Field = required("name", Kind::SomeText, "The queue's name.");
const FACTOR: Field = optional(
    "priorityFactor",
    Kind::Number { min: 1.0, above: false, code: Code::OutOfRange },
    "The queue's weight in fair share, at least 1; a larger factor gets less.\nAbsent, `apply` leaves it as it is, 1 in a new queue.",
);
const USER_OWNERS: Field = optional(
    "userOwners",
    Kind::List { item: &Kind::Text, min: 0 },
    "Users who own the queue. Written only: the server turns them into permissions.",
);
const GROUP_OWNERS: Field = optional(
    "groupOwners",
    Kind::List { item: &Kind::Text, min: 0 },
    "Groups that own the queue. Written only: the server turns them into permissions.",
);
static PERMISSION_KIND: Kind = Kind::Object(&PERMISSION);
static CLASS_LIMITS_KIND: Kind = Kind::Object(&PRIORITY_CLASS_LIMITS);

const PERMISSIONS: Field =
    optional("permissions", Kind::List { item: &PERMISSION_KIND, min: 0 }, "Who may do what.");
const LIMITS: Field =
    optional("resourceLimits", Kind::Anything, "Deprecated; the server ignores it.");
const CLASS_LIMITS: Field = optional(
    "resourceLimitsByPriorityClassName",
    Kind::Map(&CLASS_LIMITS_KIND),
    "The share of each resource that jobs of each priority class may use.",
);
const FRACTION: Field = optional(
    "maximumResourceFraction",
    Kind::Map(&Kind::Finite),
    "The share of each resource, such as `cpu: 0.5`; a resource that is absent has no limit.",
);
const CORDONED: Field =
    optional("cordoned", Kind::Boolean, "Whether no jobs of the queue are scheduled.");
const LABELS: Field = optional("labels", Kind::Map(&Kind::SomeText), "Labels to select queues by.");
const OLD_LABELS: Field =
    optional("labelsDeprecated", Kind::Anything, "Deprecated; the server ignores it.");
const RETRY_POLICIES: Field = optional(
    "retryPolicies",
    Kind::List { item: &Kind::Name, min: 0 },
    "The names of the queue's retry policies, in order.\nv1 concatenates their rules; Armada servers (v1beta1) evaluate the first only.",
);

shapes! {
    // Without either field, the server would remove the limits of the class.
    #[doc = "What jobs of a priority class may use."]
    static PRIORITY_CLASS_LIMITS = "limits" (constraints: &[Constraint::AtLeastOne {
        fields: &["maximumResourceFraction", "maximumResourceFractionByPool"],
        code: Code::MissingField,
        message: "the priority class has no limits",
        help: "write `maximumResourceFraction: {}` to have none, or remove the priority class",
    }]) {
        FRACTION,
        /// The share of each resource, by pool.
        optional maximumResourceFractionByPool: Kind::Map(&Kind::Object(&POOL_LIMITS)),
    }

    #[doc = "What jobs of a priority class may use of a pool."]
    static POOL_LIMITS = "limits" (constraints: &[Constraint::AtLeastOne {
        fields: &["maximumResourceFraction"],
        code: Code::MissingField,
        message: "the pool has no limits",
        help: "write `maximumResourceFraction: {}` to have none, or remove the pool",
    }]) {
        FRACTION,
    }

    #[doc = "What some subjects may do."]
    static PERMISSION = "permission" {
        /// Who.
        optional subjects: Kind::List { item: &Kind::Object(&SUBJECT), min: 0 },
        #[doc = "What: submit, cancel, preempt, reprioritize, watch."]
        optional verbs: Kind::List { item: &Kind::Text, min: 0 },
    }

    /// A user or a group.
    static SUBJECT = "subject" {
        /// User or Group.
        required kind: Kind::OneOf(&SUBJECT_KINDS),
        /// The user's or group's name.
        required name: Kind::SomeText,
    }

    /// A queue of jobs, and the retry policies that apply to them.
    pub static QUEUE_V1BETA1 = "Queue" (elsewhere: &[
        (
            "metadata",
            "`v1beta1` is flat: write `name` at the top, or use `apiVersion: armadaproject.io/v1`",
        ),
        (
            "spec",
            "`v1beta1` is flat: write its fields at the top, or use `apiVersion: armadaproject.io/v1`",
        ),
    ]) {
        /// The form: armadaproject.io/v1beta1.
        required apiVersion: Kind::Exactly("armadaproject.io/v1beta1"),
        /// The kind: Queue.
        required kind: Kind::Exactly("Queue"),
        NAME,
        FACTOR,
        USER_OWNERS,
        GROUP_OWNERS,
        PERMISSIONS,
        LIMITS,
        CLASS_LIMITS,
        CORDONED,
        LABELS,
        OLD_LABELS,
        RETRY_POLICIES,
    }

    /// A queue of jobs, and the retry policies that apply to them.
    pub static QUEUE_V1 = "Queue" (elsewhere: &[
        ("name", "in `v1` the name belongs under `metadata`"),
        ("retryPolicies", "in `v1` they belong under `spec`"),
    ]) {
        /// The form: armadaproject.io/v1.
        required apiVersion: Kind::Exactly("armadaproject.io/v1"),
        /// The kind: Queue.
        required kind: Kind::Exactly("Queue"),
        /// The queue's name.
        required metadata: Kind::Object(&QUEUE_METADATA),
        #[doc = "What the queue is like."]
        required spec: Kind::Object(&QUEUE_SPEC),
    }

    #[doc = "What identifies the queue."]
    static QUEUE_METADATA = "metadata" {
        NAME,
    }

    #[doc = "What the queue is like."]
    static QUEUE_SPEC = "spec" {
        FACTOR,
        USER_OWNERS,
        GROUP_OWNERS,
        PERMISSIONS,
        LIMITS,
        CLASS_LIMITS,
        CORDONED,
        LABELS,
        OLD_LABELS,
        RETRY_POLICIES,
    }

    /// A queue of the history, and its retry policies.
    pub static QUEUE_FIELDS = "queue" {
        NAME,
        RETRY_POLICIES,
    }
}

choices! {
    static SUBJECT_KINDS = "kind" {
        /// A user.
        "User",
        /// A group.
        "Group",
    }
}

/// The finding that servers evaluate only the first of several policies of a `v1beta1` queue.
pub(super) fn unused_policies_warning(document: &Document) -> Option<Diagnostic> {
    let root = &document.root;
    // `v1` has the fields under `spec`, and evaluates all policies of a queue.
    let items = root.entry_in_any_case("retryPolicies").map(|entry| entry.value.items())?;
    let first = items.first()?.text()?;
    let others: Vec<&Node> = items.iter().filter(|node| node.text() != Some(first)).collect();
    let mut names: Vec<String> = Vec::new();
    for name in others.iter().filter_map(|node| node.text()) {
        let name = format!("`{name}`");
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let verb = if names.len() == 1 { "has" } else { "have" };
    let message = format!(
        "{} {verb} no effect: `v1beta1` servers evaluate only the first policy of a queue, `{first}`",
        names.join(", ")
    );
    let place = document.place(others.first()?.span);
    let help = format!("remove it, or put its rules into `{first}`");
    Some(Diagnostic::warning(Code::Misleading, place, message).help(help))
}

impl Queue {
    /// Reads the queue of a checked Queue document.
    pub(super) fn from_document(document: &Document) -> Option<Self> {
        let root = &document.root;
        match root.get("spec") {
            Some(spec) => Self::new(root.at(&["metadata", "name"])?, spec),
            None => Self::from_fields(root),
        }
    }

    /// Reads a queue from a mapping with its fields at the top level.
    pub fn from_fields(node: &Node) -> Option<Self> {
        Self::new(node.get("name")?, node)
    }

    fn new(name: &Node, fields: &Node) -> Option<Self> {
        let policies = fields.get("retryPolicies").map(Node::items).unwrap_or_default();
        Some(Self {
            name: name.text()?.to_owned(),
            retry_policies: policies
                .iter()
                .filter_map(|node| node.text().map(str::to_owned))
                .collect(),
        })
    }
}
