//! Failures that Armada's policies decide by each rule and by the default.

use armada_retry::engine::Evaluator;
use armada_retry::policy::{
    Action, AntiAffinity, Condition, Coverage, ReachingFailure, RetryPolicy, Rule, RuleSet,
};
use document::diag::typo_of;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use systems::ExampleFailures;

/// The container whose fields are those of the failure in a test.
const MAIN: &str = "main";
/// The exit code of a container that the kernel ended, as Kubernetes reports it.
const KILLED: i64 = 137;

/// A example for each rule of the policies that apply to a job and that a failure reaches, then one for the default.
pub fn armada_examples<'e>(
    evaluator: &'e Evaluator,
    route: &[usize],
) -> impl Iterator<Item = ExampleFailures> + use<'e> {
    let policies: Vec<&RetryPolicy> =
        route.iter().filter_map(|number| Some(&**evaluator.policies().get(*number)?)).collect();
    let rules = || policies.iter().flat_map(|policy| &policy.rules);
    let names = FreeNames::new(rules());
    let failures = RuleSet::new(rules()).reaching_failures();
    let first = policies.first().map(|first| job_fields(first, None)).unwrap_or_default();
    let others: Vec<Value> =
        other_failures(rules(), &names).into_iter().map(|it| with(it, &first)).collect();
    let of_rules: Vec<(&RetryPolicy, &Rule)> = policies
        .iter()
        .flat_map(|policy| policy.rules.iter().map(|rule| (*policy, rule)))
        .collect();
    let examples = of_rules.into_iter().zip(failures).filter_map(move |((policy, rule), found)| {
        let fields = job_fields(policy, Some(rule));
        let failure = found.ok()?;
        Some(ExampleFailures::of(
            names.forms(rule, &failure).into_iter().map(|it| with(it, &fields)),
        ))
    });
    examples.chain(std::iter::once_with(|| ExampleFailures::of(others)))
}

/// Whether the rules of the policies that apply to a job match all failures of each of them first.
pub fn coverages(evaluator: &Evaluator, route: &[usize]) -> Vec<Coverage> {
    let policies = route.iter().filter_map(|number| evaluator.policies().get(*number));
    RuleSet::new(policies.flat_map(|policy| &policy.rules)).coverages()
}

/// The fields of the job and its node that the effects of a rule, or of the default, depend on.
fn job_fields(policy: &RetryPolicy, rule: Option<&Rule>) -> Map<String, Value> {
    let mut fields = Map::new();
    let action = rule.map_or(policy.default_action(), |rule| rule.action);
    if action == Action::Fail {
        return fields;
    }
    let mode = rule.and_then(|rule| rule.anti_affinity).or(policy.anti_affinity);
    if mode == Some(AntiAffinity::Node) || rule.is_some_and(|rule| rule.avoid_same_node) {
        fields.insert("node".to_owned(), json!("node-1"));
    }
    if rule.is_some_and(|rule| rule.memory.is_some()) {
        fields.insert("resources".to_owned(), json!({"memory": "1Gi"}));
    }
    fields
}

fn with(mut failure: Map<String, Value>, more: &Map<String, Value>) -> Value {
    failure.extend(more.clone());
    Value::Object(failure)
}

/// Failures that probably no rule matches; the last, without anything, certainly.
fn other_failures<'r>(
    rules: impl Iterator<Item = &'r Rule>,
    names: &FreeNames,
) -> Vec<Map<String, Value>> {
    let listed: BTreeSet<i64> = rules
        .filter_map(|rule| rule.exit_codes.as_ref())
        .flat_map(|codes| codes.values.iter().copied().map(i64::from))
        .collect();
    let free = [1, 2, 255].into_iter().chain(3..255).find(|code| !listed.contains(code));
    let code = container(free, None, None);
    let category = Map::from_iter([("category".to_owned(), json!(names.category))]);
    let with_category = code.clone().into_iter().chain(category.clone()).collect();
    vec![code, with_category, category, Map::new()]
}

/// Names that no rule has.
#[derive(Debug, Clone)]
struct FreeNames {
    container: String,
    /// An init container before the others.
    init: String,
    category: String,
}

