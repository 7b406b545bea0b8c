//! The part of a set of policies that is from a server, with `--live`.

use super::super::live_policies::{LivePart, LivePolicies};
use super::{EngineName, PolicySet, list_of, refuse_unsupported_by_v1beta1};
use anyhow::Result;
use armada_retry::engine::Profile;
use armada_retry::policy::{Form, PolicyDocument};
use replay::simulate::PolicySource;
use std::collections::HashSet;
use std::sync::Arc;

impl PolicySet {
    /// The set as it would be on a server after `apply`: policies of names that the set lacks are the server's.
    /// A queue that neither a document nor the server has gets no policies. The engine `v1` evaluates policies
    /// of both forms, if one of them is `v1`.
    pub(in crate::commands) fn with_live(
        mut self,
        server: &Arc<LivePolicies>,
        engine: Option<EngineName>,
    ) -> Result<Self> {
        let own: HashSet<String> =
            self.policies.iter().map(|policy| policy.name.as_str().to_owned()).collect();
        let is_taken = |found: &&PolicyDocument| !own.contains(found.policy.name.as_str());
        let taken: Vec<&PolicyDocument> = server.policies.iter().filter(is_taken).collect();
        let is_v1 = taken.iter().any(|found| found.policy.form == Form::V1);
        let form = match engine {
            Some(EngineName::V1) => Form::V1,
            Some(EngineName::V1beta1) => Form::V1beta1,
            None if is_v1 => Form::V1,
            None if own.is_empty() => server.form,
            None => self.profile.form,
        };
        if form == Form::V1beta1 {
            refuse_unsupported_by_v1beta1(taken.iter().copied())?;
        }
        self.profile = Profile::of(form);
        self.bindings.is_complete = true;
        let without_list = self.documents.queues.iter().filter(|found| list_of(found).is_none());
        self.without_list = without_list.map(|found| found.queue.name.clone()).collect();
        self.policies.extend(taken.iter().map(|found| Arc::clone(&found.policy)));
        let taken = taken.iter().map(|found| found.policy.name.as_str().to_owned()).collect();
        self.live = Some(LivePart { server: Arc::clone(server), taken });
        Ok(self)
    }

    /// The part that is from a server.
    pub(in crate::commands) fn live(&self) -> Option<&LivePart> {
        self.live.as_ref()
    }

    /// The `globalMaxRetries` that applies as no setting names another; `None` if one does.
    pub(in crate::commands) fn default_global_max_retries(&self) -> Option<u32> {
        self.settings.global_max_retries.is_none().then_some(self.profile.global_max_retries)
    }

    /// Whether policies of both forms are evaluated together.
    pub(in crate::commands) fn mixes_forms(&self) -> bool {
        let has = |form| self.policies.iter().any(|policy| policy.form == form);
        has(Form::V1) && has(Form::V1beta1)
    }

    /// The queue of the server that names a policy, as the end of a message; empty if none does.
    pub(super) fn user_of(&self, name: &str) -> String {
        let live = self.live.as_ref().filter(|_| self.bindings.forced.is_none());
        let Some(live) = live else { return String::new() };
        let is_user = |(queue, policies): &(&String, &Vec<String>)| {
            self.sources.get(*queue) == Some(&PolicySource::Server)
                && policies.iter().any(|policy| policy == name)
        };
        match live.server.queues.iter().find(is_user) {
            Some((queue, _)) => format!("; the queue `{queue}` of the server names it"),
            None => String::new(),
        }
    }
}
