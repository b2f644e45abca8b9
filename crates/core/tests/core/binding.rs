//! Tests of `binding.rs`.

use verger_core::internal::*;

#[test]
fn the_first_that_is_named_is_followed() {
    let numbers = Binding { follows: vec![1, 2], by_star: true };
    let named = |number: &i32| (*number == 2).then_some("of 2");

    assert_eq!(numbers.followed(Some("own"), named), Followed::Named("own"));
    assert_eq!(numbers.followed(None, named), Followed::Named("of 2"));
    assert_eq!(numbers.followed(None::<()>, |_| None), Followed::Star);
    let alone = Binding { by_star: false, ..numbers };
    assert_eq!(alone.followed(None::<()>, |_| None), Followed::Nobody);
}
