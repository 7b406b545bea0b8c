//! The fields that the run records of all systems have, except `jobId`: each system documents its own meaning
//! of it.

use super::scan::{ObjectFields, ValueReader};
use armada_retry::engine::Resources;
use document::diag::Code;
use document::units::Quantity;
use document::{Extra, Field, Kind, Shape, optional};

/// A count, or an index.
pub const COUNT: Kind = Kind::Whole { min: 0, max: u32::MAX as i128, code: Code::OutOfRange };

/// The field of the queue.
pub const QUEUE: Field = optional("queue", Kind::Text, "The queue that summaries count it under.");
/// The field of the run's number.
pub const RUN_INDEX: Field = optional(
    "runIndex",
    COUNT,
    "The run's number, growing within its member; absent means its position, from 0.",
);
/// The field of the start.
pub const STARTED: Field = optional("startedAt", Kind::Time, "When the run began: RFC 3339.");
/// The field of the end.
pub const FINISHED: Field = optional(
    "finishedAt",
    Kind::Time,
    "When the run ended: RFC 3339. Runs that end in the same second are evaluated together.",
);
/// The field of the node.
pub const NODE: Field = optional("node", Kind::Text, "The node it ran on.");
/// The field of the cluster.
pub const CLUSTER: Field = optional("cluster", Kind::Text, "The cluster it ran in.");

/// The fields of a list of resources.
pub const fn resource_fields(memory: &'static str) -> [Field; 3] {
    [
        optional("cpu", Kind::Quantity, "Cores."),
        optional("memory", Kind::Quantity, memory),
        optional("nvidia.com/gpu", Kind::Quantity, "Devices."),
    ]
}

/// A list of resources.
pub const LIST_OF_RESOURCES: Shape = Shape {
    name: "list of resources",
    doc: "What a pod requested.",
    fields: &resource_fields("Memory, which no figure counts."),
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[("gpu", "write `nvidia.com/gpu`")],
};

/// Reads a list of resources.
pub fn resources(value: &mut ValueReader<'_, '_>) -> Option<Resources> {
    let mut resources = Resources::default();
    value.object(&RESOURCE_FIELDS, &mut resources)?;
    Some(resources)
}

static RESOURCE_FIELDS: ObjectFields<Resources, 3> = ObjectFields::new([
    ("cpu", |resources, value| quantity(value, &mut resources.cpu)),
    ("memory", |resources, value| quantity(value, &mut resources.memory)),
    ("nvidia.com/gpu", |resources, value| quantity(value, &mut resources.gpu)),
]);

/// Reads a quantity, which may be a number; null and an empty text mean absent.
fn quantity(value: &mut ValueReader<'_, '_>, field: &mut Option<Quantity>) -> Option<()> {
    let parse = |text: &str| Quantity::parse(text).ok().filter(|it| it.is_positive()).map(Some);
    value.unless_null(|value| {
        *field = if value.is_text() {
            value.text(|text| if text.is_empty() { Some(None) } else { parse(text) })??
        } else {
            parse(&value.u64()?.to_string())?
        };
        Some(())
    })
}
