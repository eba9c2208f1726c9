//! Requests that may end in a request for input.

use super::{RequestBuilder, key, refuse};
use crate::{
    cached,
    continuation::{Continuation, MultiRound},
    decode::Decoded,
    error::CallError,
    input_kinds::InputKinds,
};

impl<M: MultiRound> RequestBuilder<M> {
    /// The input requests that can be answered during this call, instead of the client's.
    pub fn accept_input(mut self, kinds: InputKinds) -> Self {
        self.spec.kinds = Some(kinds);
        self
    }

    /// Sends the call, which may end in a request for input.
    pub(crate) async fn send_round(mut self) -> Result<M::Outcome, CallError> {
        let placed = self.check().and_then(|()| match self.key.take() {
            Some(key) => key::place(&mut self.spec, &key),
            None => Ok(()),
        });
        let Self { client, mut spec, cache, .. } = self;
        if let Err(refusal) = placed {
            return Err(refuse(&client, &spec, refusal));
        }
        let finished = cached::run::<M>(&client, &mut spec, cache).await;
        spec.end_streams();
        let finished = finished?;
        // Continued now; the rounds that may follow do not do it again.
        spec.continues = None;
        spec.want = None;
        Ok(match finished.decoded {
            Decoded::InputRequired(asked) => {
                M::input_required(Continuation::asked(client, *spec, asked, finished.record, 1))
            }
            Decoded::Complete(result) => M::complete(result, finished.record, finished.tool),
            Decoded::Opened(_) => return Err(cached::unexpected()),
        })
    }
}
