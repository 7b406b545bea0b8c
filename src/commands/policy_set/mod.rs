//! The policies that are evaluated, their engine, and their bindings to jobs, for `simulate` and `explain
//! decision`.

mod live;
mod missing;

pub(super) use missing::unknown_policies;

use super::live_policies::LivePart;
use crate::cli::Refusal;
use crate::project::{self, PolicyScope, Project, note_other_documents};
use crate::ui::Ui;
use anyhow::Result;
use armada_retry::engine::{
    Bindings, Effective, Evaluator, JobFields, MissingPolicy, Profile, QueuePolicies, RETRY_POLICY,
    Reload,
};
use armada_retry::policy::{
    Documents, Form, PolicyDocument, QueueDocument, RetryPolicy, SchedulerSettings,
    report_unsupported_by_v1beta1,
};
use borsh::{BorshDeserialize, BorshSerialize};
use clap::{Args, ValueEnum};
use document::Node;
use document::diag::{Code, Diagnostic, Findings};
use replay::history::Job;
use replay::simulate::{PolicySource, QueuePoliciesReport};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use systems::armada::Armada;

/// Which policies are evaluated, and how.
#[derive(Debug, Clone, Args)]
pub struct PolicySetArgs {
    /// Read policies and queues from these files or directories (`-` for stdin)
    #[arg(short = 'f', long = "filename", required = true, num_args = 1.., value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Apply these policies, in order, to the jobs of every queue
    ///
    /// Default: the list in the Queue document, else that in the history, else the only policy that was
    /// read.
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub queue_policies: Option<Vec<String>>,
    /// Read settings from this scheduler configuration file
    ///
    /// Armada's own file is accepted unchanged. Default: retries enabled, globalMaxRetries 20 (v1beta1:
    /// 5), backoff from 0s to 10m with factor 2. With a file, retries are enabled only if the file
    /// enables them. `simulate --cluster` reads the scheduler's settings from its `scheduling` section.
    #[arg(long, value_name = "FILE")]
    pub scheduler_config: Option<PathBuf>,
    /// Evaluate by the rules of this engine [default: by the form of the policies]
    #[arg(long, value_enum, value_name = "ENGINE")]
    pub engine: Option<EngineName>,
    /// Report or skip names of policies that do not exist
    #[arg(long, value_enum, default_value_t = MissingName::Error, value_name = "HOW")]
    pub missing_policy: MissingName,
}

impl PolicySetArgs {
    /// The arguments of a replay without policies.
    pub fn without_files() -> Self {
        Self {
            files: Vec::new(),
            queue_policies: None,
            scheduler_config: None,
            engine: None,
            missing_policy: MissingName::Error,
        }
    }
}

/// The name of an engine profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EngineName {
    /// The design: all matchers, limits per rule, backoff, gangs
    #[value(name = "v1")]
    V1,
    /// Today's Armada servers: categories, one limit per job
    #[value(name = "v1beta1")]
    V1beta1,
}

/// How to handle the name of a policy that does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MissingName {
    /// Report an error
    Error,
    /// Ignore the name, with a warning
    Skip,
}

impl MissingName {
    /// Whether names of policies that do not exist are dropped.
    pub(super) fn is_skip(self) -> bool {
        self == Self::Skip
    }
}

impl PolicySetArgs {
    /// Refuses flags that only Armada has, if the policies are of another system.
    pub(super) fn refuse_for(&self, kind: &str) -> Result<()> {
        let flags = [
            (self.queue_policies.is_some(), "--queue-policies"),
            (self.scheduler_config.is_some(), "--scheduler-config"),
            (self.engine.is_some(), "--engine"),
            (self.missing_policy != MissingName::Error, "--missing-policy"),
        ];
        let Some((_, flag)) = flags.into_iter().find(|(is_set, _)| *is_set) else { return Ok(()) };
        let message =
            format!("`{flag}` applies to Armada's policies, but the files contain a {kind}");
        Err(Refusal::usage(message).into())
    }
}

