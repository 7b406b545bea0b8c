//! All members of a gang find a place, or none does.

use super::requirements::Uniform;
use super::shares::float;
use super::state::{EVICTED, State};

/// A job to schedule; an evicted one returns to its node or is preempted.
#[derive(Clone)]
pub struct Candidate {
    pub job: usize,
    pub is_evicted: bool,
    /// How many members its gang must have.
    pub cardinality: usize,
}

impl State<'_> {
    /// Places the members, or changes nothing and gives the reason.
    pub fn place_gang(&mut self, members: &[Candidate]) -> Result<(), String> {
        let reason = if members.len() > 1 {
            "unable to schedule gang since minimum cardinality not met"
        } else {
            "job does not fit on any node"
        };
        let gang = self.pool.jobs[members[0].job].gang.as_ref();
        let Some(label) = gang.and_then(|gang| gang.label.clone()) else {
            return self.attempt(members, &None).map(drop).ok_or_else(|| reason.to_owned());
        };
        if !self.pool.settings.indexed_labels.contains(&label) {
            return Err(format!("uniformity label {label} is not indexed"));
        }
        let mut values: Vec<&String> = Vec::new();
        for node in &self.pool.nodes {
            if let Some(value) = node.labels.get(&label)
                && !values.contains(&value)
            {
                values.push(value);
            }
        }
        if values.is_empty() {
            return Err(format!("no nodes with uniformity label {label}"));
        }
        let mut best: Option<(f64, Uniform)> = None;
        for (tried, value) in values.iter().enumerate().filter(|(_, value)| !value.is_empty()) {
            let uniform = Some((label.clone(), (*value).clone()));
            let copy = self.copy();
            if let Some(mean) = self.attempt(members, &uniform) {
                if mean <= f64::from(EVICTED) {
                    return Ok(());
                }
                if best.as_ref().is_none_or(|(least, _)| mean < *least) {
                    if tried + 1 == values.len() {
                        return Ok(());
                    }
                    best = Some((mean, uniform));
                }
            }
            self.restore(copy);
        }
        let Some((_, uniform)) = best else {
            return Err("at least one job in the gang does not fit on any node".to_owned());
        };
        self.attempt(members, &uniform).map(drop).ok_or_else(|| reason.to_owned())
    }

    /// Places the members one by one; the mean priority that they preempt at, or nothing changed.
    fn attempt(&mut self, members: &[Candidate], uniform: &Uniform) -> Option<f64> {
        let copy = self.copy();
        let mut sum = 0;
        for member in members {
            let place = if member.is_evicted {
                self.return_place(member.job)
            } else {
                self.new_place(member.job, uniform)
            };
            let Some(place) = place else {
                self.restore(copy);
                return None;
            };
            for victim in &place.displaced {
                self.displace(*victim);
            }
            self.bind(member.job, place.node, place.priority);
            for victim in place.displaced {
                for sibling in self.pool.gang_members(victim) {
                    if self.evicted.contains(&sibling) {
                        self.displace(sibling);
                    }
                }
            }
            sum += i64::from(place.preempted_at);
        }
        let count = i64::try_from(members.len()).expect("a count");
        Some(float(sum) / float(count))
    }
}
