//! The Robots Exclusion Protocol (RFC 9309): may this crawler fetch this URL, and which line says so?
//!
//! Bytes come in, values go out: nothing here opens a file or a socket, or reads a clock. A [`File`]
//! is parsed once, in one [`Dialect`]; an [`Agent`] holds the rules of one crawler in it and answers
//! with an [`Outcome`].
//!
//! # Decide and explain
//!
//! ```
//! use verger_core::{File, Reason, RFC9309};
//!
//! let text = b"User-agent: *\nDisallow: /*/private\nAllow: /en/\n";
//! let file = File::parse(text, &RFC9309);
//! let agent = file.agent(&["ExampleBot"])?;
//! let target = file.target(b"https://example.com/en/private/a#top")?;
//! let outcome = agent.check(&target);
//!
//! assert!(!outcome.allowed);
//! assert_eq!(outcome.reason, Reason::MostSpecificRule);
//! assert_eq!(outcome.reason.section(file.dialect()), "RFC 9309 section 2.2.2");
//!
//! // Which rule decided, and where it is: line 2, whose value is a span.
//! let index = outcome.rule.expect("a rule decided");
//! let rule = agent.rule(&outcome).expect("a rule decided");
//! assert_eq!((rule.line, rule.value().of(text)), (2, &b"/*/private"[..]));
//!
//! // What each piece of the rule matched in the target.
//! let found = agent.match_of(index, &target).expect("it matches");
//! let pieces: Vec<_> = found
//!     .bytes
//!     .iter()
//!     .map(|(piece, matched)| (piece.of(rule.value().of(text)), matched.of(target.bytes())))
//!     .collect();
//! assert_eq!(found.specificity, 10);
//! assert_eq!(pieces, [(&b"/"[..], &b"/"[..]), (b"*", b"en"), (b"/private", b"/private")]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Product tokens
//!
//! A crawler is identified by its product token, `Googlebot` and not `Googlebot/2.1`. For a crawler
//! with several tokens, the dialect decides which groups apply: those of all tokens together, as in
//! RFC 9309, or those of the first that is named. [`product_token`] finds the token in a
//! `User-Agent` header, and [`check_product_token`] reports what is wrong with one.
//!
//! ```
//! use verger_core::{check_product_token, product_token, File, InvalidProductToken, RFC9309};
//!
//! let file = File::parse(b"User-agent: Googlebot\nDisallow: /\n", &RFC9309);
//! let agent = file.agent(&["Googlebot-News", "Googlebot"])?;
//! assert!(agent.selection().named);
//! assert!(!agent.decide(b"/")?.allowed);
//!
//! let why = InvalidProductToken::BadCharacter { character: '/', offset: 9 };
//! assert_eq!(check_product_token(b"Googlebot/2.1", &RFC9309), Err(why));
//! assert_eq!(product_token("Googlebot/2.1 (+http://www.google.com/bot.html)"), Some("Googlebot"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Dialects
//!
//! RFC 9309 leaves much open, and crawlers differ. A [`Dialect`] is one complete interpretation as
//! data; eight have names ([`DIALECTS`]), and you write your own as a difference from one of them.
//!
//! ```
//! use verger_core::dialect::Tie;
//! use verger_core::{Dialect, File, ORIGINAL_1994, RFC9309};
//!
//! let text = b"User-agent: *\nDisallow: /*.gif\nAllow: /*.gif\n";
//! let allowed = |dialect: &Dialect| {
//!     File::parse(text, dialect).wildcard_agent().decide(b"/a.gif").is_ok_and(|o| o.allowed)
//! };
//!
//! assert!(allowed(&RFC9309));
//! assert!(!allowed(&Dialect { name: "strict", tie: Tie::Disallow, ..RFC9309 }));
//! // The standard of 1994 has no wildcards, so nothing matches.
//! assert!(allowed(&ORIGINAL_1994));
//! assert_eq!(Dialect::named("original-1994"), Some(&ORIGINAL_1994));
//! ```
//!
//! # Origins and scope
//!
//! One file governs one scheme, host and port (RFC 9309 section 2.3). A [`File`] does not know where
//! it is from; its [`Scope`] does, and refuses URLs of other origins.
//!
//! ```
//! use verger_core::{File, Origin, Refusal, Scope, RFC9309};
//!
//! let origin = Origin::of("https://BÜCHER.example:443/a".as_bytes())?;
//! assert_eq!(origin.to_string(), "https://xn--bcher-kva.example");
//! assert_eq!((origin.host(), origin.port()), ("xn--bcher-kva.example", Some(443)));
//!
//! let file = File::parse(b"User-agent: *\nDisallow: /a\n", &RFC9309);
//! let scope = Scope::of_file(b"https://example.com/robots.txt")?;
//! assert_eq!(file.target_within(&scope, b"https://example.com/a")?.bytes(), b"/a");
//! assert_eq!(file.target_within(&scope, b"http://example.com/a"), Err(Refusal::OutOfScope));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Lines, records and findings
//!
//! Nothing of a file is lost: [`File::lines`] are spans that tile it, [`File::records`] the typed
//! values of `Sitemap`, `Crawl-delay`, `Content-Signal` and their like (RFC 9309 section 2.2.4), and
//! [`File::findings`] report what was tolerated, cut or skipped. What records mean for one crawler
//! is a method of [`Agent`], such as [`Agent::crawl_delay`].
//!
//! ```
//! use verger_core::record::Value;
//! use verger_core::{FindingCode, File, RFC9309};
//!
//! let text = b"User-agent: *\nDisalow: /a\nCrawl-delay: 2.5\n";
//! let file = File::parse(text, &RFC9309);
//!
//! let lines: Vec<&[u8]> = file.lines().iter().map(|line| line.raw.content.of(text)).collect();
//! assert_eq!(lines, [&b"User-agent: *"[..], b"Disalow: /a", b"Crawl-delay: 2.5"]);
//!
//! let records = file.records(None);
//! assert_eq!((records[0].line, &records[0].value), (3, &Ok(Value::Delay("2.5".into()))));
//! assert_eq!(file.wildcard_agent().crawl_delay().as_deref(), Some("2.5"));
//!
//! let findings = file.findings(None);
//! assert_eq!((findings[0].line, findings[0].code), (2, FindingCode::MisspeltKey));
//! assert_eq!(findings[0].message, "`Disalow` is read as `disallow`");
//! ```
//!
//! # Use
//!
//! May the content of a URL be used, and for what? Rules, policy tokens and records are heard
//! separately; none means that no line mentions the use, which is no permission.
//!
//! ```
//! use verger_core::{File, Mechanism, Use, RFC9309};
//!
//! let text = b"User-agent: *\nContent-Signal: search=yes, ai-train=no\n";
//! let file = File::parse(text, &RFC9309);
//! let agent = file.agent(&["ExampleBot"])?;
//! let target = file.target(b"https://example.com/a")?;
//! let outcome = agent.may_use(&target, Use::AiTrain, &["Example-Extended"])?;
//!
//! assert_eq!(outcome.allowed, Some(false));
//! let signal = outcome.deciding().expect("a line decided");
//! assert_eq!((signal.mechanism, signal.line), (Mechanism::ContentSignal, Some(2)));
//! assert_eq!(signal.words.expect("it has words").of(text), b"ai-train=no");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Posture
//!
//! How much of a site a crawler may fetch is proved for all URLs at once, and not sampled.
//!
//! ```
//! use verger_core::{File, Posture, RFC9309};
//!
//! let text = b"User-agent: a\nDisallow: /\nUser-agent: b\nDisallow: /\nAllow: /b\nUser-agent: *\n";
//! let file = File::parse(text, &RFC9309);
//!
//! assert_eq!(file.agent(&["a"])?.stance().posture, Posture::None);
//! assert_eq!(file.agent(&["b"])?.stance().posture, Posture::Some);
//! assert_eq!(file.agent(&["c"])?.stance().posture, Posture::All);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Guarantees
//!
//! - Parsing and deciding are total: any bytes, any URL and any token give an answer or one of the two
//!   errors of misuse, [`InvalidTarget`] and [`InvalidProductToken`]. A file is never an error.
//! - Nothing panics, except for an index that is not one of the file's.
//! - Work grows linearly with the file, and an answer with rules times target: there is no recursion,
//!   and there are no regular expressions. Files are read up to 2³² bytes.
//! - There is no `unsafe` code, no input or output, and no global state.
//! - All values may be shared between threads. Clones of a [`File`] share its data.
//!
//! # Names
//!
//! Everything is here, at the root; the modules are private and listed below in the order of the
//! pipeline. Three topics have public modules, because their many short names are clear only there:
//! [`dialect`], the values of the knobs, [`record`], the values of extension records, and
//! [`analysis`], what rules mean for all URLs at once.
//!
//! In signatures, `bytes` are the bytes of the file, and `target` is what rules are compared with:
//! path and query in normal form, which [`File::target`] makes of a URL.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]
#![forbid(unsafe_code)]

