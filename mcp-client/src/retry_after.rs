//! `Retry-After`: seconds, or any of the three date forms of HTTP.

use std::time::{Duration, SystemTime};

use crate::transport::HttpHead;

/// The delay that the head asks for, or `None` where it says nothing that can be understood: garbage, a negative
/// number, a number beyond what a duration holds, or several headers that disagree.
pub(crate) fn of(head: &HttpHead) -> Option<Duration> {
    let mut values = head.headers.get_all("retry-after").iter();
    let value = values.next()?;
    if values.any(|other| other != value) {
        return None;
    }
    let value = value.to_str().ok()?.trim();
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        return value.parse().ok().map(Duration::from_secs);
    }
    date(head, value)
}

/// A date counts from the answer's own `Date`: the clocks of two machines need not agree. In the past is now.
fn date(head: &HttpHead, value: &str) -> Option<Duration> {
    let until = httpdate::parse_http_date(value).ok()?;
    let now = head
        .header("date")
        .and_then(|date| httpdate::parse_http_date(date.trim()).ok())
        .unwrap_or_else(SystemTime::now);
    Some(until.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderName, HeaderValue};

    use super::*;

    fn head(headers: &[(&'static str, &str)]) -> HttpHead {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
        }
        HttpHead::new(503, map)
    }

    #[test]
    fn seconds_and_the_three_date_forms() {
        assert_eq!(of(&head(&[("retry-after", "7")])), Some(Duration::from_secs(7)));
        assert_eq!(of(&head(&[("retry-after", " 0 ")])), Some(Duration::ZERO));
        let date = ("date", "Sun, 06 Nov 1994 08:49:37 GMT");
        for form in
            ["Sun, 06 Nov 1994 08:49:47 GMT", "Sunday, 06-Nov-94 08:49:47 GMT", "Sun Nov  6 08:49:47 1994"]
        {
            assert_eq!(of(&head(&[date, ("retry-after", form)])), Some(Duration::from_secs(10)), "{form}");
        }
        let past = ("retry-after", "Sun, 06 Nov 1994 08:49:00 GMT");
        assert_eq!(of(&head(&[date, past])), Some(Duration::ZERO));
        assert_eq!(of(&head(&[past])), Some(Duration::ZERO));
    }

    #[test]
    fn what_cannot_be_understood_is_no_hint() {
        for value in ["", "-1", "1.5", "soon", "1e3", "+1", "99999999999999999999999999", "Sun, 99 Nov 1994"]
        {
            assert_eq!(of(&head(&[("retry-after", value)])), None, "{value}");
        }
        assert_eq!(of(&head(&[])), None);
        assert_eq!(of(&head(&[("retry-after", "1"), ("retry-after", "2")])), None);
        assert_eq!(of(&head(&[("retry-after", "1"), ("retry-after", "1")])), Some(Duration::from_secs(1)));
    }
}