/// Policies, settings, and their bindings to jobs.
#[derive(Debug, Clone)]
pub(super) struct PolicySet {
    profile: &'static Profile,
    documents: Arc<Documents>,
    /// The policies of the documents, or variants of them in a sweep.
    pub(super) policies: Vec<Arc<RetryPolicy>>,
    pub(super) settings: SchedulerSettings,
    /// Warnings about the scheduler configuration; those of the policies are printed.
    config_warnings: Arc<Vec<Diagnostic>>,
    bindings: Bindings,
    /// Where the lists of the known queues come from.
    sources: HashMap<String, PolicySource>,
    /// With a server, queues whose document has no list. The document leaves the list as it is.
    without_list: HashSet<String>,
    /// The server whose policies complete these, if one does.
    live: Option<LivePart>,
}

/// The result of resolving the policies of some jobs.
#[derive(Debug, Clone, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(super) struct Resolution {
    /// Names that no policy has.
    pub(super) missing: BTreeSet<String>,
    /// Queues of which jobs have no policy.
    pub(super) without_policies: BTreeSet<String>,
    /// Queues that no document names, although documents or a server name others.
    pub(super) unnamed: BTreeSet<String>,
    /// The policies of the jobs' queues, by the name of the queue.
    pub(super) queues: BTreeMap<String, QueuePoliciesReport>,
    /// The queues of jobs with policies in an annotation, each with the annotation.
    annotated: BTreeSet<(String, String)>,
}

impl Resolution {
    /// Adds the result for other jobs.
    pub(super) fn extend(&mut self, other: Self) {
        self.missing.extend(other.missing);
        self.without_policies.extend(other.without_policies);
        self.unnamed.extend(other.unnamed);
        self.queues.extend(other.queues);
        self.annotated.extend(other.annotated);
    }

    /// A job without an annotation of each queue, and one for each annotation, with the queue.
    pub(super) fn jobs(&self) -> Vec<(String, JobFields)> {
        let plain = self.queues.keys().map(|queue| (queue.clone(), JobFields::default()));
        let annotated = self.annotated.iter().map(|(queue, text)| {
            let annotations = [(RETRY_POLICY.to_owned(), text.clone())].into();
            (queue.clone(), JobFields { annotations: Some(annotations), ..JobFields::default() })
        });
        plain.chain(annotated).collect()
    }
}

impl PolicySet {
    /// Policies that were read, under the settings that the arguments name.
    pub(super) fn new(ui: &mut Ui, project: Project, args: &PolicySetArgs) -> Result<Self> {
        let documents = project.into_documents(ui)?;
        let settings = project::scheduler_settings(args.scheduler_config.as_deref())?;
        Self::with_settings(documents, settings, args)
    }

    /// Policies that were read, under settings with their warnings.
    pub(super) fn with_settings(
        documents: Documents,
        (settings, warnings): (SchedulerSettings, Vec<Diagnostic>),
        args: &PolicySetArgs,
    ) -> Result<Self> {
        Self::from_documents(documents, (settings, Arc::new(warnings)), args)
    }

    /// Other policies under the same settings, which are not read again, since they may be from stdin.
    pub(super) fn with_files(&self, ui: &mut Ui, args: &PolicySetArgs) -> Result<Self> {
        let documents = Project::read(&args.files, PolicyScope::Armada).into_documents(ui)?;
        Self::from_documents(
            documents,
            (self.settings.clone(), Arc::clone(&self.config_warnings)),
            args,
        )
    }

    /// No policies under the same settings.
    pub(super) fn without_files(&self, args: &PolicySetArgs) -> Result<Self> {
        let settings = (self.settings.clone(), Arc::clone(&self.config_warnings));
        Self::from_documents(Documents::default(), settings, args)
    }

    /// The same policies under other settings, with the warnings about these.
    pub(super) fn under(&self, (settings, warnings): (SchedulerSettings, Vec<Diagnostic>)) -> Self {
        Self { settings, config_warnings: Arc::new(warnings), ..self.clone() }
    }

