//! Where a job goes.

use super::model::{Amounts, Toleration, add, fits};
use super::requirements::{Uniform, is_allowed};
use super::state::{EVICTED, State};
use std::collections::{BTreeMap, BTreeSet};

/// A node for a job.
pub struct Place {
    pub node: usize,
    pub priority: i32,
    /// The priority up to which jobs may have to leave; `EVICTED` if none has to.
    pub preempted_at: i32,
    /// Evicted jobs that lose their place.
    pub displaced: Vec<usize>,
}

/// A job to place: what it tolerates beside its own, what its gang requires, and at which priority.
struct Attempt<'a> {
    job: usize,
    extra: &'a [Toleration],
    uniform: &'a Uniform,
    priority: i32,
}

impl State<'_> {
    /// An evicted job returns to its node or nowhere.
    pub fn return_place(&self, job: usize) -> Option<Place> {
        let (node, priority) = (self.home[&job], self.priority(job));
        fits(&self.pool.jobs[job].on_node, &self.free(node, priority)).then(|| Place {
            node,
            priority,
            preempted_at: priority,
            displaced: Vec::new(),
        })
    }

    /// A new job goes to a node of its own, else to one of an away node type.
    pub fn new_place(&mut self, job: usize, uniform: &Uniform) -> Option<Place> {
        let extra = self.extra.get(&job).cloned().unwrap_or_default();
        let attempt = Attempt { job, extra: &extra, uniform, priority: self.priority(job) };
        if let Some(place) = self.place_at(&attempt) {
            return Some(place);
        }
        for (priority, tolerations) in &self.pool.jobs[job].away {
            let all: Vec<Toleration> = extra.iter().chain(tolerations).cloned().collect();
            let attempt = Attempt { job, extra: &all, uniform, priority: *priority };
            if let Some(place) = self.place_at(&attempt) {
                self.extra.insert(job, all);
                return Some(place);
            }
        }
        None
    }

    fn place_at(&self, attempt: &Attempt<'_>) -> Option<Place> {
        let place = |node, preempted_at| Place {
            node,
            priority: attempt.priority,
            preempted_at,
            displaced: Vec::new(),
        };
        if let Some(node) = self.best_fit(attempt, EVICTED) {
            return Some(place(node, EVICTED));
        }
        self.best_fit(attempt, attempt.priority)?;
        if let Some(place) = self.fairest(attempt) {
            return Some(place);
        }
        let classes = self.pool.settings.classes.values();
        let mut priorities: BTreeSet<i32> = [-1].into();
        for class in classes {
            priorities.insert(class.priority);
            priorities.extend(class.away.iter().map(|away| away.priority));
        }
        for priority in priorities {
            if priority <= attempt.priority
                && let Some(node) = self.best_fit(attempt, priority)
            {
                return Some(place(node, priority));
            }
        }
        None
    }

    /// The node that keeps the least free at a priority.
    fn best_fit(&self, attempt: &Attempt<'_>, priority: i32) -> Option<usize> {
        let pool = self.pool;
        let request = &pool.jobs[attempt.job].on_node;
        let frees: Vec<Amounts> =
            (0..pool.nodes.len()).map(|node| self.free(node, priority)).collect();
        let mut rows: Vec<Vec<usize>> = self.rows(request, &frees);
        loop {
            rows.retain(|row| !row.is_empty());
            let key = |node: usize| {
                let indexed = pool.settings.indexed.iter();
                let exact: Amounts = indexed.map(|(at, _)| frees[node][*at]).collect();
                (exact, &pool.nodes[node].id)
            };
            let row = rows.iter_mut().min_by_key(|row| key(row[0]))?;
            let node = row.remove(0);
            if fits(request, &frees[node])
                && is_allowed(
                    &pool.nodes[node],
                    &pool.jobs[attempt.job],
                    attempt.extra,
                    attempt.uniform,
                )
            {
                return Some(node);
            }
        }
    }

    /// By node type, the nodes that a walk over the rounded amounts meets, in its order.
    fn rows(&self, request: &Amounts, frees: &[Amounts]) -> Vec<Vec<usize>> {
        let indexed = &self.pool.settings.indexed;
        let mut types: BTreeMap<&str, Vec<(Amounts, usize)>> = BTreeMap::new();
        for (node, free) in frees.iter().enumerate() {
            let rounded = indexed.iter().map(|(at, unit)| free[*at] / unit * unit).collect();
            types.entry(&self.pool.nodes[node].kind).or_default().push((rounded, node));
        }
        let wanted: Amounts = indexed.iter().map(|(at, _)| request[*at]).collect();
        let mut rows = Vec::new();
        for mut nodes in types.into_values() {
            nodes.sort();
            let (mut row, mut least) = (Vec::new(), wanted.clone());
            for (rounded, node) in nodes {
                if rounded < least {
                    continue;
                }
                let short = (0..indexed.len()).find(|at| frees[node][indexed[*at].0] < wanted[*at]);
                match short {
                    None => row.push(node),
                    Some(short) => {
                        // The walk goes on at the first node that may have enough of this resource.
                        let next = [&rounded[..short], &wanted[short..]].concat();
                        least = least.max(next);
                    }
                }
            }
            rows.push(row);
        }
        rows
    }

    /// The node where those evicted jobs lose their place that would return last.
    fn fairest(&self, attempt: &Attempt<'_>) -> Option<Place> {
        let pool = self.pool;
        let job = &pool.jobs[attempt.job];
        let mut free: BTreeMap<usize, Amounts> = BTreeMap::new();
        let mut displaced: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut barred = BTreeSet::new();
        for victim in self.evicted.iter().rev() {
            let node = self.home[victim];
            if self.priority(*victim) > attempt.priority || barred.contains(&node) {
                continue;
            }
            let free = free.entry(node).or_insert_with(|| self.free(node, EVICTED));
            add(free, &pool.jobs[*victim].on_node);
            let displaced = displaced.entry(node).or_default();
            displaced.push(*victim);
            if !fits(&job.on_node, free) {
                continue;
            }
            if !is_allowed(&pool.nodes[node], job, attempt.extra, attempt.uniform) {
                barred.insert(node);
                continue;
            }
            let priorities = displaced.iter().map(|victim| self.priority(*victim));
            return Some(Place {
                node,
                priority: attempt.priority,
                preempted_at: priorities.max().unwrap_or(EVICTED).max(EVICTED),
                displaced: displaced.clone(),
            });
        }
        None
    }
}
