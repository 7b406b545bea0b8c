//! The messages of Armada's API that this server implements, field by field.
//!
//! The order of fields is that of Armada's output. The swagger document is tested against these
//! tables.

/// A message.
#[derive(Debug)]
pub struct Message {
    /// The name in Go, in the package `api`.
    pub go: &'static str,
    /// The fields, in the order of the output.
    pub fields: &'static [Field],
}

/// A field of a message.
#[derive(Debug)]
pub struct Field {
    /// The key in JSON.
    pub name: &'static str,
    /// The type.
    pub kind: Kind,
    /// Whether a zero is written.
    pub zero: Zero,
}

/// Whether a field's zero value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zero {
    /// A zero is equal to absence. This is the case for all fields of Armada today.
    Absent,
    /// A zero differs from absence: a `retryLimit` of the full form.
    Kept,
}

/// The type of a field.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// A string.
    Text,
    /// A bool.
    Bool,
    /// A uint32.
    Uint32,
    /// An int32.
    Int32,
    /// A float64.
    Double,
    /// A `RetryAction`.
    Action,
    /// A list.
    List(&'static Kind),
    /// A map by strings.
    Map(&'static Kind),
    /// A pointer to a message.
    Message(&'static Message),
}

const fn field(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, zero: Zero::Absent }
}

const LIMIT: Field = Field { name: "retryLimit", kind: Kind::Uint32, zero: Zero::Kept };
const TEXTS: Kind = Kind::List(&Kind::Text);
const DOUBLES: Kind = Kind::Map(&Kind::Double);

/// A retry policy of Armada's current servers.
pub static POLICY: Message = Message {
    go: "RetryPolicy",
    fields: &[
        field("name", Kind::Text),
        field("retryLimit", Kind::Uint32),
        field("defaultAction", Kind::Action),
        field("rules", Kind::List(&Kind::Message(&RULE))),
    ],
};

const ACTION: Field = field("action", Kind::Action);
const CATEGORY: Field = field("onCategory", Kind::Text);
const SUBCATEGORY: Field = field("onSubcategory", Kind::Text);
const MUTATION: Field = field("mutate", Kind::Message(&MUTATE));

/// A rule of Armada's current servers.
pub static RULE: Message =
    Message { go: "RetryRule", fields: &[ACTION, CATEGORY, SUBCATEGORY, MUTATION] };

static MUTATE: Message = Message {
    go: "RetryMutation",
    fields: &[
        field("affinity", Kind::Message(&AFFINITY)),
        field("resources", Kind::Message(&RESOURCES)),
    ],
};

static AFFINITY: Message =
    Message { go: "RetryAffinityMutation", fields: &[field("avoidSameNode", Kind::Bool)] };

static RESOURCES: Message =
    Message { go: "RetryResourceMutation", fields: &[field("memory", Kind::Message(&MEMORY))] };

static MEMORY: Message = Message {
    go: "RetryResourceBump",
    fields: &[field("factor", Kind::Double), field("static", Kind::Text)],
};

/// A retry policy with the fields of `v1` too.
pub static FULL_POLICY: Message = Message {
    go: "RetryPolicy",
    fields: &[
        field("name", Kind::Text),
        LIMIT,
        field("defaultAction", Kind::Action),
        BACKING_OFF,
        AVOIDING,
        field("rules", Kind::List(&Kind::Message(&FULL_RULE))),
    ],
};

const BACKING_OFF: Field = field("backoff", Kind::Message(&BACKOFF));
const AVOIDING: Field = field("antiAffinity", Kind::Message(&ANTI_AFFINITY));

/// A rule with the fields of `v1` too.
pub static FULL_RULE: Message = Message {
    go: "RetryRule",
    fields: &[
        ACTION,
        LIMIT,
        field("containerName", Kind::Text),
        field("includeInitContainers", Kind::Bool),
        field("onExitCodes", Kind::Message(&EXIT_CODES)),
        field("onConditions", TEXTS),
        field("onTerminationMessage", Kind::Message(&TERMINATION_MESSAGE)),
        CATEGORY,
        SUBCATEGORY,
        field("onFailureCategory", TEXTS),
        field("onFailureSubcategory", TEXTS),
        BACKING_OFF,
        AVOIDING,
        MUTATION,
    ],
};

static EXIT_CODES: Message = Message {
    go: "RetryExitCodes",
    fields: &[field("operator", Kind::Text), field("values", Kind::List(&Kind::Int32))],
};

static TERMINATION_MESSAGE: Message =
    Message { go: "RetryTerminationMessage", fields: &[field("pattern", Kind::Text)] };

static BACKOFF: Message = Message {
    go: "RetryBackoff",
    fields: &[
        field("initialDelay", Kind::Text),
        field("maxDelay", Kind::Text),
        field("multiplier", Kind::Double),
    ],
};

static ANTI_AFFINITY: Message =
    Message { go: "RetryAntiAffinity", fields: &[field("mode", Kind::Text)] };

/// A queue.
pub static QUEUE: Message = Message {
    go: "Queue",
    fields: &[
        field("name", Kind::Text),
        field("priorityFactor", Kind::Double),
        field("userOwners", TEXTS),
        field("groupOwners", TEXTS),
        field("resourceLimits", DOUBLES),
        field("permissions", Kind::List(&Kind::Message(&PERMISSIONS))),
        field("resourceLimitsByPriorityClassName", Kind::Map(&Kind::Message(&CLASS_LIMITS))),
        field("cordoned", Kind::Bool),
        field("labelsDeprecated", TEXTS),
        field("labels", Kind::Map(&Kind::Text)),
        field("retryPolicies", TEXTS),
    ],
};

static PERMISSIONS: Message = Message {
    go: "Queue_Permissions",
    fields: &[field("subjects", Kind::List(&Kind::Message(&SUBJECT))), field("verbs", TEXTS)],
};

static SUBJECT: Message = Message {
    go: "Queue_Permissions_Subject",
    fields: &[field("kind", Kind::Text), field("name", Kind::Text)],
};

static CLASS_LIMITS: Message = Message {
    go: "PriorityClassResourceLimits",
    fields: &[
        field("maximumResourceFraction", DOUBLES),
        field("maximumResourceFractionByPool", Kind::Map(&Kind::Message(&POOL_LIMITS))),
    ],
};

static POOL_LIMITS: Message = Message {
    go: "PriorityClassPoolResourceLimits",
    fields: &[field("maximumResourceFraction", DOUBLES)],
};

/// The queues of a batch.
pub static QUEUE_LIST: Message =
    Message { go: "QueueList", fields: &[field("queues", Kind::List(&Kind::Message(&QUEUE)))] };
