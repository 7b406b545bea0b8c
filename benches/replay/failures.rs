//! The kinds of failure of a generated history, and how often each happens.

use super::draw::Draw;
use super::json::Json;

/// How one failure of a kind is made.
type Make = fn(&mut Draw) -> Failure;

/// The kinds, each with its share of a hundred failures.
const KINDS: [(u32, Make); 10] = [
    (20, out_of_memory),
    (14, preempted),
    (6, evicted),
    (3, too_late),
    (9, gpu),
    (6, network),
    (6, node_lost),
    (8, traceback),
    (8, crash),
    (20, exit),
];

/// A failed run, as its record tells it.
pub struct Failure {
    outcome: &'static str,
    category: &'static str,
    condition: Option<&'static str>,
    exit_code: u32,
    reason: &'static str,
    message: String,
}

impl Failure {
    /// A container that ended with a code, and nothing else known.
    fn of(category: &'static str, exit_code: u32, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { outcome: "Failed", category, condition: None, exit_code, reason: "Error", message }
    }

    /// What follows a record's head.
    pub fn fields(self, draw: &mut Draw, sidecar: bool) -> Vec<(&'static str, Json)> {
        let grace = draw.pick(&[30, 30, 60, 300]);
        let mut containers = vec![container("main", self.exit_code, self.reason, self.message)];
        if sidecar {
            let failed = draw.chance(20);
            let (code, reason) = if failed { (143, "Error") } else { (0, "Completed") };
            containers.push(container("log-shipper", code, reason, String::new()));
        }
        vec![
            ("outcome", Json::text(self.outcome)),
            ("category", Json::text(self.category)),
            ("conditions", Json::List(self.condition.map(Json::text).into_iter().collect())),
            ("terminationGracePeriodSeconds", Json::Number(grace)),
            ("containers", Json::List(containers)),
        ]
    }
}

fn container(name: &str, exit_code: u32, reason: &str, message: String) -> Json {
    Json::Object(vec![
        ("name", Json::text(name)),
        ("exitCode", Json::Number(exit_code)),
        ("reason", Json::text(reason)),
        ("message", Json::Text(message)),
    ])
}

/// One failure.
pub fn draw(draw: &mut Draw) -> Failure {
    let mut place = draw.below(KINDS.iter().map(|(share, _)| share).sum());
    for (share, make) in KINDS {
        if place < share {
            return make(draw);
        }
        place -= share;
    }
    unreachable!("the place is under the sum of the shares")
}

fn out_of_memory(draw: &mut Draw) -> Failure {
    let message = if draw.chance(25) { "memory limit of the container exceeded" } else { "" };
    Failure { reason: "OOMKilled", ..Failure::of("oom", 137, message) }
}

fn preempted(_: &mut Draw) -> Failure {
    Failure { outcome: "Preempted", ..Failure::of("", 143, "") }
}

fn evicted(draw: &mut Draw) -> Failure {
    let left = draw.below(1_000_000);
    let message = format!("the node ran low on a resource: ephemeral-storage, {left}Ki are left");
    Failure { condition: Some("Evicted"), ..Failure::of("node", 137, message) }
}

fn too_late(_: &mut Draw) -> Failure {
    let reason = "DeadlineExceeded";
    Failure { condition: Some(reason), reason, ..Failure::of("deadline", 137, "") }
}

fn gpu(draw: &mut Draw) -> Failure {
    let (device, rank, waited) = (draw.below(8), draw.below(64), 600 + draw.below(1200));
    let message = match draw.below(3) {
        0 => {
            format!("RuntimeError: CUDA error: device-side assert triggered (device {device} of 8)")
        }
        1 => {
            format!("torch.distributed.DistBackendError: NCCL error on rank {rank} after {waited}s")
        }
        _ => "CUDA error: an uncorrectable ECC error was found".to_owned(),
    };
    Failure::of("gpu", 1, message)
}

fn network(draw: &mut Draw) -> Failure {
    let (third, fourth, waited) = (draw.below(256), draw.below(256), draw.below(60_000));
    let message = match draw.below(3) {
        0 => format!("dial tcp 10.17.{third}.{fourth}:8443: connect: connection refused"),
        1 => "write tcp: connection reset by peer".to_owned(),
        _ => format!("Get checkpoint: i/o timeout ({waited}ms)"),
    };
    Failure::of("network", draw.pick(&[1, 74, 75]), message)
}

fn node_lost(_: &mut Draw) -> Failure {
    Failure { reason: "Unknown", ..Failure::of("infrastructure", 255, "the node is gone") }
}

fn traceback(draw: &mut Draw) -> Failure {
    let (line, step) = (draw.below(1000), draw.below(100_000));
    let message = format!(
        "Traceback (most recent call last):\n  File \"/srv/train.py\", line {line}, \
         in <module>\n    fit()\nKeyError: 'weights of step {step}'"
    );
    Failure::of("application", 1, message)
}

fn crash(draw: &mut Draw) -> Failure {
    Failure::of("application", draw.pick(&[134, 139]), "Segmentation fault (core dumped)")
}

fn exit(draw: &mut Draw) -> Failure {
    let code = draw.pick(&[1, 1, 1, 1, 1, 2, 3, 42, 64, 101]);
    let (step, run) = (draw.below(100_000), draw.below(1_000_000));
    let told = draw.chance(50);
    let message = if told {
        format!(
            "worker left with code {code} at step {step}: more in s3://runs/{run:06}/stderr.txt"
        )
    } else {
        String::new()
    };
    Failure::of("application", code, message)
}