    fn from_documents(
        documents: Documents,
        (settings, config_warnings): (SchedulerSettings, Arc<Vec<Diagnostic>>),
        args: &PolicySetArgs,
    ) -> Result<Self> {
        let profile = Profile::of(policy_form(&documents, args.engine)?);
        let missing = match args.missing_policy {
            MissingName::Error => MissingPolicy::Error,
            MissingName::Skip => MissingPolicy::Skip,
        };
        let forced = args.queue_policies.as_ref().map(|names| {
            names
                .iter()
                .map(|name| name.trim().to_owned())
                .filter(|name| !name.is_empty())
                .collect()
        });
        let queues = documents.queues.iter();
        let queues =
            queues.map(|found| (found.queue.name.clone(), found.queue.retry_policies.clone()));
        let bindings =
            Bindings { forced, queues: queues.collect(), missing, ..Bindings::default() };
        let sources = bindings.queues.keys().map(|name| (name.clone(), PolicySource::File));
        let sources = sources.collect();
        let policies = documents.policies.iter().map(|found| Arc::clone(&found.policy)).collect();
        let documents = Arc::new(documents);
        Ok(Self {
            profile,
            documents,
            policies,
            settings,
            config_warnings,
            bindings,
            sources,
            without_list: HashSet::new(),
            live: None,
        })
    }

    /// Whether only the first policy of a queue is evaluated.
    pub(super) fn evaluates_first_only(&self) -> bool {
        self.profile.form == Form::V1beta1
    }

    /// The documents that the policies are from.
    pub(super) fn documents(&self) -> &Documents {
        &self.documents
    }

    /// The name of the policy, if there is only one.
    pub(super) fn only_policy(&self) -> Option<&str> {
        match self.policies.as_slice() {
            [only] => Some(only.name.as_str()),
            _ => None,
        }
    }

    /// Warnings about the scheduler configuration.
    pub(super) fn config_warnings(&self) -> &[Diagnostic] {
        &self.config_warnings
    }

    /// Binds queues of a history that no Queue document binds, and then those of the server that are left.
    pub(super) fn bind(&mut self, queues: impl IntoIterator<Item = (String, Vec<String>)>) {
        for (queue, policies) in queues {
            self.bind_queue(queue, policies, PolicySource::History);
        }
        if let Some(live) = self.live.clone() {
            for (queue, policies) in &live.server.queues {
                self.bind_queue(queue.clone(), policies.clone(), PolicySource::Server);
            }
        }
    }

    /// Binds a queue unless it is bound.
    fn bind_queue(&mut self, queue: String, policies: Vec<String>, source: PolicySource) {
        let is_bound = self.bindings.queues.contains_key(&queue);
        if !is_bound || self.without_list.remove(&queue) {
            self.sources.insert(queue.clone(), source);
            self.bindings.queues.insert(queue, policies);
        }
    }

    /// The engine for one job; prints the notes and warnings about the inputs. It is an error if the job's
    /// policies cannot be resolved.
    pub(super) fn compile(&self, ui: &mut Ui, job: &Job) -> Result<Armada> {
        note_other_documents(ui, &self.documents)?;
        ui.diagnostics(&self.config_warnings)?;
        let engine = self.engine(&[]);
        let resolution = self.resolve(engine.evaluator(), &[job])?;
        let findings = self.missing_findings(engine.evaluator(), &resolution.missing, None)?;
        ui.diagnostics(&findings)?;
        Ok(engine)
    }

    /// The engine for any jobs.
    pub(super) fn engine(&self, reloads: &[Reload]) -> Armada {
        let settings = self.settings.clone();
        let evaluator = Evaluator::new(self.profile, self.policies.clone(), settings, reloads);
        Armada::new(evaluator, self.bindings.clone())
    }

    /// Resolves the policies of jobs; an error if no policies are bound to a job.
    pub(super) fn resolve(&self, evaluator: &Evaluator, jobs: &[&Job]) -> Result<Resolution> {
        let mut resolution = Resolution::default();
        let Bindings { forced, queues, is_complete, .. } = &self.bindings;
        let names_queues = forced.is_none() && (!queues.is_empty() || *is_complete);
        let mut seen: HashSet<(&str, Option<&str>)> = HashSet::new();
        for job in jobs {
            // Jobs with the same queue and annotation have the same policies.
            let key = (&*job.queue, job.unit_fields.annotation(RETRY_POLICY));
            if !seen.insert(key) {
                continue;
            }
            if let (_, Some(names)) = key {
                resolution.annotated.insert((job.queue.to_string(), names.to_owned()));
            }
            let effective = self.bindings.effective(evaluator, &job.queue, &job.unit_fields);
            require_bound(&effective, evaluator, job)?;
            let skips = self.bindings.missing == MissingPolicy::Skip;
            if effective.policies.is_empty() && (skips || effective.missing.is_empty()) {
                resolution.without_policies.insert(job.queue.to_string());
            }
            if names_queues && !queues.contains_key(&*job.queue) {
                resolution.unnamed.insert(job.queue.to_string());
            }
            resolution.missing.extend(effective.missing);
            if !resolution.queues.contains_key(&*job.queue) {
                let policies = self.queue_policies(evaluator, &job.queue);
                resolution.queues.insert(job.queue.to_string(), policies);
            }
        }
        Ok(resolution)
    }

