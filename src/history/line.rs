//! What a line of JSON Lines says, field by field, before anybody asks what it means.
//!
//! Owns the form of a line; its texts stay in the line wherever they stand there as they are. It
//! judges nothing but types. What may be absent may be null too.

use serde::{Deserialize, Deserializer};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A line: one run, and what it says of its job (semantics.md, section 10).
#[derive(Debug, PartialEq, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Line<'a> {
    #[serde(borrow)]
    pub(super) job_id: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) outcome: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "text")]
    pub(super) queue: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "text")]
    pub(super) job_set: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "named_texts")]
    pub(super) annotations: Option<Annotations<'a>>,
    #[serde(borrow)]
    pub(super) resources: Option<ResourcesLine<'a>>,
    #[serde(borrow)]
    pub(super) gang: Option<GangLine<'a>>,
    pub(super) run_index: Option<u32>,
    #[serde(borrow, default, deserialize_with = "text")]
    pub(super) started_at: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "text")]
    pub(super) finished_at: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "text")]
    pub(super) node: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "text")]
    pub(super) cluster: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "texts")]
    pub(super) conditions: Option<Vec<Cow<'a, str>>>,
    #[serde(borrow)]
    pub(super) containers: Option<Vec<ContainerLine<'a>>>,
    #[serde(borrow, default, deserialize_with = "text")]
    pub(super) category: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "text")]
    pub(super) subcategory: Option<Cow<'a, str>>,
    pub(super) termination_grace_period_seconds: Option<i64>,
    #[serde(borrow, default, deserialize_with = "text")]
    pub(super) termination_confirmed_at: Option<Cow<'a, str>>,
}

/// A job's annotations; null says that there is none of this name.
pub(super) type Annotations<'a> = BTreeMap<Cow<'a, str>, Option<Cow<'a, str>>>;

/// A container of a line.
#[derive(Debug, PartialEq, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ContainerLine<'a> {
    #[serde(borrow)]
    pub(super) name: Cow<'a, str>,
    pub(super) init: Option<bool>,
    pub(super) exit_code: Option<i64>,
    #[serde(borrow, default, deserialize_with = "text")]
    pub(super) reason: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "text")]
    pub(super) message: Option<Cow<'a, str>>,
}

/// What the line's job asked for.
#[derive(Debug, PartialEq, Default, Deserialize)]
pub(super) struct ResourcesLine<'a> {
    #[serde(borrow)]
    pub(super) cpu: Option<Amount<'a>>,
    #[serde(borrow)]
    pub(super) memory: Option<Amount<'a>>,
    #[serde(rename = "nvidia.com/gpu", borrow)]
    pub(super) gpu: Option<Amount<'a>>,
}

/// A quantity, which people also write as a number.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub(super) enum Amount<'a> {
    Whole(u64),
    #[serde(borrow)]
    Text(Cow<'a, str>),
}

/// The gang of the line's job.
#[derive(Debug, PartialEq, Default, Deserialize)]
pub(super) struct GangLine<'a> {
    #[serde(borrow)]
    pub(super) id: Cow<'a, str>,
    pub(super) cardinality: u32,
}

/// Serde lends a text only to a field that is one, not to one inside an option, list or map.
#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(transparent)]
pub(super) struct Text<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

fn text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Cow<'de, str>>, D::Error> {
    let read = Option::<Text<'de>>::deserialize(from)?;
    Ok(read.map(|text| text.0))
}

fn texts<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<Cow<'de, str>>>, D::Error> {
    let read = Option::<Vec<Text<'de>>>::deserialize(from)?;
    Ok(read.map(|texts| texts.into_iter().map(|text| text.0).collect()))
}

fn named_texts<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Annotations<'de>>, D::Error> {
    let read = Option::<BTreeMap<Text<'de>, Option<Text<'de>>>>::deserialize(from)?;
    let plain = |(key, value): (Text<'de>, Option<Text<'de>>)| (key.0, value.map(|text| text.0));
    Ok(read.map(|named| named.into_iter().map(plain).collect()))
}
