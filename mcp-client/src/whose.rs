//! By whose rights something is asked for, and for whom what is learnt from the answer counts.

use crate::{cache::Authorization, call::Spec, client::Client, token::BearerToken};

/// For whom something counts that a server said. Public in name only: it is what lists learn with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whose(pub(crate) Option<Authorization>);

impl Whose {
    /// It is public, or the application's own word.
    pub(crate) const EVERYBODYS: Self = Self(None);
}

impl Client {
    /// By whose rights a request is made, as far as its headers and the token say.
    pub(crate) fn authorization_context(&self, spec: &Spec, token: Option<&BearerToken>) -> Authorization {
        // Nearly all requests are made with the headers of the client alone.
        if spec.headers.is_empty() && token.is_none() {
            return self.own_context();
        }
        self.cache().authorization(&self.headers(spec), token.map(BearerToken::as_str))
    }

    /// For whom the result of a request counts.
    pub(crate) fn whose(&self, spec: &Spec, token: Option<&BearerToken>, public: bool) -> Whose {
        if public { Whose::EVERYBODYS } else { Whose(Some(self.authorization_context(spec, token))) }
    }
}
