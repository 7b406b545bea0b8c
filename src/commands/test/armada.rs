//! The tests of Armada's policies: their settings, and the policies that apply to each job.

use super::cases::{self, PreparedCase};
use super::session::Session;
use crate::analysis::unit_test::{ArmadaPolicies, Case, CaseRuns};
use crate::cli::Refusal;
use crate::commands::policy_set::{EngineName, MissingName, PolicySet, PolicySetArgs};
use armada_retry::engine::Reload;
use armada_retry::policy::{Documents, SchedulerSettings, read_settings};
use document::diag::{Code, Diagnostic, Findings, did_you_mean, typo_of};
use document::{Document, Node};
use replay::history::{GraceBounds, Job};
use std::sync::Arc;
use systems::CoverageTarget;
use systems::armada::Armada;

/// The id of a test's job, which pods are named after.
pub(super) const JOB_ID: &str = "job";

/// Checks or runs the tests of a document.
pub(super) fn run(document: &Document, documents: Documents, session: &mut Session) {
    let cases = cases::checked_cases::<Armada>(document, &mut session.findings);
    let mut findings = Findings::new();
    let spec = document.root.get("spec");
    let settings = spec.and_then(|spec| spec.get("schedulerConfig"));
    let settings = settings.map(|node| read_settings(document, node, &mut findings));
    let names = spec.and_then(|spec| spec.get("queuePolicies")).map(Node::items);
    check_policies(document, &documents, names.unwrap_or_default(), &mut findings);
    let is_sound = !findings.has_errors();
    session.findings.extend(findings);
    let Some(cases) = cases.filter(|_| is_sound) else { return };
    let engine = spec.and_then(|spec| spec.get("engine")).and_then(Node::text);
    let names = names.map(|names| names.iter().filter_map(Node::text).map(str::to_owned).collect());
    let args = policy_args(names, engine_of(engine));
    let settings = settings.unwrap_or_default();
    let policies = match PolicySet::with_settings(documents, (settings, Vec::new()), &args) {
        Ok(policies) => policies,
        Err(error) => return session.findings.extend(refused(document, &error)),
    };
    run_cases(document, cases, &policies, session);
}

/// Arguments that select these policies.
pub(super) fn policy_args(names: Option<Vec<String>>, engine: Option<EngineName>) -> PolicySetArgs {
    PolicySetArgs {
        files: Vec::new(),
        queue_policies: names,
        scheduler_config: None,
        engine,
        missing_policy: MissingName::Error,
    }
}

fn engine_of(name: Option<&str>) -> Option<EngineName> {
    match name? {
        "v1beta1" => Some(EngineName::V1beta1),
        _ => Some(EngineName::V1),
    }
}

fn run_cases(
    document: &Document,
    cases: Vec<Case<'_>>,
    policies: &PolicySet,
    session: &mut Session,
) {
    let base = Arc::new(policies.engine(&[]));
    cases::check_all_names(&cases, &*base, session);
    let mut prepared = Vec::new();
    let mut routes: Vec<Vec<usize>> = Vec::new();
    for case in cases {
        let limits = Some(GraceBounds::from(&policies.settings));
        let recorded = cases::record(&*base, (document, &case), limits, &|_| Ok(job_id()), session);
        let Some(recorded) = recorded else { continue };
        check_containers(document, &case, policies, session);
        let history = &recorded.history;
        let engine = if history.queues.is_empty() && history.reloads.is_empty() {
            Arc::clone(&base)
        } else {
            let queues = history.queues.iter();
            let queues = queues.map(|queue| (queue.name.clone(), queue.retry_policies.clone()));
            Arc::new(bound(policies, queues, &history.reloads))
        };
        let jobs: Vec<&Job> = history.members.iter().collect();
        if let Err(error) = resolve(policies, &engine, &jobs) {
            session.findings.extend(refused(document, &error));
            // The other cases have the same fault.
            break;
        }
        for job in jobs {
            let route = engine
                .bindings()
                .effective(engine.evaluator(), &job.queue, &job.unit_fields)
                .policies;
            if !routes.contains(&route) {
                routes.push(route);
            }
        }
        prepared.push(PreparedCase { case, recorded, engine });
    }
    let targets = targets(document, &base, policies, &routes);
    cases::run(&prepared, &targets, 0, session);
}

/// The engine of policies that are also bound to the queues of a history.
fn bound(
    policies: &PolicySet,
    queues: impl Iterator<Item = (String, Vec<String>)>,
    reloads: &[Reload],
) -> Armada {
    let mut policies = policies.clone();
    policies.bind(queues);
    policies.engine(reloads)
}

/// Resolves the policies of jobs: each has some, and all of them exist.
fn resolve(policies: &PolicySet, engine: &Armada, jobs: &[&Job]) -> anyhow::Result<()> {
    let resolution = policies.resolve(engine.evaluator(), jobs)?;
    policies.missing_findings(engine.evaluator(), &resolution.missing, None)?;
    Ok(())
}

