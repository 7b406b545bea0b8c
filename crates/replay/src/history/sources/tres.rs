//! Slurm's trackable resources: `billing=8,cpu=8,gres/gpu=2,mem=32G,node=1`.

use armada_retry::engine::Resources;
use document::units::Quantity;

/// The cores, memory and devices of a list; `None` if it has none of them.
///
/// Slurm's `K M G T P` are powers of 1024. Devices of several kinds are counted together where the
/// list has no sum of its own.
pub(super) fn resources(list: &str) -> Result<Option<Resources>, String> {
    let mut resources = Resources::default();
    let mut of_kinds: Option<Quantity> = None;
    for entry in list.split(',').filter(|entry| !entry.is_empty()) {
        let (name, amount) =
            entry.split_once('=').ok_or_else(|| format!("invalid resource `{entry}`"))?;
        let quantity = || match quantity(amount) {
            // 0 is none, as an absent amount is.
            Some(quantity) => Ok(Some(quantity).filter(|quantity| quantity.is_positive())),
            None => Err(format!("invalid amount `{amount}` of `{name}`")),
        };
        match name {
            "cpu" => resources.cpu = quantity()?,
            "mem" => resources.memory = quantity()?,
            "gres/gpu" => resources.gpu = quantity()?,
            _ if name.starts_with("gres/gpu:") => {
                of_kinds = match (of_kinds, quantity()?) {
                    (Some(sum), Some(more)) => Some(sum.plus(more)),
                    (sum, more) => sum.or(more),
                };
            }
            _ => {}
        }
    }
    // The sum of the list comes first: kinds may be only a part of it.
    resources.gpu = resources.gpu.or(of_kinds);
    Ok((resources != Resources::default()).then_some(resources))
}

fn quantity(amount: &str) -> Option<Quantity> {
    let binary = amount.ends_with(['K', 'M', 'G', 'T', 'P']);
    let text = if binary { format!("{amount}i") } else { amount.to_owned() };
    Quantity::parse(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_of_slurm() {
        let read = resources("billing=8,cpu=4,gres/gpu:a100=2,gres/gpu:v100=1,mem=62.50G").unwrap();
        let read = read.unwrap();
        assert_eq!(read.cpu, Quantity::parse("4").ok());
        assert_eq!(read.memory, Quantity::parse("64000Mi").ok());
        assert_eq!(read.gpu, Quantity::parse("3").ok());
        assert_eq!(
            resources("gres/gpu=2,gres/gpu:a100=2").unwrap().unwrap().gpu,
            Quantity::parse("2").ok()
        );
        assert_eq!(resources(""), Ok(None));
        assert!(resources("cpu").is_err() && resources("mem=lots").is_err());
    }
}
