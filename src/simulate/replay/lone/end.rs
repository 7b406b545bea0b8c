//! The end of a unit of one member.

use super::{Aside, Expects, Lone, Words};
use crate::simulate::described::{Described, Reported};
use crate::simulate::replay::finish::{UNRESOLVED, ended};
use crate::simulate::replay::outcome::{MemberOutcome, Missing, Outcome};
use crate::simulate::summary::Summary;

impl<E: Described> Lone<E> {
    /// Ends the unit, which is counted and no more: a run that was granted and never met is not on
    /// record.
    pub fn count(self, summary: &mut Summary) {
        self.settle(summary);
    }

    /// Ends the unit. Gives what became of it; `place` says where it stands in the history.
    pub fn end(mut self, engine: &E, id: &str, place: u64, summary: &mut Summary) -> MemberOutcome {
        let (outcome, missing) = self.settle(summary);
        let Aside { contradictions, words, .. } = *self.aside.take().unwrap_or_default();
        let Words { reason, last, decisions } = words;
        for contradiction in &contradictions {
            summary.contradicted(place, id, contradiction);
        }
        let (system_outcome, reason) = match E::REPORTED {
            Reported::Members if missing.is_some() => (None, UNRESOLVED.to_owned()),
            Reported::Members => (None, reason),
            Reported::Units => {
                let word = engine.fate(&self.state, self.fate);
                (word, ended(engine, (self.fate, &self.state), missing, Some(last)))
            }
        };
        MemberOutcome {
            outcome,
            system_outcome,
            reason,
            retries: self.retries.into(),
            not_reached: self.not_reached.into(),
            cut_off: self.cut_off.into(),
            missing,
            contradictions,
            decisions,
        }
    }

    /// Counts how it ended; says so, and which run is not on record.
    fn settle(&self, summary: &mut Summary) -> (Outcome, Option<Missing>) {
        let missing = match &self.expects {
            Expects::Granted(grant) => Some(Missing { rule: grant.rule }),
            Expects::Run | Expects::Stopped | Expects::Nothing => None,
        };
        if let Some(Missing { rule }) = missing {
            summary.unresolved(rule);
        }
        let tally = self.last.filter(|_| self.decided);
        let (outcome, tally) = match E::REPORTED {
            Reported::Members if missing.is_some() => (Outcome::Unresolved, tally),
            Reported::Members => (self.outcome, tally),
            Reported::Units => (self.fate.map_or(Outcome::Unresolved, Into::into), self.last),
        };
        summary.ended(self.queue, outcome, self.retries > 0, tally.as_ref());
        (outcome, missing)
    }
}
