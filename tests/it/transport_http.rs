//! Answers whose HTTP status is the answer: what the caller learns of them, and what nobody learns.

mod facts;
mod privacy;
mod retry_after;
mod status;
