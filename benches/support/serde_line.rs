//! A line of JSON Lines as structs that `serde_json` reads: texts borrowed where they have no escapes, and
//! nothing checked but types. Absent fields may be null.

use serde::{Deserialize, Deserializer};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A line: one run, and the fields of its job (semantics.md, section 10).
#[derive(Debug, PartialEq, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Line<'a> {
    #[serde(borrow)]
    pub job_id: Cow<'a, str>,
    #[serde(borrow)]
    pub outcome: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "text")]
    pub queue: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "text")]
    pub job_set: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "named_texts")]
    pub annotations: Option<Annotations<'a>>,
    #[serde(borrow)]
    pub resources: Option<ResourcesLine<'a>>,
    #[serde(borrow)]
    pub gang: Option<GangLine<'a>>,
    pub run_index: Option<u32>,
    #[serde(borrow, default, deserialize_with = "text")]
    pub started_at: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "text")]
    pub finished_at: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "text")]
    pub node: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "text")]
    pub cluster: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "texts")]
    pub conditions: Option<Vec<Cow<'a, str>>>,
    #[serde(borrow)]
    pub containers: Option<Vec<ContainerLine<'a>>>,
    #[serde(borrow, default, deserialize_with = "text")]
    pub category: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "text")]
    pub subcategory: Option<Cow<'a, str>>,
    pub termination_grace_period_seconds: Option<i64>,
    #[serde(borrow, default, deserialize_with = "text")]
    pub termination_confirmed_at: Option<Cow<'a, str>>,
}

/// A job's annotations; null means that there is none of this name.
pub type Annotations<'a> = BTreeMap<Cow<'a, str>, Option<Cow<'a, str>>>;

/// A container of a line.
#[derive(Debug, PartialEq, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContainerLine<'a> {
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    pub init: Option<bool>,
    pub exit_code: Option<i64>,
    #[serde(borrow, default, deserialize_with = "text")]
    pub reason: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "text")]
    pub message: Option<Cow<'a, str>>,
}

/// The resources that the line's job requests.
#[derive(Debug, PartialEq, Default, Deserialize)]
pub struct ResourcesLine<'a> {
    #[serde(borrow)]
    pub cpu: Option<Amount<'a>>,
    #[serde(borrow)]
    pub memory: Option<Amount<'a>>,
    #[serde(rename = "nvidia.com/gpu", borrow)]
    pub gpu: Option<Amount<'a>>,
}

/// A quantity, which may be a number too.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Amount<'a> {
    Whole(u64),
    #[serde(borrow)]
    Text(Cow<'a, str>),
}

/// The gang of the line's job.
#[derive(Debug, PartialEq, Default, Deserialize)]
pub struct GangLine<'a> {
    #[serde(borrow)]
    pub id: Cow<'a, str>,
    pub cardinality: u32,
}

/// Serde borrows a text only for a field that is one, not inside of an option, list or map.
#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(transparent)]
pub struct Text<'a>(#[serde(borrow)] pub Cow<'a, str>);

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
