//! JobSet's failure policy: rules, selection, counters, limits and admission, a case each.
//!
//! Holds cli.md The other systems.

mod admission;

use document::diag::Source;
use document::{Document, Limits, parse};
use serde_json::{Map, Value, json};
use systems::jobset::{
    Action, Applied, Counters, Evaluated, FailedJob, FeatureGates, JobCount, JobSet, PodAttempt,
    ReplicatedJob, earliest, evaluate, in_place_limit, meaning, mismatch, select,
};

/// Answers a case and compares what it asserts; `null` asserts nothing.
pub fn run(case: &Value) -> Result<(), String> {
    let kind = case["kind"].as_str().unwrap_or_default();
    if kind == "validate" {
        return admission::run(case);
    }
    if kind == "scenario" {
        return scenario(case);
    }
    let jobset = jobset(case)?;
    let actual = match kind {
        "rule-match" => rule_match(&jobset, &case["input"])?,
        "rule-select" => rule_select(&jobset, &case["input"])?,
        "first-failed-job" => first_failed_job(&case["input"])?,
        "apply" => World::new(case, &jobset)?.step(&case["input"])?,
        "in-place-limit" => in_place(case, &jobset)?,
        "default" => {
            let policy = jobset.failure_policy.ok_or("there is no policy")?;
            json!({"ruleNames": policy.rules.iter().map(|r| r.name.to_string()).collect::<Vec<_>>()})
        }
        other => return Err(format!("no kind `{other}`")),
    };
    meet(&case["expected"], &actual)
}

/// A document of the case's policy and replicated Jobs.
fn document(case: &Value) -> Result<Document, String> {
    let input = &case["input"];
    let mut spec = json!({"replicatedJobs": replicated_jobs(input)});
    if !case["policy"].is_null() {
        spec["failurePolicy"] = case["policy"].clone();
    }
    let manifest = json!({
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": "test-js"},
        "spec": spec,
    });
    let (documents, findings) =
        parse(&Source::new("case.json", manifest.to_string()), Limits::POLICY);
    documents.into_iter().next().ok_or_else(|| format!("no document: {:?}", findings.sorted()))
}

/// The replicated Jobs of a case. Fields of a Job's spec that stand beside a name belong inside.
fn replicated_jobs(input: &Value) -> Value {
    let mut jobs = input["replicatedJobs"].as_array().cloned().unwrap_or_default();
    for job in jobs.iter_mut().filter_map(Value::as_object_mut) {
        let fields = [
            "backoffLimit",
            "podReplacementPolicy",
            "completions",
            "parallelism",
            "completionMode",
        ];
        let moved: Map<String, Value> = fields
            .into_iter()
            .filter_map(|field| Some((field.to_owned(), job.remove(field)?)))
            .collect();
        if !moved.is_empty() {
            job.insert("template".to_owned(), json!({"spec": moved}));
        }
    }
    Value::Array(jobs)
}

fn jobset(case: &Value) -> Result<JobSet, String> {
    meaning(&document(case)?.root).ok_or_else(|| "the policy says too little".to_owned())
}

fn gates(input: &Value) -> FeatureGates {
    let on = |name: &str| input["featureGates"][name] == true;
    FeatureGates { restart_job: on("RestartJob"), in_place_restart: on("InPlaceRestart") }
}

/// The Jobs of a list that have failed.
fn failed_jobs(list: &Value) -> Result<Vec<FailedJob<'_>>, String> {
    let jobs = list.as_array().map(Vec::as_slice).unwrap_or_default();
    jobs.iter().filter(|job| job["failed"] != false).map(failed_job).collect()
}

fn failed_job(job: &Value) -> Result<FailedJob<'_>, String> {
    let text = |key: &str| job[key].as_str().unwrap_or_default();
    let index = job["jobIndex"].as_u64().map(u32::try_from).transpose();
    Ok(FailedJob {
        name: text("name"),
        replicated_job: text("replicatedJob"),
        job_index: index.map_err(|error| error.to_string())?,
        reason: text("reason"),
        message: text("message"),
        failed_at: job["failureTime"].as_i64().unwrap_or_default(),
    })
}

fn rule_match(jobset: &JobSet, input: &Value) -> Result<Value, String> {
    let job = failed_job(&input["failedJob"])?;
    let failed = input["failedJob"]["failed"] != false;
    let policy = jobset.failure_policy.as_ref().ok_or("there is no policy")?;
    let rule = policy.rules.iter().find(|rule| failed && mismatch(rule, &job).is_none());
    Ok(json!({
        "matched": rule.is_some(),
        "action": rule.map(|rule| rule.action.as_str()),
        "matchedJob": rule.map(|_| job.name),
    }))
}

