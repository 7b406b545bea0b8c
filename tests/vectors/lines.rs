//! Cases in JSON Lines, a case a line, as they are or compressed.

use flate2::read::GzDecoder;
use serde_json::Value;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The name of a case and the case, or why it cannot be read.
pub type Named = (Value, Result<Value, String>);

/// The cases of a file, which is JSON Lines, as it is or compressed; `None` if it does not exist.
pub fn cases(folder: &Path, name: &str) -> Option<Vec<Named>> {
    let plain = folder.join(format!("{name}.jsonl"));
    let packed = folder.join(format!("{name}.jsonl.gz"));
    let path = [plain, packed].into_iter().find(|path| path.exists())?;
    let cases = match text(&path) {
        Ok(text) => text.lines().enumerate().map(|(index, line)| case(index + 1, line)).collect(),
        Err(error) => vec![(Value::from("the file"), Err(error.to_string()))],
    };
    Some(cases)
}

fn text(path: &Path) -> std::io::Result<String> {
    let mut file = File::open(path)?;
    let mut text = String::new();
    if path.extension().is_some_and(|ending| ending == "gz") {
        GzDecoder::new(file).read_to_string(&mut text)?;
    } else {
        file.read_to_string(&mut text)?;
    }
    Ok(text)
}

fn case(number: usize, line: &str) -> Named {
    match serde_json::from_str::<Value>(line) {
        Ok(case) => (case["name"].clone(), Ok(case)),
        Err(error) => (Value::from(format!("line {number}")), Err(error.to_string())),
    }
}
