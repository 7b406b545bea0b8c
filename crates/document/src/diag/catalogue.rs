//! The ids of findings. `RP0nn` are about documents, `RP1nn` are lint.
//!
//! Every id has a page, under `docs/diagnostics` or `docs/lints`, which `armadactl explain RP001` prints. An
//! id is never reused, and its meaning never changes.

/// Passes the table of ids to a macro: the folder of their pages in `docs`, and documentation, name, id and title of each.
#[doc(hidden)]
#[macro_export]
macro_rules! codes {
    ($macro:ident) => {
        $macro! {
            "diagnostics": {
                /// Syntax error.
                Syntax = "RP001", "syntax error";
                /// A limit is exceeded.
                TooMuch = "RP002", "a limit is exceeded";
                /// Not UTF-8.
                NotUtf8 = "RP003", "not UTF-8";
                /// No such kind of document.
                UnknownDocument = "RP004", "unknown kind of document";
                /// Unknown field.
                UnknownField = "RP005", "unknown field";
                /// Duplicate key.
                DuplicateKey = "RP006", "duplicate key";
                /// A required field is missing.
                MissingField = "RP007", "missing required field";
                /// A value of the wrong type.
                WrongType = "RP008", "a value of the wrong type";
                /// Not one of the values this field takes.
                NotAChoice = "RP009", "not one of the values this field takes";
                /// Not a duration.
                BadDuration = "RP010", "not a duration";
                /// Not a quantity.
                BadQuantity = "RP011", "not a quantity";
                /// Not a name.
                BadName = "RP012", "not a name";
                /// A number out of range.
                OutOfRange = "RP013", "a number out of range";
                /// Two documents of one kind and name.
                DuplicateDocument = "RP014", "two documents of one kind and name";
                /// A rule without a matcher.
                NoMatcher = "RP015", "a rule without a matcher";
                /// A subcategory without a category.
                SubcategoryAlone = "RP016", "a subcategory without a category";
                /// An empty list.
                EmptyList = "RP017", "an empty list";
                /// An empty text.
                EmptyText = "RP018", "an empty string";
                /// An exit code that cannot be matched.
                BadExitCode = "RP019", "an exit code that cannot be matched";
                /// A pattern that Go refuses.
                BadPattern = "RP020", "a pattern that Go refuses";
                /// A memory bump of both kinds, or of none.
                MixedBump = "RP021", "a memory bump of both kinds, or of none";
                /// A field of the other form.
                OtherForm = "RP022", "a field of the other form";
                /// A backoff that contradicts itself.
                BadBackoff = "RP023", "a backoff that contradicts itself";
                /// An odd spelling that Armada takes.
                OddSpelling = "RP024", "an unusual spelling that Armada accepts";
                /// Nothing to read.
                NoDocument = "RP025", "nothing to read";
                /// An alias without an anchor, or a merge that cannot be.
                UnknownAlias = "RP026", "an undefined alias or an invalid merge";
                /// Not a time.
                BadTime = "RP027", "not a time";
                /// A policy that does not exist.
                UnknownName = "RP028", "a policy that does not exist";
                /// A run record that cannot be.
                BadRecord = "RP029", "an invalid run record";
                /// A record that contradicts the job's first.
                DifferentRecord = "RP030", "a record that contradicts the job's first";
                /// A gang with fewer jobs than its cardinality.
                SmallGang = "RP031", "a gang with fewer jobs than its cardinality";
                /// A field that the engine profile lacks.
                ProfileLacks = "RP032", "a field that the engine profile lacks";
                /// Policies of both forms in one evaluation.
                MixedForms = "RP033", "policies of both forms in one evaluation";
                /// A file that cannot be read.
                Unreadable = "RP034", "a file that cannot be read";
                /// A field without a counterpart in the other form.
                NoCounterpart = "RP035", "a field without a counterpart in the other form";
                /// Refused by the API server.
                NotAdmitted = "RP036", "refused by the API server";
                /// Needs a feature gate.
                GateDisabled = "RP037", "needs a feature gate";
                /// Never released.
                NeverReleased = "RP038", "never released";
                /// A field that is approximated in the other system.
                Approximated = "RP039", "a field that is approximated in the other system";
                /// A field of a `RetryProfile` that does not do what it seems to say.
                Misleading = "RP040", "a field without the effect that its name suggests";
                /// A name that is not defined.
                UndefinedName = "RP041", "a name that is not defined";
                /// Job templates that depend on each other.
                DependencyCircle = "RP042", "job templates that depend on each other";
                /// Jobs that fit no node of the cluster.
                UnschedulableJob = "RP043", "jobs that fit no node of the cluster";
                /// A category that is never reported.
                NeverReported = "RP044", "a category that is never reported";
                /// A reported category that no rule handles.
                NotHandled = "RP045", "a reported category that no rule handles";
                /// A retry of a pod that stays.
                RetryOfKeptPod = "RP046", "a retry of a pod that stays";
                /// A test that checks nothing, or that cannot be run.
                InvalidTest = "RP047", "a test that checks nothing or cannot be run";
                /// A test that fails.
                FailedTest = "RP048", "a test that fails";
                /// A rule, default or limit that no test checks.
                Untested = "RP049", "a rule, default or limit that no test checks";
                /// A template that is not rendered.
                UnrenderedTemplate = "RP050", "a template that is not rendered";
                /// A failure that two versions decide otherwise.
                DecidedOtherwise = "RP051", "a failure that is decided otherwise";
                /// Failures of which it is not known whether two versions decide them alike.
                NotCompared = "RP052", "failures that could not be compared";
                /// A policy or queue that only one of two versions has.
                OnlyInOneVersion = "RP053", "a policy or queue that only one version has";
            }
            "lints": {
                /// A rule that decides nothing.
                ShadowedRule = "RP101", "a rule that decides nothing";
                /// A condition that never holds for a container.
                ImpossibleCondition = "RP102", "a condition that never holds for a container";
                /// An exit code that does not occur.
                ExitCodeRange = "RP103", "an exit code that does not occur";
                /// A container of a rule on categories.
                ContainerOfCategory = "RP104", "a container of a rule on categories";
                /// A pattern that matches every message.
                CatchAllPattern = "RP105", "a pattern that matches every message";
                /// A limit above the global one.
                LimitAboveGlobal = "RP106", "a limit above the global one";
                /// A retry that is never granted.
                ZeroLimit = "RP107", "a retry that is never granted";
                /// A limit that limits nothing.
                HugeLimit = "RP108", "a limit that limits nothing";
                /// A backoff that other levels contradict.
                BackoffLevels = "RP109", "a backoff that other levels contradict";
                /// A field without effect in a Fail rule.
                FailRuleFields = "RP110", "a field without effect in a Fail rule";
                /// A worst case beyond the bounds.
                WorstCase = "RP111", "a worst case beyond the bounds";
                /// Default actions of a queue that differ.
                DefaultActions = "RP112", "default actions of a queue that differ";
                /// Memory that grows without need.
                MemoryWithoutOom = "RP113", "memory that grows without need";
                /// Disruptions that count as failures.
                ChargedDisruptions = "RP114", "disruptions that count as failures";
                /// Unknown failures that are retried.
                RetryByDefault = "RP115", "unknown failures that are retried";
                /// A rule that changes no action.
                RedundantRule = "RP116", "a rule that changes no action";
                /// Names that differ by case or spaces.
                CategorySpelling = "RP117", "names that differ by case or spaces";
                /// A value that is listed twice.
                DuplicateValue = "RP118", "a value that is listed twice";
                /// A change after an expired lease.
                MutateOfExpiredLease = "RP119", "a change after an expired lease";
                /// Memory that grows in two ways.
                MemoryKinds = "RP120", "memory that grows in two ways";
                /// Settings under which nothing is retried.
                RetriesDisabled = "RP121", "settings under which nothing is retried";
                /// A policy that no queue uses.
                UnusedPolicy = "RP122", "a policy that no queue uses";
                /// A rule that a history never matched.
                UnmatchedRule = "RP123", "a rule that a history never matched";
                /// Retries that never succeeded.
                FutileRetries = "RP124", "retries that never succeeded";
                /// The label of nodes, which the scheduler does not index or executors do not report.
                NodeLabel = "RP125", "a node label that is not indexed or not tracked";
                /// Failures of gangs, which no policy decides.
                GangFailures = "RP126", "failures of gangs, which no policy decides";
                /// Restarts that no limit ends.
                UnlimitedRetries = "RP127", "restarts without a limit";
                /// A rule on a reason that also takes failures of another kind.
                BroadRule = "RP128", "a rule that also takes failures of another kind";
                /// A default that has a surprising effect.
                SurprisingDefault = "RP129", "a default that has a surprising effect";
                /// A budget that ends before an outage does.
                ShortBudget = "RP130", "a budget that ends before an outage does";
                /// An OOM kill that counts as a disruption.
                OomAsDisruption = "RP131", "an OOM kill that counts as a disruption";
                /// The same memory after an OOM kill.
                SameMemory = "RP132", "the same memory after an OOM kill";
                /// A rule whose failures cannot occur.
                ImpossibleRule = "RP133", "a rule whose failures cannot occur";
                /// A rule that containers which restart in place never reach.
                RestartsInPlace = "RP134", "a rule that never decides because containers restart in place";
                /// A suppression that suppresses nothing.
                UnusedSuppression = "RP190", "a suppression without effect";
                /// A suppression whose date has passed.
                ExpiredSuppression = "RP191", "an expired suppression";
                /// A suppression that cannot be applied.
                InvalidSuppression = "RP192", "an invalid suppression";
            }
        }
    };
}

