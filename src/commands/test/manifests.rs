//! The tests of other systems' policies.

use super::armada::{JOB_ID, refused};
use super::cases::{self, PreparedCase};
use super::session::Session;
use crate::analysis::unit_test::{Case, CaseRuns, Recorded, scaffold};
use crate::project::Manifests;
use ::systems::release::{Release, Releases, has_releases_of};
use ::systems::{
    Bounds, CoverageTarget, ExampleFailures, ManifestSystem, Options, PolicyDocuments, TargetKind,
};
use armada_retry::policy::Documents;
use document::diag::{Code, Diagnostic, Findings, LineColumn, did_you_mean};
use document::units::GoDuration;
use document::{Document, Node};
use replay::simulate::Units;
use std::sync::Arc;

/// Checks or runs the tests of a document.
pub(super) fn run<S: ManifestSystem>(
    document: &Document,
    documents: &Documents,
    session: &mut Session,
) {
    let cases = cases::checked_cases::<S>(document, &mut session.findings);
    let mut findings = Findings::new();
    let options = options::<S>(document, &mut findings);
    let manifests = Manifests::<S>::read(documents, &options, &mut findings);
    let is_sound = !findings.has_errors();
    session.findings.extend(findings);
    let Some(cases) = cases.filter(|_| is_sound) else { return };
    if let Err(error) = manifests.refuse_none().and_then(|()| manifests.refuse_several()) {
        return session.findings.extend(refused(document, &error));
    }
    let engine = Arc::new(manifests.engine());
    cases::check_all_names(&cases, &*engine, session);
    let mut prepared = Vec::new();
    for case in cases {
        let limits = Some(S::limits(&[&*engine]));
        let defaults = |node: &Node| defaults(document, node, &manifests, &*engine);
        let recorded = cases::record(&*engine, (document, &case), limits, &defaults, session);
        let Some(recorded) = recorded else { continue };
        if let Some(finding) = unsupported(document, &case, &recorded, &manifests, &*engine) {
            session.findings.extend(finding);
            continue;
        }
        prepared.push(PreparedCase { case, recorded, engine: Arc::clone(&engine) });
    }
    if session.is_check || session.findings.has_errors() {
        return cases::run(&prepared, &[], 0, session);
    }
    let (targets, examples) = targets_and_examples::<S>(documents, &options);
    let targets = without_unreachable(&manifests, &*engine, targets, &examples);
    let seed = document.root.at(&["spec", "seed"]).and_then(Node::integer);
    let seed = seed.and_then(|seed| u64::try_from(seed).ok()).unwrap_or_default();
    cases::run(&prepared, &targets, seed, session);
}

/// The options of a document's manifests.
fn options<S: ManifestSystem>(document: &Document, findings: &mut Findings) -> Options {
    let mut options = Options::default();
    let spec = document.root.get("spec");
    let field = |key: &str| spec.and_then(|spec| spec.get(key));
    let has_options = matches!(S::DESCRIPTION.documents, PolicyDocuments::Manifests(_));
    for key in ["featureGates", "podBackoffCap"] {
        if let Some(node) = field(key).filter(|_| !has_options) {
            let manifest = S::DESCRIPTION.manifest;
            let message =
                format!("`{key}` applies to JobSets and Jobs, but the policies are a {manifest}");
            let finding = Diagnostic::error(Code::InvalidTest, document.place(node.span), message);
            findings.push(finding.help(format!("remove `{key}`")));
        }
    }
    for entry in field("featureGates").map(Node::entries).unwrap_or_default() {
        let is_on = entry.value.boolean().unwrap_or_default();
        match entry.key.as_str() {
            "RestartJob" => options.restart_job = is_on,
            "InPlaceRestart" => options.in_place_restart = is_on,
            other => {
                let known = ["RestartJob", "InPlaceRestart"];
                let message = format!("no feature gate `{other}` affects failures");
                let help = match did_you_mean(other, known) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("those that do are {}", known.join(" and ")),
                };
                let place = document.place(entry.key_span);
                findings.push(Diagnostic::error(Code::UndefinedName, place, message).help(help));
            }
        }
    }
    let releases = field("releases").map(Node::items).unwrap_or_default();
    let mut named: Vec<Release> = Vec::new();
    for node in releases {
        let all = release::<S>(node).and_then(|release| {
            named.push(release);
            Releases::default().with_all(&named)
        });
        match all {
            Ok(all) => options.releases = all,
            Err(message) => {
                let finding =
                    Diagnostic::error(Code::InvalidTest, document.place(node.span), message);
                findings.push(finding.help("write a release, such as `kubernetes-1.34`"));
            }
        }
    }
    let cap = field("podBackoffCap").and_then(Node::text);
    let cap = cap.and_then(|text| GoDuration::parse(text).ok());
    Options { pod_backoff_cap: cap.unwrap_or(options.pod_backoff_cap), ..options }
}

/// The release that a document names; an error if the policies do not depend on it.
fn release<S: ManifestSystem>(node: &Node) -> Result<Release, String> {
    let release: Release = node.text().unwrap_or_default().parse()?;
    if has_releases_of::<S>(release.program) {
        Ok(release)
    } else {
        Err(format!("`releases`: a {} does not depend on {release}", S::DESCRIPTION.manifest))
    }
}

