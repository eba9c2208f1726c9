//! What a request says besides the parameters of its method.

use hmac_sha256::Hash as Sha256;
use mcp_types::RawMap;

use super::authorization::{count, hex, part};
use crate::input_kinds::InputKinds;

const DOMAIN: &[u8] = b"mcp-client cache: variant 1";

/// A digest of the caller's `_meta` and of what is declared to the server: it may answer by them, and the results of other
/// requests are not those of this one. Nothing for requests that say nothing of the kind, as most do.
///
/// What differs from request to request and decides no result is left out: progress tokens, log levels, trace contexts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Variant(Option<[u8; 32]>);

impl Variant {
    /// The order of members does not count; their values do as they are written.
    pub(crate) fn of(meta: &RawMap, kinds: InputKinds, extensions: &RawMap) -> Self {
        if meta.is_empty() && kinds.is_empty() && extensions.is_empty() {
            return Self(None);
        }
        let mut digest = Sha256::new();
        part(&mut digest, DOMAIN);
        count(&mut digest, kinds.names().count());
        for kind in kinds.names() {
            part(&mut digest, kind.as_bytes());
        }
        for members in [meta, extensions] {
            let mut members: Vec<_> = members.iter().map(|(name, value)| (name, value.get())).collect();
            members.sort_unstable();
            count(&mut digest, members.len());
            for (name, value) in members {
                part(&mut digest, name.as_bytes());
                part(&mut digest, value.as_bytes());
            }
        }
        Self(Some(digest.finalize()))
    }

    /// As it stands in keys: nothing, or 64 hexadecimal digits.
    pub(super) fn text(&self) -> String {
        self.0.as_ref().map_or_else(String::new, |digest| hex(digest))
    }
}

#[cfg(test)]
mod tests {
    use mcp_types::RawJson;

    use super::*;

    fn of(meta: &[(&str, &str)], kinds: InputKinds, extensions: &[(&str, &str)]) -> String {
        let map = |members: &[(&str, &str)]| {
            let mut map = RawMap::new();
            for (name, value) in members {
                map.insert(*name, RawJson::from_text((*value).to_owned()).unwrap());
            }
            map
        };
        Variant::of(&map(meta), kinds, &map(extensions)).text()
    }

    #[test]
    fn cac_02_each_difference_is_another_variant() {
        let variants = [
            of(&[], InputKinds::NONE, &[]),
            of(&[("a", "1")], InputKinds::NONE, &[]),
            of(&[("a", "2")], InputKinds::NONE, &[]),
            of(&[("a", r#""1""#)], InputKinds::NONE, &[]),
            of(&[("b", "1")], InputKinds::NONE, &[]),
            of(&[("a", "1"), ("b", "1")], InputKinds::NONE, &[]),
            of(&[], InputKinds::NONE, &[("a", "1")]),
            of(&[], InputKinds::FORM, &[]),
            of(&[], InputKinds::FORM | InputKinds::URL, &[]),
            of(&[("a", "1")], InputKinds::FORM, &[]),
        ];
        for (at, one) in variants.iter().enumerate() {
            let expected = if at == 0 { 0 } else { 64 };
            assert_eq!((one.len(), variants.iter().position(|other| other == one)), (expected, Some(at)));
        }
    }

    #[test]
    fn the_order_of_members_is_no_difference_and_the_digest_is_the_same_in_every_process() {
        let (one, other) = (("a", "1"), ("b", "2"));
        assert_eq!(of(&[one, other], InputKinds::NONE, &[]), of(&[other, one], InputKinds::NONE, &[]));
        assert_eq!(
            of(&[one], InputKinds::FORM, &[other]),
            "5cc15f4029540455862f966186213b021293331a6bb3f4e8cf70196dd47f3a85"
        );
    }
}
