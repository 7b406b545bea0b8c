//! Reads the queues of a state file, and sums their jobs' allocations and demands.

use super::super::located::{items, quantities, text};
use super::StateReader;
use super::jobs::Jobs;
use crate::resources::Amounts;
use crate::round::{QueueInput, job_order};
use document::Node;
use document::diag::Code;
use std::collections::{BTreeMap, HashMap};
use std::ops::RangeInclusive;

/// The range of valid weights. Within it, sums and quotients of weights are finite, for all queues of a pool.
const VALID_WEIGHTS: RangeInclusive<f64> = 1e-12..=1e12;

/// The sums over the jobs of a queue, by class, and its queued jobs.
#[derive(Clone)]
struct Sums {
    demand: Vec<Amounts>,
    allocated: Vec<Amounts>,
    queued: Vec<u32>,
}

impl StateReader<'_, '_> {
    /// Returns the queues by name.
    pub(super) fn queue_nodes<'n>(&mut self, root: &'n Node) -> BTreeMap<&'n str, &'n Node> {
        let mut names = HashMap::new();
        let mut queues = BTreeMap::new();
        for node in items(root, "queues") {
            let name = text(node, "name");
            if let Some(at) = node.get("name").filter(|_| !name.is_empty()) {
                self.reader.register_name(&mut names, ("queue", name), at.span);
            }
            queues.insert(name, node);
        }
        queues
    }

    /// Returns the queues in the order of their names.
    pub(super) fn queues(
        &mut self,
        nodes: &BTreeMap<&str, &Node>,
        jobs: &Jobs,
        total: &Amounts,
    ) -> Vec<QueueInput> {
        let sums = self.sums(nodes.len(), jobs);
        nodes.values().zip(sums).map(|(node, sums)| self.queue(node, sums, total)).collect()
    }

    fn sums(&self, queues: usize, jobs: &Jobs) -> Vec<Sums> {
        let zero = vec![self.settings.resources.zero(); self.settings.classes.len()];
        let empty = Sums { demand: zero.clone(), allocated: zero, queued: Vec::new() };
        let mut all = vec![empty; queues];
        for (index, job) in (0_u32..).zip(&jobs.all) {
            let Some(sums) = job.queue.and_then(|queue| all.get_mut(queue)) else { continue };
            let shape = &jobs.shapes[job.shape];
            sums.demand[shape.class].add(&shape.request);
            match job.run {
                Some(_) => sums.allocated[shape.class].add(&shape.request),
                None => sums.queued.push(index),
            }
        }
        for sums in &mut all {
            let order = |job: &u32| job_order(&self.settings, &jobs.all, &jobs.shapes, *job);
            sums.queued.sort_by_key(order);
        }
        all
    }

    fn queue(&mut self, node: &Node, sums: Sums, total: &Amounts) -> QueueInput {
        let limits = self.limits(node, total);
        let mut demand = self.settings.resources.zero();
        for (of_class, limit) in sums.demand.iter().zip(&limits) {
            demand.add(&of_class.min(limit));
        }
        if let Some(amounts) = node.get("demand") {
            self.check_amounts(amounts);
            demand = self.settings.resources.of_job(quantities(amounts));
        }
        QueueInput {
            weight: self.weight(node),
            is_active: true,
            is_cordoned: node.get("cordoned").and_then(Node::boolean).unwrap_or_default(),
            tokens: node.get("tokens").and_then(Node::number),
            limits,
            allocated: self.allocated(node).unwrap_or(sums.allocated),
            demand,
            queued: sums.queued,
        }
    }

    /// Returns the weight of a queue.
    fn weight(&mut self, node: &Node) -> f64 {
        let Some(value) = node.get("weight") else { return 1.0 };
        let weight = value.number().unwrap_or(1.0);
        if !VALID_WEIGHTS.contains(&weight) {
            let text = value.scalar().map_or("", |scalar| scalar.text.as_str());
            let message = format!("`weight` is {text}; it must be from 1e-12 to 1e12");
            let help = "write 1 / priorityFactor; only the ratios of weights count".to_owned();
            self.reader.error(Code::OutOfRange, value.span, message, help);
        }
        weight
    }

    /// Reads by class the maximum allocation of the jobs of a queue.
    fn limits(&mut self, node: &Node, total: &Amounts) -> Vec<Amounts> {
        let classes = self.settings.classes.iter();
        let mut fractions: Vec<Vec<f64>> =
            classes.map(|class| class.queue_fractions.clone()).collect();
        for entry in node.get("limits").map(Node::entries).unwrap_or_default() {
            let class = self.class(&entry.key, entry.key_span);
            if self.settings.classes[class].name != entry.key {
                continue;
            }
            self.warn_of_unsupported(&entry.value);
            for of_resource in entry.value.entries() {
                let position = self.settings.resources.position(&of_resource.key);
                if let Some((at, fraction)) = position.zip(of_resource.value.number()) {
                    fractions[class][at] = fraction;
                }
            }
        }
        fractions.iter().map(|fractions| total.times(fractions)).collect()
    }

    /// Reads by class the allocation that the file has.
    fn allocated(&mut self, node: &Node) -> Option<Vec<Amounts>> {
        let classes = node.get("allocated")?;
        let mut all = vec![self.settings.resources.zero(); self.settings.classes.len()];
        for entry in classes.entries() {
            let class = self.class(&entry.key, entry.key_span);
            self.check_amounts(&entry.value);
            all[class].add(&self.settings.resources.of_job(quantities(&entry.value)));
        }
        Some(all)
    }
}
