//! Kubernetes quantities of bytes, as `resources.memory` and `mutate.resources.memory.static` hold them.

const SUFFIXES: [(&str, i128); 12] = [
    ("Ki", 1 << 10),
    ("Mi", 1 << 20),
    ("Gi", 1 << 30),
    ("Ti", 1 << 40),
    ("Pi", 1 << 50),
    ("Ei", 1 << 60),
    ("k", 1_000),
    ("M", 1_000_000),
    ("G", 1_000_000_000),
    ("T", 1_000_000_000_000),
    ("P", 1_000_000_000_000_000),
    ("E", 1_000_000_000_000_000_000),
];

/// Whole bytes, parts of a byte rounded up as Kubernetes does.
pub fn bytes(text: &str) -> Option<i128> {
    let suffix = SUFFIXES.iter().find(|known| text.ends_with(known.0));
    let (number, unit) = suffix.map_or((text, 1), |known| {
        (&text[..text.len() - known.0.len()], known.1)
    });
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
    let parts = 10_i128.pow(u32::try_from(fraction.len()).ok()?);
    Some((digits * unit + parts - 1) / parts)
}
