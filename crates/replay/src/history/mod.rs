//! Failure histories: the records of all systems, and how they are read from the bytes of every source.
//!
//! Owns the record model ([`Run`], [`Member`]), the field tables ([`Field`], [`Table`]), the fast and the
//! exact path from bytes to a record, the sources, and the rules that a record can break. It opens no file
//! and decides nothing about retries. A [`Reader`] passes runs on as it reads; its `Sink` owns the members.
//!
//! A file uses those of its own level or of lower ones, without circles. From the lowest:
//!
//! 1. values: `time_notation`, `text_hashes`, `recycled`, `names`, `piece`, `unit_fields`, `checks`, `on_bad_record`,
//!    `skipped_entries`, `kube_pod`, `armada` (what a run of Armada's holds), `evidence` (the signs of disruptions in it),
//!    `lookout` (debug JSON and error of its pod), `failure_args`
//! 2. `scan` (the fast path), `field`, `run_fields`, `unread`
//! 3. `record` (the trait of a system's fields, runs and members), `job`, `record_line`, `table`, `armada_fields` (Armada's table;
//!    every source produces its records)
//! 4. `line`, `tree` (the exact path), `reader`
//! 5. `lines`, `documents`, `failures`, `json_values`, `sources`: what passes records to the reader
//! 6. `read_sources`: the interface of its users

mod armada;
mod armada_fields;
mod checks;
mod documents;
mod evidence;
mod failure_args;
mod failures;
mod field;
mod job;
mod json_values;
mod kube_pod;
mod line;
mod lines;
mod lookout;
mod names;
mod on_bad_record;
mod piece;
mod read_sources;
mod reader;
mod record;
pub mod record_line;
mod recycled;
pub mod run_fields;
mod scan;
mod skipped_entries;
mod sources;
mod table;
#[cfg(test)]
mod tests;
mod text_hashes;
mod time_notation;
mod tree;
mod unit_fields;
mod unit_outcome;
mod unread;

pub use armada::{ArmadaRun, EmittedText, GraceBounds};
pub use armada_fields::FAILURE_HISTORY;
pub use checks::FieldFault;
pub(crate) use checks::PreviousRuns;
pub use documents::{EVENT, RELOAD};
pub(crate) use documents::{history_fields, spec_fields};
pub use failure_args::{PairFault, failure_keys, record_of_pairs};
pub use failures::Failure;
pub use field::Field;
pub use job::{Job, RunRecord};
pub use kube_pod::{ContainerEnd, Waiting};
pub use kube_pod::{DISRUPTION_TARGET, KubeContainer, KubePod, PodEvent, TERMINATION_TARGET};
pub(crate) use line::{Header, KeyOrder, UnreadOfLine};
pub use lines::LineReader;
pub(crate) use lines::{
    BadMember, LineError, LineLocation, PieceLines, count_unread, first_id, read_line,
};
pub(crate) use lookout::complete_run;
pub use lookout::{
    DebugTrigger, ObservedPod, RunDebug, UnknownText, UnknownTexts, is_cut, without_hint,
};
pub(crate) use names::Names;
pub use on_bad_record::{MAX_BAD, OnBadRecord};
pub(crate) use piece::line_at;
pub use piece::{LONGEST_LINE, Piece};
pub use read_sources::ReadSources;
pub use reader::Reader;
pub(crate) use reader::{RecordFault, Row, Sink};
pub use record::{History, Member, PodRecord, RecordFields, Run};
pub use record_line::{record_line, record_parts};
pub use recycled::replace_text;
pub use scan::{ObjectFields, ValueReader};
pub use skipped_entries::{SkippedEntries, SkippedKind};
pub use sources::{
    DescribedPod, Format, Lack, PARTIAL_MAGIC, PROGRAMS, Program, SourceItem, described_pods,
    detect, detect_lines_before_json, read_source,
};
pub use table::MAX_REPEAT;
pub use table::Table;
pub use text_hashes::TextHashes;
pub use time_notation::TimeNotation;
pub use unit_fields::UnitFields;
pub use unit_outcome::{UnitOutcome, UnitOutcomes};
pub(crate) use unread::PieceUnread;
pub use unread::{
    UnreadKind, UnreadList, UnreadWord, UnreadWords, is_misplaced_reason, is_misspelt_pod_condition,
};
