//! Tests of `logs/json.rs`.

use std::borrow::Cow;
use verger_bulk::logs::entry::Unreadable;
use verger_bulk::logs::fields::Field;
use verger_bulk::logs::json::*;
use verger_bulk::logs::time;

fn told(line: &str) -> Result<String, &'static str> {
    let text = |bytes: Option<Cow<[u8]>>| {
        bytes.map_or("-".into(), |o| String::from_utf8_lossy(&o).into_owned())
    };
    let entry = read(line.as_bytes(), &Names::new()).map_err(Unreadable::name)?;
    let request =
        entry.request.map(|r| format!("{} {}", text(Some(r.method)), text(Some(r.target))));
    Ok(format!(
        "{}|{}|{}|{}|{}",
        entry.time.map_or("-".into(), |t| (t / time::SECOND).to_string()),
        text(entry.host),
        request.unwrap_or("-".into()),
        entry.status.map_or("-".into(), |s| s.to_string()),
        text(entry.agent),
    ))
}

#[test]
fn the_names_of_common_servers_are_known() {
    for (line, expected) in [
        (
            r#"{"time":"2000-10-10T20:55:36+00:00","host":"example.com","request":"GET /a?b HTTP/1.1","status":200,"http_user_agent":"A"}"#,
            "971211336|example.com|GET /a?b|200|A",
        ),
        (
            r#"{"level":"info","ts":971211336.25,"logger":"http.log.access","msg":"handled request","request":{"remote_ip":"192.0.2.1","proto":"HTTP/2.0","method":"HEAD","host":"example.com","uri":"/a?b","headers":{"Accept":["*/*"],"User-Agent":["A","B"]},"tls":{"resumed":false}},"bytes_read":0,"status":404,"resp_headers":{"Server":["Caddy"]}}"#,
            "971211336|example.com|HEAD /a?b|404|A",
        ),
        (
            r#"{ "@timestamp" : "2000-10-10T20:55:36.000Z", "http": {"request": {"method": "GET"}, "response": {"status_code": 200}}, "url": {"path": "/a", "query": "b=c", "domain": "example.com"}, "user_agent": {"original": "A"} }"#,
            "971211336|example.com|GET /a?b=c|200|A",
        ),
        (
            r#"{"timestamp":"971211336","cs-method":"GET","cs-uri-stem":"/a","cs-uri-query":"-","sc-status":"301","cs(User-Agent)":"A%20B%2","x-host-header":"example.com","cs(Host)":"d.example"}"#,
            "971211336|example.com|GET /a|301|A B%2",
        ),
        (
            r#"{"time_local":"10/Oct/2000:13:55:36 -0700","request":"GET /old HTTP/1.1","uri":"/new","status":"200"}"#,
            "971211336|-|GET /old|200|-",
        ),
        (
            r#"{"request_uri":"/old","uri":"/new","request":"POST /x HTTP/1.1"}"#,
            "-|-|POST /old|-|-",
        ),
        (
            r#"{"req":{"method":"GET","url":"/a","headers":{"user-agent":"A","host":"h"}},"res":{"statusCode":200}}"#,
            "-|h|GET /a|200|A",
        ),
        (
            r#"{"path":"\/\u30c4\ud83d\ude00\u0041\"\\\x22\udcff","ua":null,"agent":"-"}"#,
            "-|-|GET /ツ😀A\"\\\"\u{FFFD}|-|-",
        ),
        (r#"{"request":"\u0016\u0003","status":400}"#, "-|-|-|400|-"),
        (r#"{"request":"","status":400}"#, "-|-|-|400|-"),
        (r#"{"request":"-","uri":"/a","status":400}"#, "-|-|GET /a|400|-"),
        (
            r#"{"a":[1,{"b":["]"]}],"path":"/last","path":"/last","x":{"y":{"z":{"u":{"v":{"path":1}}}}},"e":{},"f":[]}"#,
            "-|-|GET /last|-|-",
        ),
    ] {
        assert_eq!(told(line).as_deref(), Ok(expected), "{line}");
    }
}

#[test]
fn what_is_no_entry_says_why() {
    for (line, expected) in [
        ("", "not-json"),
        ("[]", "not-json"),
        ("{", "not-json"),
        (r#"{"path":"/a"}}"#, "not-json"),
        (r#"{"path":"/a",}"#, "not-json"),
        (r#"{"path":"/a" "b":1}"#, "not-json"),
        (r#"{"path":"/a","b":x}"#, "not-json"),
        (r#"{"path":"/a","b":"#, "not-json"),
        (r#"{"path":"/a\"#, "not-json"),
        (r#"{"path"}"#, "not-json"),
        (r#"{"msg":"started"}"#, "no-request"),
        ("{}", "no-request"),
        (r#"{"path":"/a","time":"yesterday"}"#, "no-time"),
    ] {
        assert_eq!(told(line), Err(expected), "{line}");
    }
}

#[test]
fn names_of_the_caller_come_first() {
    let names = vec![(b"x.ua".to_vec(), Field::Agent), (b"where".to_vec(), Field::Target)];
    let line = br#"{"where":"/a","request_uri":"/b","x":{"UA":"A"},"user_agent":"B"}"#;
    let entry = read(line, &names).unwrap();

    assert_eq!(entry.agent.as_deref(), Some(&b"A"[..]));
    assert_eq!(entry.request.unwrap().target, &b"/a"[..]);
}

#[test]
fn a_member_that_says_two_things_says_nothing() {
    let line = |more: &str| format!(r#"{{"request":"GET /a HTTP/1.1","status":200{more}}}"#);

    assert!(told(&line("")).is_ok());
    assert!(told(&line(r#","request":"GET /a HTTP/1.1""#)).is_ok());
    assert_eq!(told(&line(r#","request":"GET / HTTP/1.1""#)), Err("not-json"));
    assert_eq!(told(&line(r#","x":1,"status":404"#)), Err("not-json"));
    assert!(told(&line(r#","x":1,"x":2"#)).is_ok());
}
