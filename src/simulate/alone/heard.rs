//! What some lines of a share say, read before their units take them.
//!
//! What reads and what judges is more code than a processor has at hand at once: line by line, each
//! would drive the other out every time. Some lines at a time take 7 % less of a replay of sets.

use super::Units;
use super::read::Keyed;
use super::step::Step;
use crate::history::{
    MemberOf, MemberOrder, MemberRun, MemberSaid, MemberTimes, OwnFields, PieceUnread, whole,
};
use crate::simulate::key::hash_of;
use std::hint::black_box;

/// Bytes that come from memory together.
const CACHE_LINE: usize = 64;

/// What a line says beside its run.
pub(super) struct Heard<'t, F: OwnFields> {
    pub(super) said: MemberSaid<'t>,
    /// The hash of its member, and the run's times; whose it is, as far as can be told, if the line
    /// is no record.
    pub(super) of: Result<(u64, MemberTimes), MemberOf<F>>,
}

/// Reads lines, each one's own fields over those of a run in `runs`, in their order. Its number and
/// its times are for its unit to say.
pub(super) fn hear<'t, E: Units>(
    step: &Step<'t, E>,
    lines: &[Keyed],
    runs: &mut Vec<MemberRun<E::Own>>,
    order: &mut MemberOrder,
    unread: &mut PieceUnread,
) -> Vec<Heard<'t, E::Own>> {
    touch(step.bytes, lines);
    runs.resize_with(runs.len().max(lines.len()), MemberRun::default);
    let silent = || Heard { said: MemberSaid::default(), of: Err(None) };
    let mut heard = Vec::with_capacity(lines.len());
    heard.resize_with(lines.len(), silent);
    for ((line, run), Heard { said, of }) in lines.iter().zip(runs).zip(&mut heard) {
        let mut clock = step.parsed.clock_at(line.stands.start);
        let text = text_of(step, line);
        let times = whole(text, &mut clock, order, (said, &mut run.own));
        if order.may_have_unread {
            unread.line(text, E::Own::RECORD, line.stands.start);
        }
        *of = times.map(|times| (hash_of(step.key, |to| run.own.tell_key(to)), times));
    }
    heard
}

/// Looks at lines that lie all over memory. One after another with nothing between, several are on
/// their way at once: a tenth of the time of a replay of sets.
fn touch(bytes: &[u8], lines: &[Keyed]) {
    let bytes = |line: &Keyed| bytes.get(line.stands.clone()).unwrap_or_default();
    let touched = lines.iter().flat_map(|line| bytes(line).iter().step_by(CACHE_LINE));
    black_box(touched.fold(0, |all, byte| all ^ byte));
}

/// The text of a line; an empty one if it is none.
fn text_of<'t, E: Units>(step: &Step<'t, E>, line: &Keyed) -> &'t str {
    let stands = line.stands.clone();
    let text = match step.text {
        Some(text) => text.get(stands),
        None => step.bytes.get(stands).and_then(|bytes| str::from_utf8(bytes).ok()),
    };
    text.unwrap_or_default()
}
