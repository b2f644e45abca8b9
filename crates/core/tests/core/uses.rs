//! Tests of `uses.rs`; the cases are in `conformance/use`.

use verger_core::*;

const TEXT: &str = "Content-Signal: ai-train=yes, use=reference\n\
                    User-agent: *\nDisallow: /a\nContent-Signal: search=no, ai-input=yes\n\
                    User-agent: x-extended\nDisallow: /b\nLicense: https://example.com/l\n";

fn asked(url: &str, purpose: Use) -> (File, UseOutcome) {
    let file = File::parse(TEXT.as_bytes(), &RFC9309);
    let target = file.target(url.as_bytes()).unwrap();
    let outcome = file.wildcard_agent().may_use(&target, purpose, &["x-extended", "y"]).unwrap();
    (file.clone(), outcome)
}

fn said(outcome: &UseOutcome) -> Vec<(&'static str, Option<bool>, Option<u32>)> {
    let said = |one: &UseSignal| (one.mechanism.name(), one.allowed, one.line);
    outcome.signals.iter().map(said).collect()
}

#[test]
fn every_mechanism_that_is_read_is_heard() {
    let (file, outcome) = asked("/b", Use::AiTrain);

    assert_eq!(outcome.allowed, Some(false));
    assert_eq!(
        said(&outcome),
        [
            ("crawl-rules", None, None),
            ("policy-token", Some(false), Some(6)),
            ("policy-token", None, None),
            ("content-signal", Some(true), Some(1)),
            ("license", None, Some(7)),
        ]
    );
    assert_eq!(outcome.conflicts(), [(3, 1)]);
    assert_eq!(outcome.signals[3].words.unwrap().of(file.bytes()), b"ai-train=yes");
}

#[test]
fn rules_give_the_same_answer_for_a_target_that_was_decided_before() {
    let file = File::parse(TEXT.as_bytes(), &RFC9309);
    let agent = file.wildcard_agent();
    for purpose in Use::ALL {
        let rules = agent.use_rules(purpose, &["x-extended"]).unwrap();
        for url in ["/", "/a", "/b", "/robots.txt"] {
            let target = file.target(url.as_bytes()).unwrap();
            let crawl = agent.check(&target);
            let allowed = rules.allowed(&agent, &target, &crawl);
            assert_eq!(allowed, rules.check(&agent, &target).allowed, "{url} {}", purpose.name());
        }
        assert_eq!((rules.purpose(), rules.licenses().count()), (purpose, 1));
        assert_eq!(rules.extent().map(record::UseExtent::name), Some("reference"));
    }
}

#[test]
fn names_lead_back_to_purposes() {
    for purpose in Use::ALL {
        assert_eq!(Use::named(purpose.name()), Some(purpose));
    }
    assert_eq!(Use::named("AI-TRAIN"), None);
    assert!(File::parse(b"", &RFC9309).wildcard_agent().use_rules(Use::Search, &["a b"]).is_err());
}

#[test]
fn a_file_that_is_not_read_says_nothing() {
    let body = format!("User-agent: *\nContent-Signal: ai-train=no\n{}", "#\n".repeat(300_000));
    let file = File::parse(body.as_bytes(), &YANDEX);
    let target = file.target(b"/").unwrap();
    let none: [&str; 0] = [];

    assert_eq!(file.wildcard_agent().may_use(&target, Use::AiTrain, &none).unwrap().allowed, None);
}
