//! `--sweep`: limits, and the values that they are set to. A sweep has a column for each value, two sweeps one for each
//! pair of values.

mod policies;
mod values;

pub(in crate::commands) use values::{paths_of_all_systems, paths_of_documents};

use crate::cli::Refusal;
use crate::project::{Manifests, UnsetLimit};
use anyhow::Result;
use document::diag::did_you_mean;
use replay::simulate::{SweptLimit, SweptValue};
use std::str::FromStr;
use systems::{Limit, LimitPath, ManifestSystem, unknown_limit_help};
use values::{FORM, MAX_COLUMNS};

/// The value of `--sweep`.
#[derive(Debug, Clone)]
pub(super) struct Sweep {
    /// The limit: the text before `=`.
    path: String,
    values: Vec<SweptValue>,
}

impl FromStr for Sweep {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (path, values) =
            text.split_once('=').filter(|(path, _)| !path.is_empty()).ok_or(FORM)?;
        Ok(Self { path: path.to_owned(), values: values::parse(values)? })
    }
}

/// The sweeps of a command line: none, one, or the two of a grid.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sweeps<'s>(&'s [Sweep]);

/// A column: its name, and the value of each limit.
struct Column<'s> {
    name: String,
    settings: Vec<(LimitPath<'s>, SweptValue)>,
}

impl<'s> Sweeps<'s> {
    pub(super) fn new(sweeps: &'s [Sweep]) -> Self {
        Self(sweeps)
    }

    /// The manifests of another system with the values of each column, each with the name of its column.
    pub(super) fn manifests<S: ManifestSystem>(
        self,
        base: &Manifests<S>,
    ) -> Result<Vec<(String, Manifests<S>)>> {
        let manifest = S::DESCRIPTION.manifest;
        let columns = self.columns(manifest, S::LIMITS)?;
        for sweep in self.0 {
            let path = sweep.limit(manifest, S::LIMITS)?;
            let items = base.limit_items(path.limit);
            sweep.check_owner(manifest, &path, (&base.names(), &items))?;
        }
        self.refuse_overlap(manifest, S::LIMITS, |one, other| base.have_overlap(one, other))?;
        let set = |column: Column<'_>| match base.with_limits(&column.settings) {
            Ok(manifests) => Ok((column.name, manifests)),
            Err(UnsetLimit::Absent(number)) => {
                let limit = column.settings.get(number).map(|(path, _)| path.limit);
                let titles = limit.map(|it| titles(it, &base.limit_items(it))).unwrap_or_default();
                Err(self.absent_error(number, manifest, &titles))
            }
            Err(UnsetLimit::Invalid { name, message }) => {
                let name = if name.is_empty() { String::new() } else { format!(" `{name}`") };
                let kind = S::DESCRIPTION.kind();
                let text = format!(
                    "--sweep: with `{}` the {kind}{name} is invalid: {message}",
                    column.name
                );
                Err(Refusal::input(text).into())
            }
        };
        columns.into_iter().map(set).collect()
    }

    /// The refusal of a limit of an item that the manifests do not have.
    fn absent_error(self, number: usize, manifest: &str, titles: &[String]) -> anyhow::Error {
        let path = self.0.get(number).map_or("", |sweep| sweep.path.as_str());
        let message = format!("--sweep: nothing in the {manifest} has the limit `{path}`");
        let help = if titles.is_empty() {
            "name an item of the list that has it, such as `rules[0]`, counted from 0".to_owned()
        } else {
            format!("write one of `{}`", titles.join("`, `"))
        };
        Refusal::input(message).help(help).into()
    }

    /// The columns; an error for a limit that is not among these, and for a value in another unit.
    fn columns(self, manifest: &str, limits: &'static [Limit]) -> Result<Vec<Column<'s>>> {
        self.check()?;
        let mut columns: Vec<Column<'s>> = Vec::new();
        for (number, sweep) in self.0.iter().enumerate() {
            let path = sweep.limit(manifest, limits)?;
            let values = sweep.values.iter().map(|value| Sweep::value(&path, *value));
            let values: Vec<SweptValue> = values.collect::<Result<_>>()?;
            let named = values.iter().map(|value| (format!("{}={value}", sweep.path), *value));
            let named: Vec<(String, SweptValue)> = named.collect();
            let before = std::mem::take(&mut columns);
            if number == 0 {
                let column = |(name, value)| Column { name, settings: vec![(path, value)] };
                columns.extend(named.into_iter().map(column));
                continue;
            }
            for Column { name, settings } in before {
                columns.extend(named.iter().map(|(own, value)| Column {
                    name: format!("{name},{own}"),
                    settings: settings.iter().copied().chain([(path, *value)]).collect(),
                }));
            }
        }
        Ok(columns)
    }

    /// Refuses more than a grid, and a grid of one limit or of too many columns.
    fn check(self) -> Result<()> {
        let (message, help) = match self.0 {
            [] | [_] => return Ok(()),
            [one, other] if one.path == other.path => {
                let message = format!("--sweep: `{}` is swept twice", one.path);
                (message, format!("write all of its values in one list: `{}=0,1,2`", one.path))
            }
            [one, other] => {
                let columns = one.values.len() * other.values.len();
                if columns <= MAX_COLUMNS {
                    return Ok(());
                }
                let message = format!("--sweep: the grid has {columns} pairs of values");
                (message, format!("write at most {MAX_COLUMNS}; ranges have steps: `0..12:3`"))
            }
            several => {
                let message = format!("--sweep: {} limits are swept at once", several.len());
                (message, "sweep one, or two as a grid".to_owned())
            }
        };
        Err(Refusal::usage(message).help(help).into())
    }

    /// Refuses a grid of two limits that are one field somewhere: its columns would have one of the two values.
    fn refuse_overlap(
        self,
        manifest: &str,
        limits: &'static [Limit],
        have_overlap: impl Fn(&LimitPath<'_>, &LimitPath<'_>) -> bool,
    ) -> Result<()> {
        let [one, other] = self.0 else { return Ok(()) };
        if !have_overlap(&one.limit(manifest, limits)?, &other.limit(manifest, limits)?) {
            return Ok(());
        }
        let message = format!("--sweep: `{}` and `{}` set the same limit", one.path, other.path);
        let help = "sweep one of them, or two limits that have no field in common";
        Err(Refusal::usage(message).help(help).into())
    }

    /// The limits that are set in the column of a name; none if it is a column of other policies. No other column has
    /// `=` in its name.
    pub(super) fn limit_of(self, column: &str) -> Option<SweptLimit> {
        let mut rest = column;
        let mut limits: Vec<(&str, SweptValue)> = Vec::new();
        for (number, sweep) in self.0.iter().enumerate() {
            rest = rest.strip_prefix(sweep.path.as_str())?.strip_prefix('=')?;
            let next = self.0.get(number + 1).map(|next| format!(",{}=", next.path));
            let value = next.map_or(Some(rest), |next| rest.split(&next).next())?;
            limits.push((&sweep.path, value.parse().ok()?));
            rest = rest.get(value.len() + 1..).unwrap_or_default();
        }
        SweptLimit::new(&limits)
    }
}

