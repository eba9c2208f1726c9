//! Where the points N-01 … N-22 are proven.

use crate::catalogue::{
    Table,
    Where::{self, Issue, Test},
    check,
};

const RESULTS: Where =
    Test("namebeta/results.rs", "n_06_to_n_12_failures_are_tool_errors_and_their_texts_are_hints");
const REFUSALS: Where = Test("namebeta/refusals.rs", "n_02_n_16_to_n_19_refusals_of_bad_requests");
const LEGACY: &str = "the issue of older eras";

const POINTS: &Table = &[
    ("N-01", &[Test("namebeta/results.rs", "n_01_three_kinds_arrive_by_three_paths")]),
    ("N-02", &[REFUSALS, Test("namebeta/refusals.rs", "n_05_a_used_up_quota_tells_how_long_to_wait")]),
    ("N-03", &[Test("namebeta/refusals.rs", "n_03_a_401_hands_its_challenge_on")]),
    ("N-04", &[REFUSALS, Test("namebeta/refusals.rs", "n_04_n_15_no_session_no_get_no_delete")]),
    (
        "N-05",
        &[
            Test("namebeta/refusals.rs", "n_05_a_used_up_quota_tells_how_long_to_wait"),
            Test("transport_http/retry_after.rs", "n_05_retry_after_in_all_its_forms"),
            Issue("the retry issue", "the delay is told, nobody waits for it yet"),
        ],
    ),
    (
        "N-06",
        &[RESULTS, Test("application/errors.rs", "n_06_a_tool_error_is_an_answer_and_no_json_rpc_error")],
    ),
    ("N-07", &[RESULTS, Test("application/errors.rs", "n_07_n_10_n_12_well_known_texts_are_read_as_hints")]),
    ("N-08", &[RESULTS]),
    ("N-09", &[RESULTS]),
    ("N-10", &[RESULTS]),
    (
        "N-11",
        &[RESULTS, Test("namebeta/results.rs", "n_11_stray_characters_are_dropped_and_the_success_says_so")],
    ),
    ("N-12", &[RESULTS]),
    (
        "N-13",
        &[
            Test("namebeta/results.rs", "n_13_a_failed_lookup_is_a_tool_error_without_a_hint"),
            Issue("the retry issue", "a policy may repeat it on behalf of the business"),
        ],
    ),
    ("N-14", &[Test("namebeta/results.rs", "n_14_a_result_without_result_type_and_is_error_is_a_success")]),
    ("N-15", &[Test("namebeta/refusals.rs", "n_04_n_15_no_session_no_get_no_delete")]),
    (
        "N-16",
        &[REFUSALS, Test("namebeta/refusals.rs", "n_16_n_18_both_types_are_accepted_and_nothing_is_batched")],
    ),
    ("N-17", &[REFUSALS]),
    (
        "N-18",
        &[REFUSALS, Test("namebeta/refusals.rs", "n_16_n_18_both_types_are_accepted_and_nothing_is_batched")],
    ),
    ("N-19", &[REFUSALS]),
    ("N-20", &[Test("namebeta/refusals.rs", "n_20_no_quota_is_spent_behind_the_callers_back")]),
    (
        "N-21",
        &[
            Test("namebeta/refusals.rs", "n_21_the_stack_refuses_the_revision"),
            Issue(LEGACY, "calls go through only in the older revision, with or without a handshake"),
        ],
    ),
    (
        "N-22",
        &[
            REFUSALS,
            Test("namebeta/results.rs", "n_22_an_unknown_method_is_a_json_rpc_error"),
            Issue(LEGACY, "no notification is sent yet, so none has its 202"),
        ],
    ),
];

#[test]
fn every_point_is_proven_or_has_its_issue() {
    check("N", 22, POINTS);
}
