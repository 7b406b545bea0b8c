//! A naive model of Kubernetes' Job controller for Jobs without indexes, and of the JobSet controller over one such Job.
//!
//! It is written from the controller's source (`pkg/controller/job/job_controller.go`: `syncJob`, `manageJob`), shares
//! no code with the crate, and derives everything anew from the list of all pods at each second in which something may
//! happen. It makes up the pods: each starts when the controller creates it, and its end is drawn.

use super::generate::Draw;

/// How a pod ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PodEnd {
    Succeeded,
    /// With an exit code.
    Failed(i32),
    /// With exit code 137, and the condition `DisruptionTarget`.
    Disrupted,
}

/// A pod: seconds of its start, its end, and of the restarts of its container.
#[derive(Debug, Clone)]
pub struct Pod {
    pub start: i64,
    pub end: i64,
    pub how: PodEnd,
    pub restarts: Vec<i64>,
}

/// A rule of a `podFailurePolicy`.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    pub action: &'static str,
    /// An exit code; absent for the condition `DisruptionTarget`.
    pub code: Option<i32>,
}

/// A Job.
#[derive(Debug, Clone)]
pub struct Job {
    pub completions: Option<usize>,
    pub parallelism: usize,
    pub backoff_limit: usize,
    pub deadline: Option<i64>,
    pub restarts_in_place: bool,
    pub rules: Vec<Rule>,
}

/// How a Job ended: when, the reason of its condition, and its status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobEnd {
    pub at: i64,
    pub reason: &'static str,
    pub failed: usize,
    pub ignored: usize,
    /// The pods that ran when it ended.
    pub stopped: usize,
}

impl Job {
    /// A random Job.
    pub fn draw(draw: &mut Draw) -> Self {
        let restarts_in_place = draw.chance(25);
        let rules = if restarts_in_place { 0 } else { draw.below(4) };
        Self {
            completions: draw.maybe(75, |draw| 1 + draw.below(7)),
            parallelism: 1 + draw.below(5),
            backoff_limit: draw.below(6),
            deadline: draw.maybe(15, |draw| [15, 60, 200][draw.below(3)]),
            restarts_in_place,
            rules: (0..rules).map(|_| Rule::draw(draw)).collect(),
        }
    }

    /// The `spec` of its manifest.
    pub fn spec(&self) -> serde_json::Value {
        let rules: Vec<_> = self.rules.iter().map(Rule::json).collect();
        let policy = (!rules.is_empty()).then(|| serde_json::json!({"rules": rules}));
        let restart = if self.restarts_in_place { "OnFailure" } else { "Never" };
        let containers = serde_json::json!([{"name": "main", "image": "busybox"}]);
        let mut spec = serde_json::json!({
            "completionMode": "NonIndexed",
            "parallelism": self.parallelism,
            "backoffLimit": self.backoff_limit,
            "template": {"spec": {"restartPolicy": restart, "containers": containers}},
        });
        let optional = [
            ("completions", self.completions.map(Into::into)),
            ("activeDeadlineSeconds", self.deadline.map(Into::into)),
            ("podFailurePolicy", policy),
        ];
        for (key, value) in optional {
            if let Some(value) = value {
                spec[key] = value;
            }
        }
        spec
    }

    /// Runs it from a second on. The pods are added to `pods`. `None` if it does not end within so many pods.
    pub fn run(&self, begin: i64, draw: &mut Draw, pods: &mut Vec<Pod>) -> Option<JobEnd> {
        let (first, mut now) = (pods.len(), begin);
        loop {
            let own = &pods[first..];
            if let Some(end) = self.end(begin, now, own) {
                return Some(end);
            }
            for _ in 0..self.created(now, own) {
                pods.push(self.pod(now, draw));
            }
            if pods.len() - first > 60 {
                return None;
            }
            now = self.next(begin, now, &pods[first..]);
        }
    }

