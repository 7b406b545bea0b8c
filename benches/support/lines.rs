//! Lines of a history, as a program writes them, and dressed up: other orders, spaces, escapes and
//! keys that nobody knows.

use super::draw::Draw;

const REASONS: [&str; 4] = ["Error", "OOMKilled", "DeadlineExceeded", "Unknown"];
const CATEGORIES: [&str; 5] = ["oom", "gpu", "network", "application", "infrastructure"];
const MESSAGES: [&str; 8] = [
    "",
    "",
    "",
    "container exceeded memory limit",
    "RuntimeError: CUDA error: an illegal memory access was encountered (device 3)",
    "dial tcp 10.31.7.201:443: connect: connection refused",
    "exited with status 1 after 48213 steps: see log at s3://logs/run-48213/out.txt",
    r#"Traceback (most recent call last):\n  File \"/app/main.py\", line 31, in <module>\n    main()"#,
];
const ESCAPED: [&str; 4] = [
    r#"Traceback (most recent call last):\n  File \"/app/main.py\", line 31, in <module>\n    main()"#,
    r"l\u00e9g\u00e8re \ud83d\ude00 na\u00efve",
    r"C:\\jobs\\run\\out.txt\tcannot be read\r\n",
    "container exceeded memory limit",
];

/// The members of an object, each a key and its value.
type Members = Vec<(&'static str, String)>;

fn object(members: &Members, comma: &str, colon: &str) -> String {
    let members: Vec<_> =
        members.iter().map(|(key, value)| format!("\"{key}\"{colon}{value}")).collect();
    format!("{{{}}}", members.join(comma))
}

fn quoted(text: impl std::fmt::Display) -> String {
    format!("\"{text}\"")
}

fn container(draw: &mut Draw, name: &str, messages: &[&str]) -> Members {
    vec![
        ("name", quoted(name)),
        ("exitCode", draw.below(256).to_string()),
        ("reason", quoted(draw.pick(&REASONS))),
        ("message", quoted(draw.pick(messages))),
    ]
}

fn line(draw: &mut Draw) -> Members {
    let (day, hour, minute) = (draw.below(28) + 1, draw.below(24), draw.below(60));
    let (second, micros) = (draw.below(60), draw.below(1_000_000));
    let at = format!("2026-10-{day:02}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z");
    vec![
        (
            "jobId",
            quoted(format!("01k6fz8q00{:08}{:08}", draw.below(1 << 26), draw.below(1 << 26))),
        ),
        ("queue", quoted(format!("queue-{:03}", draw.below(200)))),
        ("runIndex", draw.below(4).to_string()),
        ("finishedAt", quoted(at)),
        ("node", quoted(format!("gpu-node-{:04}", draw.below(4000)))),
    ]
}

/// A line as a program writes it.
pub fn common(draw: &mut Draw) -> String {
    let mut members = line(draw);
    if draw.chance(15) {
        members.push(("outcome", quoted("Succeeded")));
        return object(&members, ",", ":");
    }
    let condition = if draw.chance(8) { "[\"Evicted\"]" } else { "[]" };
    let mut containers = vec![object(&container(draw, "main", &MESSAGES), ",", ":")];
    if draw.chance(14) {
        containers.push(object(&container(draw, "log-shipper", &[""]), ",", ":"));
    }
    members.extend([
        ("outcome", quoted("Failed")),
        ("category", quoted(draw.pick(&CATEGORIES))),
        ("conditions", condition.to_owned()),
        ("terminationGracePeriodSeconds", draw.pick(&["30", "60", "300"]).to_owned()),
        ("containers", format!("[{}]", containers.join(","))),
    ]);
    object(&members, ",", ":")
}

/// A line with its keys in any order, spaces, escapes in its messages and unknown keys.
pub fn dressed(draw: &mut Draw) -> String {
    let mut main = container(draw, "main", &ESCAPED);
    main.push(("image", quoted("registry.example.com/train:1.4")));
    draw.shuffle(&mut main);
    let mut members = line(draw);
    members.extend([
        ("outcome", quoted("Failed")),
        ("category", quoted(draw.pick(&CATEGORIES))),
        ("terminationGracePeriodSeconds", "30".to_owned()),
        ("containers", format!("[ {} ]", object(&main, ", ", ": "))),
        ("labels", r#"{"team": "ml", "costs": [1.5e3, -7, null]}"#.to_owned()),
        ("traceId", quoted("4bf92f3577b34da6a3ce929d0e0e4736")),
    ]);
    draw.shuffle(&mut members);
    object(&members, ", ", ": ")
}
