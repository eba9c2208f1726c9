//! The verbs of discovery, resources, prompts and completion.

use std::time::Duration;

use mcp_types::{
    ArgumentText, CompletionContext, CompletionReference, ProtocolVersion, RawJson, RawMap,
    method::{Complete, Discover, GetPrompt, ReadResource},
};
use serde::Serialize;
use tokio::{
    select,
    time::{Instant, sleep},
};

use super::{RequestBuilder, refuse};
use crate::{
    answered::{Answered, Outcome},
    cache::Freshness,
    cached,
    cancel::cancelled,
    client::Client,
    decode::Decoded,
    error::{CallError, InvalidCall, InvalidKind},
    method::Answer,
    token::BearerToken,
};

impl<M: Answer> RequestBuilder<M> {
    /// Sends a request whose answer can only be complete.
    async fn send_complete(mut self) -> Result<Answered<M>, CallError> {
        Ok(self.complete().await?.0)
    }

    /// The answer, and the token that it was given to.
    async fn complete(&mut self) -> Result<(Answered<M>, Option<BearerToken>), CallError> {
        if let Err(refusal) = self.check() {
            return Err(refuse(&self.client, &self.spec, refusal));
        }
        let finished = cached::run::<M>(&self.client, &mut self.spec, self.cache).await?;
        match finished.decoded {
            Decoded::Complete(result) => Ok((Answered::new(result, finished.record), finished.token)),
            Decoded::Opened(_) | Decoded::InputRequired(_) => Err(cached::unexpected()),
        }
    }
}

impl RequestBuilder<Discover> {
    /// Sends the request and waits for its one answer.
    ///
    /// # Errors
    ///
    /// [`CallError`], one variant a layer.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future cancels the request.
    pub async fn send(mut self) -> Result<Answered<Discover>, CallError> {
        let (discovered, token) = self.complete().await?;
        if !matches!(discovered.freshness(), Freshness::Stale { .. }) {
            let is_public = Discover::cache_hint(discovered.result()).public;
            let whose = self.client.whose(&self.spec, token.as_ref(), is_public);
            self.client.learn_capabilities(&discovered.capabilities, whose);
        }
        Ok(discovered)
    }
}

impl Answered<Discover> {
    /// The newest version that the server names and this client speaks; `None` where there is none, so that requests will be
    /// refused with -32022. Versions that are not known here are passed over, and their order means nothing.
    pub fn common_version(&self) -> Option<ProtocolVersion> {
        Client::SPOKEN.into_iter().find(|ours| self.supported_versions.contains(ours))
    }
}

impl RequestBuilder<ReadResource> {
    /// Sends the request and waits for its one answer.
    ///
    /// # Errors
    ///
    /// [`CallError`], one variant a layer. A resource that does not exist is a JSON-RPC error:
    /// [`CallError::is_resource_not_found`].
    ///
    /// # Cancel safety
    ///
    /// Dropping the future cancels the request.
    pub async fn send(self) -> Result<Outcome<ReadResource>, CallError> {
        self.send_round().await
    }
}

impl RequestBuilder<GetPrompt> {
    /// Adds an argument. Arguments of prompts are strings.
    pub fn argument(mut self, name: impl Into<String>, value: impl Into<ArgumentText>) -> Self {
        let known = self.spec.arguments.as_ref().map_or(Ok(RawMap::new()), RawJson::parse);
        let arguments = known.and_then(|mut arguments: RawMap| {
            arguments.insert(name, RawJson::from_serialize(&value.into())?);
            RawJson::from_serialize(&arguments)
        });
        match arguments {
            Ok(arguments) => self.spec.arguments = Some(arguments),
            Err(error) => {
                let what = "the arguments of the prompt cannot be put into JSON, or are too many";
                self.refuse(InvalidCall::new(InvalidKind::Arguments, what).with_source(error));
            }
        }
        self
    }

    /// The arguments: anything that serialises to a JSON object of strings. What does not makes [`send`](Self::send) fail
    /// before the wire.
    pub fn arguments(mut self, arguments: impl Serialize) -> Self {
        let strings = RawJson::from_serialize(&arguments).ok().filter(|arguments| {
            arguments
                .parse::<RawMap>()
                .is_ok_and(|members| members.iter().all(|(_, value)| value.get().starts_with('"')))
        });
        if strings.is_none() {
            let what = "the arguments of a prompt are an object of strings";
            self.refuse(InvalidCall::new(InvalidKind::Arguments, what));
        }
        self.spec.arguments = strings;
        self
    }

    /// Sends the request and waits for its one answer.
    ///
    /// # Errors
    ///
    /// [`CallError`], one variant a layer.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future cancels the request.
    pub async fn send(self) -> Result<Outcome<GetPrompt>, CallError> {
        self.send_round().await
    }
}

impl RequestBuilder<Complete> {
    pub(crate) fn completion(
        client: Client,
        of: &CompletionReference,
        argument: String,
        value: ArgumentText,
    ) -> Self {
        Self::new(client, "")
            .param("ref", of)
            .param("argument", &mcp_types::CompletionArgument::new(argument, value))
    }

    /// Adds an argument whose value is chosen already, on which the completions may depend.
    pub fn resolved(mut self, name: impl Into<String>, value: impl Into<ArgumentText>) -> Self {
        let known = self.spec.others.iter().find(|(known, _)| *known == "context");
        match known.map_or(Ok(CompletionContext::default()), |(_, context)| context.parse()) {
            Ok(mut context) => {
                context.arguments.get_or_insert_default().insert(name, value.into());
                self.param("context", &context)
            }
            Err(error) => {
                let what = "the resolved arguments are too many";
                self.refuse(InvalidCall::new(InvalidKind::Arguments, what).with_source(error));
                self
            }
        }
    }

    /// Sends the request and waits for its one answer, after it has waited for its
    /// [turn](crate::ClientBuilder::completion_rate). Servers should suggest no more than 100 values; more are handed out all the
    /// same.
    ///
    /// # Errors
    ///
    /// [`CallError`], one variant a layer.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future cancels the request.
    pub async fn send(mut self) -> Result<Answered<Complete>, CallError> {
        if self.refusal.is_none() {
            self.wait_for_its_turn().await;
        }
        self.send_complete().await
    }

    async fn wait_for_its_turn(&mut self) {
        let config = self.client.config();
        let timeout = self.spec.timeout.unwrap_or(config.timeout);
        match config.completions.take(Instant::now(), timeout) {
            Some(Duration::ZERO) => {}
            Some(wait) => {
                select! {
                    // Told when it is sent.
                    () = cancelled(self.spec.cancel.as_ref()) => {}
                    () = sleep(wait) => {}
                }
                self.spec.timeout = Some(timeout.saturating_sub(wait));
            }
            None => {
                let what =
                    "more completions are asked for than the client lets through in the time of this one";
                self.refuse(InvalidCall::new(InvalidKind::TooFast, what));
            }
        }
    }
}
