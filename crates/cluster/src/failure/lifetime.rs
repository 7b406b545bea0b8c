//! When nodes fail and return, and when spot nodes are lost.

use super::super::draw::{DrawPurpose, Draws, draw};
use super::super::spec::Nanoseconds;
use super::distribution::{DurationDistribution, MILLISECOND, geometric, time_at_rate};

/// How spot nodes are lost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spot {
    /// Losses of a node in an hour, those together with others included.
    pub per_hour: f64,
    /// How long before its loss a node takes no more jobs.
    pub warning: Nanoseconds,
    /// The probability that a loss is of one node; the number of nodes is geometrically distributed.
    pub batch: f64,
    /// The time until a lost node is replaced; `None` means that it is not.
    pub replacement: Option<DurationDistribution>,
}

/// The subject of the draws of a node.
#[derive(Debug, Clone, Copy)]
pub struct NodeSubject {
    pub seed: u64,
    /// The key of the node's id.
    pub node: u64,
    /// How often the node has returned so far.
    pub period: u32,
}

impl NodeSubject {
    fn draws(self, purpose: DrawPurpose) -> Draws {
        Draws::new(self.seed, purpose, [self.node, self.period.into(), 0])
    }

    /// Draws the time for which the node is up. Its rate of failure is that of its template times `rate`, which
    /// divides the time; `None` if it never fails.
    pub fn up(self, lifetime: &Lifetime, rate: f64) -> Option<Nanoseconds> {
        let mut draws = self.draws(DrawPurpose::NodeUp);
        // At least a second, so that a node that fails at once does not take all computing time.
        (rate > 0.0).then(|| lifetime.up.draw_divided(&mut draws, rate).max(1000 * MILLISECOND))
    }

    /// Draws the time of its repair.
    pub fn repair(self, lifetime: &Lifetime) -> Nanoseconds {
        lifetime.repair.draw(&mut self.draws(DrawPurpose::NodeRepair))
    }

    /// Draws the time until it is replaced, if it is.
    pub fn replacement(self, spot: &Spot) -> Option<Nanoseconds> {
        Some(spot.replacement?.draw(&mut self.draws(DrawPurpose::Replacement)))
    }
}

/// Returns the rate of failure of each node of a template, as a factor on that of the template. The mean is 1.
pub fn lemon_rates(seed: u64, lemons: Option<Lemons>, nodes: &[u64]) -> Vec<f64> {
    let mut rates = vec![1.0; nodes.len()];
    let Some(lemons) = lemons else { return rates };
    let number = rounded(lemons.fraction * count(nodes.len()), nodes.len());
    // Without two groups of nodes there is nothing to compare.
    if number == 0 || number == nodes.len() {
        return rates;
    }
    let all = count(nodes.len());
    let of_lemons = lemons.rate_share * all / count(number);
    let of_others = (1.0 - lemons.rate_share) * all / count(nodes.len() - number);
    rates.fill(of_others);
    for position in
        first_by_draw(nodes, number, |node| draw(seed, DrawPurpose::Lemon, [node, 0, 0]))
    {
        rates[position] = of_lemons;
    }
    rates
}

/// A loss of spot nodes of one template.
#[derive(Debug, Clone, Copy)]
pub struct SpotBatch {
    pub seed: u64,
    /// The key of the template's first node.
    pub template: u64,
    /// The number of the loss, from 0.
    pub number: u64,
}

impl SpotBatch {
    fn draws(self, purpose: DrawPurpose) -> Draws {
        Draws::new(self.seed, purpose, [self.template, self.number, 0])
    }

    /// Draws the time since the loss before. A node is lost at the rate of `spot`, whatever the sizes of batches:
    /// a batch of k nodes takes each of the `nodes` nodes with the probability k / nodes.
    pub fn gap(self, spot: &Spot, nodes: usize) -> Nanoseconds {
        let nodes = count(nodes);
        // The mean of a geometric variable that is at most the number of nodes: (1 - (1 - p)^n) / p.
        let mean_size = -(nodes * (-spot.batch).ln_1p()).exp_m1() / spot.batch;
        let per_hour = spot.per_hour * nodes / mean_size;
        // At least a moment, so that time goes on.
        time_at_rate(&mut self.draws(DrawPurpose::SpotLoss), per_hour).max(MILLISECOND)
    }

    /// Draws the positions of the nodes that are lost, ascending.
    pub fn nodes(self, spot: &Spot, nodes: &[u64]) -> Vec<usize> {
        let size = geometric(&mut self.draws(DrawPurpose::SpotNumber), spot.batch) as usize;
        let rank =
            |node| draw(self.seed, DrawPurpose::SpotNode, [self.template, self.number, node]);
        let mut lost = first_by_draw(nodes, size.min(nodes.len()), rank);
        lost.sort_unstable();
        lost
    }
}

