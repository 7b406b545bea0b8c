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
mod fields;
mod json_values;
mod line;
mod lines;
mod names;
mod on_bad_record;
mod piece;
mod reader;
mod record;
mod recycled;
mod scan;
mod sources;
#[cfg(test)]
mod tests;
mod time_notation;
mod tree;
mod unit_fields;
mod unread;

pub use armada::{
    ArmadaRun, Container, Gang, GraceBounds, Job, JobFields, Outcome, RETRY_POLICY, Reload,
    Resources, RunRecord,
};
pub use checks::FieldFault;
pub(crate) use checks::PreviousRuns;
pub(crate) use documents::{history_fields, spec_fields};
pub use failure_args::{PairFault, record_of_pairs};
pub use fields::{Field, Table};
pub(crate) use line::{Header, KeyOrder};
#[cfg(feature = "internals")]
pub use lines::LineReader;
pub(crate) use lines::{BadMember, LineError, LineLocation, PieceLines, read_line};
pub(crate) use names::Names;
pub use on_bad_record::OnBadRecord;
pub use piece::Piece;
pub(crate) use piece::line_at;
pub use reader::Reader;
pub(crate) use reader::{RecordFault, Row, Sink};
pub use record::{History, Member, PodRecord, RecordFields, Run};
pub use recycled::Recycled;
pub use scan::{ObjectFields, ValueReader};
pub use sources::{
    DISRUPTION_TARGET, Format, KubeContainer, KubePod, PassedKind, PassedOver, Program, detect,
    detect_lines_before_json,
};
pub use time_notation::TimeNotation;
pub use unit_fields::UnitFields;
pub(crate) use unread::PieceUnread;
pub use unread::{UnreadKind, UnreadWord, UnreadWords, is_misspelt_pod_condition};

/// The longest line of a history that is read, in bytes. A record is a few hundred; a limit keeps a
/// file without line ends from filling memory.
pub const LONGEST_LINE: usize = 16 << 20;
