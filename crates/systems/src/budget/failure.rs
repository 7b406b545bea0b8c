//! The failure of which a budget is computed.

use std::fmt;
use std::str::FromStr;

/// A failure that every attempt of a pod has.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BudgetFailure {
    /// The container that ends; absent means the first of the pod.
    pub container: Option<String>,
    /// Its exit code.
    pub exit_code: Option<i32>,
    /// A condition of the pod with the status True.
    pub condition: Option<String>,
    /// Whether the exit code stands for all that no rule lists.
    pub is_any_other: bool,
}

impl BudgetFailure {
    /// Creates the failure of a container with an exit code.
    pub fn with_code(container: Option<&str>, exit_code: i32) -> Self {
        let container = container.map(str::to_owned);
        Self { container, exit_code: Some(exit_code), ..Self::default() }
    }

    /// Creates the failure of a pod with a condition.
    pub fn with_condition(condition: &str) -> Self {
        Self { condition: Some(condition.to_owned()), ..Self::default() }
    }

    /// Joins the properties of several `KEY=VALUE` into one failure; none without any.
    ///
    /// # Errors
    ///
    /// If one is given twice, or a container without its exit code.
    pub fn join(parts: &[Self]) -> Result<Option<Self>, String> {
        let mut joined = Self::default();
        for part in parts {
            let is_twice = joined.container.is_some() && part.container.is_some()
                || joined.exit_code.is_some() && part.exit_code.is_some()
                || joined.condition.is_some() && part.condition.is_some();
            if is_twice {
                return Err("a property of the failure is given twice".to_owned());
            }
            joined.container = joined.container.or_else(|| part.container.clone());
            joined.exit_code = joined.exit_code.or(part.exit_code);
            joined.condition = joined.condition.or_else(|| part.condition.clone());
        }
        if joined.container.is_some() && joined.exit_code.is_none() {
            return Err("a container fails with an exit code: add exitCode=N".to_owned());
        }
        Ok((!parts.is_empty()).then_some(joined))
    }
}

impl fmt::Display for BudgetFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(condition) = &self.condition {
            f.write_str(condition)?;
        }
        if let Some(code) = self.exit_code {
            let separator = if self.condition.is_some() { " and " } else { "" };
            if self.is_any_other {
                write!(f, "{separator}an exit code that no rule lists")?;
            } else {
                write!(f, "{separator}exit code {code}")?;
            }
        }
        match &self.container {
            Some(container) => write!(f, " of {container}"),
            None => Ok(()),
        }
    }
}

impl FromStr for BudgetFailure {
    type Err = String;

    /// Reads `exitCode=N`, `container=NAME` or `podCondition=TYPE`.
    fn from_str(text: &str) -> Result<Self, String> {
        const HELP: &str = "write exitCode=N, container=NAME or podCondition=TYPE";
        let (key, value) = text.split_once('=').ok_or(HELP)?;
        if value.is_empty() {
            return Err(format!("`{key}` has no value"));
        }
        match key {
            "exitCode" => match value.parse::<i32>() {
                Ok(0) => Err("exit code 0 is not a failure".to_owned()),
                Ok(code) => Ok(Self::with_code(None, code)),
                Err(_) => Err(format!("`{value}` is not an exit code")),
            },
            "container" => Ok(Self { container: Some(value.to_owned()), ..Self::default() }),
            "podCondition" => Ok(Self::with_condition(value)),
            _ => Err(format!("a budget does not depend on `{key}`; {HELP}")),
        }
    }
}
