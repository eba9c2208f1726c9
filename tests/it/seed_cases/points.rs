//! Where the points C-01 … C-49 are proven.

use crate::catalogue::{
    Table,
    Where::{Issue, Test},
    check,
};

const RETRY: &str = "the retry issue";

const POINTS: &Table = &[
    (
        "C-01",
        &[Test(
            "transport_http/status.rs",
            "c_01_a_status_outside_2xx_is_an_http_error_whatever_the_body_looks_like",
        )],
    ),
    ("C-02", &[Test("protocol/malformed.rs", "c_02_what_is_no_json_is_malformed_and_kept")]),
    (
        "C-03",
        &[Test(
            "protocol/envelope.rs",
            "c_03_c_05_json_that_is_no_answer_to_this_call_is_an_invalid_envelope",
        )],
    ),
    (
        "C-04",
        &[Test(
            "protocol/envelope.rs",
            "c_04_c_06_c_07_an_envelope_with_the_id_of_the_call_and_a_fault_ends_it_at_once",
        )],
    ),
    (
        "C-05",
        &[Test(
            "protocol/envelope.rs",
            "c_03_c_05_json_that_is_no_answer_to_this_call_is_an_invalid_envelope",
        )],
    ),
    (
        "C-06",
        &[Test(
            "protocol/envelope.rs",
            "c_04_c_06_c_07_an_envelope_with_the_id_of_the_call_and_a_fault_ends_it_at_once",
        )],
    ),
    (
        "C-07",
        &[Test(
            "protocol/envelope.rs",
            "c_04_c_06_c_07_an_envelope_with_the_id_of_the_call_and_a_fault_ends_it_at_once",
        )],
    ),
    ("C-08", &[Test("protocol/json_rpc.rs", "c_08_a_valid_error_is_told_with_its_code")]),
    ("C-09", &[Test("protocol/results.rs", "c_09_a_result_must_be_an_object")]),
    (
        "C-10",
        &[Test(
            "protocol/lenient.rs",
            "c_10_an_absent_result_type_is_complete_and_noted_or_strictly_an_error",
        )],
    ),
    ("C-11", &[Test("interaction/shown.rs", "c_11_a_request_for_input_is_neither_success_nor_failure")]),
    ("C-12", &[Test("protocol/results.rs", "c_12_other_result_types_are_no_result")]),
    (
        "C-13",
        &[Test(
            "protocol/results.rs",
            "c_13_content_must_be_a_list_and_structured_content_does_not_replace_it",
        )],
    ),
    ("C-14", &[Test("protocol/results.rs", "c_14_is_error_must_be_a_boolean")]),
    ("C-15", &[Test("protocol/results.rs", "c_15_is_error_decides_between_success_and_tool_error")]),
    ("C-16", &[Test("seed_cases.rs", "c_16_baseline_is_a_success")]),
    ("C-17", &[Test("seed_cases.rs", "c_17_503_then_200_are_two_calls")]),
    ("C-18", &[Test("seed_cases.rs", "c_18_200_with_an_error_object_is_a_json_rpc_error")]),
    ("C-19", &[Test("seed_cases.rs", "c_19_200_with_is_error_is_a_tool_error")]),
    ("C-20", &[Test("seed_cases.rs", "c_20_500_with_a_success_in_its_body_is_an_http_error")]),
    ("C-21", &[Test("seed_cases.rs", "c_21_an_unclosed_brace_is_malformed_json")]),
    ("C-22", &[Test("seed_cases.rs", "c_22_result_and_error_are_an_invalid_envelope")]),
    ("C-23", &[Test("seed_cases.rs", "c_23_the_id_of_another_request_is_an_invalid_envelope")]),
    ("C-24", &[Test("seed_cases.rs", "c_24_input_requests_without_a_state_are_a_request_for_input")]),
    ("C-25", &[Test("seed_cases.rs", "c_25_without_a_result_type_it_is_a_success")]),
    ("C-26", &[Test("seed_cases.rs", "c_26_a_string_as_content_is_an_invalid_tool_result")]),
    ("C-27", &[Test("record/endings.rs", "c_27_c_49_every_ending_is_one_compact_line")]),
    (
        "C-28",
        &[
            Test("record/endings.rs", "c_27_c_49_every_ending_is_one_compact_line"),
            Issue(RETRY, "nothing is repeated yet, so the origin is always `none`"),
        ],
    ),
    ("C-29", &[Test("record/data.rs", "c_29_error_data_is_in_the_record_only_as_the_hook_gives_it_back")]),
    ("C-30", &[Test("record/data.rs", "c_30_every_post_is_counted_in_order")]),
    ("C-31", &[Test("protocol/json_rpc.rs", "c_31_message_and_data_are_kept_whatever_they_are")]),
    ("C-32", &[Issue(RETRY, "the facts are there (`Classify`); the decision is the policy's")]),
    ("C-33", &[Issue(RETRY, "nothing is repeated yet")]),
    (
        "C-34",
        &[
            Test("transport_http/facts.rs", "c_34_a_429_tells_delay_code_and_data"),
            Issue(RETRY, "the delay is told, nobody waits for it yet"),
        ],
    ),
    (
        "C-35",
        &[Issue(RETRY, "needs idempotency keys and the safety gate; until then nothing at all is repeated")],
    ),
    ("C-36", &[Test("application/model.rs", "c_36_a_model_sees_content_and_structured_content_once")]),
    ("C-37", &[Test("seed_cases.rs", "c_17_503_then_200_are_two_calls")]),
    (
        "C-38",
        &[Test("protocol/content.rs", "c_38_the_media_type_decides_without_regard_to_case_and_parameters")],
    ),
    ("C-39", &[Test("seed_cases.rs", "c_39_c_42_a_200_and_a_stream_are_only_the_beginning")]),
    (
        "C-40",
        &[Test(
            "protocol/envelope.rs",
            "c_40_on_a_stream_what_is_not_meant_for_the_call_is_skipped_and_counted",
        )],
    ),
    ("C-41", &[Test("record/streams.rs", "c_41_c_43_a_stream_is_in_the_record_with_its_end")]),
    ("C-42", &[Test("seed_cases.rs", "c_39_c_42_a_200_and_a_stream_are_only_the_beginning")]),
    ("C-43", &[Test("record/streams.rs", "c_41_c_43_a_stream_is_in_the_record_with_its_end")]),
    (
        "C-44",
        &[
            Test("protocol/content.rs", "c_44_a_2xx_without_a_body_is_no_answer_whatever_it_says_it_is"),
            Issue("the issue of older eras", "no notification is sent yet, so none has an answer"),
        ],
    ),
    ("C-45", &[Test("record/cancelled.rs", "c_45_a_dropped_future_closes_the_stream_and_sends_nothing")]),
    (
        "C-46",
        &[
            Test("interaction/resume.rs", "c_46_a_resumption_is_the_same_call_with_a_new_id_and_the_answers"),
            Issue(RETRY, "a resumption must not be counted as a retry"),
        ],
    ),
    ("C-47", &[Test("seed_cases.rs", "c_47_a_changed_scenario_shows_in_the_order_of_posts")]),
    (
        "C-48",
        &[
            Test("interaction/kitchen.rs", "elicitation_approval_accepted"),
            Test("record/streams.rs", "c_41_c_43_a_stream_is_in_the_record_with_its_end"),
            Issue(RETRY, "real retries"),
        ],
    ),
    (
        "C-49",
        &[
            Test("record/endings.rs", "c_27_c_49_every_ending_is_one_compact_line"),
            Issue("the probe for Gatus", "a program that classifies and pushes the verdict"),
        ],
    ),
];

#[test]
fn every_point_is_proven_or_has_its_issue() {
    check("C", 49, POINTS);
}
