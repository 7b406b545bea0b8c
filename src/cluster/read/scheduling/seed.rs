//! Reads the settings that the profile `seed` alone has.

use super::super::super::settings::{Profile, Settings};
use super::super::located::Reader;
use crate::diag::Code;
use crate::document::Node;

const WEIGHTS: &str = "seed";
const EVICTION: &str = "nodeEvictionProbability";

impl Settings {
    /// Reads the weights of costs and the probability of evictions. In the profile `landed` each of
    /// them is reported as having no effect.
    pub(super) fn read_seed(&mut self, reader: &mut Reader<'_>) {
        let root = &reader.document.root;
        let weights = root.get(WEIGHTS);
        let weight = |key| weights?.get(key)?.number();
        self.seed.gpu_weight = weight("gpuWeight").unwrap_or(self.seed.gpu_weight);
        self.seed.ram_weight = weight("ramWeight").unwrap_or(self.seed.ram_weight);
        let older = root.get("preemption");
        for section in older.into_iter().chain([root]) {
            if let Some(probability) = section.get(EVICTION).and_then(|node| fraction(reader, node))
            {
                self.seed.eviction_probability = probability;
            }
        }
        if self.profile == Profile::Landed {
            warn_of_no_effect(reader, root, WEIGHTS);
            for section in older.into_iter().chain([root]) {
                warn_of_no_effect(reader, section, EVICTION);
            }
        }
    }
}

/// A probability; above 1 it is reported.
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

fn warn_of_no_effect(reader: &mut Reader<'_>, section: &Node, key: &str) {
    if let Some(entry) = section.entry(key).filter(|entry| !entry.value.is_null()) {
        let message = format!("`{key}` has no effect in the scheduler profile `landed`");
        let help = "remove it, or choose the profile `seed`".to_owned();
        reader.warning(Code::Misleading, entry.key_span, message, help);
    }
}
