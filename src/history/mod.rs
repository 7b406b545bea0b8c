//! Failure histories: the records of all systems, and how the bytes of every source become some.
//!
//! Owns the record model ([`Run`], [`Member`]), the field tables ([`Field`], [`Table`]), the fast and the
//! exact path from bytes to a record, the sources, and the rules that a record can break. It opens no file
//! and decides nothing about retries. A [`Reader`] passes runs on as it reads; the members are the business
//! of its `Sink`.

mod armada;
mod checks;
mod documents;
mod failure_args;
mod field;
mod job;
mod json_values;
mod kube_pod;
mod line;
mod lines;
mod names;
mod on_bad_record;
mod passed_over;
mod piece;
mod reader;
mod record;
mod recycled;
mod scan;
mod sources;
mod table;
#[cfg(test)]
mod tests;
mod time_notation;
mod tree;
mod unit_fields;
mod unread;

pub use armada::{
    ArmadaRun, Container, FAIL_FAST, GANG_CARDINALITY, GANG_ID, Gang, GraceBounds, JobFields,
    Outcome, RETRY_POLICY, Reload, Resources,
};
pub use checks::FieldFault;
pub(crate) use checks::PreviousRuns;
pub(crate) use documents::{history_fields, spec_fields};
pub use failure_args::{PairFault, record_of_pairs};
pub use field::Field;
pub use job::{Job, RunRecord};
pub use kube_pod::{ContainerEnd, DISRUPTION_TARGET, KubeContainer, KubePod, Owner, PodCondition};
pub(crate) use line::{Header, KeyOrder};
pub use lines::LineReader;
pub(crate) use lines::{BadMember, LineError, LineLocation, PieceLines, read_line};
pub(crate) use names::Names;
pub use on_bad_record::OnBadRecord;
pub use passed_over::{PassedKind, PassedOver};
pub(crate) use piece::line_at;
pub use piece::{LONGEST_LINE, Piece};
pub use reader::Reader;
pub(crate) use reader::{RecordFault, Row, Sink};
pub use record::{History, Member, PodRecord, RecordFields, Run};
pub use recycled::Recycled;
pub use scan::{ObjectFields, Present, Setter, ValueReader};
pub use sources::{Format, PROGRAMS, Program, UnsupportedFormat, detect, detect_lines_before_json};
pub use table::Table;
pub use time_notation::TimeNotation;
pub use unit_fields::UnitFields;
pub(crate) use unread::PieceUnread;
pub use unread::{UnreadKind, UnreadWord, UnreadWords, is_misspelt_pod_condition};
