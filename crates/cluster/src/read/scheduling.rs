//! Reads the `scheduling` section of Armada's scheduler configuration.

mod classes;
mod defaults;
mod resources;
mod seed;

use super::super::scheduling::Scheduling;
use super::super::settings::Profile;
use super::super::spec::Nanoseconds;
use super::cluster::warn_of_unsupported;
use super::located::{Reader, items, text, texts};
use super::scheduling_shape::{PERIOD, SCHEDULER_CONFIG, SCHEDULING, SUBMISSION};
use super::{CLUSTER_LABEL, only_document};
use defaults::default_deadlines;
use document::diag::{Code, Diagnostic, Findings, Source, typo_of};
use document::units::GoDuration;
use document::{
    Document, Entry, Extra, KeyCase, Kind, Node, NodeKind, canonical_keys, check, misspelt_keys,
    shapes,
};
use resources::{floating_by_pool, fractions};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Returns the defaults of the `landed` profile.
impl Default for Scheduling {
    fn default() -> Self {
        Self::of_profile(Profile::Landed)
    }
}

/// Reads a scheduler configuration. Its keys are under `scheduling`, or at the top if that key is
/// absent; absent keys have the defaults of the profile.
pub fn read_scheduling(source: &Arc<Source>, profile: Profile) -> (Option<Scheduling>, Findings) {
    let (document, mut findings) = only_document(source, "scheduler configuration");
    let Some(document) = document else { return (None, findings) };
    if has_only_unknown_keys(&document.root) {
        let place = document.place(document.root.span.first_line(source.text()));
        let message = "the file has no setting of a scheduler";
        let finding = Diagnostic::error(Code::NoDocument, place, message);
        findings.push(
            finding.help("write a scheduler configuration, with settings under `scheduling`"),
        );
    }
    scheduling_of(document, profile, findings)
}

/// Returns whether a mapping has keys, and none that equals or resembles a key of a scheduler configuration.
fn has_only_unknown_keys(root: &Node) -> bool {
    let names = || SCHEDULER_CONFIG.fields.iter().chain(SCHEDULING.fields).map(|field| field.name);
    let is_other = |entry: &Entry| {
        let is_known = names().any(|name| name.eq_ignore_ascii_case(&entry.key));
        !is_known && typo_of(&entry.key, names()).is_none()
    };
    !root.entries().is_empty() && root.entries().iter().all(is_other)
}

/// Reads a scheduler configuration that is a document or a part of one.
pub(super) fn scheduling_of(
    mut document: Document,
    profile: Profile,
    mut findings: Findings,
) -> (Option<Scheduling>, Findings) {
    let source = &document.source.clone();
    check(source, &document.root, &ROOT, KeyCase::Folded, &mut findings);
    canonical_keys(&mut document.root, &ROOT);
    // Read before the section is entered, since it replaces the root.
    let outer_period = document.root.get(PERIOD.name).and_then(period);
    let submission = document.root.get("submission").cloned();
    enter_section(&mut document);
    check(source, &document.root, &SCHEDULING, KeyCase::Folded, &mut findings);
    canonical_keys(&mut document.root, &SCHEDULING);
    let mut reader = Reader::new(&document, findings);
    warn_of_typos(&mut reader, submission.as_ref());
    let mut scheduling = Scheduling::of_profile(profile);
    scheduling.period = outer_period.unwrap_or(scheduling.period);
    scheduling.read(&mut reader);
    // After the resources are read, which deadlines refer to by their position.
    scheduling.deadlines = default_deadlines(profile, &scheduling.settings.resources);
    if let Some(submission) = submission {
        scheduling.read_deadlines(&mut reader, &submission);
        scheduling.read_grace(&mut reader, &submission);
    }
    ((!reader.findings.has_errors()).then_some(scheduling), reader.findings)
}

shapes! {
    /// A scheduler configuration.
    static ROOT = "scheduler configuration" (extra: Extra::Ignored) {
        PERIOD,
        #[doc = "What jobs may request."]
        optional submission: Kind::Object(&SUBMISSION),
    }
}

/// Makes the `scheduling` section the root, if there is one.
fn enter_section(document: &mut Document) {
    if let Some(section) = document.root.value_mut("scheduling") {
        let empty = NodeKind::Map(Vec::new());
        let span = section.span;
        let kind =
            if section.is_null() { empty } else { std::mem::replace(&mut section.kind, empty) };
        document.root = Node { span, kind };
    }
}

/// The minimum period: simulated times are whole milliseconds.
const MIN_PERIOD: Nanoseconds = 1_000_000;

fn period(node: &Node) -> Option<Nanoseconds> {
    GoDuration::parse(node.text()?).ok().map(GoDuration::as_nanos)
}

/// Warns of rates without a burst, which limit nothing.
fn warn_of_rates(reader: &mut Reader<'_>) {
    let root = &reader.document.root;
    for (rate, burst) in [
        ("maximumSchedulingRate", "maximumSchedulingBurst"),
        ("maximumPerQueueSchedulingRate", "maximumPerQueueSchedulingBurst"),
    ] {
        let is_rate = |entry: &&Entry| entry.value.number().is_some_and(|rate| rate >= 0.0);
        if let (Some(entry), None) = (root.entry(rate).filter(is_rate), root.get(burst)) {
            let message = format!("`{rate}` has no effect without `{burst}`");
            let help = format!("add `{burst}`, the most jobs that start at once");
            reader.warning(Code::Misleading, entry.key_span, message, help);
        }
    }
}

