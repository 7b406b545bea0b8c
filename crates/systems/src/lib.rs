//! All systems: their policies behind the one interface of engines.
//!
//! Owns a folder per system, each but `armada` with the same parts: `manifest` (shape, model, reading), `validate`
//! (findings about a manifest), `record` (fields of its run records), `engine` (state and decision), `report`
//! (sentences, counts, checks), `convert`, `coverage` (targets of the tests of a policy, and failures that reach them), `system` (its
//! [`Description`] and [`System`]) and `tests`.
//! Armada's policies and evaluator are [`armada_retry::policy`] and [`armada_retry::engine`]. `jobset` uses `job`, since a
//! JobSet is made of Jobs; otherwise systems do not depend on each other. `iris`, `airflow` and `backendai`
//! (the BEP-1053 draft) read [`profile`] documents. Other packages use every system through the registry
//! `systems!` in this file. `convert` is shared by the conversions. This package does not read files, print or read the clock.
#![forbid(unsafe_code)]

pub mod airflow;
pub mod argo;
pub mod armada;
pub mod awsbatch;
pub mod backendai;
mod budget;
pub mod compare;
pub mod convert;
mod coverage;
mod decision_fields;
mod description;
mod explain;
mod identity;
pub mod iris;
pub mod job;
pub mod jobset;
mod limit;
mod lint;
mod options;
pub mod profile;
pub mod release;
mod system;
mod unknown_profile;

pub use budget::{BudgetFailure, BudgetOptions, Layer, LayerBudget};
pub use coverage::{CoverageTarget, ExampleFailures, TargetKind, limits_of, place_of};
pub use decision_fields::{
    COUNT, COUNTS, CellText, ColumnPlace, Comparison, DecisionColumn, DecisionField, NUMBER,
};
pub use description::{
    Conversions, Description, DisruptionMatchers, Draft, Obstacle, PolicyDocuments, Words,
};
pub use explain::{explain, remaining_budget};
pub use identity::{Identity, without_namespace};
pub use limit::{Limit, LimitPath, limit_names, unknown_limit_help};
pub use lint::{
    Bounds, Budget, BudgetWaits, HUGE_LIMIT, NamedRule, WorstCase, correction_in, duplicate_title,
    duplicate_value, huge_limit, oom_as_disruption, retries_text, same_memory, shadowed_rule,
    short_budget, surprising_default,
};
pub use options::{FeatureGate, Options};
pub use system::{ManifestSystem, System, Tried, UnsupportedRecord};
pub use unknown_profile::refuse_unknown_profile;

use armada_retry::policy::{ForeignKind, OtherDocument};
use std::sync::LazyLock;

/// Defines the systems: their names, descriptions and engines. `$d` is the dollar sign of the macro that it
/// defines.
macro_rules! systems {
    ($d:tt $armada:ident: $armada_engine:ty, $($name:ident: $engine:ty,)*) => {
        /// A system.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum SystemName {
            /// The system with this name.
            $armada,
            $(
                /// The system with this name.
                $name,
            )*
        }

        /// The systems and their descriptions, in the same order.
        const SYSTEMS: &[(SystemName, &Description)] = &[
            (SystemName::$armada, <$armada_engine as System>::DESCRIPTION),
            $((SystemName::$name, <$engine as System>::DESCRIPTION),)*
        ];

        /// The fields that decisions have beside those of all systems, a list for each system.
        pub const DECISION_FIELDS: &[&[DecisionField]] = &[
            <$armada_engine as System>::DESCRIPTION.decision_fields,
            $(<$engine as System>::DESCRIPTION.decision_fields,)*
        ];

        /// The engines, each under the name of its system.
        pub mod engines {
            /// The engine of the system with this name.
            pub type $armada = $armada_engine;
            $(
                /// The engine of the system with this name.
                pub type $name = $engine;
            )*
        }

        /// Evaluates an expression with the engine of a system as the type `$S`. This is the only place where
        /// names of systems become types. With a separate expression for Armada, the type of the others is a
        /// [`ManifestSystem`].
        #[macro_export]
        macro_rules! with_system {
            ($d system:expr, $d S:ident => $d body:expr $d(,)?) => {
                match $d system {
                    $crate::SystemName::$armada => { type $d S = $crate::engines::$armada; $d body }
                    $($crate::SystemName::$name => { type $d S = $crate::engines::$name; $d body })*
                }
            };
            ($d system:expr, Armada => $d armada:expr, $d S:ident => $d body:expr $d(,)?) => {
                match $d system {
                    $crate::SystemName::$armada => $d armada,
                    $($crate::SystemName::$name => { type $d S = $crate::engines::$name; $d body })*
                }
            };
        }
    };
}

// One line per system. Records of later systems may have all fields of earlier ones, and more: if a history
// fits two systems, the first is reported.
systems! {
    $
    Armada: crate::armada::Armada,
    Job: crate::job::JobEngine,
    JobSet: crate::jobset::JobSetEngine,
    Iris: crate::iris::IrisEngine,
    BackendAi: crate::backendai::BackendAiEngine,
    Airflow: crate::airflow::AirflowEngine,
    Argo: crate::argo::ArgoEngine,
    AwsBatch: crate::awsbatch::AwsBatchEngine,
}

impl SystemName {
    /// Returns all systems.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + Clone {
        SYSTEMS.iter().map(|(name, _)| *name)
    }

    /// Returns the system's description.
    pub fn description(self) -> &'static Description {
        with_system!(self, S => S::DESCRIPTION)
    }

    /// Returns the system of a foreign document's policy.
    pub fn from_document(other: &OtherDocument) -> Option<Self> {
        Self::all().find(|system| system.description().has_document(other))
    }
}

/// Returns the description of an engine's system, by the engine's name in reports: `v1`, `jobset`,
/// `iris/seed`.
pub fn description_of_engine(engine: &str) -> &'static Description {
    let system = engine.split('/').next().unwrap_or_default();
    let mut descriptions = SYSTEMS.iter().map(|(_, description)| *description);
    let found = descriptions.find(|description| description.engines.contains(&system));
    found.unwrap_or(armada::Armada::DESCRIPTION)
}

/// Returns the kinds of documents with policies of systems other than Armada.
pub fn foreign_kinds() -> &'static [ForeignKind] {
    static KINDS: LazyLock<Vec<ForeignKind>> = LazyLock::new(|| {
        // Findings list the kinds in this order: a JobSet, which contains Jobs, before the Job.
        let systems = SYSTEMS.iter().rev();
        let kinds = systems.flat_map(|(_, description)| match description.documents {
            PolicyDocuments::Manifests(kinds) | PolicyDocuments::Definitions(kinds) => kinds,
            _ => &[],
        });
        let profile = ForeignKind::named(profile::KIND, &[profile::VERSION]);
        kinds.copied().chain([profile]).collect()
    });
    &KINDS
}

/// Returns the profiles of the systems that have no manifest of their own.
pub fn profiles() -> impl Iterator<Item = profile::Profile> {
    SYSTEMS.iter().filter_map(|(_, description)| description.profile())
}
