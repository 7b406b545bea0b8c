//! Manifests as users write them: what applies to a template, and what is refused.

use super::{engine, read_document, with_strategy, workflow};
use crate::argo::{ArgoManifest, AttemptFields, RetryPolicyName};
use crate::{Identity, ManifestSystem, SystemName};
use document::Document;
use document::diag::{Code, Severity};
use document::units::GoDuration;

fn manifest(text: &str) -> ArgoManifest {
    let (_, manifest, findings) = read_document(text);
    assert!(!findings.has_errors(), "{findings:?}\n{text}");
    manifest.unwrap()
}

/// Returns the limits of the templates, as texts; one without a strategy has a dash.
fn limits(text: &str) -> Vec<String> {
    let limit =
        |limit: Option<i32>| limit.map_or_else(|| "no limit".to_owned(), |it| it.to_string());
    let templates = manifest(text).templates.into_iter();
    templates.map(|it| it.strategy.map_or_else(|| "-".to_owned(), |it| limit(it.limit))).collect()
}

#[test]
fn a_template_has_its_own_strategy_merged_with_the_defaults_or_that_of_the_workflow() {
    let templates = "templates: [{name: a}, {name: b, retryStrategy: {limit: 7}}, {name: c, retryStrategy: {}}]";
    assert_eq!(limits(&workflow(&format!("{{{templates}}}"))), ["-", "7", "no limit"]);
    let of_spec = format!("{{retryStrategy: {{limit: \"1\"}}, {templates}}}");
    assert_eq!(limits(&workflow(&of_spec)), ["1", "7", "no limit"]);
    let defaults =
        "templateDefaults: {retryStrategy: {limit: 2, backoff: {duration: '3', cap: 1m}}}";
    let merged = workflow(&format!("{{{defaults}, retryStrategy: {{limit: 1}}, {templates}}}"));
    assert_eq!(limits(&merged), ["2", "7", "2"]);
    let strategy = manifest(&merged).templates[1].strategy.clone().unwrap();
    assert_eq!(strategy.backoff.unwrap().duration, GoDuration::from_secs(3));
    // The rest of the two is merged too, also within the backoff.
    let own =
        "{templates: [{name: a, retryStrategy: {retryPolicy: OnError, backoff: {cap: 5s}}}], ";
    let strategy = manifest(&workflow(&format!("{own}{defaults}}}"))).templates[0].strategy.clone();
    let strategy = strategy.unwrap();
    assert_eq!((strategy.limit, strategy.policy()), (Some(2), RetryPolicyName::OnError));
    assert_eq!(strategy.backoff.unwrap().cap, Some(GoDuration::from_secs(5)));
    assert_eq!(strategy.backoff.unwrap().duration, GoDuration::from_secs(3));
}

#[test]
fn an_expression_makes_the_default_policy_always() {
    for (strategy, policy) in [
        ("{}", RetryPolicyName::OnFailure),
        ("{expression: 'true'}", RetryPolicyName::Always),
        ("{expression: 'true', retryPolicy: OnError}", RetryPolicyName::OnError),
        ("{expression: ''}", RetryPolicyName::OnFailure),
    ] {
        let manifest = manifest(&with_strategy(strategy));
        assert_eq!(manifest.templates[0].strategy.as_ref().unwrap().policy(), policy, "{strategy}");
    }
}

#[test]
fn all_kinds_of_workflows_are_read() {
    let head = "apiVersion: argoproj.io/v1alpha1\nmetadata: {generateName: train-}\n";
    let spec = "{templates: [{name: main, retryStrategy: {limit: 3}}]}";
    for kind in ["Workflow", "WorkflowTemplate", "ClusterWorkflowTemplate"] {
        assert_eq!(limits(&format!("{head}kind: {kind}\nspec: {spec}\n")), ["3"]);
    }
    let cron = format!(
        "{head}kind: CronWorkflow\nspec: {{schedules: ['* * * * *'], workflowSpec: {spec}}}\n"
    );
    assert_eq!(limits(&cron), ["3"]);
    let kinds = crate::foreign_kinds().iter().filter(|it| it.versions == ["argoproj.io/v1alpha1"]);
    assert_eq!(kinds.count(), 4);
    assert_eq!(SystemName::Argo.description().kind(), "Workflow");
}

#[test]
fn what_argo_refuses_or_only_argo_knows_is_an_error() {
    for (strategy, code) in [
        ("{limits: 3}", Code::UnknownField),
        ("{retryPolicy: Never}", Code::NotAChoice),
        ("{limit: three}", Code::WrongType),
        ("{limit: 2.5}", Code::WrongType),
        ("{limit: 3000000000}", Code::OutOfRange),
        ("{limit: '{{inputs.parameters.limit}}'}", Code::UnrenderedTemplate),
        ("{backoff: {duration: 10}}", Code::WrongType),
        ("{backoff: {duration: 1 day}}", Code::BadDuration),
        ("{backoff: {duration: -5s}}", Code::BadDuration),
        ("{backoff: {factor: 2}}", Code::MissingField),
        ("{backoff: {duration: 1s, factor: '1.5'}}", Code::WrongType),
        ("{backoff: {duration: 1s, cap: '{{x}}'}}", Code::UnrenderedTemplate),
        ("{affinity: {nodeAntiAffinity: {key: a}}}", Code::UnknownField),
        ("{expression: 'workflow.status == \"x\"'}", Code::ProfileLacks),
        ("{expression: 'asInt({{retries}}) < 3'}", Code::UnrenderedTemplate),
    ] {
        let (_, manifest, findings) = read_document(&with_strategy(strategy));
        let errors: Vec<Code> = findings
            .iter()
            .filter(|finding| finding.severity == Severity::Error)
            .map(|finding| finding.code)
            .collect();
        assert_eq!(errors, [code], "{strategy}: {findings:?}");
        assert!(manifest.is_none(), "{strategy}");
    }
}

