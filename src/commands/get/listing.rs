//! Several resources, printed as they come: only a table waits for the last one.

use super::rows::{self, Uses};
use super::shown::document;
use crate::cli::Output;
use crate::client::Fields;
use crate::commands::known::name_of;
use crate::commands::target::Kind;
use crate::diag::printable;
use crate::policy;
use crate::report::{Layout, Resource, Table};
use crate::ui::Ui;
use anyhow::Result;

/// A list on its way to stdout.
pub(super) struct Listing {
    kind: Kind,
    form: Form,
    /// The form that policies are converted to.
    api: Option<policy::Form>,
    /// How many there were so far.
    pub count: usize,
}

enum Form {
    Table { table: Table, layout: Layout, uses: Option<Uses> },
    Json,
    Yaml,
    Name,
}

impl Listing {
    /// A list in this form; `uses` are the queues of each policy, for a wide table.
    pub fn new(kind: Kind, output: Output, layout: Layout, uses: Option<Uses>) -> Self {
        let form = match output {
            Output::Json => Form::Json,
            Output::Yaml => Form::Yaml,
            Output::Name => Form::Name,
            Output::Table | Output::Wide => {
                Form::Table { table: rows::table(kind, layout.wide), layout, uses }
            }
        };
        Self { kind, form, api: None, count: 0 }
    }

    /// The same with policies in this form.
    pub fn api(self, api: Option<policy::Form>) -> Self {
        Self { api, ..self }
    }

    /// One more.
    pub fn add(&mut self, ui: &mut Ui, fields: &Fields) -> Result<()> {
        let kind = self.kind;
        match &mut self.form {
            Form::Table { table, layout, uses } => table.row(match kind {
                Kind::Policy => rows::policy(fields, uses.as_ref())?,
                Kind::Queue => rows::queue(fields, layout.wide),
            }),
            Form::Json => {
                let start = if self.count == 0 { head(kind) } else { ",".to_owned() };
                let shown = document(ui, kind, fields, self.api)?;
                ui.data(&format!("{start}\n    {}", shown.json(4)))?;
            }
            Form::Yaml => {
                let start = if self.count == 0 { "" } else { "---\n" };
                let shown = document(ui, kind, fields, self.api)?;
                ui.data(&format!("{start}{}", shown.yaml()))?;
            }
            Form::Name => {
                let name = name_of(fields).unwrap_or_default();
                ui.data(&format!("{}/{}\n", kind.word(), printable(&name)))?;
            }
        }
        self.count += 1;
        Ok(())
    }

    /// The end; with what went wrong if it came too early, which a list in JSON says too.
    pub fn end(self, ui: &mut Ui, error: Option<&str>) -> Result<()> {
        match self.form {
            Form::Table { table, layout, .. } if self.count > 0 => {
                ui.data(&table.render(&layout))?;
            }
            Form::Json => {
                let start = if self.count == 0 { head(self.kind) } else { "\n  ".to_owned() };
                let error =
                    error.map(|error| format!(",\n  \"error\": {}", Resource::text(error).json(2)));
                ui.data(&format!("{start}]{}\n}}\n", error.unwrap_or_default()))?;
            }
            _ => {}
        }
        if self.count == 0 && error.is_none() {
            ui.note(&format!("there are no {}", self.kind.nouns()))?;
        }
        Ok(())
    }
}

/// A list in JSON, up to its first item.
fn head(kind: Kind) -> String {
    let kind = kind.kind();
    format!(
        "{{\n  \"apiVersion\": \"armadaproject.io/v1\",\n  \"kind\": \"{kind}List\",\n  \"items\": ["
    )
}
