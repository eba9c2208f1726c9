//! What kind of result a result is.

use crate::ResultMeta;
use crate::open_enum::open_enum;
use crate::open_struct::open_struct;

open_enum! {
    /// The `resultType` of a result. A result without one, as older servers send it, is complete.
    pub enum ResultType {
        /// The request is answered.
        Complete = "complete",
        /// The server needs more from the client first.
        InputRequired = "input_required",
    }
}

open_struct! {
    /// Any result: its `_meta`, its type, and all other members in `extra`.
    #[derive(Debug, Clone, PartialEq)]
    pub struct AnyResult {
        /// Facts about the result, such as who sent it.
        hint "_meta" => meta: ResultMeta;
        /// What kind of result this is; absent means complete.
        result_type "resultType" => result_type: ResultType;
    }
}

impl Default for AnyResult {
    /// An empty complete result.
    fn default() -> Self {
        Self::new()
    }
}

/// A result without members of its own.
pub type EmptyResult = AnyResult;
/// What a client may send as a result: nothing in this revision.
pub type ClientResult = EmptyResult;
/// Any result of a server, before its method tells which type it is.
pub type ServerResult = AnyResult;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_keeps_everything() {
        let text = r#"{"_meta":{"a":1},"resultType":"task","taskId":"t","content":[1,{"x":null}]}"#;
        let result: AnyResult = serde_json::from_str(text).unwrap();
        assert_eq!(result.result_type, Some(ResultType::from("task")));
        assert_eq!(serde_json::to_string(&result).unwrap(), text);
        assert_eq!(serde_json::to_string(&AnyResult::new()).unwrap(), r#"{"resultType":"complete"}"#);
    }

    #[test]
    fn the_type_is_a_string_or_absent() {
        assert_eq!(serde_json::from_str::<AnyResult>("{}").unwrap().result_type, None);
        for text in [r#"{"resultType":null}"#, r#"{"resultType":1}"#] {
            let error = serde_json::from_str::<AnyResult>(text).unwrap_err().to_string();
            assert!(error.contains("`resultType`"), "{error}");
        }
    }
}