#[test]
fn a_backoff_needs_a_duration_once_it_is_merged() {
    let defaults = "templateDefaults: {retryStrategy: {backoff: {factor: 2}}}";
    for (templates, errors) in [
        ("[{name: a, retryStrategy: {backoff: {duration: 1s}}}]", 0),
        ("[{name: a}, {name: b}]", 1),
        ("[{name: a, retryStrategy: {backoff: {cap: 1s}}}, {name: b}]", 2),
    ] {
        let text = workflow(&format!("{{{defaults}, templates: {templates}}}"));
        let (_, _, findings) = read_document(&text);
        let missing = findings.iter().filter(|finding| finding.code == Code::MissingField);
        assert_eq!(missing.count(), errors, "{templates}");
    }
}

#[test]
fn the_name_of_a_node_begins_with_that_of_its_workflow() {
    let of = |unit| crate::argo::ArgoEngine::identity_of_unit(unit);
    let workflow = |namespace, name| Identity { namespace, name };
    assert_eq!(of("ml/train-7k2p.prepare"), workflow("ml", "train-7k2p"));
    assert_eq!(of("train[0].step(2:a/b)"), workflow("", "train"));
    assert_eq!(of("ml/train"), workflow("ml", "train"));
    let two = [with_strategy("{limit: 1}"), with_strategy("{limit: 2}").replace("train", "other")];
    let manifests = two.iter().map(|text| manifest(text)).collect();
    let both = crate::argo::ArgoEngine::new(manifests);
    for (unit, number) in [("ml/train.main", 0), ("ml/other.main", 1), ("other", 1), ("x", 0)] {
        assert_eq!(both.template_of(unit, &AttemptFields::default()), Some((number, 0)), "{unit}");
    }
    assert!(engine(&two[0]).template_of("train", &AttemptFields::default()).is_some());
    // A schedule without templates, and the template of the same name that it refers to.
    let manifests = [super::workflow("{}"), two[0].clone()].map(|text| manifest(&text)).to_vec();
    let both = crate::argo::ArgoEngine::new(manifests);
    assert_eq!(both.template_of("train.main", &AttemptFields::default()), Some((1, 0)));
}

#[test]
fn strategies_that_are_not_read_and_templates_of_one_name_are_reported() {
    let inline = "{steps: [[{name: s, inline: {retryStrategy: {limit: 1}}}, {name: t, template: b}]], name: a}";
    let task = "{name: b, dag: {tasks: [{name: t, inline: {retryStrategy: {limit: 1}}}, {name: u, inline: {}}]}}";
    for (spec, expected) in [
        (format!("{{templates: [{inline}]}}"), vec![(Code::Misleading, Severity::Warning)]),
        (format!("{{templates: [{task}]}}"), vec![(Code::Misleading, Severity::Warning)]),
        (
            "{templates: [{name: a}, {name: b}, {name: a}]}".to_owned(),
            vec![(Code::NotAdmitted, Severity::Error)],
        ),
        ("{templates: [{name: a}, {name: b}]}".to_owned(), vec![]),
    ] {
        let (_, manifest, findings) = read_document(&workflow(&spec));
        let found: Vec<_> = findings.iter().map(|it| (it.code, it.severity)).collect();
        assert_eq!(found, expected, "{spec}: {findings:?}");
        assert!(findings.iter().all(|it| it.place.is_some() && it.help.is_some()));
        assert_eq!(manifest.is_some(), !findings.has_errors());
    }
}

#[test]
fn a_referred_document_is_absent_unless_its_kind_name_and_namespace_are_among_the_documents() {
    let reference = |scope| workflow(&format!("{{workflowTemplateRef: {{name: base{scope}}}}}"));
    let other = |kind: &str, metadata: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: {kind}\nmetadata: {metadata}\nspec: {{}}\n"
        )
    };
    let (local, cluster) = (reference(""), reference(", clusterScope: true"));
    for (referring, others, count) in [
        (&local, vec![], 1),
        (&local, vec![other("WorkflowTemplate", "{name: base, namespace: ml}")], 0),
        (&local, vec![other("WorkflowTemplate", "{name: base}")], 0),
        (&local, vec![other("WorkflowTemplate", "{name: base, namespace: other}")], 1),
        (&local, vec![other("WorkflowTemplate", "{name: train, namespace: ml}")], 1),
        (&local, vec![other("ClusterWorkflowTemplate", "{name: base}")], 1),
        (&local, vec![other("Workflow", "{name: base, namespace: ml}")], 1),
        (&cluster, vec![other("ClusterWorkflowTemplate", "{name: base}")], 0),
        (&cluster, vec![other("WorkflowTemplate", "{name: base, namespace: ml}")], 1),
    ] {
        let texts = others.iter().chain([referring]);
        let documents: Vec<Document> = texts.map(|text| read_document(text).0).collect();
        let all: Vec<&Document> = documents.iter().collect();
        let findings = crate::argo::ArgoEngine::absent_documents(&all);
        let found: Vec<_> = findings.iter().map(|it| (it.code, it.severity)).collect();
        assert_eq!(
            found,
            vec![(Code::Misleading, Severity::Info); count],
            "{referring} {others:?}"
        );
    }
}