    /// The end of the Job at a second, if it is one: failures come first.
    pub fn end(&self, begin: i64, now: i64, pods: &[Pod]) -> Option<JobEnd> {
        let started = || pods.iter().filter(|pod| pod.start < now);
        let failed = || started().filter(|pod| pod.end <= now && pod.how != PodEnd::Succeeded);
        let action = |pod: &&Pod| self.action(pod.how);
        let counted = failed().filter(|pod| action(pod) != "Ignore").count();
        let active = started().filter(|pod| pod.end > now);
        let restarts = |pod: &Pod| pod.restarts.iter().filter(|at| **at <= now).count();
        let restarts: usize = active.clone().map(restarts).sum();
        let has_too_many_restarts = self.restarts_in_place && restarts >= self.backoff_limit.max(1);
        let active = active.count();
        let reason = if failed().any(|pod| action(&pod) == "FailJob") {
            "PodFailurePolicy"
        } else if counted > self.backoff_limit || has_too_many_restarts {
            "BackoffLimitExceeded"
        } else if self.deadline.is_some_and(|deadline| now - begin >= deadline) {
            "DeadlineExceeded"
        } else {
            let succeeded = succeeded(now, pods);
            let is_complete = match self.completions {
                Some(completions) => succeeded >= completions,
                None => succeeded > 0 && active == 0,
            };
            let ignored = failed().count() - counted;
            let end =
                JobEnd { at: now, reason: "Complete", failed: counted, ignored, stopped: active };
            return is_complete.then_some(end);
        };
        let ignored = failed().count() - counted;
        Some(JobEnd { at: now, reason, failed: counted + active, ignored, stopped: active })
    }

    /// The number of pods that the controller creates at a second.
    fn created(&self, now: i64, pods: &[Pod]) -> usize {
        let succeeded = succeeded(now, pods);
        let active = pods.iter().filter(|pod| pod.end > now).count();
        let wanted = match self.completions {
            Some(completions) => (completions - succeeded).min(self.parallelism),
            None if succeeded > 0 => active,
            None => self.parallelism,
        };
        if wait_end(now, pods) > now { 0 } else { wanted.saturating_sub(active) }
    }

    /// The next second in which something may happen.
    fn next(&self, begin: i64, now: i64, pods: &[Pod]) -> i64 {
        let of_pod = |pod: &Pod| pod.restarts.iter().copied().chain([pod.end]).collect::<Vec<_>>();
        let mut times: Vec<i64> = pods.iter().flat_map(of_pod).collect();
        times.push(wait_end(now, pods));
        times.extend(self.deadline.map(|deadline| begin + deadline));
        times.into_iter().filter(|time| *time > now).min().unwrap_or(now + 1)
    }

    fn pod(&self, now: i64, draw: &mut Draw) -> Pod {
        let length = if draw.chance(30) { 10 } else { 1 + draw.below(60) };
        let end = now + i64::try_from(length).expect("a short time");
        let how = match draw.below(100) {
            0..45 => PodEnd::Succeeded,
            45..55 => PodEnd::Disrupted,
            other => PodEnd::Failed([1, 1, 2, 3][other % 4]),
        };
        let restarts = if self.restarts_in_place {
            (now + 1..end).filter(|_| draw.chance(2)).collect()
        } else {
            Vec::new()
        };
        Pod { start: now, end, how, restarts }
    }

    /// The action for a failed pod: that of the first rule that matches.
    fn action(&self, how: PodEnd) -> &'static str {
        let (code, is_disrupted) = match how {
            PodEnd::Succeeded => (0, false),
            PodEnd::Failed(code) => (code, false),
            PodEnd::Disrupted => (137, true),
        };
        let matches = |rule: &&Rule| rule.code.map_or(is_disrupted, |listed| listed == code);
        self.rules.iter().find(matches).map_or("Count", |rule| rule.action)
    }
}

impl Rule {
    fn draw(draw: &mut Draw) -> Self {
        let action = draw.pick(&["Ignore", "FailJob", "Count"]);
        let code = draw.maybe(60, |draw| draw.pick(&[1, 2, 3, 137]));
        Self { action: if code.is_none() { "Ignore" } else { action }, code }
    }