/// Warns of ignored keys that are similar to a key that is read, in nested mappings too.
fn warn_of_typos(reader: &mut Reader<'_>, submission: Option<&Node>) {
    let mut typos = misspelt_keys(&reader.document.root, &SCHEDULING);
    typos.extend(submission.into_iter().flat_map(|node| misspelt_keys(node, &SUBMISSION)));
    for (entry, near) in typos {
        let message = format!("`{}` is not read", entry.key);
        let help = format!("did you mean `{near}`?");
        reader.warning(Code::UnknownField, entry.key_span, message, help);
    }
}

impl Scheduling {
    fn read(&mut self, reader: &mut Reader<'_>) {
        let root = &reader.document.root;
        self.settings.read_resources(reader);
        self.read_classes(reader);
        self.read_limits(root);
        let settings = &mut self.settings;
        let names =
            |key| texts(root, key).map(|(name, _)| name.to_owned()).collect::<BTreeSet<_>>();
        settings.indexed_taints = names("indexedTaints");
        settings.indexed_labels = names("indexedNodeLabels");
        settings.indexed_labels.insert(CLUSTER_LABEL.to_owned());
        if let Some(fraction) = root.get("protectedFractionOfFairShare").and_then(Node::number) {
            settings.protected_fraction = fraction;
        }
        if let Some(are_first) = root.get("enablePreferLargeJobOrdering").and_then(Node::boolean) {
            settings.are_large_jobs_first = are_first;
        }
        settings.read_seed(reader);
        warn_of_rates(reader);
        self.read_period(reader);
        self.read_pools(reader);
    }

    fn read_period(&mut self, reader: &mut Reader<'_>) {
        let root = &reader.document.root;
        self.period = root.get(PERIOD.name).and_then(period).unwrap_or(self.period);
        if self.period < MIN_PERIOD {
            let span = root.get(PERIOD.name).map_or(root.span, |node| node.span);
            let message = format!("`{}` is shorter than 1ms", PERIOD.name);
            reader.error(Code::OutOfRange, span, message, "write more, such as `10s`".to_owned());
        }
    }

    /// Reads the deadlines of the `submission` section.
    fn read_deadlines(&mut self, reader: &mut Reader<'_>, submission: &Node) {
        if submission.get("defaultActiveDeadline").is_some() {
            self.deadlines.of_all = reader.duration(submission, "defaultActiveDeadline");
        }
        let Some(by_resource) = submission.get("defaultActiveDeadlineByResourceRequest") else {
            return;
        };
        warn_of_unsupported(reader, &self.settings, by_resource);
        let types = &self.settings.resources;
        let deadlines = by_resource.entries().iter().filter_map(|entry| {
            Some((types.position(&entry.key)?, reader.duration_of(&entry.value, &entry.key)))
        });
        self.deadlines.by_resource = deadlines.collect();
    }

    /// Reads the grace periods of the `submission` section.
    fn read_grace(&mut self, reader: &mut Reader<'_>, submission: &Node) {
        let mut bound = |key: &str| {
            submission.get(key).map(|node| GoDuration::from_nanos(reader.duration_of(node, key)))
        };
        self.grace.min = bound("minTerminationGracePeriod").unwrap_or(self.grace.min);
        self.grace.max = bound("maxTerminationGracePeriod").or(self.grace.max);
    }

    fn read_limits(&mut self, root: &Node) {
        let settings = &mut self.settings;
        let count = |key| root.get(key).and_then(Node::integer);
        // A limit above 32 bits is never reached: there are fewer jobs.
        let burst = |key| count(key).map(|count| u32::try_from(count).unwrap_or(u32::MAX));
        settings.burst = burst("maximumSchedulingBurst");
        settings.queue_burst = burst("maximumPerQueueSchedulingBurst");
        if let Some(lookback) = count("maxQueueLookback") {
            settings.queue_lookback = usize::try_from(lookback).unwrap_or(usize::MAX);
        }
        let rate = |key| {
            let infinity = |node: &Node| node.text().map(|_| f64::INFINITY);
            root.get(key).and_then(|node| node.number().or_else(|| infinity(node)))
        };
        self.rate = rate("maximumSchedulingRate");
        self.queue_rate = rate("maximumPerQueueSchedulingRate");
        if let Some(node) = root.get("maximumResourceFractionToSchedule") {
            settings.round_fractions = fractions(&settings.resources, Some(node));
        }
    }

    fn read_pools(&mut self, reader: &mut Reader<'_>) {
        let root = &reader.document.root;
        let mut names = HashMap::new();
        for node in items(root, "pools") {
            let name = text(node, "name");
            if let Some(at) = node.get("name") {
                reader.register_name(&mut names, ("pool", name), at.span);
            }
            let pool = self.pools.entry(name.to_owned()).or_default();
            pool.protected_fraction =
                node.get("protectedFractionOfFairShare").and_then(Node::number);
            pool.is_uncapped_share_protected = node
                .get("experimentalProtectUncappedAdjustedFairShare")
                .and_then(Node::boolean)
                .unwrap_or_default();
        }
        for (name, amounts) in floating_by_pool(reader, &self.settings.resources) {
            self.pools.entry(name).or_default().floating = Some(amounts);
        }
        let root = &reader.document.root;
        let by_pool = root.get("maximumResourceFractionToScheduleByPool");
        for entry in by_pool.map(Node::entries).unwrap_or_default() {
            let pool = self.pools.entry(entry.key.clone()).or_default();
            let all = fractions(&self.settings.resources, Some(&entry.value));
            pool.round_fractions = Some(all);
        }
    }
}
