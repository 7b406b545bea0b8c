//! Reads workload files.

use super::super::job::Shape;
use super::super::scheduling::Scheduling;
use super::super::settings::Settings;
use super::super::spec::{GangTemplate, JobTemplate, Queue, TimedReload, Workload};
use super::cluster::warn_of_unsupported;
use super::dependencies::{DependencyIds, UnresolvedTemplates};
use super::located::{MAX_DURATION, Reader, items, quantities, text, texts, whole};
use super::requirements::requirements;
use super::workload_shape::{MAX_COPIES_BYTES, MAX_JOBS, WORKLOAD_FILE};
use super::{CLUSTER_LABEL, only_document};
use document::diag::{Code, Findings, Place, Source, Span, did_you_mean};
use document::{KeyCase, Node, check};
use replay::history::GraceBounds;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// Reads a workload file, with classes and amounts of a configuration. Without one, the defaults
/// are used, and names that a configuration defines are not looked up.
pub fn read_workload(
    source: &Arc<Source>,
    config: Option<&Scheduling>,
) -> (Option<Workload>, Findings) {
    let (document, mut findings) = only_document(source, WORKLOAD_FILE.name);
    let Some(document) = document else { return (None, findings) };
    check(source, &document.root, &WORKLOAD_FILE, KeyCase::Exact, &mut findings);
    let defaults = Scheduling::default();
    let reader = WorkloadReader {
        settings: config.unwrap_or(&defaults).settings(),
        grace: config.unwrap_or(&defaults).grace,
        is_config_known: config.is_some(),
        reader: Reader::new(&document, findings),
        ids: HashMap::new(),
        jobs: 0,
        max_jobs: whole(&document.root, "maxJobs").map_or(MAX_JOBS, u64::from),
        copied_bytes: 0,
        template_ids: Vec::new(),
        places: Vec::new(),
        unresolved: UnresolvedTemplates { templates: Vec::new(), renamed: HashSet::new() },
    };
    let (workload, findings) = reader.read(&document.root);
    ((!findings.has_errors()).then_some(workload), findings)
}

/// Returns the annotations of a template's jobs, without those that make gangs: `gangCardinality` does.
fn annotations(template: &Node) -> BTreeMap<String, String> {
    let of_gangs = ["armadaproject.io/gangId", "armadaproject.io/gangCardinality"];
    let entries = template.at(&["requirements", "annotations"]).map(Node::entries);
    let entries = entries.unwrap_or_default().iter();
    let texts =
        entries.filter_map(|entry| Some((entry.key.clone(), entry.value.text()?.to_owned())));
    texts.filter(|(key, _)| !of_gangs.contains(&key.as_str())).collect()
}

/// Returns the changes of the settings of the retry engine.
fn reloads(root: &Node, reader: &mut Reader<'_>) -> Vec<TimedReload> {
    let events = items(root, "events").iter();
    let reload = events.filter_map(|event| {
        let reload = event.get("reload")?;
        Some(TimedReload {
            at: reader.duration(event, "at"),
            global_max_retries: whole(reload, "globalMaxRetries"),
            enabled: reload.get("enabled").and_then(Node::boolean),
        })
    });
    reload.collect()
}

struct WorkloadReader<'a, 'd> {
    settings: &'a Settings,
    grace: GraceBounds,
    is_config_known: bool,
    reader: Reader<'d>,
    ids: HashMap<String, Place>,
    /// The number of jobs of all templates, and its maximum.
    jobs: u64,
    max_jobs: u64,
    /// An estimate of the memory of the copies of all templates, in bytes.
    copied_bytes: usize,
    /// The ids of the templates, without the copies that `repeat` makes.
    template_ids: Vec<String>,
    /// The place of each template.
    places: Vec<Place>,
    unresolved: UnresolvedTemplates<'d>,
}

