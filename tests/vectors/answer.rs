//! The answer of `simulate`: the record and every column of policies, answered by an independent model.
//!
//! Holds answer.md 2, 3.

use super::meet;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

/// Replays the history of a case with the program, and compares its answer.
pub fn run(case: &Value) -> Result<(), String> {
    let answer = answer(case).map_err(|error| format!("the program failed: {error}"))?;
    let expected = &case["expected"];
    for key in ["unit", "runs", "untimed"] {
        meet(key, &answer[key], &expected[key])?;
    }
    for (key, of_row) in [("rows", "values"), ("differences", "differences")] {
        for (id, wanted) in expected[key].as_object().into_iter().flatten() {
            meet_figures(&format!("{key}.{id}"), &row(&answer, id)[of_row], wanted)?;
        }
    }
    let Some(reasons) = expected["reasons"].as_array() else { return Ok(()) };
    // The report has the first 20.
    let wanted = &reasons[..reasons.len().min(20)];
    let actual = answer["reasons"].as_array().ok_or("there are no reasons")?;
    meet("the number of reasons", &json!(actual.len()), &json!(wanted.len()))?;
    for (number, (actual, wanted)) in actual.iter().zip(wanted).enumerate() {
        for (key, wanted) in wanted.as_object().into_iter().flatten() {
            meet_figures(&format!("reasons[{number}].{key}"), &actual[key], wanted)?;
        }
    }
    Ok(())
}

fn row<'a>(answer: &'a Value, id: &str) -> &'a Value {
    let mut rows = answer["rows"].as_array().into_iter().flatten();
    rows.find(|row| row["id"] == id).unwrap_or(&Value::Null)
}

/// Compares figures, number by number: sums of hours differ in their last digits.
fn meet_figures(what: &str, actual: &Value, wanted: &Value) -> Result<(), String> {
    match (actual, wanted) {
        (Value::Array(all), Value::Array(wanted)) if all.len() == wanted.len() => {
            all.iter().zip(wanted).try_for_each(|(one, wanted)| meet_figures(what, one, wanted))
        }
        (Value::Number(one), Value::Number(wanted)) => {
            let [one, wanted] = [one, wanted].map(|it| it.as_f64().unwrap_or(f64::NAN));
            let is_equal = (one - wanted).abs() <= 1e-6 * one.abs().max(wanted.abs());
            is_equal.then_some(()).ok_or_else(|| format!("{what} is {one}, not {wanted}"))
        }
        _ => meet(what, actual, wanted),
    }
}

/// The answer of the program about a case.
fn answer(case: &Value) -> Result<Value, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let path = |name: &str| folder.path().join(name);
    let write =
        |path: &Path, text: String| std::fs::write(path, text).map_err(|error| error.to_string());
    let records = case["history"].as_array().into_iter().flatten();
    let records: Vec<String> = records.map(Value::to_string).collect();
    write(&path("history.jsonl"), records.join("\n"))?;
    write(&path("scheduler.yaml"), case["scheduler"].to_string())?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_armadactl"));
    command.env_clear().env("HOME", folder.path()).args(["simulate", "-o", "json", "--history"]);
    command.arg(path("history.jsonl")).arg("--scheduler-config").arg(path("scheduler.yaml"));
    for (number, column) in case["columns"].as_array().into_iter().flatten().enumerate() {
        let documents = column["documents"].as_array().into_iter().flatten();
        let documents: Vec<String> = documents.map(Value::to_string).collect();
        let file = path(&format!("{number}.yaml"));
        write(&file, documents.join("\n---\n"))?;
        if number == 0 {
            command.arg("-f").arg(file);
        } else {
            let name = column["name"].as_str().unwrap_or_default();
            command.arg("--variant").arg(format!("{name}={}", file.display()));
        }
    }
    let output = command.output().map_err(|error| error.to_string())?;
    let report: Value = serde_json::from_slice(&output.stdout)
        .map_err(|_| String::from_utf8_lossy(&output.stderr).into_owned())?;
    Ok(report["answer"].clone())
}
