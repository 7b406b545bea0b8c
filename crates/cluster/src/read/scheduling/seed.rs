//! Reads the settings that only the profile `seed` has, and warns of settings that it does not have.

use super::super::super::settings::{Profile, Settings};
use super::super::located::Reader;
use document::Node;
use document::diag::Code;

const WEIGHTS: &str = "seed";
const EVICTION: &str = "nodeEvictionProbability";
/// The settings that only the profile `landed` has.
const LANDED_ONLY: [&str; 6] = [
    "protectedFractionOfFairShare",
    "enablePreferLargeJobOrdering",
    "wellKnownNodeTypes",
    "indexedResources",
    "dominantResourceFairnessResourcesToConsider",
    "experimentalDominantResourceFairnessResourcesToConsider",
];

impl Settings {
    /// Reads the weights of costs and the probability of evictions. Settings that
    /// have no effect in the profile are reported.
    pub(super) fn read_seed(&mut self, reader: &mut Reader<'_>) {
        let root = &reader.document.root;
        let weights = root.get(WEIGHTS);
        let weight = |key| weights?.get(key)?.number();
        self.seed.gpu_weight = weight("gpuWeight").unwrap_or(self.seed.gpu_weight);
        self.seed.ram_weight = weight("ramWeight").unwrap_or(self.seed.ram_weight);
        let older = root.get("preemption");
        // The newer place last, so that it wins.
        for section in older.into_iter().chain([root]) {
            if let Some(probability) = section.get(EVICTION).and_then(|node| fraction(reader, node))
            {
                self.seed.eviction_probability = probability;
            }
        }
        match self.profile {
            Profile::Landed => {
                warn_of_no_effect(reader, root, WEIGHTS, self.profile);
                for section in older.into_iter().chain([root]) {
                    warn_of_no_effect(reader, section, EVICTION, self.profile);
                }
            }
            Profile::Seed => {
                for key in LANDED_ONLY {
                    warn_of_no_effect(reader, root, key, self.profile);
                }
            }
        }
    }
}

/// Reads a probability; reports it if it is above 1.
fn fraction(reader: &mut Reader<'_>, node: &Node) -> Option<f64> {
    let number = node.number()?;
    if number > 1.0 {
        let message = format!("`{EVICTION}` is {number}, not a number from 0 to 1");
        let help = "write a probability, such as `0.5`".to_owned();
        reader.error(Code::OutOfRange, node.span, message, help);
        return None;
    }
    Some(number)
}

fn warn_of_no_effect(reader: &mut Reader<'_>, section: &Node, key: &str, profile: Profile) {
    if let Some(entry) = section.entry(key).filter(|entry| !entry.value.is_null()) {
        let (profile, other) = match profile {
            Profile::Landed => ("landed", "seed"),
            Profile::Seed => ("seed", "landed"),
        };
        let message = format!("`{key}` has no effect in the scheduler profile `{profile}`");
        let help = format!("remove it, or choose the profile `{other}`");
        reader.warning(Code::Misleading, entry.key_span, message, help);
    }
}
