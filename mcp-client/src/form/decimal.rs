//! Numbers of JSON compared by their digits, since a double holds 15 of them only.

use std::cmp::Ordering;

/// A number of JSON: `0.digits × 10^point`.
pub(super) struct Decimal {
    negative: bool,
    /// Without zeros at either end; empty for zero.
    digits: String,
    point: i64,
}

impl Decimal {
    /// Reads the text of a JSON number. The time is linear in the text, whatever the exponent.
    pub(super) fn read(text: &str) -> Self {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = [whole, fraction].concat();
        let significant = all.trim_start_matches('0');
        let zeros = all.len() - significant.len();
        let digits = significant.trim_end_matches('0').to_owned();
        // An exponent beyond 64 bits is as good as infinite, in its direction.
        let exponent =
            exponent.parse().unwrap_or(if exponent.starts_with('-') { i64::MIN } else { i64::MAX });
        let point = length(whole.len()).saturating_sub(length(zeros)).saturating_add(exponent);
        Self { negative: negative && !digits.is_empty(), digits, point }
    }

    pub(super) fn is_whole(&self) -> bool {
        self.digits.is_empty() || self.point >= length(self.digits.len())
    }
}

fn length(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let sign = |number: &Self| match (number.digits.is_empty(), number.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        let size = || self.point.cmp(&other.point).then_with(|| self.digits.cmp(&other.digits));
        sign(self).cmp(&sign(other)).then_with(|| match sign(self) {
            0 => Ordering::Equal,
            1 => size(),
            _ => size().reverse(),
        })
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Decimal {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Decimal {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Decimal;

    #[test]
    fn digits_beyond_a_double_count() {
        for (less, more) in [
            ("9007199254740992", "9007199254740993"),
            ("-9007199254740993", "-9007199254740992"),
            ("18446744073709551615", "18446744073709551616"),
            ("0.1", "0.10000000000000000000001"),
            ("-1", "0"),
            ("0", "1e-99999999999999999999"),
            ("1e400", "1e401"),
            ("-1e99999999999999999999", "-1e400"),
            ("99e-1", "1e1"),
        ] {
            assert!(Decimal::read(less) < Decimal::read(more), "{less} {more}");
        }
        for (one, same) in [
            ("0", "-0.0e7"),
            ("1", "1.000"),
            ("100", "1e2"),
            ("100", "1E+2"),
            ("0.001", "1e-3"),
            ("12.50", "1250e-2"),
        ] {
            assert!(Decimal::read(one) == Decimal::read(same), "{one} {same}");
        }
    }

    #[test]
    fn whole_numbers_are_known_by_their_value() {
        for whole in ["0", "-0", "0.0e-9", "7", "7.0", "0.7e1", "1e400", "700e-2"] {
            assert!(Decimal::read(whole).is_whole(), "{whole}");
        }
        for fraction in ["0.5", "7.01", "1e-1", "75e-1", "1e-99999999999999999999"] {
            assert!(!Decimal::read(fraction).is_whole(), "{fraction}");
        }
    }

    proptest! {
        #[test]
        fn as_doubles_compare(one in -1.0e300..1.0e300_f64, other in any::<i32>()) {
            let (other, other_text) = (f64::from(other), other.to_string());
            let read = Decimal::read(&format!("{one:e}"));
            prop_assert_eq!(Some(read.cmp(&Decimal::read(&other_text))), one.partial_cmp(&other));
            prop_assert_eq!(read.is_whole(), one.fract() == 0.0);
        }
    }
}
