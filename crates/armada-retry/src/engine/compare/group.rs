//! Differences in groups, each of one kind with one cause.

use super::difference::{Cause, DifferenceKind, Group, Undecided};
use super::finding::{Finding, Origin};
use super::pairs::{NOT_CONFIRMED, Pairs};
use crate::engine::backoff::Schedule;
use std::collections::BTreeMap;

/// The witnesses of a group at most: more than one, for callers that confirm them by another replay.
const WITNESSES: usize = 3;

/// The findings of a group.
struct Members {
    kind: DifferenceKind,
    cause: Cause,
    /// The backoffs, if they are the cause.
    schedules: [Option<Schedule>; 2],
    findings: Vec<Finding>,
}

impl Members {
    fn new(kind: DifferenceKind, cause: Cause, findings: Vec<Finding>) -> Self {
        Self { kind, cause, schedules: [None, None], findings }
    }
}

impl Pairs<'_, '_> {
    /// Puts the findings into groups.
    pub(super) fn group(&mut self) {
        let mut groups: Vec<Members> = Vec::new();
        let mut takeovers: BTreeMap<(DifferenceKind, bool), Vec<Finding>> = BTreeMap::new();
        let counterparts = self.counterparts();
        for mut finding in std::mem::take(&mut self.findings) {
            finding.find_mover(&counterparts);
            let Some(cause) = self.cause(&finding, &counterparts) else {
                let is_shared = finding.origin != Origin::Rules;
                takeovers.entry((finding.kind, is_shared)).or_default().push(finding);
                continue;
            };
            let mut single = Members::new(finding.kind, cause, Vec::new());
            if let (Cause::Backoff(_), [Some(old), Some(new)]) = (cause, finding.at) {
                single.schedules = self.entry((old, new)).map(|it| it.schedule);
            }
            let key = |it: &Members| (it.kind, it.cause, it.schedules);
            let place = groups.iter().position(|it| key(it) == key(&single));
            let place = place.unwrap_or_else(|| {
                groups.push(single);
                groups.len() - 1
            });
            groups[place].findings.push(finding);
        }
        for ((kind, _), findings) in takeovers {
            groups.extend(self.cover(kind, findings));
        }
        self.found.groups = groups.into_iter().filter_map(|it| self.confirm(it)).collect();
        self.found.sort();
    }

    /// Covers pairs of one kind by rules of either side, each time by the one with most of the pairs that are left: those of a
    /// rule that was moved are one group.
    fn cover(&self, kind: DifferenceKind, mut findings: Vec<Finding>) -> Vec<Members> {
        let mut groups = Vec::new();
        while !findings.is_empty() {
            let mut counts: BTreeMap<(usize, usize), usize> = BTreeMap::new();
            for (side, place) in findings.iter().flat_map(|it| it.movers().into_iter().enumerate())
            {
                let Some(place) = place else { continue };
                *counts.entry((side, place)).or_default() += 1;
            }
            // Of rules with as many pairs, the first one of the new side.
            let by_most = counts
                .into_iter()
                .max_by_key(|((side, place), count)| (*count, *side, std::cmp::Reverse(*place)));
            let Some(((side, place), _)) = by_most else { break };
            let (own, rest): (Vec<_>, Vec<_>) =
                findings.into_iter().partition(|it| it.movers()[side] == Some(place));
            findings = rest;
            let cause = self.takeover(side, place, &own).unwrap_or(Cause::Engine);
            groups.push(Members::new(kind, cause, own));
        }
        groups
    }

    /// The cause of differences that a rule of one side has in common.
    fn takeover(&self, side: usize, place: usize, findings: &[Finding]) -> Option<Cause> {
        let id = self.entries[side].get(place)?.id?;
        let Origin::SharedLimit { side: limiting, .. } = findings.first()?.origin else {
            return Some(if side == 0 { Cause::TakenFrom(id) } else { Cause::TakenBy(id) });
        };
        // The rule of the other side, if the further failures have one there.
        let going = 1 - limiting;
        let mut others = findings.iter().filter_map(|it| it.movers()[going]);
        let other = others.next()?;
        let other = others.all(|it| it == other).then_some(other);
        let other = other.and_then(|place| self.entries[going].get(place)?.id);
        Some(if limiting == 0 { Cause::LimitNotShared(other) } else { Cause::LimitShared(other) })
    }

    /// The group with its smallest witnesses; none if the evaluators confirm none of its differences.
    fn confirm(&mut self, members: Members) -> Option<Group> {
        let Members { kind, cause, mut findings, .. } = members;
        findings.sort_by_key(Finding::size);
        let (mut pairs, mut witnesses) = (Vec::new(), Vec::new());
        for finding in findings {
            let ids = [0, 1].map(|side| self.entries[side].get(finding.at[side]?)?.id);
            if pairs.contains(&ids) {
                continue;
            }
            if witnesses.len() < WITNESSES {
                let difference = finding.difference(ids);
                if !difference.is_confirmed(self.sides) {
                    let [old, new] = ids;
                    self.found.undecided.push(Undecided { old, new, reason: NOT_CONFIRMED });
                    continue;
                }
                witnesses.push(difference);
            }
            pairs.push(ids);
        }
        let mut witnesses = witnesses.into_iter();
        let witness = witnesses.next()?;
        Some(Group { kind, cause, pairs, witness, further: witnesses.collect() })
    }
}
