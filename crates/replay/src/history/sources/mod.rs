//! Histories of other programs: a file a program, and a line in [`PROGRAMS`].
//!
//! A source reads bytes and passes runs to a sink, with the records that are wrong and the number of entries that
//! are not ended runs. It opens no file; a field that its format lacks is absent. The rules between records (time
//! order, indices, gangs) are those of the [`Reader`](super::Reader). `docs/sources.md` has the command of each.
//!
//! Sources whose output is in time order pass each run on when it is read (`armada_events`, `lookout`); the others
//! gather runs (`pods`, `sacct`). The output of a program of one system (`aws_batch`, `argo_workflows`) becomes records of
//! that system.

mod argo_workflows;
mod armada_events;
mod attempt;
mod aws_batch;
mod cursor;
mod detect;
mod elements;
mod event;
mod json;
mod kube;
mod lines;
mod lookout;
mod lookout_run;
mod order;
mod pods;
mod program;
mod reader;
mod record;
mod sacct;
mod sink;
mod sketch;
mod slurm;
#[cfg(test)]
mod tests;
mod tres;
mod unsupported;

pub use detect::{Format, PARTIAL_MAGIC};
pub(super) use elements::{Elements, NO_LIST, Next};
pub use pods::{DescribedPod, described_pods};
use program::Read;
pub use program::{Lack, Program};
pub use reader::{SourceItem, read_source};
use unsupported::UnsupportedFormat;

use std::io::{self, BufRead};

/// The programs whose output is read.
///
/// The keys of JSON are compared from the last to the first: an answer that is an error is Armada's unless
/// another program claims it. Lines are compared from the first to the last: an event may hold a line of `sacct`,
/// and a column of `sacct` a key of YAML.
pub static PROGRAMS: [Program; 6] = [
    Program {
        name: "armada-events",
        title: "Armada's events: POST /v1/job-set/QUEUE/JOBSET, or `armadactl watch --raw`",
        is_json: true,
        has_pods: false,
        is_in_time_order: true,
        lacks: &[NEVER_STARTED],
        has_keys: armada_events::has_keys,
        has_lines: armada_events::has_lines,
        read: Read::Runs(armada_events::read),
    },
    Program {
        name: "lookout",
        title: "Lookout's jobs: POST /api/v1/jobs, also with the debug JSON of their runs",
        is_json: true,
        has_pods: false,
        is_in_time_order: true,
        lacks: &[
            Lack {
                fields: &["containers[].message"],
                values: &[],
                why: "Lookout's jobs have none without the errors of their runs",
                help: "add the errors, docs/sources.md has the commands",
            },
            Lack {
                fields: &["conditions"],
                values: &["OOMKilled", "Evicted", "DeadlineExceeded", "Unschedulable"],
                why: "Lookout's jobs have none without the debug JSON of their runs",
                help: "add the debug JSON, docs/sources.md has the commands",
            },
        ],
        has_keys: lookout::has_keys,
        has_lines: |_, _| false,
        read: Read::Runs(lookout::read),
    },
    Program {
        name: "sacct",
        title: "Slurm's accounting: `sacct --allocations --duplicates --parsable2`",
        is_json: false,
        has_pods: false,
        is_in_time_order: false,
        lacks: &[
            Lack { why: "sacct has none", ..CATEGORIES },
            Lack {
                fields: &["containers[].message"],
                values: &[],
                why: "sacct has none",
                help: "",
            },
            Lack { why: "sacct has none", ..NEVER_STARTED },
            EVICTED,
        ],
        has_keys: |_| false,
        has_lines: sacct::has_lines,
        read: Read::Runs(sacct::read),
    },
    Program {
        name: "pods",
        title: "Pods: `kubectl get pods -o json`, or `-o yaml`",
        is_json: true,
        has_pods: true,
        is_in_time_order: false,
        lacks: &[CATEGORIES, NEVER_STARTED],
        has_keys: pods::has_keys,
        has_lines: pods::has_lines,
        read: Read::Runs(pods::read),
    },
    Program {
        name: "aws-batch",
        title: "AWS Batch's jobs: `aws batch describe-jobs`",
        is_json: true,
        has_pods: false,
        is_in_time_order: false,
        lacks: &[],
        has_keys: aws_batch::has_keys,
        has_lines: |_, _| false,
        read: Read::Records { engine: aws_batch::ENGINE, read: aws_batch::read },
    },
    Program {
        name: "argo-workflows",
        title: "Argo's workflows: `kubectl get workflows -o json`, or `argo get -o json`",
        is_json: true,
        has_pods: false,
        is_in_time_order: false,
        lacks: &[],
        has_keys: argo_workflows::has_keys,
        has_lines: |_, _| false,
        read: Read::Records { engine: "argo", read: argo_workflows::read },
    },
];

/// The categories that Armada's executors give.
const CATEGORIES: Lack = Lack {
    fields: &["category", "subcategory"],
    values: &[],
    why: "pods have none",
    help: "give --executor-config, or a history of Lookout or of Armada's events",
};

/// The condition of a run that never started, which no source has as a failed run.
const NEVER_STARTED: Lack = Lack {
    fields: &["conditions"],
    values: &["Unschedulable"],
    why: "a pod that was never placed is no failed run there",
    help: "",
};

/// The condition that no state of Slurm gives unless the user's table of disruptions does.
const EVICTED: Lack = Lack {
    fields: &["conditions"],
    values: &["Evicted"],
    why: "by default no state of sacct gives it",
    help: "--disruptions can give it to states such as NODE_FAIL",
};

/// Detects the format of a history. The bytes that were read are put into `head`: the history is `head` and then
/// the rest of `bytes`.
///
/// The name counts only where the first line is a broken object: `.jsonl` and `.ndjson`, compressed or not.
///
/// # Errors
///
/// If the bytes cannot be read.
pub fn detect(name: &str, bytes: &mut dyn BufRead, head: &mut Vec<u8>) -> io::Result<Format> {
    detect::detect(&PROGRAMS, name, bytes, head)
}

/// Lines before the JSON of a history that is known to be JSON, such as a warning, if there are some. The bytes
/// that were read are put into `head`, unless some are there.
///
/// # Errors
///
/// If the bytes cannot be read.
pub fn detect_lines_before_json(
    bytes: &mut dyn BufRead,
    head: &mut Vec<u8>,
) -> io::Result<Option<UnsupportedFormat>> {
    detect::detect_lines_before_json(&PROGRAMS, bytes, head)
}
