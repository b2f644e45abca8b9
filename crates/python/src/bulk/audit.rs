//! `LogAudit`: access logs judged by the versions of a robots.txt file.

use std::sync::{Mutex, TryLockError};

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use verger_bulk::logs::audit::{Audit, Settings};
use verger_bulk::logs::fields::Field;
use verger_bulk::logs::format::{Form, Reader};
use verger_bulk::logs::judge::{Judge, Version};
use verger_bulk::logs::tally;
use verger_bulk::logs::variables::Refusal;
use verger_core::Dialect as CoreDialect;

use crate::dialect::{Dialect, DialectArgument};
use crate::errors::invalid_option;
use crate::robots::check_token;
use crate::text::{shorten, text, Items, Text};
use crate::values::Rule;

/// Add the classes of this module.
pub fn add_classes(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<LogAudit>()?;
    module.add_class::<LogTally>()?;
    module.add_class::<CrawlerTally>()?;
    module.add_class::<RuleTally>()?;
    Ok(())
}

/// An audit of access logs in progress.
#[pyclass(frozen, name = "_LogAudit", module = "verger")]
pub struct LogAudit {
    /// None after an exception has left a line half counted.
    audit: Mutex<Option<Audit>>,
    crawler_of: Py<PyAny>,
    dialect: CoreDialect,
}

#[pymethods]
impl LogAudit {
    #[new]
    #[pyo3(
        signature = (versions, crawler_of, *, dialect=DialectArgument::Default, log_format=None, fields=Items(vec![]), since=None, until=None, hosts=Items(vec![]), crawlers=Items(vec![]), grace=0),
        text_signature = "(versions, crawler_of, *, dialect='rfc9309', log_format=None, fields=(), since=None, until=None, hosts=(), crawlers=(), grace=0)"
    )]
    #[allow(clippy::too_many_arguments)] // callers pass them by name
    fn new(
        py: Python<'_>,
        versions: Items<(Option<i64>, Bound<'_, PyBytes>)>,
        crawler_of: Py<PyAny>,
        dialect: DialectArgument,
        log_format: Option<Text>,
        fields: Items<(String, Text)>,
        since: Option<i64>,
        until: Option<i64>,
        hosts: Items<Text>,
        crawlers: Items<Text>,
        grace: i64,
    ) -> PyResult<LogAudit> {
        let dialect = Dialect::from_argument(&dialect, py)?;
        let lower = |texts: Items<Text>| texts.0.iter().map(|t| t.0.to_ascii_lowercase()).collect();
        let names = fields.0.iter().map(|(field, path)| {
            let field = Field::named(field).ok_or_else(|| unknown(py, "field", field))?;
            Ok((path.0.to_ascii_lowercase(), field))
        });
        let settings = Settings {
            reader: Reader::new(
                form_named(py, log_format.as_ref())?,
                names.collect::<PyResult<_>>()?,
            ),
            since,
            until,
            hosts: lower(hosts),
            crawlers: lower(crawlers),
        };
        let versions = versions.0.iter().map(|(since, bytes)| Version {
            since: since.unwrap_or(i64::MIN),
            bytes: bytes.as_bytes().to_vec(),
        });
        let judge = Judge::new(versions.collect(), &dialect.get().core, grace);
        let audit = Mutex::new(Some(Audit::new(settings, judge)));
        Ok(LogAudit { audit, crawler_of, dialect: dialect.get().core })
    }

    /// Refuse a format of lines that cannot be read.
    #[staticmethod]
    fn expect_format(py: Python<'_>, log_format: Option<Text>) -> PyResult<()> {
        form_named(py, log_format.as_ref()).map(|_| ())
    }

    /// Take the next bytes of the input; the interpreter is free meanwhile.
    fn feed(&self, py: Python<'_>, chunk: &Bound<'_, PyBytes>) -> PyResult<()> {
        let chunk = chunk.as_bytes();
        self.go_on(py, |audit| audit.feed(chunk, |agent| self.ask(agent)))
    }

    /// The input ends here; what follows is another.
    fn finish_input(&self, py: Python<'_>) -> PyResult<()> {
        self.go_on(py, |audit| audit.finish_input(|agent| self.ask(agent)))
    }

    /// What the log holds.
    #[getter]
    fn log(&self) -> PyResult<LogTally> {
        self.look(|audit| Ok(LogTally::of(audit.log())))
    }

    /// The crawlers; the first entry is for those beyond the limit.
    #[getter]
    fn crawlers(&self) -> PyResult<Vec<CrawlerTally>> {
        self.look(|audit| Ok(audit.crawlers().iter().map(CrawlerTally::of).collect()))
    }

    /// The rules that were broken, by which crawler, and how often.
    #[getter]
    fn rules(&self) -> PyResult<Vec<RuleTally>> {
        self.look(|audit| {
            let tally = |(pair, found)| RuleTally::of(audit, pair, found);
            Ok(audit.pairs().sorted().into_iter().map(tally).collect())
        })
    }
}