#[cfg(test)]
mod numbers;

mod error;
mod vocabulary;

pub mod dialect;
mod dialect_name;
mod field;

mod budget;

mod line;
mod reader;

mod group;

mod name;

mod browsers;
mod identification;

mod token;

mod percent;

mod fold;

mod target;

mod pattern;

mod grams;
mod index;
mod matcher;
mod sort;

mod decision;

mod file;

mod binding;

mod agent;

pub mod analysis;

mod crawlers;
mod name_search;

mod host;
mod origin;
mod request;

mod complaint;

pub mod record;

mod advice;
mod uses;

mod documented;
#[rustfmt::skip]
mod registry_table;
mod followed;
mod registry;

mod code;
mod content;
mod finding;

mod line_table;

mod explanation;
mod words;

pub use agent::Agent;
pub use analysis::{Posture, Stance};
pub use code::{FindingCode, Severity};
pub use decision::{Match, Outcome, Reason};
#[doc(inline)]
pub use dialect::{
    Dialect, BING, DIALECTS, GOOGLE, GOOGLEBOT_CPP, KOSTER_1996, KOSTER_REP_00, ORIGINAL_1994,
    RFC9309, YANDEX,
};
pub use dialect_name::Misspelt;
pub use error::{InvalidProductToken, InvalidTarget};
pub use field::{Field, FieldScope, Fields};
pub use file::{File, LineInfo};
pub use finding::Finding;
pub use group::{Cut, Extent, Groups, Place, Rule, StartLine};
pub use host::canonical_host;
pub use identification::product_token;
pub use line::{RawLine, Span};
pub use origin::{Origin, Refusal, Scope};

