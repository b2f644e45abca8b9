//! Tests of `code.rs`.

use verger_core::*;

#[test]
fn names_are_unique_and_sentences_are_sentences() {
    for (at, code) in FindingCode::ALL.iter().enumerate() {
        assert!(FindingCode::ALL[..at].iter().all(|other| other.name() != code.name()));
        assert!(code.sentence().ends_with('.'), "{}", code.name());
        assert!(code.page().ends_with(code.name()));
    }
}