/// Limit of items that a help lists.
const MAX_ITEMS: usize = 8;

/// The limit with each of the first items of its list.
fn titles(limit: &Limit, items: &[String]) -> Vec<String> {
    items.iter().take(MAX_ITEMS).map(|item| limit.title_of(item)).collect()
}

impl Sweep {
    /// The limit of a system that the sweep names.
    fn limit(&self, manifest: &str, limits: &'static [Limit]) -> Result<LimitPath<'_>> {
        LimitPath::parse(&self.path, limits).ok_or_else(|| {
            let message = format!("--sweep: a {manifest} has no `{}`", self.path);
            Refusal::usage(message).help(unknown_limit_help(&self.path, limits)).into()
        })
    }

    /// A value in the unit of the limit.
    fn value(path: &LimitPath<'_>, value: SweptValue) -> Result<SweptValue> {
        path.limit.value(value).map_err(|kind| {
            let message =
                format!("--sweep: `{}` is {kind}, which `{value}` is not", path.limit.name);
            Refusal::usage(message).into()
        })
    }

    /// Refuses the name of a policy or manifest that is not among the given ones.
    /// `items` are those of the list of the limit.
    fn check_owner(
        &self,
        kind: &str,
        path: &LimitPath<'_>,
        (names, items): (&[&str], &[String]),
    ) -> Result<()> {
        let owner = path.owner.filter(|owner| !names.contains(owner));
        let Some(owner) = owner else { return Ok(()) };
        let message = format!("--sweep: the {kind} `{owner}` does not exist");
        let is_rule =
            |(name, index): &(&str, &str)| names.contains(name) && index.parse::<usize>().is_ok();
        let rule = owner.rsplit_once(".rules.").filter(is_rule);
        let limit = &self.path[owner.len()..];
        let rule = rule.map(|(name, index)| format!("{name}.rules[{index}]{limit}"));
        let item = items.iter().find(|item| *item == owner).map(|item| path.limit.title_of(item));
        let near = || did_you_mean(owner, names.iter().copied()).map(str::to_owned);
        let help = match item.or(rule).or_else(near) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("write one of {}", names.join(", ")),
        };
        Err(Refusal::input(message).help(help).into())
    }
}