    /// The policies of a queue, and where they come from.
    fn queue_policies(&self, evaluator: &Evaluator, queue: &str) -> QueuePoliciesReport {
        let mut policies = self.bindings.listed(evaluator, queue).unwrap_or_default();
        let mut source = match self.sources.get(queue) {
            _ if self.bindings.forced.is_some() => PolicySource::Flag,
            Some(source) => *source,
            None => PolicySource::Assumed,
        };
        if let (true, Some(default)) = (policies.is_empty(), &self.settings.default_policy) {
            policies.push(default.clone());
            source = PolicySource::Default;
        }
        QueuePoliciesReport { queue: queue.to_owned(), policies, source }
    }
}

/// The list of policies in a Queue document; `None` if it has none, which leaves that of a server unchanged.
fn list_of(queue: &QueueDocument) -> Option<&Node> {
    let root = &queue.document.root;
    let list = root.at(&["spec", "retryPolicies"]).or_else(|| root.get("retryPolicies"));
    list.filter(|list| !list.is_null())
}

/// The form whose rules apply. Policies of both forms are an error.
fn policy_form(documents: &Documents, engine: Option<EngineName>) -> Result<Form> {
    let forms = |form| documents.policies.iter().find(|found| found.policy.form == form);
    let (v1, v1beta1) = (forms(Form::V1), forms(Form::V1beta1));
    if let (Some(v1), Some(v1beta1)) = (v1, v1beta1) {
        let place = |found: &PolicyDocument| found.document.place(found.document.root.span);
        let message = "the policies mix `v1` and `v1beta1`, which no engine evaluates together";
        let finding = Diagnostic::error(Code::MixedForms, place(v1beta1), message)
            .labelled("`v1beta1`")
            .also(place(v1), "`v1`")
            .help("give policies of one form");
        return Err(Refusal::findings(vec![finding]).into());
    }
    let form = match engine {
        Some(EngineName::V1beta1) => Form::V1beta1,
        None if v1beta1.is_some() => Form::V1beta1,
        Some(EngineName::V1) | None => Form::V1,
    };
    if form == Form::V1beta1 {
        refuse_unsupported_by_v1beta1(documents.policies.iter())?;
    }
    Ok(form)
}

/// Refuses fields that the engine `v1beta1` lacks.
fn refuse_unsupported_by_v1beta1<'p>(
    policies: impl Iterator<Item = &'p PolicyDocument>,
) -> Result<()> {
    let mut findings = Findings::new();
    policies.for_each(|policy| report_unsupported_by_v1beta1(policy, &mut findings));
    if findings.has_errors() {
        return Err(Refusal::findings(findings.sorted()).into());
    }
    Ok(())
}

fn require_bound(effective: &Effective, evaluator: &Evaluator, job: &Job) -> Result<()> {
    if !effective.unbound {
        return Ok(());
    }
    let names: Vec<&str> = evaluator.policies().iter().map(|policy| policy.name.as_str()).collect();
    let (queue, owner) = match &*job.queue {
        "" => ("the job".to_owned(), "job"),
        queue => (format!("queue `{queue}`"), "queue"),
    };
    let flag = "--queue-policies";
    let help = match evaluator.profile().policies {
        QueuePolicies::AllAndAnnotated => {
            format!("name those of the {owner} with {flag} {}", names.join(","))
        }
        QueuePolicies::FirstOnly => {
            format!(
                "`v1beta1` evaluates one policy of a queue: name it, such as {flag} {}",
                names[0]
            )
        }
    };
    let count = names.len();
    let message = format!("{count} policies were given, and none of them is assigned to {queue}");
    Err(Refusal::usage(message).help(help).into())
}
