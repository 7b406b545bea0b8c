//! The form of policies that a server accepts, from its API description.

use document::names;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::HashMap;

names! {
    /// The forms of a policy on the wire.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum WireForm {
        /// The form of Armada's current servers: rules by category.
        Deployed = "deployed",
        /// The deployed form with the fields of `v1`.
        Full = "full",
    }
}

impl WireForm {
    /// The form that a server accepts, from its `/swagger.json`: the full one if a rule has `onExitCodes`. An
    /// invalid description counts as the deployed form.
    pub(super) fn of(swagger: &[u8]) -> Self {
        #[derive(Deserialize)]
        struct Swagger {
            #[serde(default)]
            definitions: HashMap<String, Definition>,
        }
        #[derive(Deserialize)]
        struct Definition {
            #[serde(default)]
            properties: Properties,
        }
        #[derive(Deserialize, Default)]
        struct Properties {
            #[serde(rename = "onExitCodes")]
            exit_codes: Option<IgnoredAny>,
        }
        let swagger: Result<Swagger, _> = serde_json::from_slice(swagger);
        let knows = swagger.is_ok_and(|swagger| {
            swagger.definitions.iter().any(|(name, definition)| {
                name.ends_with("RetryRule") && definition.properties.exit_codes.is_some()
            })
        });
        if knows { Self::Full } else { Self::Deployed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_that_knows_exit_codes_is_of_the_full_form() {
        let with = |name: &str, property: &str| {
            format!(
                r#"{{"swagger":"2.0","definitions":{{"x":{{}},"{name}":{{"type":"object","properties":{{"{property}":{{"type":"object"}}}}}}}}}}"#
            )
        };
        assert_eq!(WireForm::of(with("apiRetryRule", "onExitCodes").as_bytes()), WireForm::Full);
        for text in [
            with("apiRetryRule", "onCategory"),
            with("apiRetryRules", "onExitCodes"),
            "{}".to_owned(),
            "<html>".to_owned(),
            r#"{"definitions":[]}"#.to_owned(),
            String::new(),
        ] {
            assert_eq!(WireForm::of(text.as_bytes()), WireForm::Deployed, "{text}");
        }
    }
}