macro_rules! define {
    ($($folder:literal: { $($(#[$doc:meta])* $name:ident = $id:literal, $title:literal;)+ })+) => {
        /// The stable id of a kind of finding.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $($($(#[$doc])* $name,)+)+
        }

        impl Code {
            /// Every code, by id.
            pub const ALL: &'static [Code] = &[$($(Code::$name,)+)+];

            /// The id, such as `RP005`.
            pub fn id(self) -> &'static str {
                match self {
                    $($(Code::$name => $id,)+)+
                }
            }

            /// The title: a few words.
            pub fn title(self) -> &'static str {
                match self {
                    $($(Code::$name => $title,)+)+
                }
            }
        }
    };
}

codes!(define);

impl Code {
    /// Whether the code is about documents that cannot be read or used (`RP0nn`), not a lint (`RP1nn`).
    pub fn is_about_documents(self) -> bool {
        self.id().starts_with("RP0")
    }

    /// The code with this id, in any case.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.id().eq_ignore_ascii_case(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_ordered() {
        for pair in Code::ALL.windows(2) {
            assert!(pair[0].id() < pair[1].id(), "{} before {}", pair[0].id(), pair[1].id());
        }
        for code in Code::ALL {
            assert_eq!(Code::from_id(&code.id().to_lowercase()), Some(*code));
        }
    }
}
