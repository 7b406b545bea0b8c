//! The pods of a unit that have no index: each is replayed as a member by itself.

use crate::history::{Member, RecordFields, Run};
use crate::simulate::changes::MemberLog;
use crate::simulate::engine::Engine;
use std::borrow::Cow;
use std::collections::HashMap;

/// The members of a unit, of which those with separate runs are replaced by one for each of their pods.
pub(crate) struct PodMembers<'m, F: RecordFields> {
    pub(crate) members: Vec<Cow<'m, Member<F>>>,
    /// For each member the number of the recorded one in the unit, and the positions of its runs there.
    origins: Vec<(usize, Vec<usize>)>,
}

/// A pod of a member: the number of the member, and the positions of the pod's records.
type PodRecords = (usize, Vec<usize>);

impl<'m, F: RecordFields> PodMembers<'m, F> {
    /// The members of a unit; `None` if an engine replays them as they are recorded.
    pub(crate) fn from_unit<E: Engine<Fields = F>>(
        engine: &E,
        recorded: &[&'m Member<F>],
    ) -> Option<Self> {
        let mut all = Self { members: Vec::new(), origins: Vec::new() };
        let mut pods = Pods::default();
        for (number, member) in recorded.iter().enumerate() {
            let runs = 0..member.runs.len();
            let is_separate = |at: &usize| engine.is_separate_run(member, &member.runs[*at]);
            let (separate, others): (Vec<usize>, Vec<usize>) = runs.partition(is_separate);
            for at in &separate {
                pods.add(number, *at, &member.runs[*at]);
            }
            if separate.is_empty() {
                all.add(Cow::Borrowed(member), number, others);
            } else if !others.is_empty() {
                all.add(Cow::Owned(part_of(member, &others)), number, others);
            }
        }
        let mut pods = pods.all;
        if pods.is_empty() {
            return None;
        }
        let start = |(member, runs): &PodRecords| {
            runs.first().and_then(|first| recorded[*member].runs[*first].started_at)
        };
        pods.sort_by_key(start);
        for (number, runs) in pods {
            all.add(Cow::Owned(part_of(recorded[number], &runs)), number, runs);
        }
        Some(all)
    }

    fn add(&mut self, member: Cow<'m, Member<F>>, origin: usize, runs: Vec<usize>) {
        self.members.push(member);
        self.origins.push((origin, runs));
    }

    /// The number of the recorded member that a member is or belongs to.
    pub(crate) fn origin(&self, member: usize) -> Option<usize> {
        self.origins.get(member).map(|(number, _)| *number)
    }

    /// The logs of the `recorded` members, from those of these.
    pub(crate) fn join_logs(&self, recorded: &[&Member<F>], logs: &[MemberLog]) -> Vec<MemberLog> {
        let mut places: Vec<Vec<(usize, usize)>> =
            recorded.iter().map(|member| vec![(0, 0); member.runs.len()]).collect();
        for (part, (number, runs)) in self.origins.iter().enumerate() {
            for (at, run) in runs.iter().enumerate() {
                places[*number][*run] = (part, at);
            }
        }
        let log = |places: Vec<(usize, usize)>| {
            MemberLog::joined(places.into_iter().map(|(part, at)| (&logs[part], at)))
        };
        let mut joined: Vec<MemberLog> = places.into_iter().map(log).collect();
        for ((number, _), log) in self.origins.iter().zip(logs) {
            joined[*number].reruns += log.reruns;
        }
        if let (Some(first), Some(outcome)) = (joined.first_mut(), logs.first()) {
            first.outcome = outcome.outcome;
        }
        joined
    }
}

/// The pods of some members.
#[derive(Default)]
struct Pods<'m> {
    all: Vec<PodRecords>,
    /// The pods whose last record reports an ongoing run, by member and name.
    ongoing: HashMap<(usize, Option<&'m str>), usize>,
}

impl<'m> Pods<'m> {
    /// Adds a record. It continues the pod of the last record of the member with its name, if that reports an ongoing
    /// run; otherwise it is of another pod.
    fn add<F: RecordFields>(&mut self, member: usize, at: usize, run: &'m Run<F>) {
        let key = (member, run.own.pod_name());
        let pod = self.ongoing.remove(&key).unwrap_or_else(|| {
            self.all.push((member, Vec::new()));
            self.all.len() - 1
        });
        self.all[pod].1.push(at);
        if run.own.is_ongoing() {
            self.ongoing.insert(key, pod);
        }
    }
}

/// A member with some of the runs of another.
fn part_of<F: RecordFields>(member: &Member<F>, runs: &[usize]) -> Member<F> {
    Member {
        unit: member.unit.clone(),
        queue: member.queue.clone(),
        unit_fields: member.unit_fields.clone(),
        key: member.key.clone(),
        is_single: false,
        runs: runs.iter().map(|run| member.runs[*run].clone()).collect(),
    }
}
