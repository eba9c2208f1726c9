//! Requests that may end in a request for input.

use std::future::IntoFuture as _;

use tokio::time::Instant;

use super::{Finished, RequestBuilder, Spec, key, refuse};
use crate::{
    cached::{self, CacheUse},
    client::Client,
    continuation::{Continuation, Ended, MultiRound},
    decode::Decoded,
    error::CallError,
    input::{Drive, InputHandler},
    input_kinds::InputKinds,
};

impl<M: MultiRound> RequestBuilder<M> {
    /// The input requests that can be answered during this call, instead of the client's. What is asked is handed out then, also
    /// where the client has a [handler](crate::ClientBuilder::input_handler).
    pub fn accept_input(mut self, kinds: InputKinds) -> Self {
        self.spec.kinds = Some(kinds);
        self
    }

    /// Sends the call, lets this handler answer what the server asks, and sends it again, until it is finished. What is declared
    /// are the [kinds](InputHandler::kinds) that the handler answers, unless [`accept_input`](Self::accept_input) says otherwise.
    ///
    /// Await it to send the call: see [`Drive`] for what it can be told first, and for how it ends.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use mcp_client::{Client, ElicitAnswer, ElicitForm, InputContext, InputError, InputHandler, InputKinds, async_trait};
    ///
    /// struct Defaults;
    ///
    /// #[async_trait]
    /// impl InputHandler for Defaults {
    ///     fn kinds(&self) -> InputKinds {
    ///         InputKinds::FORM
    ///     }
    ///
    ///     async fn form(&self, form: ElicitForm, _: &InputContext) -> Result<ElicitAnswer, InputError> {
    ///         Ok(form.fill_defaults()?)
    ///     }
    /// }
    ///
    /// # async fn f(client: Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let output = client.call_tool("close_ticket").drive(&Defaults).await?.into_success()?;
    /// println!("{}", output.text());
    /// # Ok(())
    /// # }
    /// ```
    pub fn drive<H: InputHandler + ?Sized>(mut self, handler: &H) -> Drive<'_, M> {
        self.spec.kinds.get_or_insert_with(|| handler.kinds());
        Drive::of_call(self, Box::new(handler))
    }

    /// Sends the call, which may end in a request for input, unless the client has somebody who answers.
    pub(crate) async fn send_round(self) -> Result<M::Outcome, CallError> {
        let handler = self.client.config().input_handler.clone().filter(|_| self.spec.kinds.is_none());
        let (client, mut spec, cache) = self.prepared()?;
        let began = Instant::now();
        let finished = cached::run::<M>(&client, &mut spec, cache).await?;
        match (ended::<M>(client, spec, finished)?, handler) {
            (Ended::Asked(asked), Some(handler)) => {
                Drive::of_round(asked, Box::new(handler), began.elapsed()).into_future().await
            }
            (ended, _) => Ok(ended.into_outcome()),
        }
    }

    /// Sends the call for the first time.
    pub(crate) async fn first_round(self) -> Result<Ended<M>, CallError> {
        let (client, mut spec, cache) = self.prepared()?;
        let finished = cached::run::<M>(&client, &mut spec, cache).await?;
        ended(client, spec, finished)
    }

    /// What it takes to send it, once all is known to be right.
    fn prepared(mut self) -> Result<(Client, Box<Spec>, CacheUse), CallError> {
        let placed = self.check().and_then(|()| match self.key.take() {
            Some(key) => key::place(&mut self.spec, &key),
            None => Ok(()),
        });
        match placed {
            Ok(()) => Ok((self.client, self.spec, self.cache)),
            Err(refusal) => Err(refuse(&self.client, &self.spec, refusal)),
        }
    }
}

/// How the first round ended.
fn ended<M: MultiRound>(
    client: Client,
    mut spec: Box<Spec>,
    finished: Finished<M::Result>,
) -> Result<Ended<M>, CallError> {
    // Continued now; the rounds that may follow do not do it again.
    spec.continues = None;
    spec.want = None;
    match finished.decoded {
        Decoded::InputRequired(asked) => {
            Ok(Ended::Asked(Continuation::asked(client, *spec, asked, finished.record, 1)))
        }
        Decoded::Complete(result) => Ok(Ended::Done(M::complete(result, finished.record, finished.tool))),
        Decoded::Opened(_) => Err(cached::unexpected()),
    }
}
