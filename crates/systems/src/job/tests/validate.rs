//! Manifests that the API server accepts, and others.

use crate::job::{Creator, JOB, JobEngine, admit};
use crate::{ManifestSystem, Options};
use document::diag::{Code, Findings, Source};
use document::{KeyCase, Limits, check, parse};

/// Returns the findings about a Job with this spec: their codes and messages.
fn found(spec: &str) -> Vec<(Code, String)> {
    let text = format!("apiVersion: batch/v1\nkind: Job\nmetadata: {{name: j}}\nspec: {spec}\n");
    let (documents, findings) = parse(&Source::new("job.yaml", text), Limits::POLICY);
    assert!(findings.is_empty(), "{spec}");
    let document = &documents[0];
    let mut findings = Findings::new();
    check(&document.source, &document.root, &JOB, KeyCase::Exact, &mut findings);
    let spec = document.root.get("spec").expect("a spec");
    admit(document, spec, Creator::Manifest, &mut findings);
    findings.sorted().into_iter().map(|finding| (finding.code, finding.message)).collect()
}

/// Makes a spec of one rule, with a template of one container `main`.
fn rule(rule: &str) -> String {
    format!(
        "{{podFailurePolicy: {{rules: [{rule}]}}, template: {{spec: {{restartPolicy: Never, containers: [{{name: main}}]}}}}}}"
    )
}

#[test]
fn rules_that_are_refused() {
    for (body, code) in [
        ("{action: FailJob}", Code::NotAdmitted),
        ("{action: FailJob, onPodConditions: []}", Code::NotAdmitted),
        ("{action: Fail, onPodConditions: [{type: Ready}]}", Code::NotAChoice),
        (
            "{action: FailJob, onPodCondition: [{type: Ready}], onExitCodes: {operator: In, values: [1]}}",
            Code::UnknownField,
        ),
        ("{action: FailJob, onExitCodes: {operator: Within, values: [1]}}", Code::NotAChoice),
        ("{action: FailJob, onExitCodes: {operator: In, values: []}}", Code::EmptyList),
        ("{action: FailJob, onExitCodes: {operator: In, values: [0]}}", Code::BadExitCode),
        ("{action: FailJob, onExitCodes: {operator: In, values: [1, 1]}}", Code::NotAdmitted),
        ("{action: FailJob, onExitCodes: {operator: In, values: [2, 1]}}", Code::NotAdmitted),
        ("{action: FailIndex, onExitCodes: {operator: In, values: [1]}}", Code::NotAdmitted),
        (
            "{action: FailJob, onExitCodes: {containerName: x, operator: In, values: [1]}}",
            Code::NotAdmitted,
        ),
        ("{action: FailJob, onPodConditions: [{type: a b}]}", Code::BadName),
        ("{action: FailJob, onPodConditions: [{type: Ready, status: true}]}", Code::NotAChoice),
    ] {
        let found = found(&rule(body));
        assert!(matches!(found.as_slice(), [(one, _)] if *one == code), "{body}: {found:?}");
    }
}

/// The cases of Kubernetes' `validateContainerRestartPolicy` and `validateInitContainerRestartPolicy`.
#[test]
fn restart_rules_of_containers() {
    let rule = "{action: Restart, exitCodes: {operator: In, values: [42]}}";
    let many = vec![rule; 21].join(", ");
    let numbers: Vec<String> = (0..256).map(|code| code.to_string()).collect();
    let long = format!(
        "{{action: Restart, exitCodes: {{operator: In, values: [{}]}}}}",
        numbers.join(", ")
    );
    let taken: &[Code] = &[];
    for (body, codes) in [
        (format!("restartPolicy: Never, restartPolicyRules: [{rule}]"), taken),
        ("restartPolicy: Always".to_owned(), taken),
        ("restartPolicyRules: []".to_owned(), taken),
        (rule.replace("Restart", "RestartAllContainers"), taken),
        (rule.replace("In", "NotIn").replace("42", ""), taken),
        (rule.replace(", values: [42]", ""), taken),
        (rule.replace("42", "-1, 300, 0, 0"), taken),
        (format!("restartPolicyRules: [{rule}]"), &[Code::NotAdmitted]),
        ("restartPolicy: Sometimes".to_owned(), &[Code::NotAChoice]),
        (format!("restartPolicy: Never, restartPolicyRules: [{many}]"), &[Code::NotAdmitted]),
        (long, &[Code::NotAdmitted]),
        (rule.replace("Restart", "Terminate"), &[Code::NotAChoice]),
        (rule.replace("In", "Within"), &[Code::NotAChoice]),
        ("{action: Restart}".to_owned(), &[Code::MissingField]),
        ("{exitCodes: {operator: In, values: [1]}}".to_owned(), &[Code::MissingField]),
    ] {
        let body = if body.starts_with('{') {
            format!("restartPolicy: Never, restartPolicyRules: [{body}]")
        } else {
            body
        };
        for list in ["containers: [{name: b}], initContainers", "containers"] {
            let spec = format!(
                "{{template: {{spec: {{restartPolicy: Never, {list}: [{{name: a, {body}}}]}}}}}}"
            );
            let found: Vec<Code> = found(&spec).into_iter().map(|(code, _)| code).collect();
            assert_eq!(found, codes, "{spec}");
        }
    }
}

