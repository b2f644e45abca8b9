//! Tests of `logs/format.rs`, `layout.rs`, `variables.rs`, `w3c.rs` and `haproxy.rs`: lines as the
//! documentation of servers shows them.

use std::borrow::Cow;
use verger_bulk::logs::entry::Unreadable;
use verger_bulk::logs::format::{Form, Reader};
use verger_bulk::logs::layout::Layout;
use verger_bulk::logs::variables::Refusal;

/// What the lines of a log say: `host|time|target|status|agent`, or why they say nothing.
fn told(form: &str, log: &str) -> Vec<String> {
    let form = if form.is_empty() { Form::Any } else { Form::named(form).unwrap() };
    let mut reader = Reader::new(form, Vec::new());
    let text = |bytes: Option<Cow<[u8]>>| {
        bytes.map_or("-".into(), |o| String::from_utf8_lossy(&o).into_owned())
    };
    let lines = log.lines().filter_map(|line| reader.read(line.as_bytes()));
    lines
        .map(|entry| match entry {
            Err(why) => Unreadable::name(why).into(),
            Ok(entry) => format!(
                "{}|{}|{}|{}|{}",
                text(entry.host),
                entry.time.map_or("-".into(), |time| (time / 1_000).to_string()),
                entry.request.map_or("-".into(), |request| {
                    format!("{} {}", text(Some(request.method)), text(Some(request.target)))
                }),
                entry.status.map_or("-".into(), |status| status.to_string()),
                text(entry.agent)
            ),
        })
        .collect()
}

const ALB: &str = concat!(
    "https 2018-07-02T22:23:00.186641Z app/my-loadbalancer/50dc6c495c0c9188 192.168.131.39:2817 ",
    r#"10.0.0.1:80 0.086 0.048 0.037 200 200 0 57 "GET https://www.example.com:443/a?b HTTP/1.1" "#,
    r#""curl/7.46.0" ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2 arn:aws:x "Root=1-58337281""#
);

const S3: &str = concat!(
    "79a59df900b949e5 amzn-s3-demo-bucket1 [06/Feb/2019:00:00:38 +0000] 192.0.2.3 79a59df900b949e5 ",
    r#"3E57427F3EXAMPLE REST.GET.VERSIONING - "GET /amzn-s3-demo-bucket1?versioning HTTP/1.1" 200 "#,
    r#"- 113 - 7 - "-" "S3Console/0.4" - s9lzHYrFp76ZVxRcpX9+5cjA= SigV4 ECDHE AuthHeader"#
);

const HAPROXY: &str = concat!(
    "Feb  6 12:14:14 localhost haproxy[14389]: 10.0.1.2:33317 [06/Feb/2009:12:14:14.655] http-in  ",
    r#"static/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 {1wt.eu|Bot/1 (a b)} {} "#,
    r#""GET /index.html HTTP/1.1""#
);

const IIS: &str = "#Software: Microsoft Internet Information Services 6.0
#Version: 1.0
#Date: 2001-05-02 17:42:15
#Fields: date time c-ip cs-username s-ip s-port cs-method cs-uri-stem cs-uri-query sc-status cs(User-Agent)
2002-05-02 17:42:15 172.22.255.255 - 172.30.255.255 80 GET /images/picture.jpg - 200 Mozilla/4.0+(compatible;MSIE+5.5)
2002-05-02 17:42:16 172.22.255.255 - 172.30.255.255 80 GET /a b=1 404 -
2002-05-02 17:42:16 172.22.255.255";

const CLOUDFRONT: &str = "#Version: 1.0
#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query x-host-header
2019-12-04\t21:02:31\tLAX1\t392\t192.0.2.100\tGET\td111111abcdef8.cloudfront.net\t/index.html\t200\t-\tMozilla/5.0%20(Windows%20NT%2010.0)\ta=b\twww.example.com";

