//! The JSON Schemas of all inputs and outputs.

use super::category::CategoryExplanation;
use super::{
    ApplyReport, BudgetExplanation, ComparisonReport, ConfigView, ContextList, CurrentContext,
    DecisionExplanation, DecisionLine, DiffReport, DisruptionTable, ErrorReport,
    HistoryCheckReport, LintReport, ReleaseReport, RoundExplanation, TestReport, TopicExplanation,
    ValidateReport, VersionReport, WhoAmI,
};
use crate::analysis::baseline::LINT_BASELINE;
use crate::analysis::lint_config::LintConfig;
use crate::analysis::unit_test::TestShape;
use armada_retry::policy::shapes;
use cluster::read::{CLUSTER_FILE, SCHEDULER_CONFIG, SCHEDULING, STATE_FILE, WORKLOAD_FILE};
use cluster::report::ClusterReport;
use document::json_schema;
use replay::disruption::DISRUPTIONS;
use replay::history::{ArmadaRun, Table};
use replay::simulate::{ChangeLine, SimulationReport, Units};
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use systems::{self, with_system};

/// The schema of the profiles of all systems; `spec.system` is the discriminator.
fn profiles() -> Value {
    let each = systems::profiles().map(|profile| {
        let mut schema = json_schema(profile.shape, profile.system);
        if let Value::Object(map) = &mut schema {
            map.remove("$schema");
        }
        schema
    });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "RetryProfile (armadaproject.io/v1)",
        "oneOf": each.collect::<Vec<_>>(),
    })
}

/// The schema of test documents; which of the systems it is depends on the policies.
fn tests() -> Value {
    let each = systems::SystemName::all().map(|system| {
        let shape = with_system!(system, S => TestShape::<<S as Units>::Fields>::DOCUMENT);
        let mut schema = json_schema(shape, system.description().name);
        if let Value::Object(map) = &mut schema {
            map.remove("$schema");
        }
        schema
    });
    let mut each = Value::Array(each.collect());
    let mut counts = HashMap::new();
    count_schemas(&each, &mut counts);
    let mut shared = Map::new();
    share_schemas(&mut each, &counts, &mut HashMap::new(), &mut shared);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "RetryPolicyTest (armadaproject.io/v1)",
        "anyOf": each,
        "$defs": shared,
    })
}

/// The bytes from which on a schema that occurs again is written once: shorter ones are easier to read in their place.
const LEAST_SHARED: usize = 200;

/// Counts each mapping of a schema, by its text.
fn count_schemas(schema: &Value, counts: &mut HashMap<String, usize>) {
    match schema {
        Value::Object(fields) => {
            *counts.entry(schema.to_string()).or_default() += 1;
            fields.values().for_each(|field| count_schemas(field, counts));
        }
        Value::Array(items) => items.iter().for_each(|item| count_schemas(item, counts)),
        _ => {}
    }
}

/// Replaces the subschemas that occur more than once by references to `shared`. `names` are those so far, by the text.
fn share_schemas(
    schema: &mut Value,
    counts: &HashMap<String, usize>,
    names: &mut HashMap<String, String>,
    shared: &mut Map<String, Value>,
) {
    let text = schema.to_string();
    if let Some(name) = names.get(&text) {
        *schema = json!({"$ref": format!("#/$defs/{name}")});
        return;
    }
    match schema {
        Value::Object(fields) => {
            for field in fields.values_mut() {
                share_schemas(field, counts, names, shared);
            }
        }
        Value::Array(items) => {
            for item in items {
                share_schemas(item, counts, names, shared);
            }
        }
        _ => {}
    }
    // The mapping `properties` may have a property `type`, and is no schema.
    let is_schema = schema.get("type").is_some_and(Value::is_string)
        || schema.get("anyOf").is_some_and(Value::is_array);
    let is_repeated = counts.get(&text).is_some_and(|count| *count > 1);
    if is_schema && is_repeated && text.len() >= LEAST_SHARED {
        let name = format!("shared{}", shared.len() + 1);
        let reference = json!({"$ref": format!("#/$defs/{name}")});
        shared.insert(name.clone(), std::mem::replace(schema, reference));
        names.insert(text, name);
    }
}

/// The schema of an output. To decisions in it are added the fields that those of some systems have.
fn output<T: JsonSchema>() -> Value {
    let mut generator = SchemaGenerator::default();
    if generator.root_schema_for::<T>().pointer(DECISION_FIELDS).is_none() {
        return Value::from(generator.into_root_schema_for::<T>());
    }
    let mut fields = Map::new();
    for system in systems::SystemName::all() {
        let schema = (system.description().decision_schema)(&mut generator);
        let own = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        fields.extend(own.map(|(name, field)| (name.clone(), field.clone())));
    }
    let mut schema = Value::from(generator.into_root_schema_for::<T>());
    if let Some(Value::Object(of_all)) = schema.pointer_mut(DECISION_FIELDS) {
        of_all.append(&mut fields);
    }
    schema
}