/// Returns the positions of the `number` nodes with the smallest draws.
fn first_by_draw(nodes: &[u64], number: usize, draw: impl Fn(u64) -> f64) -> Vec<usize> {
    let mut ranked: Vec<(f64, usize)> =
        nodes.iter().enumerate().map(|(position, node)| (draw(*node), position)).collect();
    // Most losses are of a few nodes of many: a selection is cheaper than a sort.
    if number < ranked.len() {
        ranked.select_nth_unstable_by(number, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    }
    ranked.into_iter().take(number).map(|(_, position)| position).collect()
}

#[expect(clippy::cast_precision_loss, reason = "at most a million nodes")]
fn count(number: usize) -> f64 {
    number as f64
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most `most`")]
fn rounded(number: f64, most: usize) -> usize {
    (number.round() as usize).min(most)
}

/// How long nodes are up and down.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lifetime {
    /// The time from the start of a new or repaired node to its failure.
    pub up: DurationDistribution,
    /// The time from a failure to the end of the repair.
    pub repair: DurationDistribution,
    /// The nodes that fail more often than others.
    pub lemons: Option<Lemons>,
}

/// Nodes that fail more often than others. The mean rate of failure of all nodes is kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lemons {
    /// Their share of the nodes.
    pub fraction: f64,
    /// Their share of the failures.
    pub rate_share: f64,
}

#[cfg(test)]
mod tests {
    use super::super::super::draw::name_key;
    use super::super::Distribution;
    use super::*;

    const HOUR: i64 = 3_600_000_000_000;

    fn hours(time: Nanoseconds) -> f64 {
        std::time::Duration::from_nanos(time.unsigned_abs()).as_secs_f64() / 3600.0
    }

    #[test]
    fn lemons_have_their_share_of_failures_and_keep_the_mean() {
        let nodes: Vec<u64> = (0..40).map(|node| name_key(&format!("c-0-{node}"))).collect();
        let lemons = Lemons { fraction: 0.05, rate_share: 0.56 };
        let rates = lemon_rates(1, Some(lemons), &nodes);
        let (bad, good): (Vec<f64>, Vec<f64>) = rates.iter().partition(|rate| **rate > 1.0);
        assert_eq!(bad.len(), 2);
        assert!((bad.iter().sum::<f64>() - 0.56 * 40.0).abs() < 1e-9);
        assert!((good.iter().sum::<f64>() - 0.44 * 40.0).abs() < 1e-9);
        // Fewer than half a lemon is none.
        assert_eq!(lemon_rates(1, Some(lemons), &nodes[..9]), vec![1.0; 9]);
        assert_eq!(lemon_rates(1, None, &nodes), vec![1.0; 40]);
    }

    #[test]
    fn a_spot_node_is_lost_at_its_rate_in_batches_of_the_drawn_sizes() {
        let nodes: Vec<u64> = (0..8).map(|node| name_key(&format!("c-0-{node}"))).collect();
        for batch in [1.0, 0.5, 0.2] {
            let spot = Spot { per_hour: 0.23, warning: 0, batch, replacement: None };
            let (mut time, mut losses, mut singles) = (0.0, [0_u32; 8], 0_u32);
            for number in 0..20_000 {
                let of = SpotBatch { seed: 3, template: nodes[0], number };
                time += hours(of.gap(&spot, nodes.len()));
                let lost = of.nodes(&spot, &nodes);
                singles += u32::from(lost.len() == 1);
                for node in lost {
                    losses[node] += 1;
                }
            }
            for lost in losses {
                let rate = f64::from(lost) / time;
                // More than 2,500 losses a node: the standard error is below 2 %.
                assert!((rate - 0.23).abs() < 0.23 * 0.08, "{batch}: {rate}");
            }
            let share = f64::from(singles) / 20_000.0;
            assert!((share - batch).abs() < 0.015, "{batch}: {share}");
        }
    }

    #[test]
    fn time_goes_on_with_the_least_probability() {
        let nodes: Vec<u64> = (0..50).collect();
        for batch in [f64::MIN_POSITIVE, 1e-17, 1e-9] {
            let spot = Spot { per_hour: 60.0, warning: 0, batch, replacement: None };
            let of = SpotBatch { seed: 3, template: 0, number: 0 };
            assert_eq!(of.nodes(&spot, &nodes).len(), 50, "{batch}");
            // All nodes are lost together, each once a minute.
            let gaps = (0..2000).map(|number| SpotBatch { number, ..of }.gap(&spot, nodes.len()));
            let mean = hours(gaps.sum()) * 60.0 / 2000.0;
            assert!((mean - 1.0).abs() < 0.1, "{batch}: {mean}");
        }
    }

    #[test]
    fn a_weibull_node_fails_as_early_as_its_distribution() {
        // failures.json, "Weibull node": 16.73 % of the nodes fail within a day, 1.37 % of exponential ones.
        let milliseconds = 3_600_000.0;
        let weibull = Distribution::Weibull { shape: 0.482, scale: 812.9 * milliseconds };
        let exponential = Distribution::Exponential { mean: 1743.7 * milliseconds };
        for (distribution, expected) in [(weibull, 0.1673), (exponential, 0.0137)] {
            let up = DurationDistribution::from_milliseconds(distribution);
            let lifetime = Lifetime { up, repair: up, lemons: None };
            let is_early = |node: &u64| {
                let subject = NodeSubject { seed: 1, node: *node, period: 3 };
                subject.up(&lifetime, 1.0).is_some_and(|up| up <= 24 * HOUR)
            };
            let early = u32::try_from((0..20_000).filter(is_early).count()).unwrap();
            let share = f64::from(early) / 20_000.0;
            let error = (expected * (1.0 - expected) / 20_000.0_f64).sqrt();
            assert!((share - expected).abs() < 3.0 * error, "{share}");
        }
    }
}