#[test]
fn rules_that_are_taken() {
    for body in [
        "",
        "{action: Count, onExitCodes: {operator: NotIn, values: [0]}}",
        "{action: Ignore, onExitCodes: {operator: In, values: [-1073741676, 1, 300]}}",
        "{action: Ignore, onPodConditions: [{type: example.com/Ready_1, status: Unknown}]}",
    ] {
        assert_eq!(found(&rule(body)), [], "{body}");
    }
    let many = vec!["{action: Count, onPodConditions: [{type: Ready}]}"; 21].join(",");
    assert_eq!(found(&rule(&many)).len(), 1);
}

#[test]
fn fields_that_need_others() {
    let never = "template: {spec: {restartPolicy: Never}}";
    for (fields, refused) in [
        ("backoffLimitPerIndex: 1", 1),
        ("completionMode: Indexed, completions: 3, backoffLimitPerIndex: 1", 0),
        ("completionMode: Indexed, parallelism: 3", 1),
        ("completionMode: Indexed, completions: 3, maxFailedIndexes: 1", 1),
        (
            "completionMode: Indexed, completions: 3, backoffLimitPerIndex: 1, maxFailedIndexes: 4",
            1,
        ),
        ("completionMode: Indexed, completions: 200000, backoffLimitPerIndex: 1", 1),
        ("completionMode: Indexed, completions: 200000, parallelism: 100000", 0),
        ("completionMode: Indexed, completions: 200000, parallelism: 100001", 1),
        ("completions: 200000, parallelism: 100001", 0),
        ("podFailurePolicy: {rules: []}, podReplacementPolicy: TerminatingOrFailed", 1),
        ("podReplacementPolicy: TerminatingOrFailed", 0),
        ("backoffLimit: -1", 1),
    ] {
        let found = found(&format!("{{{fields}, {never}}}"));
        assert_eq!(found.len(), refused, "{fields}: {found:?}");
    }
    assert_eq!(found("{}").len(), 1, "no restartPolicy");
}

/// Every field of `batch/v1` and of a pod's spec that is not read, by its object (`k8s.io/api` v0.36, as
/// listed in the schema of JobSet's custom resource).
const NOT_READ: [(&str, &str); 5] = [
    ("job", "status"),
    (
        "metadata",
        "annotations creationTimestamp deletionGracePeriodSeconds deletionTimestamp finalizers \
         generation labels managedFields ownerReferences resourceVersion selfLink uid",
    ),
    ("spec", "managedBy manualSelector selector suspend ttlSecondsAfterFinished"),
    (
        "pod",
        "activeDeadlineSeconds affinity automountServiceAccountToken dnsConfig dnsPolicy \
         enableServiceLinks ephemeralContainers hostAliases hostIPC hostNetwork hostPID hostUsers \
         hostname hostnameOverride imagePullSecrets nodeName nodeSelector os overhead \
         preemptionPolicy priority priorityClassName readinessGates resourceClaims resources \
         runtimeClassName schedulerName schedulingGates schedulingGroup securityContext \
         serviceAccount serviceAccountName setHostnameAsFQDN shareProcessNamespace subdomain \
         terminationGracePeriodSeconds tolerations topologySpreadConstraints volumes",
    ),
    (
        "container",
        "args command env envFrom image imagePullPolicy lifecycle livenessProbe ports \
         readinessProbe resizePolicy resources securityContext \
         startupProbe stdin stdinOnce terminationMessagePath terminationMessagePolicy tty \
         volumeDevices volumeMounts workingDir",
    ),
];

/// Returns the findings about a minimal manifest, with more fields in some objects.
fn sparse(more: impl Fn(&str) -> String) -> Vec<(Code, String)> {
    let text = format!(
        "{{apiVersion: batch/v1, kind: Job, {}metadata: {{{}name: j}}, spec: {{{}template: {{spec: {{{}restartPolicy: Never, containers: [{{{}name: c}}]}}}}}}}}",
        more("job"),
        more("metadata"),
        more("spec"),
        more("pod"),
        more("container"),
    );
    let (documents, _) = parse(&Source::new("job.yaml", text), Limits::POLICY);
    let mut findings = Findings::new();
    JobEngine::read(&documents[0], &Options::default(), &mut findings);
    findings.sorted().into_iter().map(|finding| (finding.code, finding.message)).collect()
}

#[test]
fn no_field_of_kubernetes_is_a_slip_of_another() {
    let all = |place: &str| {
        let names = NOT_READ.iter().filter(|(at, _)| *at == place);
        let names = names.flat_map(|(_, names)| names.split_whitespace());
        names.fold(String::new(), |fields, name| fields + name + ": {}, ")
    };
    assert_eq!(sparse(all), []);
}

#[test]
fn slips_are_found_where_the_field_is_absent() {
    for (place, slip) in [
        ("spec", "backofflimit"),
        ("spec", "podFailurepolicy"),
        ("spec", "completionmode"),
        ("spec", "max_failed_indexes"),
        ("spec", "activeDeadlineSecond"),
        ("pod", "initcontainers"),
        ("metadata", "nameSpace"),
    ] {
        let found = sparse(|at| if at == place { format!("{slip}: 1, ") } else { String::new() });
        assert_eq!(found.len(), 1, "{slip}: {found:?}");
        assert_eq!(found[0].0, Code::UnknownField, "{slip}");
    }
    // A misspelt field is not reported if the correct one is present.
    assert_eq!(
        sparse(|at| if at == "pod" { "restartpolicy: 1, ".to_owned() } else { String::new() }),
        []
    );
}
