//! The choice among sets of policies: it depends on the worth of a job that succeeds.

/// A set of policies as a choice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Choice<'c> {
    /// Its name.
    pub(super) label: &'c str,
    /// The jobs that succeed.
    pub(super) jobs: f64,
    /// The cost of its failed retries, or of all that is wasted.
    pub(super) cost: f64,
}

/// The choices that are best for some worth of a job, each with the worth from which on it is, the cheapest first: a
/// further job of each costs more than one of those before.
fn best<'c>(choices: &[Choice<'c>]) -> Vec<(Choice<'c>, f64)> {
    let cheapest = choices.iter().copied().reduce(|one, other| {
        let is_better = (other.cost, -other.jobs) < (one.cost, -one.jobs);
        if is_better { other } else { one }
    });
    let mut best: Vec<(Choice<'_>, f64)> =
        cheapest.map(|choice| (choice, 0.0)).into_iter().collect();
    while let Some((last, _)) = best.last().copied() {
        let price = |it: &Choice<'_>| (it.cost - last.cost) / (it.jobs - last.jobs);
        let more = choices.iter().copied().filter(|it| it.jobs > last.jobs);
        let next = more.reduce(|one, other| {
            let is_better = (price(&other), -other.jobs) < (price(&one), -one.jobs);
            if is_better { other } else { one }
        });
        let Some(next) = next else { break };
        best.push((next, price(&next)));
    }
    best
}

/// The choice in a sentence. `base` is the set in use; `words` formats a cost with its unit.
pub(super) fn sentence(
    choices: &[Choice<'_>],
    base: &str,
    words: impl Fn(f64) -> String,
) -> Option<String> {
    let best = best(choices);
    match best.as_slice() {
        [] => None,
        [(only, _)] => {
            let verb = if only.label == base { "Keep" } else { "Take" };
            Some(format!(
                "{verb} `{}`: no other costs less, and under none do more jobs succeed.",
                only.label
            ))
        }
        [(first, _), (second, worth)] => Some(format!(
            "`{}` if a job that succeeds is worth less than {}, else `{}`.",
            first.label,
            words(*worth),
            second.label
        )),
        [(first, _), (second, worth), others @ ..] => {
            let mut text = format!(
                "`{}` if a job that succeeds is worth less than {}, `{}` up to",
                first.label,
                words(*worth),
                second.label
            );
            for (at, (choice, worth)) in others.iter().enumerate() {
                let end = if at + 1 == others.len() { "above." } else { "up to" };
                text.push_str(&format!(" {}, `{}` {end}", words(*worth), choice.label));
            }
            Some(text)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(choices: &[(&'static str, f64, f64)]) -> String {
        let choices: Vec<Choice<'_>> = choices
            .iter()
            .map(|(label, jobs, cost)| Choice { label, jobs: *jobs, cost: *cost })
            .collect();
        sentence(&choices, "a", |cost| format!("{cost:.1} h")).unwrap_or_default()
    }

    #[test]
    fn the_choice_depends_on_the_worth_of_a_job() {
        assert_eq!(text(&[]), "");
        let keep = "Keep `a`: no other costs less, and under none do more jobs succeed.";
        assert_eq!(text(&[("a", 5.0, 1.0), ("b", 5.0, 2.0), ("c", 4.0, 1.0)]), keep);
        assert_eq!(
            text(&[("a", 100.0, 50.0), ("b", 80.0, 10.0), ("c", 110.0, 90.0)]),
            "`b` if a job that succeeds is worth less than 2.0 h, `a` up to 4.0 h, `c` above."
        );
        // `a` is the best one for no worth: both steps together cost 2.0 for each job.
        assert_eq!(
            text(&[("a", 100.0, 70.0), ("b", 80.0, 0.0), ("c", 120.0, 80.0)]),
            "`b` if a job that succeeds is worth less than 2.0 h, else `c`."
        );
    }

    proptest! {
        /// For any worth of a job the choice that is named has the largest net worth.
        #[test]
        fn no_choice_is_better_for_its_worth(
            points in prop::collection::vec((0.0..100.0_f64, 0.0..100.0_f64), 1..6),
            worth in 0.01..50.0_f64,
        ) {
            let choices: Vec<Choice<'_>> =
                points.iter().map(|(jobs, cost)| Choice { label: "", jobs: *jobs, cost: *cost }).collect();
            let net = |choice: &Choice<'_>| choice.jobs * worth - choice.cost;
            let named = best(&choices);
            let chosen = named.iter().rev().find(|(_, from)| *from <= worth).map(|(choice, _)| net(choice));
            let most = choices.iter().map(net).fold(f64::NEG_INFINITY, f64::max);
            prop_assert!(chosen.is_some_and(|own| own >= most - 1e-6), "{:?} {}", chosen, most);
        }
    }
}
