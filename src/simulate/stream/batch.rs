//! Parses some lines of a share before the units take them.
//!
//! Parsing and judging together do not fit the instruction cache; line by line, each would evict the other.
//! Some lines at a time take 7 % less of a replay of sets.

use super::key::member_hash;
use super::piece::{Distributed, LineRef};
use crate::history::{
    BadMember, Header, KeyOrder, PieceUnread, RecordFields, Run, Table, read_line,
};
use std::hint::black_box;

/// Bytes that memory delivers together.
const CACHE_LINE: usize = 64;

/// A line without its run.
pub(super) struct ParsedLine<'t, F: RecordFields> {
    pub(super) header: Header<'t>,
    /// The hash of its member; for a line that is not a record the member that it names.
    pub(super) member: Result<[u32; 2], BadMember<F>>,
}

/// Parses lines, the run of each into one of `runs`, over what it held.
pub(super) fn parse_batch<'t, F: RecordFields>(
    piece: &'t Distributed<F>,
    bytes: &'t [u8],
    lines: &[LineRef],
    hash_key: (u64, u64),
    runs: &mut Vec<Run<F>>,
    order: &mut KeyOrder,
    unread: &mut PieceUnread,
) -> Vec<ParsedLine<'t, F>> {
    prefetch(bytes, lines);
    if runs.len() < lines.len() {
        runs.resize_with(lines.len(), Run::default);
    }
    let mut parsed = Vec::with_capacity(lines.len());
    for (line, run) in lines.iter().zip(runs) {
        let mut notation = piece.notation_at(line.range.start);
        let mut header = Header::default();
        let text = text_of(piece, bytes, line);
        let read = read_line(text, &mut notation, order, &mut header, run);
        if order.may_have_unread {
            unread.line(text, Table::<F>::RECORD, line.range.start);
        }
        let member =
            read.map(|()| member_hash::<F::Key>(hash_key, |hasher| run.own.hash_key(hasher)));
        parsed.push(ParsedLine { header, member });
    }
    parsed
}

/// Touches lines that are all over memory. One after another with nothing between, several are loaded at
/// once: a tenth of the time of a replay of sets.
fn prefetch(bytes: &[u8], lines: &[LineRef]) {
    let bytes_of = |line: &LineRef| bytes.get(line.range.clone()).unwrap_or_default();
    let touched = lines.iter().flat_map(|line| bytes_of(line).iter().step_by(CACHE_LINE));
    black_box(touched.fold(0, |all, byte| all ^ byte));
}

/// The text of a line; empty if it is not UTF-8.
fn text_of<'t, F: RecordFields>(
    piece: &'t Distributed<F>,
    bytes: &'t [u8],
    line: &LineRef,
) -> &'t str {
    let range = line.range.clone();
    let text = match piece.text() {
        Some(text) => text.get(range),
        None => bytes.get(range).and_then(|bytes| str::from_utf8(bytes).ok()),
    };
    text.unwrap_or_default()
}
