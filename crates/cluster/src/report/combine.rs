//! Combines runs with several seeds: means, intervals, and differences between variants.

use super::fold::{Combine as _, DIFFERENCE, HALF_WIDTH, MEAN};
use super::{ClusterVariant, EndReport, Figures};

/// The runs of a variant, in the order of their seeds.
#[derive(Debug, Clone)]
pub struct Runs {
    /// The name of the variant.
    pub name: String,
    /// The engine that decides on retries, if one does.
    pub engine: Option<String>,
    /// The figures and the end of each run, at least one.
    pub results: Vec<(Figures, EndReport)>,
}

/// Returns the report of each variant. All have the same seeds.
pub fn combine_runs(all: Vec<Runs>) -> Vec<ClusterVariant> {
    let first: Vec<Figures> = match all.first() {
        Some(first) => first.results.iter().map(|(figures, _)| figures.clone()).collect(),
        None => return Vec::new(),
    };
    let each = all.into_iter().enumerate();
    each.map(|(position, variant)| {
        let (figures, ends): (Vec<Figures>, Vec<EndReport>) = variant.results.into_iter().unzip();
        let differences = (position > 0).then(|| {
            let pairs = figures.iter().zip(&first);
            pairs.map(|(one, first)| Figures::combine(&[one, first], &DIFFERENCE)).collect()
        });
        let differences: Option<Vec<Figures>> = differences;
        ClusterVariant {
            name: variant.name,
            engine: variant.engine,
            ends,
            figures: mean(&figures),
            intervals: interval(&figures),
            difference_intervals: differences.as_deref().and_then(interval),
            differences: differences.as_deref().map(mean),
        }
    })
    .collect()
}

fn mean(runs: &[Figures]) -> Figures {
    Figures::combine(&runs.iter().collect::<Vec<_>>(), &MEAN)
}

/// Returns half the widths of the confidence intervals; `None` for one run.
fn interval(runs: &[Figures]) -> Option<Figures> {
    let all: Vec<&Figures> = runs.iter().collect();
    (all.len() > 1).then(|| Figures::combine(&all, &HALF_WIDTH))
}