/// The rules, defaults and limits of the policies that apply to the jobs with these lists.
pub(super) fn targets(
    document: &Document,
    engine: &Armada,
    policies: &PolicySet,
    routes: &[Vec<usize>],
) -> Vec<CoverageTarget> {
    let spec = document.root.get("spec");
    let global = document.root.at(&["spec", "schedulerConfig", "globalMaxRetries"]);
    let span = global.or(spec).map_or(document.root.span, |node| node.span);
    let place = document.place(span.first_line(document.source.text()));
    let policies = ArmadaPolicies {
        evaluator: engine.evaluator(),
        documents: policies.documents(),
        routes,
        global: place,
    };
    policies.targets()
}

/// The id of a failure's job.
pub(super) fn job_id() -> Vec<(String, String)> {
    vec![("jobId".to_owned(), JOB_ID.to_owned())]
}

/// Reports documents without policies, and names of policies that do not exist.
fn check_policies(
    document: &Document,
    documents: &Documents,
    names: &[Node],
    findings: &mut Findings,
) {
    let known: Vec<&str> = documents.policies.iter().map(|it| it.policy.name.as_str()).collect();
    if known.is_empty() {
        let at = document.root.at(&["spec", "policies"]);
        let place = document.place(at.map_or(document.root.span, |node| node.span));
        let finding = Diagnostic::error(Code::InvalidTest, place, "the files have no policies");
        findings
            .push(finding.help("name files with a RetryPolicy, a Job, a JobSet or a RetryProfile"));
        return;
    }
    for node in names {
        let Some(name) = node.text().filter(|name| !known.contains(name)) else { continue };
        let message = format!("there is no policy `{name}`");
        let help = match did_you_mean(name, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the files have {}", known.join(", ")),
        };
        let place = document.place(node.span);
        findings.push(Diagnostic::error(Code::UnknownName, place, message).help(help));
    }
}

/// Reports containers whose name is almost that of a rule's container: the rule would not match them.
fn check_containers(
    document: &Document,
    case: &Case<'_>,
    policies: &PolicySet,
    session: &mut Session,
) {
    let rules = policies.policies.iter().flat_map(|policy| &policy.rules);
    let known: Vec<&str> = rules.filter_map(|rule| rule.container.as_deref()).collect();
    let failures = match &case.runs {
        CaseRuns::Failures(failures) => failures.as_slice(),
        CaseRuns::History { .. } => &[],
    };
    let containers = failures.iter().filter_map(|failure| failure.get("containers"));
    for name in containers.flat_map(Node::items).filter_map(|container| container.get("name")) {
        let Some(text) = name.text().filter(|text| !known.contains(text)) else { continue };
        // A pod may have containers that no rule names; short names are often close to each other.
        let near = typo_of(text, known.iter().copied().filter(|name| name.len() > 3));
        if let Some(near) = near {
            let message = format!("no rule names a container `{text}`");
            let place = document.place(name.span);
            let finding = Diagnostic::error(Code::UndefinedName, place, message);
            session.findings.push(finding.help(format!("did you mean `{near}`?")));
        }
    }
}

/// The findings of a refusal; those without a place are about the policies of the document.
pub(super) fn refused(document: &Document, error: &anyhow::Error) -> Findings {
    let refusal = Refusal::from(error);
    let mut findings = Findings::new();
    if refusal.findings.is_empty() {
        let at = document.root.at(&["spec", "policies"]);
        let place = document.place(at.map_or(document.root.span, |node| node.span));
        let help = refusal.help.map(|help| help.replace("--queue-policies ", "`queuePolicies`: "));
        let finding = Diagnostic::error(Code::InvalidTest, place, refusal.message);
        findings.push(finding.maybe_help(help));
    }
    findings.extend(refusal.findings);
    findings
}

/// The settings of a scheduler configuration as the fields of a test document.
pub(super) fn settings_fields(
    settings: &SchedulerSettings,
) -> serde_json::Map<String, serde_json::Value> {
    let mut fields = serde_json::Map::new();
    let mut set = |key: &str, value: serde_json::Value| fields.insert(key.to_owned(), value);
    if !settings.enabled {
        set("enabled", false.into());
    }
    if let Some(limit) = settings.global_max_retries {
        set("globalMaxRetries", limit.into());
    }
    if let Some(name) = &settings.default_policy {
        set("defaultPolicyName", name.as_str().into());
    }
    let backoff = settings.default_backoff;
    let mut block = serde_json::Map::new();
    for (key, delay) in [("initialDelay", backoff.initial_delay), ("maxDelay", backoff.max_delay)] {
        block.extend(delay.map(|delay| (key.to_owned(), delay.to_string().into())));
    }
    block.extend(backoff.multiplier.map(|it| ("multiplier".to_owned(), it.into())));
    if !block.is_empty() {
        set("defaultBackoff", block.into());
    }
    let default = SchedulerSettings::default();
    if settings.max_retries != default.max_retries {
        set("maxRetries", settings.max_retries.into());
    }
    if settings.min_grace != default.min_grace {
        set("minTerminationGracePeriod", settings.min_grace.to_string().into());
    }
    if let Some(longest) = settings.max_grace {
        set("maxTerminationGracePeriod", longest.to_string().into());
    }
    fields
}
