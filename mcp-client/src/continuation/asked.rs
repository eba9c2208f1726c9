//! What is asked, ready to be shown.

use mcp_types::{ElicitRequestParams, InputRequest, RawJson};

use super::{Continuation, MultiRound};
use crate::{
    form::ElicitForm,
    link::{ElicitLink, LinkFault},
};

impl<M: MultiRound> Continuation<M> {
    /// The form of that key; `None` if something else is asked, or nothing.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn f(mut asked: mcp_client::Continuation) -> Result<(), Box<dyn std::error::Error>> {
    /// if let Some(form) = asked.form("who") {
    ///     println!("{}", form.message());
    ///     asked.answer("who", form.fill_text([("name", "Ada")])?)?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn form(&self, key: &str) -> Option<ElicitForm> {
        match self.elicit(key)? {
            ElicitRequestParams::Form(form) => Some(ElicitForm::new(form)),
            _ => None,
        }
    }

    /// The link of that key, checked; `None` if something else is asked, or nothing. One with a fault must not be opened.
    pub fn link(&self, key: &str) -> Option<Result<ElicitLink, LinkFault>> {
        match self.elicit(key)? {
            ElicitRequestParams::Url(link) => Some(ElicitLink::new(link)),
            _ => None,
        }
    }

    /// What the request of that key was answered with so far, as it will be sent.
    pub fn answer_to(&self, key: &str) -> Option<&RawJson> {
        self.state.answers.iter().find(|(answered, _)| answered == key).map(|(_, answer)| answer)
    }

    /// Whether the last attempt to resume it may have run. Then it is not sent again before somebody
    /// [accepts duplicates](Self::accepting_duplicates).
    pub fn may_have_run(&self) -> bool {
        self.state.may_have_run
    }

    fn elicit(&self, key: &str) -> Option<&ElicitRequestParams> {
        match self.request(key)? {
            InputRequest::Elicit(request) => Some(&request.params),
            _ => None,
        }
    }
}