/// The place of the fields of decisions in schemas that have them.
const DECISION_FIELDS: &str = "/$defs/DecisionReport/properties";

/// All schemas, each with the name of its file under `schemas/`.
pub fn all() -> Vec<(&'static str, Value)> {
    vec![
        (
            "retrypolicy-v1.json",
            json_schema(&shapes::POLICY_V1, "RetryPolicy (armadaproject.io/v1)"),
        ),
        (
            "retrypolicy-v1beta1.json",
            json_schema(&shapes::POLICY_V1BETA1, "RetryPolicy (armadaproject.io/v1beta1)"),
        ),
        ("retryprofile-v1.json", profiles()),
        ("queue-v1.json", json_schema(&shapes::QUEUE_V1, "Queue (armadaproject.io/v1)")),
        (
            "queue-v1beta1.json",
            json_schema(&shapes::QUEUE_V1BETA1, "Queue (armadaproject.io/v1beta1)"),
        ),
        (
            "failurehistory-v1.json",
            json_schema(&replay::history::FAILURE_HISTORY, "FailureHistory (armadaproject.io/v1)"),
        ),
        (
            "history-record.json",
            json_schema(Table::<ArmadaRun>::RECORD, "A line of a JSON Lines history"),
        ),
        (
            "scheduler-config.json",
            json_schema(&SCHEDULER_CONFIG, "Scheduler configuration, the part that is read"),
        ),
        (
            "scheduling.json",
            json_schema(&SCHEDULING, "The scheduling section of a scheduler configuration"),
        ),
        ("cluster-file.json", json_schema(&CLUSTER_FILE, "Clusters of a simulation")),
        ("workload-file.json", json_schema(&WORKLOAD_FILE, "Queues and jobs of a simulation")),
        ("state-file.json", json_schema(&STATE_FILE, "A pool before a scheduling round")),
        (
            "lint-config.json",
            json_schema(
                LintConfig::SHAPE,
                "The lint settings of a repository: .armadactl-lint.yaml",
            ),
        ),
        ("lint-baseline.json", json_schema(&LINT_BASELINE, "The baseline of lint --baseline")),
        (
            "disruptions.json",
            json_schema(&DISRUPTIONS, "Rows that replace those of the table of disruptions"),
        ),
        ("disruption-table.json", output::<DisruptionTable>()),
        ("release-report.json", output::<ReleaseReport>()),
        ("comparison-report.json", output::<ComparisonReport>()),
        ("budget-explanation.json", output::<BudgetExplanation>()),
        ("category-explanation.json", output::<CategoryExplanation>()),
        ("round-explanation.json", output::<RoundExplanation>()),
        ("simulation-report.json", output::<SimulationReport>()),
        ("decision.json", output::<DecisionLine<'static>>()),
        ("change.json", output::<ChangeLine<'static>>()),
        ("history-check-report.json", output::<HistoryCheckReport>()),
        ("cluster-report.json", output::<ClusterReport>()),
        ("decision-explanation.json", output::<DecisionExplanation>()),
        ("retrypolicytest-v1.json", tests()),
        ("test-report.json", output::<TestReport>()),
        ("validate-report.json", output::<ValidateReport>()),
        ("lint-report.json", output::<LintReport>()),
        ("apply-report.json", output::<ApplyReport>()),
        ("diff-report.json", output::<DiffReport>()),
        ("retrypolicy-list.json", list_schema("RetryPolicy")),
        ("queue-list.json", list_schema("Queue")),
        ("config-view.json", output::<ConfigView>()),
        ("context-list.json", output::<ContextList>()),
        ("current-context.json", output::<CurrentContext>()),
        ("who-am-i.json", output::<WhoAmI>()),
        ("topic-explanation.json", output::<TopicExplanation>()),
        ("error-report.json", output::<ErrorReport>()),
        ("version.json", output::<VersionReport>()),
    ]
}

/// The schema of a list of resources of a kind. Their fields are not restricted, as they come from the
/// server.
fn list_schema(kind: &str) -> Value {
    let list = format!("{kind}List");
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": list,
        "description": "What `get` prints of several resources.",
        "type": "object",
        "required": ["apiVersion", "kind", "items"],
        "properties": {
            "apiVersion": {"const": "armadaproject.io/v1"},
            "kind": {"const": list},
            "items": {
                "description": "Each as the server holds it.",
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["apiVersion", "kind"],
                    "properties": {
                        "apiVersion": {"enum": ["armadaproject.io/v1", "armadaproject.io/v1beta1"]},
                        "kind": {"const": kind}
                    }
                }
            },
            "error": {
                "description": "Present if the list is not whole: what went wrong.",
                "type": "string"
            }
        }
    })
}
