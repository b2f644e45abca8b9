//! Tests of `origin.rs`.

use verger_core::internal::*;
use verger_core::*;

fn governs(file: &str, url: &str) -> bool {
    Scope::of_file(file.as_bytes()).unwrap().governs(url.as_bytes()).unwrap()
}

#[test]
fn an_origin_is_scheme_host_and_port() {
    assert!(governs("https://EXAMPLE.com/robots.txt", "HTTPS://u:p@example.com:443/x"));
    assert!(governs("http://[2001:db8::1]/robots.txt", "http://[2001:DB8:0:0:0:0:0:1]:80/"));
    assert!(governs("https://BÜCHER.example/robots.txt", "https://xn--bcher-kva.example/x"));
    assert!(!governs("https://faß.example/robots.txt", "https://fass.example/x"));
    assert!(!governs("https://example.com/robots.txt", "https://example.com./x"));
    assert!(!governs("https://example.com:443/robots.txt", "http://example.com:443/x"));
    assert!(!governs("https://example.com/robots.txt", "wss://example.com/x"));
}

#[test]
fn a_file_is_asked_about_its_origin_and_what_names_none() {
    let admits =
        |file: &str, url: &str| Scope::of_file(file.as_bytes()).unwrap().admits(url.as_bytes());
    let file = "https://example.com/robots.txt";

    for url in ["https://example.com", "HTTPS://Example.com:443/x", "/x", "example.com/x"] {
        assert_eq!(admits(file, url), Ok(()), "{url}");
    }
    assert_eq!(admits(file, "https://example.com.evil/"), Err(Refusal::OutOfScope));
    let bad_host = Err(Refusal::NoTarget(InvalidTarget::BadHost));
    assert_eq!(admits(file, "https://[1/"), bad_host);
    assert_eq!(admits("https://example.com/x", "https://example.com/"), Err(Refusal::OutOfScope));
    assert_eq!(Scope::Anything.admits(b"https://other.example/"), Ok(()));
}

#[test]
fn only_robots_txt_at_the_root_governs() {
    assert!(!governs("https://example.com/folder/robots.txt", "https://example.com/"));
    assert!(!governs("https://example.com/Robots.txt", "https://example.com/"));
    assert!(!governs("https://example.com/robots.txt?x", "https://example.com/"));
}

#[test]
fn a_scheme_without_robots_governs_no_url() {
    assert_eq!(Origin::governed(b"wss://example.com/x"), Err(InvalidTarget::NoRobots));
    assert_eq!(Origin::governed(b"FTP://e.com:21/x").unwrap().to_string(), "ftp://e.com");
}

#[test]
fn impossible_authorities_are_errors() {
    assert_eq!(Origin::of(b"http://e.com:99999/"), Err(InvalidTarget::BadPort));
    assert_eq!(Origin::of(b"http://e.com:8x/"), Err(InvalidTarget::BadPort));
    assert_eq!(Origin::of(b"http://[::g]/"), Err(InvalidTarget::BadHost));
    assert_eq!(Origin::of(b"http://[::1/"), Err(InvalidTarget::BadHost));
    assert_eq!(Origin::of(b"http://:80/"), Err(InvalidTarget::NoAuthority));
    assert_eq!(Origin::of(b"http://u\\@e.com/"), Err(InvalidTarget::BadHost));
    assert_eq!(Origin::of(b"http://u@e.com:/").unwrap().to_string(), "http://e.com");
}

#[test]
fn a_port_is_a_number_however_many_digits_it_has() {
    let url = |digits: &str| format!("http://e.com:{digits}/");
    let zeros = "0".repeat(5_000);

    assert_eq!(Origin::of(url(&zeros).as_bytes()).unwrap().port(), Some(0));
    assert_eq!(Origin::of(url(&(zeros + "81")).as_bytes()).unwrap().port(), Some(81));
    assert_eq!(Origin::of(url(&"9".repeat(5_000)).as_bytes()), Err(InvalidTarget::BadPort));
    assert_eq!(Origin::of(url("+80").as_bytes()), Err(InvalidTarget::BadPort));
}

#[test]
fn an_origin_is_the_origin_of_its_text() {
    let hosts = ["E.com", "\u{ff45}.com", "0x7f.1", "[::0]", "e.com.", "%65", "a.b", "xn--p1ai"];
    for host in hosts {
        for (scheme, port) in [("HTTP", ":8080"), ("https", ":"), ("ftp", ""), ("a+b", ":0")] {
            let origin = Origin::of(format!("{scheme}://u@{host}{port}?x").as_bytes()).unwrap();

            assert_eq!(Origin::of(origin.to_string().as_bytes()), Ok(origin));
        }
    }
}

#[test]
fn the_quick_look_sees_what_the_thorough_one_finds() {
    let urls = [
        "https://example.com/x",
        "https://example.com",
        "http://a_b.example.?q",
        "https://EXAMPLE.com/x",
        "https://example.com:443/",
        "https://example.com:8443/",
        "https://u@example.com/",
        "https://xn--bcher-kva.example/",
        "https://b\u{fc}cher.example/#x",
        "ftp://example.com/",
        "http://[::1]/",
        "http://1.2.3.4/x",
        "http://0x7f.1/x",
        "http://1.2.3.4./x",
        "http://1.2.3.4.5/x",
        "http://a.0x/",
        "http://1.a/",
        "http://./",
        "http://../",
        "http://a\u{ff0f}b/",
        "https:///x",
        "/path",
        "https://exa mple.com/",
        "",
    ];
    for url in urls {
        let Some(end) = canonical_end(url.as_bytes()) else { continue };

        let origin = Origin::governed(url.as_bytes()).unwrap();
        assert_eq!(origin.to_string(), url[..end]);
        let file = [&url[..end], "/robots.txt"].concat();
        assert_eq!(Scope::of_file(file.as_bytes()), Ok(Scope::Origin(origin)));
    }
}
