//! Tests of `registry.rs`.

use verger_core::internal::{
    all_documented, are_policy_tokens, binds, dialect_of, documented, own_dialect, policy_tokens,
    remark_on, BoundBy,
};
use verger_core::{Dialect, File, Use, GOOGLE, GOOGLEBOT_CPP, RFC9309, YANDEX};

fn named(tokens: &[&str], purpose: Use) -> Vec<&'static str> {
    policy_tokens(tokens, purpose).map(|each| each.token).collect()
}

#[test]
fn operators_have_dialects() {
    assert_eq!(dialect_of(b"YANDEXBOT"), Some(&YANDEX));
    assert_eq!(dialect_of(b"Googlebot-Image"), Some(&GOOGLE));
    for token in [&b"GPTBot"[..], b"Applebot", b"*", b"", b"Googlebo", b"Googlebot\xff"] {
        assert_eq!(dialect_of(token), None);
    }
}

#[test]
fn an_own_dialect_is_another() {
    assert_eq!(own_dialect(b"Googlebot", &GOOGLE), None);
    assert_eq!(own_dialect(b"Googlebot", &GOOGLEBOT_CPP), Some(GOOGLE));
    let strict = Dialect::of_name("rfc9309+tie=disallow").unwrap();
    let own = own_dialect(b"Googlebot", &strict).unwrap();

    assert_eq!(own.derived_name(), "google+tie=disallow");
    assert_eq!(own_dialect(b"Googlebot", &own), None);
}

#[test]
fn policy_tokens_are_of_the_operator_and_of_everyone() {
    assert_eq!(named(&["googlebot"], Use::AiInput), ["Google-Extended"]);
    assert_eq!(named(&["ExampleBot"], Use::AiTrain), ["__usage_ai-training"]);
    assert_eq!(named(&["Applebot", "Googlebot"], Use::AiTrain), {
        ["__usage_ai-training", "Applebot-Extended", "Google-Extended"]
    });
    assert!(named(&["Googlebot"], Use::Search).is_empty());
    assert!(are_policy_tokens(&["google-extended"]) && !are_policy_tokens(&["Googlebot"]));
    assert!(
        !are_policy_tokens(&["Google-Extended", "Googlebot"]) && !are_policy_tokens::<&str>(&[])
    );
}

#[test]
fn star_does_not_speak_for_a_policy_token() {
    let file = File::parse(b"User-agent: *\nContent-Signal: ai-train=no\nDisallow: /\n", &RFC9309);
    let agent = file.agent(&["Google-Extended"]).unwrap();
    let speaking = agent.speaking_of_use(&["Google-Extended"]).expect("`*` does not speak");

    assert!(speaking.selection().groups.is_empty());
    assert!(agent.speaking_of_use(&["Googlebot"]).is_none());
    let named = File::parse(b"User-agent: Google-Extended\nDisallow: /\n", &RFC9309);
    assert!(named
        .agent(&["Google-Extended"])
        .unwrap()
        .speaking_of_use(&["Google-Extended"])
        .is_none());
}

#[test]
fn operators_say_what_binds_their_crawlers() {
    assert!(binds(b"AdsBot-Google", true) && !binds(b"adsbot-google", false));
    assert!(!binds(b"Amzn-User", true) && binds(b"ExampleBot", false));
    assert_eq!(documented(b"APPLEBOT").unwrap().follows, ["Googlebot"]);
    assert_eq!(documented(b"ExampleBot"), None);
    let remarks = ["AdsBot-Google", "amzn-user", "google-extended"].map(remark_on);
    let [named, nothing, policy] = remarks.map(Option::unwrap);

    assert!(named.starts_with("only groups that name it bind `AdsBot-Google`, not `*` (Google, "));
    assert!(nothing.starts_with("robots.txt may not bind `amzn-user`, as its operator says ("));
    assert!(policy.starts_with("`google-extended` is a policy token: no crawler sends it ("));
    assert_eq!(remark_on("Applebot"), None);
}

#[test]
fn whom_crawlers_follow_is_known_by_their_tokens_in_order() {
    let all: Vec<_> = all_documented().collect();

    assert!(all.windows(2).all(|pair| pair[0].0 < pair[1].0));
    assert!(all.iter().all(|(token, said)| documented(token.as_bytes()) == Some(said)));
    assert!(all.iter().any(|(_, said)| said.bound_by == BoundBy::NamedGroups));
}
