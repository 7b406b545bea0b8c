//! A simple independent model of Iris: every attempt is a row that is never removed, and all counts are
//! computed from the rows each time.

use crate::iris::Policy;

/// An attempt: its end or its current state, and whether a worker had begun with it.
type Attempt = (&'static str, bool);

#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) state: &'static str,
    pub(crate) attempts: Vec<Attempt>,
    /// Whether the seed's cascade has marked the preemption budget as spent.
    spent: bool,
}

#[derive(Debug)]
pub(crate) struct Model {
    seed: bool,
    policy: Policy,
    pub(crate) rows: Vec<Row>,
    pub(crate) job: &'static str,
    started: bool,
}

const OVER: [&str; 7] = [
    "SUCCEEDED",
    "FAILED",
    "KILLED",
    "UNSCHEDULABLE",
    "WORKER_FAILED",
    "PREEMPTED",
    "COSCHED_FAILED",
];

impl Model {
    pub(crate) fn new(seed: bool, policy: Policy) -> Self {
        let row = Row { state: "PENDING", attempts: Vec::new(), spent: false };
        let rows = vec![row; policy.replicas as usize];
        Self { seed, policy, rows, job: "PENDING", started: false }
    }

    /// Returns the failures and preemptions of a task.
    pub(crate) fn counts(&self, row: &Row) -> (i64, i64) {
        let failures = row.attempts.iter().filter(|(state, _)| *state == "FAILED").count();
        let lost = |(state, started): &&Attempt| match *state {
            "PREEMPTED" => *started,
            "WORKER_FAILED" => *started || self.seed,
            "KILLED" => *started && !self.seed,
            _ => false,
        };
        let lost = row.attempts.iter().filter(lost).count();
        let spent = (i64::from(self.policy.max_retries_preemption) + 1).max(0);
        (to_u32(failures), if row.spent { spent } else { to_u32(lost) })
    }

    pub(crate) fn is_finished(&self, row: &Row) -> bool {
        let (failures, lost) = self.counts(row);
        match row.state {
            "SUCCEEDED" | "KILLED" | "UNSCHEDULABLE" | "COSCHED_FAILED" => true,
            "FAILED" => failures > i64::from(self.policy.max_retries_failure),
            "WORKER_FAILED" | "PREEMPTED" => lost > i64::from(self.policy.max_retries_preemption),
            _ => false,
        }
    }

    pub(crate) fn step(&mut self, task: usize, outcome: &'static str, phase: &'static str) {
        if !["PENDING", "RUNNING"].contains(&self.job) {
            return;
        }
        if outcome == "CANCEL_JOB" {
            self.job = "KILLED";
        } else if OVER.contains(&self.rows[task].state) {
            return;
        } else if outcome == "UNSCHEDULABLE" {
            self.rows[task].state = outcome;
            self.judge();
        } else {
            self.dispatch(task, phase);
            self.end(task, outcome);
            self.judge();
        }
        if !["PENDING", "RUNNING"].contains(&self.job) {
            for row in self.rows.iter_mut().filter(|row| !OVER.contains(&row.state)) {
                if row.state != "PENDING" {
                    row.attempts.last_mut().expect("an attempt").0 = "KILLED";
                }
                row.state = "KILLED";
            }
        }
    }

    fn dispatch(&mut self, task: usize, phase: &'static str) {
        for (number, row) in self.rows.iter_mut().enumerate() {
            if row.state == "PENDING" && (number == task || self.policy.coscheduled) {
                row.attempts.push(("RUNNING", true));
                row.state = "RUNNING";
            }
        }
        let row = &mut self.rows[task];
        row.state = phase;
        *row.attempts.last_mut().expect("an attempt") = (phase, phase != "ASSIGNED");
        self.started = true;
    }

    fn end(&mut self, task: usize, outcome: &'static str) {
        let attempt = match outcome {
            "TIMEOUT" if self.seed => "KILLED",
            "TIMEOUT" => "FAILED",
            "WORKER_REPORTED_KILLED" => "KILLED",
            other => other,
        };
        self.rows[task].attempts.last_mut().expect("an attempt").0 = attempt;
        let started = self.rows[task].attempts.last().expect("an attempt").1;
        let (failures, lost) = self.counts(&self.rows[task]);
        let failures_left = failures <= i64::from(self.policy.max_retries_failure);
        let lost_left = lost <= i64::from(self.policy.max_retries_preemption);
        let again = match outcome {
            "FAILED" => failures_left,
            "WORKER_FAILED" if self.seed => lost_left,
            "WORKER_REPORTED_KILLED" if self.seed => false,
            "PREEMPTED" | "WORKER_FAILED" | "WORKER_REPORTED_KILLED" => !started || lost_left,
            _ => false,
        };
        self.rows[task].state = match outcome {
            _ if again => "PENDING",
            "WORKER_REPORTED_KILLED" if !self.seed => "WORKER_FAILED",
            _ => attempt,
        };
        if self.policy.coscheduled && outcome != "SUCCEEDED" {
            self.take_along(outcome, again);
        }
    }

    fn take_along(&mut self, outcome: &str, again: bool) {
        let seed = self.seed;
        if seed && (again || !["FAILED", "WORKER_FAILED"].contains(&outcome)) {
            return;
        }
        let active = ["ASSIGNED", "BUILDING", "RUNNING"];
        for row in self.rows.iter_mut().filter(|row| active.contains(&row.state)) {
            let attempt = row.attempts.last_mut().expect("an attempt");
            attempt.0 = if seed { "WORKER_FAILED" } else { "COSCHED_FAILED" };
            row.state = if again { "PENDING" } else { attempt.0 };
            row.spent = seed;
        }
    }

    fn judge(&mut self) {
        let in_state = |state: &str| self.rows.iter().filter(|row| row.state == state).count();
        let all_over = self.rows.iter().all(|row| OVER.contains(&row.state));
        let attempts = self.rows.iter().flat_map(|row| &row.attempts);
        let failed = attempts.filter(|(state, _)| *state == "FAILED").count();
        let failures = if self.seed { in_state("FAILED") } else { failed };
        let lost = ["WORKER_FAILED", "PREEMPTED", "COSCHED_FAILED"].map(in_state);
        let active = ["ASSIGNED", "BUILDING", "RUNNING"].map(in_state);
        let rules = [
            (in_state("SUCCEEDED") == self.rows.len(), "SUCCEEDED"),
            (to_u32(failures) > i64::from(self.policy.max_task_failures), "FAILED"),
            (in_state("UNSCHEDULABLE") > 0, "UNSCHEDULABLE"),
            (in_state("KILLED") > 0, "KILLED"),
            (all_over && lost != [0; 3], "WORKER_FAILED"),
            (all_over && !self.seed, "FAILED"),
            (active != [0; 3] || self.started, "RUNNING"),
        ];
        self.job = rules.iter().find(|(holds, _)| *holds).map_or("PENDING", |(_, state)| *state);
    }
}

fn to_u32(count: usize) -> i64 {
    i64::try_from(count).expect("a small number")
}
