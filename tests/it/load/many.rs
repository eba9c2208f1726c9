//! A thousand slow calls of one client.

use std::{collections::HashSet, time::Duration};

use futures_util::future::join_all;
use mcp_client::{Client, Delivery, types::RequestId};
use serde_json::{Value, json};
use tokio::sync::{Mutex, MutexGuard, watch};

use super::{
    VERSIONS,
    hall::{Counts, Hall, argument, says},
    once,
};

const CALLS: usize = 1000;

/// What one call of many may take while it waits. Its connection and its answer come on top.
const MAX_CALL_BYTES: usize = 16 << 10;

/// Lets this process have the descriptors that one of these tests needs: both ends of each connection are in it, and other
/// tests need some as well. One test at a time has them.
async fn allow_connections() -> MutexGuard<'static, ()> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::const_new(());
    let turn = ONE_AT_A_TIME.lock().await;
    let wanted = 2 * CALLS as u64 + 1000;
    let allowed = rlimit::increase_nofile_limit(wanted).unwrap();
    assert!(allowed >= wanted, "{allowed} file descriptors are too few for this test: {wanted}");
    turn
}

/// One for each call, or hardly any: calls that are made before there is a first one may open a second.
#[track_caller]
fn assert_connections(http_2: bool, opened: usize) {
    let expected = if http_2 { 1..=8 } else { CALLS..=CALLS };
    assert!(expected.contains(&opened), "{opened} connections, HTTP/2: {http_2}");
}

/// Calls with a number; the answer must be that of its own call, and its record, too.
async fn numbered(client: Client, number: usize) -> RequestId {
    let call = client.call_tool("slow").arguments(json!({ "number": number }));
    let output = call.timeout(Duration::from_secs(120)).send().await.unwrap().into_success().unwrap();
    assert_eq!(output.text(), format!("answer to {number}"));
    let record = output.record();
    assert_eq!((record.posts.as_slice(), record.delivery), (&[Some(200)][..], Delivery::Answered));
    record.request_id.clone().unwrap()
}

/// The server answers none before all have come.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_slow_calls_at_once_have_each_their_own_answer() {
    let _turn = allow_connections().await;
    for (version, http_2) in VERSIONS {
        let go = watch::Sender::new(false);
        let gate = go.subscribe();
        let hall = Hall::open(move |request: Value| {
            let mut gate = gate.clone();
            async move {
                let _ = gate.wait_for(|go| *go).await;
                says(&format!("answer to {}", argument(&request, "number")))
            }
        })
        .await;
        let client = once(&hall.url(), http_2).build().unwrap();
        let size = size_of_val(&numbered(client.clone(), 0));
        assert!(size < MAX_CALL_BYTES, "{size} bytes a call");

        let calls: Vec<_> = (0..CALLS).map(|number| tokio::spawn(numbered(client.clone(), number))).collect();
        let counts = hall.when(|counts| counts.arrived == CALLS).await;
        assert_eq!((counts.waiting, counts.gone), (CALLS, 0), "{version}");
        assert_connections(http_2, counts.opened);
        assert!(calls.iter().all(|call| !call.is_finished()), "{version}: none has an answer");
        go.send_replace(true);
        let ids: Vec<RequestId> = join_all(calls).await.into_iter().map(Result::unwrap).collect();

        let requests = hall.requests();
        assert_eq!(requests.len(), CALLS, "{version}: nothing but the calls");
        let unique: HashSet<&RequestId> = ids.iter().collect();
        assert_eq!(unique.len(), CALLS, "{version}: no id is used twice");
        for request in &requests {
            let number = argument(request, "number").as_u64().unwrap();
            let id = &ids[usize::try_from(number).unwrap()];
            assert_eq!(request["id"], serde_json::to_value(id).unwrap(), "{version}");
        }
        // The connections serve the next ones, and are closed with the client.
        numbered(client.clone(), CALLS).await;
        let Counts { waiting, opened, .. } = hall.counts();
        assert_eq!((waiting, opened), (0, counts.opened), "{version}");
        drop(client);
        hall.when(|counts| counts.open == 0).await;
    }
}

/// All of them given up at once: the server sees it of each, and the client is as good as before.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn field_load_01_a_thousand_calls_given_up_at_once_leave_nothing() {
    let _turn = allow_connections().await;
    for (version, http_2) in VERSIONS {
        let hall = Hall::open(async |request: Value| {
            if argument(&request, "number").is_null() {
                std::future::pending::<()>().await;
            }
            says(&format!("answer to {}", argument(&request, "number")))
        })
        .await;
        let client = once(&hall.url(), http_2).build().unwrap();
        let stop = mcp_client::CancelHandle::new();
        let calls: Vec<_> =
            (0..CALLS).map(|_| tokio::spawn(client.call_tool("slow").cancel_with(&stop).send())).collect();
        let opened = hall.when(|counts| counts.waiting == CALLS).await.opened;
        assert_connections(http_2, opened);
        stop.cancel("shutting down");
        for ended in join_all(calls).await {
            let error = ended.unwrap().unwrap_err();
            assert_eq!(error.delivery(), Delivery::Unknown, "{version}");
            let record = error.record().unwrap();
            assert_eq!(record.error_message.as_deref(), Some("shutting down"), "{version}");
            assert_eq!(record.posts, [None], "{version}");
        }
        let counts = hall.when(|counts| counts.waiting == 0).await;
        assert_eq!((counts.arrived, counts.gone), (CALLS, CALLS), "{version}: and no message says so");
        if !http_2 {
            // A connection whose answer nobody waits for cannot be used again.
            hall.when(|counts| counts.open == 0).await;
        }
        numbered(client, 7).await;
        assert_eq!(hall.counts().opened, if http_2 { opened } else { opened + 1 }, "{version}");
    }
}
