//! Generated jobs with failed runs: ten kinds of failure in the shares of a busy GPU cluster, of
//! which about half leave a message of some 20 to 150 bytes. One job in seven has a sidecar.

use super::draw::Draw;
use armada_retry::engine::{Container, JobFields, Outcome};
use document::units::{GoDuration, Time};
use replay::history::{ArmadaRun, Job, RunRecord};

/// Jobs with about three failed runs each.
pub fn jobs(seed: u64, count: usize) -> Vec<Job> {
    let mut draw = Draw::new(seed);
    (0..count).map(|number| job(&mut draw, number)).collect()
}

fn job(draw: &mut Draw, number: usize) -> Job {
    let new = Job::new(&format!("job-{number}"), JobFields::default());
    let mut job = Job { queue: "bench".into(), ..new };
    let sidecar = draw.below(7) == 0;
    loop {
        let mut run = failure(draw);
        run.run_index = u32::try_from(job.runs.len()).expect("few runs");
        run.finished_at = Some(Time::EPOCH.plus(GoDuration::from_secs(i64::from(run.run_index))));
        run.node = Some(format!("gpu-node-{:04}", draw.below(4000)).into());
        run.own.termination_grace = Some(GoDuration::from_secs(draw.pick(&[30, 30, 60, 300])));
        if sidecar {
            *run.own.containers.add(|_| ()) = log_shipper(draw);
        }
        job.runs.push(run);
        if draw.below(3) == 0 || job.runs.len() == 40 {
            return job;
        }
    }
}

fn log_shipper(draw: &mut Draw) -> Container {
    let (code, reason) = if draw.below(5) == 0 { (143, "Error") } else { (0, "Completed") };
    container("log-shipper", code, reason, String::new())
}

fn container(name: &str, code: i64, reason: &str, message: String) -> Container {
    Container {
        name: name.into(),
        init: false,
        exit_code: Some(code),
        reason: reason.into(),
        message: message.into(),
    }
}

/// A run that failed in one of ten ways.
fn failure(draw: &mut Draw) -> RunRecord {
    let (code, reason, condition, category, message) = match draw.below(100) {
        0..20 => (137, "OOMKilled", "", "oom", memory_message(draw)),
        20..34 => (143, "Error", "", "", String::new()),
        34..40 => (137, "Error", "Evicted", "node", eviction(draw)),
        40..43 => (137, "DeadlineExceeded", "DeadlineExceeded", "deadline", String::new()),
        43..52 => (1, "Error", "", "gpu", gpu_message(draw)),
        52..58 => network(draw),
        58..64 => (255, "Unknown", "", "infrastructure", "node is not ready".to_owned()),
        64..72 => (1, "Error", "", "application", traceback(draw)),
        72..80 => {
            let message = "Segmentation fault (core dumped)".to_owned();
            (draw.pick(&[139, 134]), "Error", "", "application", message)
        }
        _ => plain_exit(draw),
    };
    let preempted = code == 143;
    let outcome = if preempted { Outcome::Preempted } else { Outcome::Failed };
    let mut run = RunRecord { own: ArmadaRun::new(outcome), ..RunRecord::default() };
    let conditions = Some(condition).filter(|name| !name.is_empty());
    run.own.conditions = conditions.into_iter().map(Into::into).collect();
    run.own.category = category.into();
    run.own.containers = vec![container("main", code, reason, message)].into();
    run
}

type Failure = (i64, &'static str, &'static str, &'static str, String);

fn memory_message(draw: &mut Draw) -> String {
    if draw.below(4) == 0 { "container exceeded memory limit".to_owned() } else { String::new() }
}

fn eviction(draw: &mut Draw) -> String {
    let left = draw.below(999_999);
    format!("The node was low on resource: ephemeral-storage, available: {left}Ki")
}

fn gpu_message(draw: &mut Draw) -> String {
    match draw.below(3) {
        0 => format!(
            "RuntimeError: CUDA error: an illegal memory access was encountered (device {})",
            draw.below(8)
        ),
        1 => format!(
            "torch.distributed.DistBackendError: NCCL timeout after {}s on rank {}",
            600 + draw.below(1200),
            draw.below(64)
        ),
        _ => "CUDA error: uncorrectable ECC error encountered".to_owned(),
    }
}

fn network(draw: &mut Draw) -> Failure {
    let code = draw.pick(&[1, 75, 74]);
    let message = match draw.below(3) {
        0 => {
            let host = format!("10.{}.{}.{}", draw.below(255), draw.below(255), draw.below(255));
            format!("dial tcp {host}:443: connect: connection refused")
        }
        1 => "read: connection reset by peer".to_owned(),
        _ => format!("dial tcp: i/o timeout after {}ms", draw.below(60_000)),
    };
    (code, "Error", "", "network", message)
}

fn traceback(draw: &mut Draw) -> String {
    let (line, value) = (draw.below(999), draw.below(99_999));
    format!(
        "Traceback (most recent call last):\n  File \"/app/main.py\", line {line}, in <module>\n    main()\nValueError: invalid literal: 'x{value}'"
    )
}

fn plain_exit(draw: &mut Draw) -> Failure {
    let code = draw.pick(&[1, 2, 1, 1, 3, 42, 1, 64, 101, 1]);
    let message = if draw.below(2) == 0 {
        let (steps, run) = (draw.below(100_000), draw.below(1_000_000));
        format!(
            "exited with status {code} after {steps} steps: see log at s3://logs/run-{run}/out.txt"
        )
    } else {
        String::new()
    };
    (code, "Error", "", "application", message)
}