/// The unit of a failure, and the fields that its manifest determines.
pub(super) fn defaults<S: ManifestSystem>(
    document: &Document,
    node: &Node,
    manifests: &Manifests<S>,
    engine: &S,
) -> Result<Vec<(String, String)>, Box<Diagnostic>> {
    let place = || document.place(node.span);
    let unit = match node.get("jobId").and_then(Node::text) {
        Some(unit) => unit.to_owned(),
        None => match manifests.only() {
            Some(only) if only.name.is_empty() => JOB_ID.to_owned(),
            Some(only) => only.name.to_owned(),
            None => {
                let manifest = S::DESCRIPTION.manifest;
                let message =
                    format!("the failure has no `jobId`, and there are several of a {manifest}");
                let finding = Diagnostic::error(Code::MissingField, place(), message);
                return Err(Box::new(
                    finding.help("add `jobId`: the name of the one that is meant"),
                ));
            }
        },
    };
    let scalars = node
        .entries()
        .iter()
        .filter_map(|entry| Some((entry.key.clone(), entry.value.scalar()?.text.clone())));
    let given: Vec<(String, String)> = scalars.collect();
    let more = engine.default_args(&unit, &given).map_err(|fault| {
        let finding = Diagnostic::error(Code::MissingField, place(), fault.message);
        Box::new(finding.maybe_help(fault.help))
    })?;
    Ok([("jobId".to_owned(), unit)].into_iter().chain(more).collect())
}

/// Why the manifests cannot judge a case, if they cannot.
fn unsupported<S: ManifestSystem>(
    document: &Document,
    case: &Case<'_>,
    recorded: &Recorded<S::Fields>,
    manifests: &Manifests<S>,
    engine: &S,
) -> Option<Findings> {
    let members = &recorded.history.members;
    let units = members.iter().map(|member| &*member.unit);
    if let Err(error) = manifests.refuse_undetermined(units) {
        return Some(refused(document, &error));
    }
    let unsupported = engine.unsupported_record(members)?;
    let finding = Diagnostic::error(Code::BadRecord, case.place.clone(), unsupported.message);
    Some(Findings::of(finding.help(unsupported.help)))
}

/// Targets of the coverage of manifests' tests, and failures that reach them.
pub(super) fn targets_and_examples<S: ManifestSystem>(
    documents: &Documents,
    options: &Options,
) -> (Vec<CoverageTarget>, Vec<ExampleFailures>) {
    let (mut targets, mut examples) = (Vec::new(), Vec::new());
    let own = || documents.others.iter().filter(|other| S::DESCRIPTION.has_document(other));
    let are_several = own().count() > 1;
    for other in own() {
        // Its findings have been reported.
        let Some(manifest) = S::read(&other.document, options, &mut Findings::new()) else {
            continue;
        };
        let shadowed = shadowed_rules::<S>(&other.document, &manifest);
        targets.extend(S::targets(&other.document, &manifest).into_iter().map(|target| {
            let is_shadowed =
                target.kind == TargetKind::Rule && shadowed.contains(&target.place.start());
            let reason = || "rules before it match all of its failures".to_owned();
            target.unreachable_if(is_shadowed.then(reason))
        }));
        let unit = if are_several { S::unit(&manifest).name } else { "" };
        examples.extend(S::examples(&manifest).into_iter().map(|example| with_unit(example, unit)));
    }
    (targets, examples)
}

/// The starts of the rules that decide nothing, since rules before them match all of their failures.
fn shadowed_rules<S: ManifestSystem>(
    document: &Document,
    manifest: &S::Manifest,
) -> Vec<LineColumn> {
    let findings = S::lint(document, manifest, &Bounds::default());
    let shadowed = findings.iter().filter(|finding| finding.code == Code::ShadowedRule);
    shadowed.filter_map(|finding| Some(finding.place.as_ref()?.start())).collect()
}

/// The example with the unit of its manifest, unless that is empty.
fn with_unit(mut example: ExampleFailures, unit: &str) -> ExampleFailures {
    for failure in example.alternatives.iter_mut().flatten().filter(|_| !unit.is_empty()) {
        if let serde_json::Value::Object(fields) = failure {
            fields.insert("jobId".to_owned(), unit.into());
        }
    }
    example
}

/// The targets, of which limits and defaults that no example reaches do not count. Whether a failure reaches them depends
/// on all rules and limits together.
fn without_unreachable<S: ManifestSystem>(
    manifests: &Manifests<S>,
    engine: &S,
    targets: Vec<CoverageTarget>,
    examples: &[ExampleFailures],
) -> Vec<CoverageTarget> {
    let scaffolding = scaffold(engine, &targets, examples.iter().cloned(), &|document, case| {
        read_example(document, case, manifests, engine)
    });
    let is_uncovered = |target: &CoverageTarget| {
        scaffolding.uncovered.iter().any(|other| {
            (&other.policy, other.rule_index, other.kind)
                == (&target.policy, target.rule_index, target.kind)
        })
    };
    let settle = |target: CoverageTarget| {
        let is_certain = target.kind == TargetKind::Rule || !is_uncovered(&target);
        let reason = || "none of the failures that were tried reaches it".to_owned();
        target.unreachable_if((!is_certain).then(reason))
    };
    targets.into_iter().map(settle).collect()
}

/// Reads the failures of a example.
pub(super) fn read_example<S: ManifestSystem>(
    document: &Document,
    case: &Case<'_>,
    manifests: &Manifests<S>,
    engine: &S,
) -> Option<Recorded<S::Fields>> {
    let CaseRuns::Failures(nodes) = &case.runs else { return None };
    let limits = Some(<S as Units>::limits(&[engine]));
    let defaults = |node: &Node| defaults(document, node, manifests, engine);
    let mut findings = Findings::new();
    let recorded =
        cases::record_failures::<S>(document, case, nodes, limits, &defaults, &mut findings)?;
    let is_sound =
        !findings.has_errors() && engine.unsupported_record(&recorded.history.members).is_none();
    is_sound.then_some(recorded)
}
