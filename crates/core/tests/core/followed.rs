//! Tests of `followed.rs`.

use verger_core::internal::{numbers_of_alike, Bound, Followed};
use verger_core::{File, RFC9309};

const CRAWLERS: [&str; 5] = ["Applebot", "AdsBot-Google", "Googlebot", "ExampleBot", "GPTBot"];

fn file(text: &str) -> File {
    File::parse(text.as_bytes(), &RFC9309)
}

fn followed(text: &str, by_operators: bool) -> Vec<Followed<usize>> {
    Bound::new(&CRAWLERS, by_operators, &RFC9309).unwrap().in_file(&file(text)).followed
}

#[test]
fn operators_say_whose_groups_bind() {
    use Followed::{Named, Nobody, Star};

    let text = "User-agent: googlebot\nDisallow: /a\n";
    let bound = Bound::new(&CRAWLERS, true, &RFC9309).unwrap();
    let found = bound.in_file(&file(text));

    assert_eq!(found.followed, [Named(5), Nobody, Named(2), Star, Star]);
    assert_eq!(bound.token_of_followed(5), Some("Googlebot"));
    assert_eq!(bound.token_of_followed(2), None);
    assert_eq!(found.named[&5].selection(), found.named[&2].selection());
    assert_eq!(followed(text, false), [Star, Star, Named(2), Star, Star]);
    assert_eq!(followed("User-agent: Applebot\n", true), [Named(0), Nobody, Star, Star, Star]);
}

#[test]
fn those_are_alike_that_follow_the_same_groups_in_all_files() {
    let bound = Bound::new(&CRAWLERS, true, &RFC9309).unwrap();
    let old = file("User-agent: googlebot\nUser-agent: gptbot\nDisallow: /a\n");
    let new = file("User-agent: gptbot\nDisallow: /a\n");

    assert_eq!(numbers_of_alike(5, &[(&bound, &old)]), [0, 1, 0, 2, 0]);
    assert_eq!(numbers_of_alike(5, &[(&bound, &old), (&bound, &new)]), [0, 1, 0, 2, 3]);
    assert_eq!(numbers_of_alike(5, &[]), [0; 5]);
}

#[test]
fn crawlers_stand_by_their_groups_and_by_what_binds_them() {
    let crawlers = ["GPTBot", "Applebot", "AdsBot-Google", "Amzn-User", "Googlebot", "*"];
    let bound = Bound::new(&crawlers, true, &RFC9309).unwrap();
    let found = bound.standings(&file("User-agent: googlebot\nDisallow: /a\n"));
    let found: Vec<_> = found.iter().map(|one| (&one.crawlers[..], one.named, one.bound)).collect();

    assert_eq!(found, {
        [
            (&[(0, None), (5, None)][..], false, true),
            (&[(1, Some("Googlebot")), (4, None)], true, true),
            (&[(2, None)], false, false),
            (&[(3, None)], false, false),
        ]
    });
}

#[test]
fn a_crawler_without_a_group_follows_whom_its_operator_names() {
    let file = file("User-agent: googlebot\nDisallow: /a\nUser-agent: *\nDisallow: /b\n");
    let follows = |tokens: &[&str]| {
        let (agent, whom) = file.agent_by_operator(tokens);
        (agent.selection().groups.clone(), whom)
    };

    assert_eq!(follows(&["applebot"]), (vec![0], Some("Googlebot")));
    assert_eq!(follows(&["googlebot"]), (vec![0], None));
    assert_eq!(follows(&["adsbot-google"]), (vec![], None));
    assert_eq!(follows(&["applebot", "gptbot"]), (vec![1], None));
    assert_eq!(follows(&["gptbot"]), (vec![1], None));
}

#[test]
fn what_is_no_product_token_is_told_by_its_place() {
    assert_eq!(Bound::new(&["a", "b c"], true, &RFC9309).unwrap_err().0, 1);
}
