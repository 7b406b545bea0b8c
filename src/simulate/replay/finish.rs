//! The end of a unit: what its members came to, each or together.

use super::course::Course;
use super::cursor::{Cursor, Standing};
use super::{Counts, MemberOutcome, Missing, Outcome, Replay};
use crate::engine::{End, Recorded};
use crate::simulate::described::Described;
use crate::simulate::summary::Summary;

pub(super) const UNRESOLVED: &str = "it was granted a retry that is not on record";

impl<E: Described> Replay<'_, E> {
    /// What each member came to.
    pub(super) fn finish(
        &mut self,
        course: Course<'_, E>,
        places: &[usize],
        summary: &mut Counts<'_>,
    ) -> Vec<MemberOutcome> {
        let mut outcomes = Vec::with_capacity(course.cursors.len());
        for (number, (member, mut cursor)) in course.members.iter().zip(course.cursors).enumerate()
        {
            let summary = summary.of(number);
            self.unreached(member, &mut cursor, summary);
            let out = cursor.out;
            summary.ended(cursor.queue, out.outcome, out.retries > 0, cursor.last.as_ref());
            for contradiction in &out.contradictions {
                let id = self.engine.id(member);
                summary.contradicted(places[number] as u64, id, contradiction);
            }
            outcomes.push(out);
        }
        for (number, decision) in course.decisions {
            outcomes[number].decisions.push(decision);
        }
        outcomes
    }

    /// What a unit came to as a whole.
    pub(super) fn finish_unit(
        &mut self,
        course: Course<'_, E>,
        places: &[usize],
        (fate, state): (Option<End>, &E::State),
        summary: &mut Summary,
    ) -> MemberOutcome {
        let mut members = course.cursors.iter();
        let missing = members.find(|cursor| cursor.standing == Standing::Missing);
        let missing = missing.and_then(|cursor| cursor.out.missing).filter(|_| fate.is_none());
        let (tally, words) = course.last.unzip();
        if let Some(Missing { rule }) = missing {
            summary.unresolved(rule);
        }
        let mut unit = MemberOutcome {
            outcome: fate.map_or(Outcome::Unresolved, Into::into),
            system_outcome: self.engine.fate(state, fate),
            reason: ended(self.engine, (fate, state), missing, words),
            missing,
            ..MemberOutcome::new()
        };
        let mut queue = 0;
        for (member, mut cursor) in course.members.iter().zip(course.cursors) {
            self.unreached(member, &mut cursor, summary);
            unit.retries += cursor.out.retries;
            unit.not_reached += cursor.out.not_reached;
            unit.cut_off += cursor.out.cut_off;
            unit.contradictions.append(&mut cursor.out.contradictions);
            queue = cursor.queue;
        }
        summary.ended(queue, unit.outcome, unit.retries > 0, tally.as_ref());
        for contradiction in &unit.contradictions {
            let id = self.engine.id(course.members[0]);
            summary.contradicted(places[0] as u64, id, contradiction);
        }
        unit.decisions = course.decisions.into_iter().map(|(_, decision)| decision).collect();
        unit
    }

    /// Counts the recorded runs of a member that were not reached, and those that were cut off.
    fn unreached(&mut self, member: &E::Member, cursor: &mut Cursor, summary: &mut Summary) {
        let runs = self.engine.runs(member);
        let passed_over = cursor.passed_over.iter().map(|run| &runs[*run]);
        for record in passed_over.chain(&runs[cursor.run + 1..]) {
            cursor.out.not_reached += 1;
            summary.passed_over(record.length(), self.engine.demand(member));
        }
        summary.cut_off += cursor.out.cut_off;
    }
}

/// How a unit came to its end, as one sentence. It may wait for a run that is `missing`; `words`
/// says why its last decision was made.
pub(super) fn ended<E: Described>(
    engine: &E,
    (fate, state): (Option<End>, &E::State),
    missing: Option<Missing>,
    words: Option<String>,
) -> String {
    match fate {
        Some(End::Failed) => words.unwrap_or_default(),
        Some(End::Succeeded) => engine
            .success(state)
            .unwrap_or_else(|| "all that is on record of it succeeded".to_owned()),
        Some(End::Cancelled) => "it was cancelled".to_owned(),
        None if missing.is_some() => UNRESOLVED.to_owned(),
        None => engine.open(state).unwrap_or_else(|| "its records end before it does".to_owned()),
    }
}

/// How a run that needed no decision ended its member.
pub(super) fn plain_end(end: End, record: &impl Recorded, members: usize) -> String {
    match end {
        End::Succeeded => format!("run {} succeeded", record.run_index()),
        End::Cancelled if members > 1 => {
            format!("its gang was cancelled in run {}", record.run_index())
        }
        End::Cancelled => format!("it was cancelled in run {}", record.run_index()),
        End::Failed => format!("run {} ended with its gang", record.run_index()),
    }
}
