//! `Retry-After` on an error: seconds or a date, never a guess.

use std::time::Duration;

use mcp_client::Delivery;

use crate::stage::{Canned, Stage, failed, http_error, notes};

const DATE: &str = "Sun, 06 Nov 1994 08:49:37 GMT";

#[tokio::test]
async fn n_05_retry_after_in_all_its_forms() {
    // The values of all headers of the name, and the delay in seconds.
    let rows: &[(&[&str], Option<u64>)] = &[
        (&[], None),
        (&["0"], Some(0)),
        (&["7"], Some(7)),
        (&["007"], Some(7)),
        (&["86400"], Some(86_400)),
        (&["4294967296"], Some(4_294_967_296)),
        (&["18446744073709551615"], Some(u64::MAX)),
        (&["Sun, 06 Nov 1994 08:49:47 GMT"], Some(10)),
        (&["Sunday, 06-Nov-94 08:49:47 GMT"], Some(10)),
        (&["Sun Nov  6 08:49:47 1994"], Some(10)),
        (&["Sun, 06 Nov 1994 08:49:37 GMT"], Some(0)),
        (&["Sun, 06 Nov 1994 08:49:00 GMT"], Some(0)),
        (&["3", "3"], Some(3)),
    ];
    let stage = Stage::new().await;
    for status in [429, 503, 413, 301] {
        for (values, seconds) in rows {
            let mut reply = Canned::new(status, "", "").header("Date", DATE);
            for value in *values {
                reply = reply.header("Retry-After", value);
            }
            let delivery = if status == 503 { Delivery::Unknown } else { Delivery::Refused };
            let outcome = stage.ends(&reply, http_error(delivery)).await;
            assert_eq!(notes(&outcome), [""; 0], "{reply:?}");
            let error = failed(outcome);
            assert_eq!(error.retry_after(), seconds.map(Duration::from_secs), "{reply:?}");
            assert_eq!(error.header("Retry-After"), values.first().copied(), "{reply:?}");
        }
    }
}

#[tokio::test]
async fn what_cannot_be_understood_is_no_delay_and_is_noted() {
    let rows: &[&[&str]] = &[
        &["-1"],
        &["+1"],
        &["1.5"],
        &["1e3"],
        &["0x10"],
        &["1 s"],
        &["1,2"],
        &["soon"],
        &["99999999999999999999999999"],
        &["Sun, 99 Nov 1994 08:49:37 GMT"],
        &["1994-11-06T08:49:37Z"],
        &["1", "2"],
        &["1", "soon"],
    ];
    let stage = Stage::new().await;
    for values in rows {
        let mut reply = Canned::new(429, "", "").header("Date", DATE);
        for value in *values {
            reply = reply.header("Retry-After", value);
        }
        let outcome = stage.ends(&reply, http_error(Delivery::Refused)).await;
        assert_eq!(notes(&outcome), ["unreadable-retry-after"], "{reply:?}");
        assert_eq!(failed(outcome).retry_after(), None, "{reply:?}");
    }
}

/// Without a readable `Date` the local clock has to do.
#[tokio::test]
async fn a_date_is_measured_against_the_local_clock_where_the_server_tells_no_time() {
    let stage = Stage::new().await;
    for date in [None, Some("yesterday")] {
        let mut reply = Canned::new(429, "", "").header("Retry-After", "Fri, 31 Dec 9999 23:59:59 GMT");
        if let Some(date) = date {
            reply = reply.header("Date", date);
        }
        let error = failed(stage.ends(&reply, http_error(Delivery::Refused)).await);
        let years = error.retry_after().unwrap().as_secs() / 31_556_952;
        assert!((7_900..8_000).contains(&years), "{years}");
    }
}