impl LogAudit {
    fn go_on(
        &self,
        py: Python<'_>,
        step: impl FnOnce(&mut Audit) -> PyResult<()> + Send,
    ) -> PyResult<()> {
        py.detach(|| {
            let mut guard = self.audit.try_lock().map_err(|why| match why {
                TryLockError::WouldBlock => {
                    PyRuntimeError::new_err("the audit is being fed already")
                }
                TryLockError::Poisoned(_) => over(),
            })?;
            let mut audit = guard.take().ok_or_else(over)?;
            step(&mut audit)?;
            *guard = Some(audit);
            Ok(())
        })
    }

    fn look<T>(&self, view: impl FnOnce(&Audit) -> PyResult<T>) -> PyResult<T> {
        let guard = self.audit.try_lock().map_err(|_| over())?;
        view(guard.as_ref().ok_or_else(over)?)
    }

    /// Look up the crawler of an identification string.
    #[cold]
    fn ask(&self, agent: &[u8]) -> PyResult<Option<Vec<u8>>> {
        Python::attach(|py| {
            let found = self.crawler_of.bind(py).call1((text(py, agent)?,))?;
            let Some(Text(tokens)) = found.extract()? else { return Ok(None) };
            for token in tokens.split(|byte| *byte == b',') {
                check_token(py, token, &self.dialect)?;
            }
            Ok(Some(tokens))
        })
    }
}

fn over() -> PyErr {
    PyRuntimeError::new_err("the audit was ended by an exception, or is being fed")
}

fn form_named(py: Python<'_>, name: Option<&Text>) -> PyResult<Form> {
    let Some(Text(name)) = name else { return Ok(Form::Any) };
    Form::named(&String::from_utf8_lossy(name)).map_err(|refusal| {
        let shown = |text: &[u8]| shorten(py, text);
        let (why, hint) = match refusal {
            Refusal::NoFields => (format!("`{}` is no format of a log", shown(name)), FORMATS),
            Refusal::NoRequest => (
                format!("the format of the log `{}` has no request", shown(name)),
                "add `$request` (nginx) or `%r` (Apache), or the target by itself",
            ),
            Refusal::Unknown(part) => (
                format!("`{}` in the format of the log is not known", shown(part.as_bytes())),
                "if its value does not matter, write `$_` (nginx) or `%{x}n` (Apache) for it",
            ),
            Refusal::Adjacent(first, second) => (
                format!(
                    "nothing separates `{}` and `{}`",
                    shown(first.as_bytes()),
                    shown(second.as_bytes())
                ),
                "write in the format what stands between them in the log",
            ),
            Refusal::Unquoted(part) => (
                format!("nothing tells where a value of `{}` ends", shown(part.as_bytes())),
                "user agents have spaces: log them in quotation marks, or at the end of the line",
            ),
        };
        invalid_option(py, why, hint.into())
    })
}

