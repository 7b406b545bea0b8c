//! A list of resources, each printed when it is read; a table is printed after the last one, since its columns
//! depend on all rows.

use super::document::document;
use super::rows;
use super::rows::Uses;
use crate::cli::Output;
use crate::commands::lookup::name_of;
use crate::commands::resource_args::ResourceKind;
use crate::report::{Layout, Resource, Table, text_columns};
use crate::ui::Ui;
use anyhow::Result;
use armada_retry::policy;
use client::Fields;
use document::diag::printable;

/// A list that is being printed.
pub(super) struct Listing {
    kind: ResourceKind,
    form: Form,
    /// The form that policies are converted to.
    api: Option<policy::Form>,
    /// The note for a list without resources.
    empty_note: String,
    /// The number of resources so far.
    pub count: usize,
}

enum Form {
    Table { rows: Vec<Vec<String>>, layout: Layout, uses: Option<Uses> },
    Json,
    Yaml,
    Name,
}

impl Listing {
    /// A list in this form; `uses` are the queues of each policy, for a wide table.
    pub fn new(kind: ResourceKind, output: Output, layout: Layout, uses: Option<Uses>) -> Self {
        let form = match output {
            Output::Json => Form::Json,
            Output::Yaml => Form::Yaml,
            Output::Name => Form::Name,
            Output::Table | Output::Wide | Output::Csv => {
                Form::Table { rows: Vec::new(), layout, uses }
            }
        };
        let empty_note = format!("there are no {}", kind.plural_noun());
        Self { kind, form, api: None, empty_note, count: 0 }
    }

    /// The same with policies in this form.
    pub fn api(self, api: Option<policy::Form>) -> Self {
        Self { api, ..self }
    }

    /// The same with this note if no resource is added.
    pub fn empty_note(self, empty_note: String) -> Self {
        Self { empty_note, ..self }
    }

    /// Adds a resource.
    pub fn add(&mut self, ui: &mut Ui, fields: &Fields) -> Result<()> {
        let kind = self.kind;
        match &mut self.form {
            Form::Table { rows, layout, uses } => rows.push(match kind {
                ResourceKind::Policy => rows::policy(fields, uses.as_ref())?,
                ResourceKind::Queue => rows::queue(fields, layout.wide),
            }),
            Form::Json => {
                let start = if self.count == 0 { head(kind) } else { ",".to_owned() };
                let document = document(ui, kind, fields, self.api)?;
                ui.data(&format!("{start}\n    {}", document.json(4)))?;
            }
            Form::Yaml => {
                let start = if self.count == 0 { "" } else { "---\n" };
                let document = document(ui, kind, fields, self.api)?;
                ui.data(&format!("{start}{}", document.yaml()))?;
            }
            Form::Name => {
                let name = name_of(fields).unwrap_or_default();
                ui.data(&format!("{}/{}\n", kind.cli_name(), printable(&name)))?;
            }
        }
        self.count += 1;
        Ok(())
    }

    /// Ends the list. A JSON list has the error that ended it early.
    pub fn end(self, ui: &mut Ui, error: Option<&str>) -> Result<()> {
        match self.form {
            Form::Table { rows, layout, .. } if self.count > 0 => {
                let columns = text_columns(rows::heads(self.kind, layout.wide));
                ui.data(&Table::new(rows, &columns).render(&layout))?;
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
            ui.note(&self.empty_note)?;
        }
        Ok(())
    }
}

/// A list in JSON, up to its first item.
fn head(kind: ResourceKind) -> String {
    let kind = kind.document_kind();
    format!(
        "{{\n  \"apiVersion\": \"armadaproject.io/v1\",\n  \"kind\": \"{kind}List\",\n  \"items\": ["
    )
}
