//! Complaints: what callers are told of their misuse, and what to do about it.
//!
//! In: what was passed, and why it is refused. Out: a [`Complaint`], whose sentences the bindings of
//! every language raise. What was passed is untrusted: each binding shows it in its own way.

use crate::error::{InvalidProductToken, InvalidTarget};
use crate::origin::{Origin, Refusal, Scope};
use crate::token::{meant, Meant};

/// One complaint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// The name of its class of exceptions.
    pub class: &'static str,
    /// What is wrong, and where.
    pub message: String,
    /// What to do.
    pub hint: String,
}

/// Shows untrusted text: on one line, shortened, and without a backtick, which would end a quotation.
pub type Show<'s> = &'s dyn Fn(&[u8]) -> String;

impl Complaint {
    /// A text that is not a URL or path that can be decided.
    pub fn of_target(url: &[u8], why: InvalidTarget, show: Show) -> Complaint {
        let hint = match why {
            InvalidTarget::NoScheme => hint_for_bare(url, ", or a path that begins with `/`", show),
            InvalidTarget::NoOrigin => hint_for_bare(url, "", show),
            _ => "pass a URL such as `https://example.com/page`".into(),
        };
        let message =
            format!("`{}` is not a URL to ask about: {why} (RFC 3986 section 3)", show(url));
        Complaint { class: "InvalidTarget", message, hint }
    }

    /// A text that cannot be the URL of a robots.txt file.
    pub fn of_file_url(url: &[u8], why: InvalidTarget, show: Show) -> Complaint {
        let message = format!("`{}` is not a URL of a file: {why} (RFC 3986 section 3)", show(url));
        let hint = "pass the URL that was requested, such as `https://example.com/robots.txt`";
        Complaint { class: "InvalidTarget", message, hint: hint.into() }
    }

    /// A question that a file does not answer.
    ///
    /// file: the URL of the file, empty if it is unknown.
    pub fn of_refusal(
        url: &[u8],
        why: Refusal,
        scope: &Scope,
        file: &[u8],
        show: Show,
    ) -> Complaint {
        match why {
            Refusal::NoTarget(why) => Complaint::of_target(url, why, show),
            Refusal::OutOfScope => out_of_scope(url, file, scope.origin(), show),
        }
    }

    /// A text that is not a product token.
    pub fn of_token(token: &[u8], why: InvalidProductToken, show: Show) -> Complaint {
        let (shown, why) = (show(token), fault_of(why, show));
        let message = format!("`{shown}` is not a product token: {why} (RFC 9309 section 2.2.1)");
        let hint = token_hint(&String::from_utf8_lossy(token), show);
        Complaint { class: "InvalidProductToken", message, hint }
    }

    /// More tokens than any crawler has.
    pub fn of_too_many_tokens(most: usize) -> Complaint {
        let message = format!("more than {most} product tokens (RFC 9309 section 2.2.1)");
        let hint = "pass those of one crawler".into();
        Complaint { class: "InvalidProductToken", message, hint }
    }

    /// No token at all.
    pub fn of_no_token() -> Complaint {
        let message = "no product token was given (RFC 9309 section 2.2.1)".into();
        let hint = "pass one or more, such as `ExampleBot`".into();
        Complaint { class: "InvalidProductToken", message, hint }
    }
}

/// What to pass in place of a text without a scheme, which may be a bare host; `or` says what else.
fn hint_for_bare(url: &[u8], or: &str, show: Show) -> String {
    let url = String::from_utf8_lossy(url);
    let bare = url.trim();
    let looks_like_host =
        bare.contains('.') && !bare.contains([':', ' ']) && !bare.starts_with('/');
    match looks_like_host {
        true => format!("pass `https://{}`{or}", show(bare.as_bytes())),
        false if or.is_empty() => "pass an absolute URL such as `https://example.com/page`".into(),
        false => format!("pass an absolute URL{or}"),
    }
}

/// A question about another origin than the file's.
fn out_of_scope(url: &[u8], file: &[u8], governs: Option<&Origin>, show: Show) -> Complaint {
    let (url, file) = (show(url), show(file));
    let (reach, hint) = match governs {
        Some(origin) => (
            format!("it governs only `{origin}`"),
            "use the robots.txt file of the URL's own scheme, host and port",
        ),
        None => (
            "only `/robots.txt` at the root of an http, https or ftp origin governs".into(),
            "parse the file with the URL of the origin's `/robots.txt`",
        ),
    };
    let message =
        format!("`{url}` is out of the scope of `{file}`: {reach} (RFC 9309 section 2.3)");
    Complaint { class: "OutOfScope", message, hint: hint.into() }
}

/// What is wrong with a product token; its character is escaped as the token itself is.
fn fault_of(why: InvalidProductToken, show: Show) -> String {
    match why {
        InvalidProductToken::BadCharacter { character, offset } => {
            format!("`{}` at offset {offset}", show(character.to_string().as_bytes()))
        }
        other => other.to_string(),
    }
}

fn token_hint(token: &str, show: Show) -> String {
    let shown = |name: &str| show(name.as_bytes());
    match meant(token) {
        Meant::One(name) => format!("pass `{}`", shown(name)),
        Meant::Several(names) => {
            let first: Vec<String> = names.iter().take(3).map(|name| shown(name)).collect();
            let more = if names.len() > first.len() { ", …" } else { "" };
            format!("pass several tokens as a sequence: `[\"{}\"{more}]`", first.join("\", \""))
        }
        Meant::Unknown => "pass the crawler's own name, such as `ExampleBot`".into(),
    }
}
