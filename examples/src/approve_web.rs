//! `approve-web`: calls that wait for a person, answered in a browser, now or after a restart.

mod args;
mod control;
mod desk;
mod filled;
mod guard;
mod notes;
mod page;
mod routes;
mod sent;

use std::{error::Error, net::SocketAddr, sync::Arc, time::Duration};

use mcp_client::{Client, ContinuationStore, InputKinds, MemoryStore, types::Implementation};
use mcp_tests::Kitchen;
use tokio::net::TcpListener;

pub use self::args::Args;
use self::{desk::Desk, guard::Guard};
use crate::store::SqliteStore;

/// Serves the pages until it is interrupted. What waits then waits in the store.
///
/// # Errors
///
/// When the server's URL, the store or the address to listen on cannot be used.
pub async fn run(args: Args) -> Result<(), Box<dyn Error + Send + Sync>> {
    // Whoever reaches the page can answer for the person, so nobody but this machine does.
    if !args.listen.ip().is_loopback() {
        return Err("--listen takes a loopback address only: the page has no log-in".into());
    }
    let kitchen = if args.url.is_none() { Some(Kitchen::start().await?) } else { None };
    let url = match (&args.url, &kitchen) {
        (Some(url), _) => url.clone(),
        (None, Some(kitchen)) => kitchen.url(),
        (None, None) => return Err("there is no server to call".into()),
    };
    let store: Arc<dyn ContinuationStore> = match &args.store {
        Some(file) => Arc::new(SqliteStore::open(file).await?),
        None => Arc::new(MemoryStore::new()),
    };
    let desk = Desk::new(client(&args, &url)?, url, store, args.offer()?, kitchen);
    let listener = TcpListener::bind(args.listen).await?;
    let address: SocketAddr = listener.local_addr()?;
    let app = routes::app(desk, Guard::new(address));
    println!("http://{address}/");
    axum::serve(listener, app).with_graceful_shutdown(interrupted()).await?;
    Ok(())
}

fn client(args: &Args, url: &str) -> Result<Client, Box<dyn Error + Send + Sync>> {
    let mut builder = Client::http(url)?
        .client_info(Implementation::new("approve-web", env!("CARGO_PKG_VERSION")))
        .accept_input(InputKinds::FORM | InputKinds::URL)
        .timeout(Duration::try_from_secs_f64(args.timeout)?);
    if let Some(variable) = &args.bearer_env {
        let token = std::env::var(variable)
            .map_err(|_| "--bearer-env takes the name of a variable, and none of that name is set")?;
        builder = builder.bearer_token(&token);
    }
    Ok(builder.build()?)
}

async fn interrupted() {
    // Without a signal handler there is nothing to wait for: the process is ended from outside.
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