    fn json(&self) -> serde_json::Value {
        match self.code {
            Some(code) => serde_json::json!(
                {"action": self.action, "onExitCodes": {"operator": "In", "values": [code]}}
            ),
            None => serde_json::json!(
                {"action": self.action, "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}
            ),
        }
    }
}

/// How a JobSet of one Job ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetEnd {
    /// When its last Job began and ended.
    pub last: (i64, i64),
    pub reason: &'static str,
    pub restarts: usize,
}

/// Runs a JobSet of one Job, which restarts so often. `None` if a Job does not end.
pub fn run_set(job: &Job, max_restarts: usize, draw: &mut Draw) -> Option<(SetEnd, Vec<Pod>)> {
    let (mut pods, mut begin) = (Vec::new(), 0);
    for restarts in 0..=max_restarts {
        let end = job.run(begin, draw, &mut pods)?;
        let last = (std::mem::replace(&mut begin, end.at), end.at);
        if end.reason == "Complete" {
            return Some((SetEnd { last, reason: "Completed", restarts }, pods));
        }
        if restarts == max_restarts {
            return Some((SetEnd { last, reason: "ReachedMaxRestarts", restarts }, pods));
        }
    }
    None
}

/// Whether pods of a Job that began and ended at these seconds have a record at its end or later: without one a replay
/// does not get to it.
pub fn are_recorded_until((begin, end): (i64, i64), pods: &[Pod]) -> bool {
    pods.iter().any(|pod| pod.start >= begin && pod.end >= end)
}

/// The pods as lines of a history, by time: a record for each restart, and for the end. `fields` identify their unit.
pub fn lines(pods: &[Pod], fields: &str) -> String {
    let mut lines: Vec<(i64, String)> = Vec::new();
    for (number, pod) in pods.iter().enumerate() {
        let head = format!(r#"{{{fields},"podName":"pod-{number}","startedAt":"{}s""#, pod.start);
        for (count, at) in (1..).zip(&pod.restarts) {
            let running = format!(r#""outcome":"Running","restarts":{count},"finishedAt":"{at}s""#);
            lines.push((*at, format!("{head},{running}}}\n")));
        }
        let (restarts, end) = (pod.restarts.len(), pod.end);
        let how = match pod.how {
            PodEnd::Succeeded => r#""outcome":"Succeeded""#.to_owned(),
            PodEnd::Failed(code) => failed(code),
            PodEnd::Disrupted => failed(137) + r#","podConditions":[{"type":"DisruptionTarget"}]"#,
        };
        let line = format!("{head},{how},\"restarts\":{restarts},\"finishedAt\":\"{end}s\"}}\n");
        lines.push((end, line));
    }
    lines.sort_by_key(|(at, _)| *at);
    lines.into_iter().map(|(_, line)| line).collect()
}

fn failed(code: i32) -> String {
    format!(r#""outcome":"Failed","containers":[{{"name":"main","exitCode":{code}}}]"#)
}

/// The number of pods that have succeeded by a second.
fn succeeded(now: i64, pods: &[Pod]) -> usize {
    pods.iter().filter(|pod| pod.end <= now && pod.how == PodEnd::Succeeded).count()
}

/// The end of the wait before a pod is created.
fn wait_end(now: i64, pods: &[Pod]) -> i64 {
    let ends = |has_succeeded: bool| {
        let ended = pods.iter().filter(move |pod| pod.end <= now);
        let alike = ended.filter(move |pod| (pod.how == PodEnd::Succeeded) == has_succeeded);
        alike.map(|pod| pod.end)
    };
    let success = ends(true).max().unwrap_or(i64::MIN);
    let failures: Vec<i64> = ends(false).filter(|end| *end > success).collect();
    let mut wait = 5_i64;
    for _ in &failures {
        wait = (wait * 2).min(600);
    }
    failures.iter().max().map_or(i64::MIN, |last| last + wait)
}