impl<'d> WorkloadReader<'_, 'd> {
    fn read(mut self, root: &'d Node) -> (Workload, Findings) {
        let mut queues = self.queues(root);
        // By name, so that the order of the file decides nothing.
        queues.sort_by(|a, b| a.name.cmp(&b.name));
        let positions: HashMap<String, usize> =
            queues.iter().enumerate().map(|(at, queue)| (queue.name.clone(), at)).collect();
        for queue in items(root, "queues") {
            let name = text(queue, "name");
            let position = positions.get(name).copied().unwrap_or_default();
            for (at, node) in items(queue, "jobTemplates").iter().enumerate() {
                self.template(node, position, format!("{name}-{at}"));
            }
        }
        let seed = root.get("randomSeed").and_then(Node::integer);
        let seed = seed.and_then(|seed| i64::try_from(seed).ok()).unwrap_or_default();
        let templates = self.unresolved.resolve(&mut self.reader);
        let workload = Workload {
            // As in Go's conversion, a negative seed keeps its bits.
            seed: seed.cast_unsigned(),
            queues,
            templates,
            template_ids: self.template_ids,
            grace_holds_node: root.get("graceHoldsNode").and_then(Node::boolean).unwrap_or(true),
            reloads: reloads(root, &mut self.reader),
            places: self.places,
        };
        (workload, self.reader.findings)
    }

    fn queues(&mut self, root: &Node) -> Vec<Queue> {
        let mut names = HashMap::new();
        let mut queues = Vec::new();
        for node in items(root, "queues") {
            let name = text(node, "name");
            if let Some(at) = node.get("name").filter(|_| !name.is_empty()) {
                self.reader.register_name(&mut names, ("queue", name), at.span);
            }
            let weight = node.get("weight").and_then(Node::number).unwrap_or_default();
            queues.push(Queue { name: name.to_owned(), weight });
        }
        queues
    }

    /// Reads a template and the copies that `repeat` makes.
    fn template(&mut self, node: &'d Node, queue: usize, default_id: String) {
        let id = node.get("id").and_then(Node::some_text);
        let base = JobTemplate {
            id: id.map_or(default_id, str::to_owned),
            source: self.template_ids.len(),
            queue,
            number: whole(node, "number").unwrap_or_default(),
            priority: whole(node, "queuePriority").unwrap_or_default(),
            job_set: node.get("jobSet").and_then(Node::some_text).map(str::to_owned),
            shape: self.shape(node),
            dependencies: Vec::new(),
            earliest_submission: self.reader.duration(node, "earliestSubmitTime"),
            after_dependencies: self
                .reader
                .duration(node, "earliestSubmitTimeFromDependencyCompletion"),
            run_time: self.reader.distribution(node, "runtimeDistribution"),
            gang: None,
            annotations: annotations(node).into(),
            failures: self.reader.job_failures(node, self.grace).into(),
        };
        let base = self.with_gang(base, node);
        self.template_ids.push(base.id.clone());
        let dependencies: DependencyIds<'d> =
            texts(node, "dependencies").map(|(id, node)| (id, node.span)).collect();
        let span = node.get("id").map_or(node.span, |id| id.span);
        let Some(repeat) = node.get("repeat") else {
            return self.add(base, &dependencies, span);
        };
        let period = self.reader.duration(repeat, "period");
        let copies = whole(repeat, "numTimes").unwrap_or_default();
        // In 128 bits: 2^32 copies of the longest period do not fit 64.
        let last = i128::from(copies) * i128::from(period) + i128::from(base.earliest_submission);
        if last > i128::from(MAX_DURATION) {
            let message = "the last copy is submitted after more than 100 years".to_owned();
            let help = "lower `numTimes` or `period`".to_owned();
            return self.reader.error(Code::OutOfRange, repeat.span, message, help);
        }
        // Counted before the copies are made, which would already take the memory.
        let bytes = size(&base, &dependencies).saturating_mul(copies as usize);
        self.copied_bytes = self.copied_bytes.saturating_add(bytes);
        if self.copied_bytes > MAX_COPIES_BYTES {
            let message = format!("{copies} copies of the template take too much memory");
            let help = "lower `numTimes`".to_owned();
            return self.reader.error(Code::TooMuch, repeat.span, message, help);
        }
        self.unresolved.renamed.insert(base.id.clone());
        for copy in 0..copies {
            let id = format!("{}-repeat-{copy}", base.id);
            let earliest_submission = base.earliest_submission + i64::from(copy) * period;
            let template = JobTemplate { id, earliest_submission, ..base.clone() };
            self.add(template, &dependencies, span);
        }
    }

    fn add(&mut self, template: JobTemplate, dependencies: &DependencyIds<'d>, span: Span) {
        let before = self.jobs;
        self.jobs += u64::from(template.number);
        if before <= self.max_jobs && self.jobs > self.max_jobs {
            let message = format!("there are more than {} jobs", self.max_jobs);
            let help = "lower `number`, or raise `maxJobs` of the workload: each takes up to 200 bytes of memory";
            self.reader.error(Code::TooMuch, span, message, help.to_owned());
        }
        self.reader.register_name(&mut self.ids, ("job template", &template.id), span);
        self.places.push(self.reader.place(span));
        self.unresolved.templates.push((template, dependencies.clone()));
    }

    fn shape(&mut self, node: &Node) -> Shape {
        let empty = Node { span: node.span, kind: document::NodeKind::Map(Vec::new()) };
        let needs = node.get("requirements").unwrap_or(&empty);
        let requests = needs.at(&["resourceRequirements", "requests"]);
        if let Some(requests) = requests.filter(|_| self.is_config_known) {
            // Without a configuration its resources and classes are not known, so that none is called unknown.
            warn_of_unsupported(&mut self.reader, self.settings, requests);
        }
        Shape {
            class: self.class(node),
            request: self.settings.resources.of_job(requests.into_iter().flat_map(quantities)),
            requirements: requirements(&mut self.reader, needs, "nodeSelector"),
        }
    }

    fn class(&mut self, node: &Node) -> usize {
        let name = text(node, "priorityClassName");
        let classes = &self.settings.classes;
        let is_known = name.is_empty() || classes.iter().any(|class| class.name == name);
        if let Some(at) =
            node.get("priorityClassName").filter(|_| !is_known && self.is_config_known)
        {
            let default = &classes[self.settings.default_class].name;
            let message = format!("the class `{name}` is not defined; `{default}` is used");
            let names = classes.iter().map(|class| class.name.as_str());
            let help = did_you_mean(name, names).map_or_else(
                || "add it to `priorityClasses`".to_owned(),
                |near| format!("did you mean `{near}`?"),
            );
            self.reader.warning(Code::Misleading, at.span, message, help);
        }
        self.settings.class_position(name)
    }

    fn with_gang(&mut self, mut template: JobTemplate, node: &Node) -> JobTemplate {
        let cardinality = whole(node, "gangCardinality").unwrap_or_default();
        let label = node.get("gangNodeUniformityLabel").filter(|it| it.some_text().is_some());
        if cardinality < 2 {
            if let Some(label) = label {
                let message = "`gangNodeUniformityLabel` has no effect without a gang".to_owned();
                let help = "remove it, or write a `gangCardinality` of 2 or more".to_owned();
                self.reader.warning(Code::Misleading, label.span, message, help);
            }
            return template;
        }
        let span = node.get("gangCardinality").map_or(node.span, |it| it.span);
        // A gang with fewer jobs than its cardinality would never start.
        if !template.number.is_multiple_of(cardinality) {
            let number = template.number;
            let message =
                format!("`gangCardinality` {cardinality} does not divide `number` {number}");
            let help = divisible(number, cardinality);
            self.reader.error(Code::OutOfRange, span, message, help);
        }
        self.check_gang_run_time(node, span);
        // Members of a gang end together.
        template.run_time.tail_mean = 0;
        if let Some(label) = label {
            self.check_label(label);
        }
        template.gang = Some(GangTemplate {
            cardinality: cardinality as usize,
            uniformity_label: label.and_then(Node::text).unwrap_or(CLUSTER_LABEL).into(),
        });
        template
    }

    fn check_gang_run_time(&mut self, node: &Node, span: Span) {
        let Some(distribution) = node.get("runtimeDistribution") else {
            let message = "a gang has no `runtimeDistribution`".to_owned();
            let help = "add `runtimeDistribution: {minimum: ..}`".to_owned();
            return self.reader.error(Code::MissingField, span, message, help);
        };
        let before = self.reader.findings.len();
        let is_tail = self.reader.duration(distribution, "tailMean") > 0;
        if let Some(tail) =
            distribution.get("tailMean").filter(|_| is_tail && before == self.reader.findings.len())
        {
            let message = "`tailMean` has no effect: the members of a gang end together".to_owned();
            let help = "remove it, or add it to `minimum`".to_owned();
            self.reader.warning(Code::Misleading, tail.span, message, help);
        }
    }

    /// Refuses a label that is not indexed: a gang with it would never start.
    fn check_label(&mut self, label: &Node) {
        let name = label.text().unwrap_or_default();
        let indexed = &self.settings.indexed_labels;
        if !self.is_config_known || indexed.contains(name) {
            return;
        }
        let help = did_you_mean(name, indexed.iter().map(String::as_str)).map_or_else(
            || "add it to `indexedNodeLabels` of the scheduler configuration".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        let message =
            format!("the label `{name}` is not indexed, so that no such gang would start");
        self.reader.error(Code::UndefinedName, label.span, message, help);
    }
}

/// Estimates the memory of a template, in bytes.
fn size(template: &JobTemplate, dependencies: &DependencyIds<'_>) -> usize {
    let texts = format!("{:?}", template.shape.requirements).len() + template.id.len();
    size_of::<JobTemplate>() + 2 * texts + 2 * size_of_val(dependencies.as_slice())
}

/// Returns the numbers next to `number` that a cardinality divides, for a message.
fn divisible(number: u32, cardinality: u32) -> String {
    let below = number / cardinality * cardinality;
    let above = u64::from(below) + u64::from(cardinality);
    match below {
        0 => format!("write a `number` of {above}"),
        _ => format!("write a `number` of {below} or {above}"),
    }
}
