//! What tables say and leave out for an engine, by its name in reports: `v1`, `jobset`, `iris/seed`.

/// An engine's name.
#[derive(Debug, Clone, Copy)]
pub(super) struct EngineName<'n>(pub(super) &'n str);

impl EngineName<'_> {
    /// The system: what stands before the profile.
    fn system(self) -> &'static str {
        let system = self.0.split('/').next().unwrap_or_default();
        let others = ["jobset", "job", "iris", "backendai", "airflow"];
        others.into_iter().find(|other| *other == system).unwrap_or("armada")
    }

    /// Whether it is Armada's.
    pub(super) fn is_armadas(self) -> bool {
        self.system() == "armada"
    }

    /// Whether its policies are lists of rules of which one decides, or a default.
    pub(super) fn has_rules(self) -> bool {
        matches!(self.system(), "armada" | "jobset" | "job")
    }

    /// What a reader has to be told of it beside its name: the draft is nothing that runs.
    pub(super) fn draft(self) -> Option<&'static str> {
        (self.system() == "backendai").then_some("the BEP-1053 draft, which was never built")
    }

    /// The engine as a timeline's head names it.
    pub(super) fn title(self) -> String {
        self.draft().map_or(self.0.to_owned(), |_| format!("{}: BEP-1053 draft", self.0))
    }

    /// What its units are called.
    pub(super) fn unit(self) -> &'static str {
        match self.system() {
            "jobset" => "JobSet",
            "iris" => "Iris job",
            "backendai" => "Session",
            "airflow" => "Task",
            _ => "Job",
        }
    }
}
