//! How long lists may take, by a clock that the tests turn.

use std::time::Duration;

use mcp_client::{
    CancelHandle, Client, OutcomeKind,
    transport::{Exchange, MemoryTransport},
};
use tokio::time::{Instant, sleep};

const SECOND: Duration = Duration::from_secs(1);

/// A server that takes its time for each page, and never comes to an end.
fn slow(each: Duration) -> Client {
    let transport = MemoryTransport::new(move |request| {
        let id = request.id.to_string();
        async move {
            sleep(each).await;
            let message =
                format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":[7],"nextCursor":"{id}"}}}}"#);
            Ok(Exchange::message(message))
        }
    });
    Client::with_transport(transport).retry(mcp_client::Retry::never()).build().unwrap()
}

/// A list of a thousand pages, each in time, would take most of a day.
#[tokio::test(start_paused = true)]
async fn field_list_01_a_whole_list_has_the_time_of_one_request() {
    for (timeout, pages) in [(None, 2), (Some(99), 3), (Some(24), 0), (Some(26), 1)] {
        let client = slow(25 * SECOND);
        let mut request = client.list_tools();
        if let Some(timeout) = timeout {
            request = request.timeout(timeout * SECOND);
        }
        let started = Instant::now();
        let error = request.all().await.unwrap_err();
        let call = error.call_error().unwrap();
        assert_eq!((call.outcome(), error.partial().pages()), (OutcomeKind::Timeout, pages), "{timeout:?}");
        assert_eq!(started.elapsed(), SECOND * timeout.unwrap_or(60));
    }
}

#[tokio::test(start_paused = true)]
async fn each_page_that_is_asked_for_alone_has_that_time() {
    let client = slow(25 * SECOND);
    let mut pages = client.list_tools().pages();
    for _ in 0..8 {
        pages.next().await.unwrap().unwrap();
    }
    let mut pages = client.list_tools().timeout(20 * SECOND).pages();
    assert!(pages.next().await.unwrap().is_err() && pages.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_handle_ends_a_whole_list() {
    let client = slow(SECOND);
    let cancel = CancelHandle::new();
    let request = client.list_tools().cancel_with(&cancel);
    let later = async {
        sleep(Duration::from_millis(3_500)).await;
        cancel.cancel("enough");
    };
    let (error, ()) = tokio::join!(request.all(), later);
    let error = error.unwrap_err();
    assert_eq!(error.call_error().unwrap().outcome(), OutcomeKind::Cancelled);
    assert_eq!(error.partial().pages(), 3);
}
