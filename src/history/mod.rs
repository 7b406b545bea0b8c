//! Failure histories: what each source's bytes mean.
//!
//! Owns run records, how documents and lines become some, and the rules that make one good or
//! bad. It opens no file and decides nothing about retries.

mod bad;
mod clock;
mod documents;
mod faults;
mod fields;
mod json_record;
mod line;
mod lines;
mod member;
mod pairs;
mod piece;
mod reader;
mod record;
mod records;
mod scan;
#[cfg(test)]
mod scan_tests;
mod shape;
mod sources;
mod strict;
mod unread;

pub use bad::OnBadRecord;
pub use clock::Clock;
pub(crate) use faults::Prior;
pub(crate) use fields::JobFields;
pub use json_record::{Record, both_ways};
pub use lines::fill_from_line;
pub(crate) use lines::{id_of_line, read_line};
pub use member::{Member, MemberHistory, MemberReader, MemberRun, OwnFields, PodRecord};
pub(crate) use member::{
    MemberNames, MemberOf, MemberOrder, MemberSaid, MemberTimes, Skim, Stands, Wrong, whole,
};
pub use pairs::{PairFault, record_of_pairs};
pub use piece::Piece;
pub(crate) use piece::{line_at, lines};
pub use reader::{GraceBounds, History, Reader};
pub use record::{
    Container, FAIL_FAST, GANG_CARDINALITY, GANG_ID, Gang, Job, Outcome, RETRY_POLICY, Reload,
    Resources, RunRecord,
};
pub use scan::{Fields, Has, InLine, Written};
pub use shape::{FAILURE_HISTORY, RECORD, RUN};
pub use sources::{
    ContainerEnd, DISRUPTION_TARGET, Format, KubeContainer, KubePod, Owner, PassedKind, PassedOver,
    PodCondition, Program, SourceRecord, UnsupportedFormat, detect, detect_lines_before_json,
};
pub use strict::{Mapping, named};
pub(crate) use unread::PieceUnread;
pub use unread::{UnreadKind, UnreadWord, UnreadWords, is_misspelt_pod_condition};