#[test]
fn formats_are_detected() {
    for (log, expected) in [
        (
            ALB.to_string(),
            vec!["-|1530570180186|GET https://www.example.com:443/a?b|200|curl/7.46.0"],
        ),
        (
            ALB.trim_start_matches("https ").into(),
            vec!["-|1530570180186|GET https://www.example.com:443/a?b|200|curl/7.46.0"],
        ),
        (S3.into(), vec!["-|1549411238000|GET /amzn-s3-demo-bucket1?versioning|200|S3Console/0.4"]),
        (HAPROXY.into(), vec!["1wt.eu|1233922454655|GET /index.html|200|Bot/1 (a b)"]),
        (
            IIS.into(),
            vec![
                "-|1020361335000|GET /images/picture.jpg|200|Mozilla/4.0 (compatible;MSIE 5.5)",
                "-|1020361336000|GET /a?b=1|404|-",
                "not-as-format",
            ],
        ),
        (
            CLOUDFRONT.into(),
            vec![concat!(
                "www.example.com|1575493351000|GET /index.html?a=b|200|",
                "Mozilla/5.0 (Windows NT 10.0)"
            )],
        ),
    ] {
        assert_eq!(told("", &log), expected, "{log}");
    }
}

#[test]
fn named_formats_read_the_same() {
    for (name, log) in
        [("alb", ALB), ("s3", S3), ("haproxy", HAPROXY), ("w3c", IIS), ("w3c", CLOUDFRONT)]
    {
        assert_eq!(told(name, log), told("", log), "{name}");
    }
}

#[test]
fn haproxy_writes_what_it_has() {
    let line = |headers: &str, request: &str| {
        format!(
            "10.0.1.2:33317 [06/Feb/2009:12:14:14.655] in b/<NOSRV> 0/-1/-1/-1/0 {}{headers}{request}",
            "400 187 - - PR-- 1/1/0/0/0 0/0 "
        )
    };
    for (headers, request, expected) in [
        ("", "\"GET /a HTTP/1.1\"", "-|1233922454655|GET /a|400|-"),
        ("{Bot/1} ", "\"GET /a HTTP/1.1\"", "-|1233922454655|GET /a|400|Bot/1"),
        ("{|} {} ", "\"<BADREQ>\"", "-|1233922454655|-|400|-"),
        ("{h|x|Bot} ", "\"GET /cut", "h|1233922454655|GET /cut|400|Bot"),
        ("{a} b#7c} ", "\"GET /#23#zz HTTP/1.1\"", "no-request"),
        ("{a#7cb} ", "\"GET /#23#zz HTTP/1.1\"", "-|1233922454655|GET /##zz|400|a|b"),
    ] {
        assert_eq!(told("haproxy", &line(headers, request)), [expected], "{headers}{request}");
    }
}

#[test]
fn hosts_before_clients_are_hosts() {
    let rest = r#"[10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.0" 200 23 "-" "A""#;
    for (before, host) in [
        ("example.com 192.0.2.7 - -", "example.com"),
        ("example.com 2001:db8::1 - frank", "example.com"),
        ("example.com client.example.net - -", "example.com"),
        ("example.com:80 192.0.2.7 - -", "example.com:80"),
        ("192.0.2.7 - -", "-"),
        ("192.0.2.7 - Frank N Furter", "-"),
        ("client.example.net - -", "-"),
        ("10.0.0.1 192.0.2.7 - -", "-"),
        ("192.0.2.7, 10.0.0.1 - -", "-"),
        ("192.0.2.7, 10.0.0.1, 10.0.0.2 - -", "-"),
        ("- 192.0.2.7 - -", "-"),
        ("192.0.2.7", "-"),
    ] {
        let line = format!("{before} {rest}");
        let expected = format!("{host}|971211336000|GET /a|200|A");
        assert_eq!(told("", &line), [expected], "{before}");
    }
}

