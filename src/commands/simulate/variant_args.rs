//! The values of `--variant`.

use crate::cli::Refusal;
use anyhow::Result;
use std::path::PathBuf;
use std::str::FromStr;
use systems::release::{Program, Release};

/// The name of the variant without retries, which has no files.
pub(super) const NO_RETRIES: &str = "no-retries";

/// The name of the first variant: the policies of `-f`.
pub(super) const FIRST_VARIANT: &str = "given";

/// The name of the variant of `--live`: the policies of the server.
pub(super) const LIVE_VARIANT: &str = "live";

/// The value of `--variant`.
#[derive(Debug, Clone)]
pub(super) struct VariantArg {
    pub(super) name: String,
    pub(super) files: Vec<PathBuf>,
    /// The release that the policies of `-f` are read under, for a variant that is a release.
    pub(super) release: Option<Release>,
}

impl FromStr for VariantArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == NO_RETRIES {
            return Ok(Self { name: text.to_owned(), files: Vec::new(), release: None });
        }
        if is_release(text) {
            let release = Some(Release::parse(text, &Program::OF_FLAGS)?);
            return Ok(Self { name: text.to_owned(), files: Vec::new(), release });
        }
        let form = || {
            format!(
                "write NAME=FILES, such as `strict=strict.yaml,common/`, or `{NO_RETRIES}` or a release such as `jobset-0.9` without files"
            )
        };
        let (name, files) = text.split_once('=').ok_or_else(form)?;
        if files == NO_RETRIES {
            return Err(format!("write `--variant {NO_RETRIES}`: it has this name and no files"));
        }
        let files: Vec<PathBuf> =
            files.split(',').filter(|file| !file.is_empty()).map(PathBuf::from).collect();
        if name == NO_RETRIES {
            return Err(format!(
                "`{NO_RETRIES}` is the variant without retries, and takes no files"
            ));
        }
        if name.is_empty() || files.is_empty() {
            return Err(form());
        }
        Ok(Self { name: name.to_owned(), files, release: None })
    }
}

/// Whether a text names a program, and no files.
fn is_release(text: &str) -> bool {
    let program = text.split_once('-').and_then(|(name, _)| Program::from_name(name));
    program.is_some() && !text.contains('=')
}

impl VariantArg {
    /// Whether it is the variant without retries, which has no files.
    pub(super) fn is_without_retries(&self) -> bool {
        self.files.is_empty() && self.release.is_none()
    }

    /// Refuses variants of releases, for policies whose form names the engine.
    pub(super) fn refuse_releases(variants: &[Self]) -> Result<()> {
        match variants.iter().find(|variant| variant.release.is_some()) {
            Some(variant) => {
                let name = &variant.name;
                let message = format!(
                    "`--variant {name}`: releases apply to the policies of Jobs, JobSets and Airflow in -f"
                );
                Err(Refusal::usage(message).help("leave it out").into())
            }
            None => Ok(()),
        }
    }

    /// Refuses a name that two variants have, or that is reserved for policies of another flag.
    pub(super) fn refuse_equal_names(variants: &[Self], reserved: &[&str]) -> Result<()> {
        for (place, variant) in variants.iter().enumerate() {
            let taken = variants[..place].iter().any(|other| other.name == variant.name);
            if taken || reserved.contains(&variant.name.as_str()) {
                let message = format!("--variant: the name `{}` is already used", variant.name);
                return Err(Refusal::usage(message).into());
            }
        }
        Ok(())
    }
}