fn rule_select(jobset: &JobSet, input: &Value) -> Result<Value, String> {
    let failed = failed_jobs(&input["failedJobs"])?;
    let rules = jobset.failure_policy.as_ref().map_or(&[][..], |policy| &policy.rules);
    let chosen = select(rules, failed.iter().copied()).filter(|choice| choice.rule.is_some());
    Ok(json!({
        "matchedRuleIndex": chosen.and_then(|choice| choice.rule),
        "matchedJob": chosen.map(|choice| failed[choice.job].name),
        "action": chosen.and_then(|choice| choice.rule).map(|rule| rules[rule].action.as_str()),
        "matched": chosen.is_some(),
    }))
}

fn first_failed_job(input: &Value) -> Result<Value, String> {
    let failed = failed_jobs(&input["failedJobs"])?;
    let first = earliest(failed.iter().copied()).map(|place| failed[place].name);
    Ok(json!({"firstFailedJob": first, "matchedJob": first}))
}

/// A JobSet between evaluations.
struct World<'c> {
    jobset: &'c JobSet,
    replicated_jobs: Vec<ReplicatedJob>,
    gates: FeatureGates,
    counters: Counters,
    /// The reason of its failure, once it has failed: it is not looked at again.
    failed: Option<&'static str>,
}

impl<'c> World<'c> {
    fn new(case: &Value, jobset: &'c JobSet) -> Result<Self, String> {
        let prior = &case["input"]["prior"];
        let mut replicated_jobs = jobset.replicated_jobs.clone();
        let mut counters = counters(prior)?;
        for (place, job) in replicated_jobs.iter_mut().enumerate() {
            let array =
                |key: &str| prior[key][&*job.name].as_array().map_or(&[][..], Vec::as_slice);
            let (all, counted) = (array("jobRestarts"), array("jobRestartsCountTowardsMax"));
            for index in 0..all.len().max(counted.len()) {
                let at = |array: &[Value]| whole(array.get(index).unwrap_or(&Value::Null));
                let count =
                    JobCount { restarts: at(all)?, restarts_count_towards_max: at(counted)? };
                counters.set_job(place, index, count);
            }
            // A status that has an array of its own is as long as that.
            if !all.is_empty() {
                job.replicas = job.replicas.min(u32::try_from(all.len()).unwrap_or(u32::MAX));
            }
        }
        let gates = gates(&case["input"]);
        Ok(Self { jobset, replicated_jobs, gates, counters, failed: None })
    }

    /// One evaluation.
    fn step(&mut self, input: &Value) -> Result<Value, String> {
        let failed = failed_jobs(&input["failedJobs"])?;
        let policy = self.jobset.failure_policy.as_ref();
        let jobs = failed.iter().copied();
        let evaluated = match self.failed {
            None => evaluate(policy, &self.replicated_jobs, self.gates, jobs, &mut self.counters),
            Some(_) => None,
        };
        let applied = evaluated.map(|evaluated| evaluated.applied);
        if let Some(Applied::Failed(terminal)) = applied {
            self.failed = Some(terminal.as_str());
        }
        let stuck = matches!(applied, Some(Applied::Stuck(_)));
        let acted = evaluated.filter(|_| !stuck);
        Ok(json!({
            "action": acted.and_then(|evaluated| evaluated.action).map(Action::as_str),
            "failed": self.failed.is_some(),
            "failedReason": self.failed,
            "restarts": self.counters.restarts,
            "restartsCountTowardsMax": self.counters.restarts_count_towards_max,
            "restartingReason": acted.and_then(|evaluated| self.restarting(evaluated)),
            "jobRestarts": self.arrays(|count| count.restarts),
            "jobRestartsCountTowardsMax": self.arrays(|count| count.restarts_count_towards_max),
            "matchedJob": evaluated.map(|evaluated| failed[evaluated.job].name),
            "firstFailedJob": earliest(failed.iter().copied()).map(|place| failed[place].name),
            "matchedRuleIndex": evaluated.and_then(|evaluated| evaluated.rule),
            "matched": evaluated.is_some_and(|evaluated| evaluated.rule.is_some()),
            "error": stuck,
            "reconcileError": stuck,
        }))
    }

    fn restarting(&self, evaluated: Evaluated) -> Option<String> {
        let rules = self.jobset.failure_policy.as_ref().map_or(&[][..], |policy| &policy.rules);
        let rule = evaluated.rule.and_then(|rule| rules.get(rule));
        // The reason of the condition `RestartingJobSet`, which a restart of the whole set brings.
        (evaluated.applied == Applied::SetRestarted).then(|| match rule {
            Some(rule) => format!("FailurePolicy_{}", rule.name),
            None => "DefaultFailurePolicy".to_owned(),
        })
    }