#[test]
fn formats_of_servers_are_read() {
    let nginx =
        r#"$remote_addr - $remote_user [$time_local] "$request" $status "$http_user_agent""#;
    let combined =
        r#"192.0.2.1 - a b [10/Oct/2000:13:55:36 -0700] "GET /a\x20b HTTP/1.1" 200 "A \"q\"""#;
    let apache = r#"%h %l %u %t \"%r\" %>s \"%{User-Agent}i\""#;
    let expected = "-|971211336000|GET /a b|200|A \"q\"";
    for (format, line, expected) in [
        (nginx, combined, expected),
        (apache, combined, expected),
        (
            "log_format main escape=default '$remote_addr - $remote_user [$time_local] '\n  \
             '\"$request\" $status \"$http_user_agent\"';",
            combined,
            expected,
        ),
        (r#"LogFormat "%h %l %u %t \"%r\" %>s \"%{User-agent}i\"" combined"#, combined, expected),
        (
            "$host:$server_port|$msec|$request_method|$scheme://$host$request_uri|${status}|$http_user_agent",
            "example.com:80|1700000000.123|GET|https://example.com/a?b|301|A|B",
            "example.com|1700000000123|GET /a?b|301|A|B",
        ),
        (
            "$time_iso8601\t$request_method\t$uri$is_args$args\t$status\t$http_user_agent\t$http_x",
            "2000-10-10T13:55:36-07:00\tGET\t/a?b=c\t200\tA b\t-",
            "-|971211336000|GET /a?b=c|200|A b",
        ),
        (
            "%v %{%Y-%m-%dT%H:%M:%S%z}t %m %U%q %>s",
            "example.com 2000-10-10T13:55:36-0700 GET /a?b 200",
            "example.com|971211336000|GET /a?b|200|-",
        ),
        ("$time_local $request $status", "10/Oct/2000:13:55:36 -0700 GET /a HTTP/1.1 200", "-|971211336000|GET /a|200|-"),
        ("%{sec}t %r %s", "971211336 GET /a 200", "-|971211336000|GET /a|200|-"),
        ("100%% \"%r\" %s", "100% \"GET /a HTTP/1.1\" 200 more", "-|-|GET /a|200|-"),
        (nginx, r#"192.0.2.1 - - [x] "GET /a HTTP/1.1" 200 "A""#, "no-time"),
        (nginx, r#"192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] "GET /a"#, "cut"),
        (nginx, "rubbish", "not-as-format"),
    ] {
        assert_eq!(told(format, line), [expected], "{format}");
    }
}

#[test]
fn formats_that_cannot_be_read_are_refused() {
    for (format, why) in [
        ("", Refusal::NoFields),
        ("apache", Refusal::NoFields),
        ("$remote_addr [$time_local]", Refusal::NoRequest),
        ("$htp_user_agent \"$request\"", Refusal::Unknown("$htp_user_agent".into())),
        ("%h \"%r\" %Z", Refusal::Unknown("%Z".into())),
        ("%h \"%r\" %{%z}t", Refusal::Unknown("%{%z}t".into())),
        ("%h \"%r\" %", Refusal::Unknown("%".into())),
        ("%h%l \"%r\"", Refusal::Adjacent("%h".into(), "%l".into())),
        ("$status$request", Refusal::Adjacent("$status".into(), "$request".into())),
    ] {
        assert_eq!(Layout::new(format).unwrap_err(), why, "{format}");
    }
}

#[test]
fn columns_hold_for_one_log_and_until_the_next_directive() {
    let log = "#Fields: time cs-method cs-uri-stem sc-status cs(User-Agent)\n\
               12:00:00 GET /a 200 \"A \"\"b\"\" c\"\n\
               #Fields: cs-uri-stem sc-status\n/b 404\n/c \"404";
    assert_eq!(told("", log), ["no-time", "-|-|GET /b|404|-", "cut"]);
    assert_eq!(told("w3c", "2002-05-02 17:42:15 GET /a"), ["no-columns"]);
    assert_eq!(told("", "# a comment"), ["no-time"]);
    let mut reader = Reader::default();
    assert!(reader.read(b"#Fields: cs-uri-stem").is_none());
    reader.start_log();
    assert_eq!(reader.read(b"/a").unwrap().unwrap_err(), Unreadable::NoTime);
}