pub use reader::{LineKind, Reading, Tolerated};
#[doc(inline)]
pub use record::Record;
pub use request::requested_url;
pub use target::{Target, TargetReader};
pub use token::{check_product_token, Selection};
pub use uses::{Mechanism, UseOutcome, UseRules, UseSignal};
pub use vocabulary::Use;

/// Only for the other crates of this workspace: not part of the public interface, and may change in
/// any version.
#[doc(hidden)]
pub mod internal {
    pub use crate::binding::{Binding, Followed};
    pub use crate::complaint::{Complaint, Show};
    pub use crate::content::{named_by, Named};
    pub use crate::crawlers::{Crawlers, NamedCrawler};
    pub use crate::documented::{BoundBy, Documented, PolicyToken};
    pub use crate::explanation::{Explanation, Part, Policy, Question, Section, Sentence, Word};
    pub use crate::finding::Finder;
    pub use crate::followed::{numbers_of_alike, Bound, BoundIn, Standing};
    pub use crate::group::{walk, Sink};
    pub use crate::identification::{names_in, Role};
    pub use crate::line::is_white;
    pub use crate::line_table::{AnyLine, FindingTable, LineTable};
    pub use crate::name::{leading_name, names_of};
    pub use crate::origin::{begins_with, canonical_end};
    pub use crate::pattern::PatternReader;
    pub use crate::registry::{
        all_documented, are_policy_tokens, binds, dialect_of, documented, own_dialect,
        policy_tokens, remark_on, special_bindings,
    };
    pub use crate::target::split_authority;
    pub use crate::words::{verdict, words_of, REASONS, SILENT};
}