/// The formats of logs, for those who pass another.
const FORMATS: &str =
    "pass a format of nginx (`$remote_addr … \"$request\"`) or Apache (`%h %l %u \
                       %t …`), or one of combined, vhost, jsonl, w3c, alb, elb, s3, haproxy, \
                       nginx-proxy-manager; or iis, cloudfront, cloudflare, vercel, fastly, akamai, \
                       docker";

fn unknown(py: Python<'_>, what: &str, name: &str) -> PyErr {
    PyValueError::new_err(format!("unknown {what} `{}`", shorten(py, name)))
}

/// How many requests, how many of them answered and refused, the first and the last.
type Requests = (u64, u64, u64, Option<i64>, Option<i64>);

fn requests(found: &tally::Requests) -> Requests {
    let tally::Requests { count, answered, refused, period } = *found;
    (count, answered, refused, period.first, period.last)
}

fn counted(found: &[(Vec<u8>, u64)]) -> Vec<(Text, u64)> {
    found.iter().map(|(name, count)| (Text(name.clone()), *count)).collect()
}

/// What the whole log holds.
#[pyclass(frozen, get_all, name = "_LogTally", module = "verger", skip_from_py_object)]
pub struct LogTally {
    lines: u64,
    unreadable: u64,
    unreadable_lines: Vec<(u32, u64, &'static str)>,
    other_times: u64,
    undated: u64,
    other_hosts: u64,
    no_url: u64,
    lines_without_url: Vec<(u32, u64, Text)>,
    methods: Vec<(Text, u64)>,
    people: u64,
    nameless: u64,
    other_crawlers: u64,
    first: Option<i64>,
    last: Option<i64>,
    hosts: Vec<(Text, u64)>,
}

impl LogTally {
    fn of(found: &tally::LogTally) -> LogTally {
        let lines = found.unreadable_lines.iter();
        let without_url = found.lines_without_url.iter();
        LogTally {
            lines: found.lines,
            unreadable: found.unreadable,
            unreadable_lines: lines.map(|l| (l.input, l.number, l.why.name())).collect(),
            other_times: found.other_times,
            undated: found.undated,
            other_hosts: found.other_hosts,
            no_url: found.no_url,
            lines_without_url: without_url
                .map(|line| (line.input, line.number, Text(line.text.clone())))
                .collect(),
            methods: counted(&found.methods),
            people: found.people,
            nameless: found.nameless,
            other_crawlers: found.other_crawlers,
            first: found.period.first,
            last: found.period.last,
            hosts: counted(&found.hosts),
        }
    }
}

/// What one crawler did.
#[pyclass(frozen, get_all, name = "_CrawlerTally", module = "verger", skip_from_py_object)]
pub struct CrawlerTally {
    tokens: Text,
    agent: Text,
    requests: Requests,
    closed: Requests,
    excused: u64,
    unknown: u64,
    robots_txt: Requests,
    examples: Vec<Text>,
}

impl CrawlerTally {
    fn of(found: &tally::CrawlerTally) -> CrawlerTally {
        CrawlerTally {
            tokens: Text(found.tokens.clone()),
            agent: Text(found.agent.clone()),
            requests: requests(&found.requests),
            closed: requests(&found.closed),
            excused: found.excused,
            unknown: found.unknown,
            robots_txt: requests(&found.robots_txt),
            examples: found.examples.iter().cloned().map(Text).collect(),
        }
    }
}

/// What one crawler fetched in spite of one rule.
#[pyclass(frozen, get_all, name = "_RuleTally", module = "verger", skip_from_py_object)]
pub struct RuleTally {
    version: u32,
    rule: Rule,
    crawler: u32,
    closed: Requests,
    example: Text,
}

impl RuleTally {
    fn of(audit: &Audit, pair: tally::Pair, found: &tally::PairTally) -> RuleTally {
        let (version, rule, crawler) = pair;
        let file = audit.judge().file(version);
        RuleTally {
            version,
            rule: Rule::of(file, file.groups().rules()[rule as usize]),
            crawler,
            closed: requests(&found.closed),
            example: Text(found.example.clone()),
        }
    }
}