    fn arrays(&self, of: impl Fn(&JobCount) -> u32) -> Value {
        let jobs = self.replicated_jobs.iter().enumerate();
        jobs.map(|(place, job)| {
            let counts = self.counters.jobs(place).iter().map(&of).collect::<Vec<_>>();
            (job.name.to_string(), json!(counts))
        })
        .collect::<Map<String, Value>>()
        .into()
    }
}

fn counters(prior: &Value) -> Result<Counters, String> {
    let mut counters = Counters::default();
    counters.restarts = whole(&prior["restarts"])?;
    counters.restarts_count_towards_max = whole(&prior["restartsCountTowardsMax"])?;
    Ok(counters)
}

fn whole(value: &Value) -> Result<u32, String> {
    match value {
        Value::Null => Ok(0),
        value => value
            .as_u64()
            .and_then(|number| u32::try_from(number).ok())
            .ok_or_else(|| format!("{value} is no count")),
    }
}

fn scenario(case: &Value) -> Result<(), String> {
    let jobset = jobset(case)?;
    let mut world = World::new(case, &jobset)?;
    let steps = case["input"]["steps"].as_array().ok_or("there are no steps")?;
    let mut last = Value::Null;
    for (place, step) in steps.iter().enumerate() {
        last = world.step(step)?;
        meet(&case["expected"]["steps"][place], &last)
            .map_err(|why| format!("step {place}: {why}"))?;
    }
    meet(&case["expected"], &last)
}

fn in_place(case: &Value, jobset: &JobSet) -> Result<Value, String> {
    let input = &case["input"];
    let policy = jobset.failure_policy.as_ref().ok_or("there is no policy")?;
    let numbers = |key: &str| input[key].as_array().cloned().unwrap_or_default();
    let mut pods = Vec::new();
    for attempt in numbers("podInPlaceRestartAttempts") {
        let attempt = (!attempt.is_null()).then(|| whole(&attempt)).transpose()?;
        pods.push(PodAttempt { attempt, ..PodAttempt::default() });
    }
    for key in ["containerRestartCounts", "containerRestarts", "podContainerRestartCounts"] {
        for restarts in flat(numbers(key)) {
            pods.push(PodAttempt { container_restarts: whole(&restarts)?, attempt: None });
        }
    }
    let counters = counters(&input["prior"])?;
    let exceeded = in_place_limit(policy.max_restarts, &counters, pods);
    Ok(json!({
        "failed": exceeded,
        "restarts": counters.restarts,
        "restartsCountTowardsMax": counters.restarts_count_towards_max,
        "failedReason": exceeded.then_some("ReachedMaxRestarts"),
        "action": null,
    }))
}

/// A list of numbers, or of lists of them.
fn flat(values: Vec<Value>) -> Vec<Value> {
    values.into_iter().flat_map(|v| v.as_array().cloned().unwrap_or_else(|| vec![v])).collect()
}

/// Whether all that is asserted holds.
fn meet(expected: &Value, actual: &Value) -> Result<(), String> {
    let asserted = expected.as_object().into_iter().flatten();
    for (key, wanted) in asserted.filter(|(key, value)| !value.is_null() && *key != "steps") {
        let found = actual.get(key).ok_or_else(|| format!("nothing is known of `{key}`"))?;
        let same = match key.as_str() {
            "jobRestarts" | "jobRestartsCountTowardsMax" => trimmed(wanted) == trimmed(found),
            "error" | "reconcileError" => !matches!(wanted, Value::Bool(false)) == (*found == true),
            _ => wanted == found,
        };
        if !same {
            return Err(format!("{key} is {found}, not {wanted}"));
        }
    }
    Ok(())
}

/// Arrays by name without zeros at their ends: a status may leave those out.
fn trimmed(arrays: &Value) -> Vec<(String, Vec<u64>)> {
    let named = arrays.as_object().into_iter().flatten();
    let mut all: Vec<(String, Vec<u64>)> = named
        .map(|(name, array)| {
            let numbers = array.as_array().into_iter().flatten();
            let mut numbers: Vec<u64> = numbers.filter_map(Value::as_u64).collect();
            while numbers.last() == Some(&0) {
                numbers.pop();
            }
            (name.clone(), numbers)
        })
        .filter(|(_, numbers)| !numbers.is_empty())
        .collect();
    all.sort();
    all
}
