//! A source that panics is a source without a token.

use mcp_client::{
    BearerToken, Client, Delivery, OutcomeKind, Retry, TokenError, TokenRefusal, TokenSource, async_trait,
};
use mcp_tests::{FaultServer, Reply};

use crate::fault::in_time;

#[derive(Debug)]
struct Panics {
    at_once: bool,
}

#[async_trait]
impl TokenSource for Panics {
    async fn token(&self) -> Result<Option<BearerToken>, TokenError> {
        if self.at_once { panic!("the vault is broken") } else { Ok(Some(BearerToken::new("t"))) }
    }

    async fn refused(&self, _: TokenRefusal<'_>) -> Result<Option<BearerToken>, TokenError> {
        panic!("the vault is broken")
    }
}

#[tokio::test]
async fn a_panic_in_the_source_is_an_error_of_the_call() {
    for (at_once, delivery, posts) in
        [(true, Delivery::NotSent, vec![]), (false, Delivery::Refused, vec![Some(401)])]
    {
        let server = FaultServer::start([Reply::status(401)]).await.unwrap();
        let client = Client::http(&server.url())
            .unwrap()
            .token_source(Panics { at_once })
            .retry(Retry::never())
            .build()
            .unwrap();
        let error = in_time(client.call_tool("x").send()).await.unwrap_err();
        assert_eq!((error.outcome(), error.delivery()), (OutcomeKind::AuthError, delivery), "{error:?}");
        assert_eq!(error.record().unwrap().posts, posts);
        assert_eq!(server.requests().len(), posts.len());
    }
}