impl FreeNames {
    fn new<'r>(rules: impl Iterator<Item = &'r Rule>) -> Self {
        let (mut containers, mut categories) = (BTreeSet::new(), BTreeSet::new());
        for rule in rules {
            containers.extend(rule.container.as_deref());
            categories.extend(rule.categories.iter().map(String::as_str));
        }
        // A name that is almost one of a rule's would be reported as misspelt.
        let is_free = |used: &BTreeSet<&str>, name: &str| {
            !used.contains(name) && typo_of(name, used.iter().copied()).is_none()
        };
        let free = |used: &BTreeSet<&str>, names: [&str; 2]| {
            let second = usize::from(!is_free(used, names[0]));
            let mut name = names[second].to_owned();
            while !is_free(used, &name) {
                name.push('x');
            }
            name
        };
        Self {
            container: free(&containers, [MAIN, "other"]),
            init: free(&containers, ["init", "setup"]),
            category: free(&categories, ["other", "others"]),
        }
    }

    /// A failure in several forms: as simple as people write it, then as few other rules match it as possible.
    fn forms(&self, rule: &Rule, failure: &ReachingFailure<'_>) -> Vec<Map<String, Value>> {
        let with_its_code = simple(failure, failure.exit_code);
        let is_out_of_memory = failure.condition == Some(Condition::OomKilled);
        let mut forms = Vec::new();
        if is_out_of_memory && rule.exit_codes.is_none() {
            forms.push(simple(failure, Some(KILLED)));
        }
        forms.push(with_its_code);
        forms.push(self.hidden(failure));
        forms
    }

    /// A failure whose container rules of other scopes do not match.
    fn hidden(&self, failure: &ReachingFailure<'_>) -> Map<String, Value> {
        let fields = container(failure.exit_code, reason(failure), failure.message.as_deref());
        let is_needed = !fields.is_empty();
        let name = failure.container.unwrap_or(&self.container);
        let mut containers = vec![named(name, failure.is_init, fields)];
        // Rules that include init containers read the first failed one of them.
        if !failure.is_init || failure.container.is_some() {
            containers.insert(0, named(&self.init, true, container(None, Some("Error"), None)));
        }
        let mut fields = pod_fields(failure);
        if is_needed {
            fields.insert("containers".to_owned(), containers.into());
        }
        fields
    }
}

/// A failure of one container that is not an init container.
fn simple(failure: &ReachingFailure<'_>, code: Option<i64>) -> Map<String, Value> {
    let fields = container(code, reason(failure), failure.message.as_deref());
    let mut fields = match failure.container.filter(|name| *name != MAIN) {
        Some(name) if !fields.is_empty() => {
            Map::from_iter([("containers".to_owned(), json!([named(name, false, fields)]))])
        }
        _ => fields,
    };
    fields.extend(pod_fields(failure));
    fields
}

/// A container of a failure.
fn named(name: &str, is_init: bool, fields: Map<String, Value>) -> Value {
    let init = is_init.then(|| ("init".to_owned(), true.into()));
    let name = ("name".to_owned(), name.into());
    Value::Object([name].into_iter().chain(init).chain(fields).collect())
}

/// The condition that is the reason of the container.
fn reason(failure: &ReachingFailure<'_>) -> Option<&'static str> {
    failure.condition.filter(|it| *it == Condition::OomKilled).map(Condition::as_str)
}

fn container(code: Option<i64>, reason: Option<&str>, message: Option<&str>) -> Map<String, Value> {
    let fields = [
        ("exitCode", code.map(Value::from)),
        ("reason", reason.map(Value::from)),
        ("message", message.map(Value::from)),
    ];
    fields.into_iter().filter_map(|(key, it)| Some((key.to_owned(), it?))).collect()
}

/// The fields of a failure that are not those of a container.
fn pod_fields(failure: &ReachingFailure<'_>) -> Map<String, Value> {
    let condition = failure.condition.filter(|it| *it != Condition::OomKilled);
    let fields = [
        ("conditions", condition.map(|condition| json!([condition.as_str()]))),
        ("category", failure.category.map(Value::from)),
        ("subcategory", failure.subcategory.map(Value::from)),
    ];
    fields.into_iter().filter_map(|(key, it)| Some((key.to_owned(), it?))).collect()
}
