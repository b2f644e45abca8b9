//! The table of captures, `verger.scan/1`: its columns and rows.
//!
//! Only types that every reader of Arrow supports, including Spark's: no unsigned numbers, no
//! dictionaries, no views.

use std::sync::Arc;

use arrow_array::builder::{
    BinaryBuilder, BooleanBuilder, Float64Builder, Int32Builder, Int64Builder, StringBuilder,
    TimestampMicrosecondBuilder,
};
use arrow_array::{ArrayRef, RecordBatch, StructArray};
use arrow_buffer::NullBufferBuilder;
use arrow_schema::{DataType, Fields as Columns, Schema, SchemaRef};
use verger_core::internal::Followed;
use verger_core::{Field, Posture, Use};

use crate::access::{Access, Kind, Ruling};
use crate::scan::captures::Capture;
use crate::scan::columns::{column, finished, list_of, signed, time_type, times, Lists, TextLists};
use crate::scan::facts::{text, Asked, Facts, FIELDS, LONGEST};
use crate::scan::kept::Digest;
use crate::scan::use_columns::{use_columns, UseRows};
use crate::scan::uses::ScannedUse;
use crate::scan::BoundCrawler;
use crate::uses::column_of;

/// The finding about a URL that no robots.txt governs.
const INVALID_URL: &str = "invalid-url";

/// The value if no group names a crawler.
const DEFAULT: &str = "default";

/// Bytes of texts and lists in a batch: no column comes near what 32 bits can count.
pub const MOST_BYTES: usize = 32 << 20;

/// What one capture means.
#[derive(Clone, Copy, Debug)]
pub struct Meaning {
    /// The result of the request.
    pub access: Access,
    /// What applies if nothing was known before; none for a redirect, which is one hop: its target
    /// is another capture.
    pub ruling: Option<Ruling>,
}

impl Meaning {
    /// What a capture of this kind means by itself.
    pub fn of(kind: &Kind) -> Meaning {
        let access = kind.access;
        let ruling = (access != Access::Redirect).then(|| kind.ruling(0.0, false));
        Meaning { access, ruling }
    }
}

/// What one capture says.
#[derive(Debug)]
pub struct Row {
    /// The origin; none if the URL has none for which robots.txt files are fetched.
    pub origin: Option<String>,
    /// What its status and its body mean.
    pub meaning: Option<Meaning>,
    /// The digest of its body.
    pub digest: Option<Digest>,
    /// What the file says; none if there is no file.
    pub facts: Option<Arc<Facts>>,
}

impl Row {
    /// The row of a capture with an invalid URL.
    pub fn without_origin() -> Row {
        Row { origin: None, meaning: None, digest: None, facts: None }
    }
}

/// The columns for crawlers with these tokens.
pub fn schema(crawlers: &[String], uses: &[ScannedUse], fingerprints: bool) -> SchemaRef {
    let crawlers: Columns =
        crawlers.iter().map(|token| column(token, DataType::Struct(reception_columns()))).collect();
    let fingerprint = fingerprints.then(|| column("fingerprint", DataType::Utf8));
    let before = [
        column("origin", DataType::Utf8),
        column("url", DataType::Utf8),
        column("time", time_type()),
        column("status", DataType::Int32),
        column("access", DataType::Utf8),
        column("location", DataType::Utf8),
        column("bytes", DataType::Int64),
        column("digest", DataType::Binary),
        column("truncated", DataType::Boolean),
        column("groups", DataType::Int32),
        column("rules", DataType::Int32),
        column("lines", DataType::Int32),
        column("fields", DataType::Struct(field_columns())),
        column("findings", list_of(DataType::Struct(finding_columns()))),
        column("sitemaps", list_of(DataType::Utf8)),
        column("crawl_delay", DataType::Float64),
        column("content_signals", DataType::Struct(signal_columns())),
        column("licenses", list_of(DataType::Utf8)),
        column("uses", DataType::Struct(use_columns(uses))),
    ];
    let behind = [
        column("posture", DataType::Utf8),
        column("line", DataType::Int32),
        column("crawlers", DataType::Struct(crawlers)),
    ];
    Arc::new(Schema::new(before.into_iter().chain(fingerprint).chain(behind).collect::<Columns>()))
}

fn field_columns() -> Columns {
    let names = Field::ALL.iter().map(|field| field.name().replace('-', "_"));
    names.chain(["unknown".to_string()]).map(|name| column(&name, DataType::Int32)).collect()
}

fn finding_columns() -> Columns {
    Columns::from(vec![
        column("code", DataType::Utf8),
        column("count", DataType::Int32),
        column("line", DataType::Int32),
    ])
}

fn signal_columns() -> Columns {
    Use::ALL.iter().map(|asked| column(&column_of(*asked), DataType::Boolean)).collect()
}

fn reception_columns() -> Columns {
    Columns::from(vec![
        column("posture", DataType::Utf8),
        column("line", DataType::Int32),
        column("group_lines", list_of(DataType::Int32)),
    ])
}

/// Rows of captures under construction.
pub struct Rows {
    schema: SchemaRef,
    number: usize,
    weight: usize,
    origin: StringBuilder,
    url: StringBuilder,
    time: TimestampMicrosecondBuilder,
    status: Int32Builder,
    access: StringBuilder,
    location: StringBuilder,
    bytes: Int64Builder,
    digest: BinaryBuilder,
    truncated: BooleanBuilder,
    groups: Int32Builder,
    rules: Int32Builder,
    lines: Int32Builder,
    is_file: NullBufferBuilder,
    fields: [Int32Builder; FIELDS],
    findings: Findings,
    sitemaps: TextLists,
    crawl_delay: Float64Builder,
    signals: [BooleanBuilder; 3],
    licenses: TextLists,
    uses: UseRows,
    fingerprint: Option<StringBuilder>,
    posture: StringBuilder,
    line: Int32Builder,
    bound: Arc<[BoundCrawler]>,
    crawlers: Vec<Reception>,
}

impl Rows {
    /// Begin rows with these crawlers.
    pub(super) fn new(schema: &SchemaRef, asked: &Asked) -> Rows {
        Rows {
            schema: Arc::clone(schema),
            bound: Arc::clone(&asked.bound),
            number: 0,
            weight: 0,
            origin: StringBuilder::new(),
            url: StringBuilder::new(),
            time: times(),
            status: Int32Builder::new(),
            access: StringBuilder::new(),
            location: StringBuilder::new(),
            bytes: Int64Builder::new(),
            digest: BinaryBuilder::new(),
            truncated: BooleanBuilder::new(),
            groups: Int32Builder::new(),
            rules: Int32Builder::new(),
            lines: Int32Builder::new(),
            is_file: NullBufferBuilder::new(0),
            fields: std::array::from_fn(|_| Int32Builder::new()),
            findings: Findings::default(),
            sitemaps: TextLists::default(),
            crawl_delay: Float64Builder::new(),
            signals: std::array::from_fn(|_| BooleanBuilder::new()),
            licenses: TextLists::default(),
            uses: UseRows::new(&asked.uses),
            fingerprint: asked.fingerprints.then(StringBuilder::new),
            posture: StringBuilder::new(),
            line: Int32Builder::new(),
            crawlers: asked.bound.iter().map(|_| Reception::default()).collect(),
        }
    }

    /// Add a row.
    pub fn add(&mut self, capture: &Capture, row: &Row) {
        self.number += 1;
        let lens = [capture.url, capture.location].map(|text| text.map_or(0, <[u8]>::len));
        let weight = row.facts.as_deref().map_or(0, Facts::weight);
        self.weight += lens.map(|len| len.min(LONGEST)).iter().sum::<usize>() + weight;
        self.add_capture(capture, row);
        self.add_file(row);
        self.add_postures(row);
    }

    fn add_capture(&mut self, capture: &Capture, row: &Row) {
        let is_known = row.origin.is_some();
        self.origin.append_option(row.origin.as_deref());
        self.url.append_option(capture.url.and_then(text));
        self.time.append_option(capture.time);
        self.status.append_option(capture.status);
        self.access.append_option(row.meaning.map(|meaning| meaning.access.name()));
        let location = capture.location.filter(|_| self.leads_elsewhere(row));
        self.location.append_option(location.and_then(text));
        let body = capture.body.filter(|_| is_known);
        self.bytes.append_option(body.map(|body| i64::try_from(body.len()).unwrap_or(i64::MAX)));
        self.digest.append_option(row.digest);
    }

    fn leads_elsewhere(&self, row: &Row) -> bool {
        row.meaning.is_some_and(|meaning| meaning.access == Access::Redirect)
    }

    fn add_file(&mut self, row: &Row) {
        let facts = row.facts.as_deref();
        let count = |take: fn(&Facts) -> u32| facts.map(|facts| signed(take(facts)));
        self.truncated.append_option(facts.map(|facts| facts.truncated));
        self.groups.append_option(count(|facts| facts.groups));
        self.rules.append_option(count(|facts| facts.rules));
        self.lines.append_option(count(|facts| facts.lines));
        self.is_file.append(facts.is_some());
        for (index, column) in self.fields.iter_mut().enumerate() {
            column.append_option(facts.map(|facts| signed(facts.fields[index])));
        }
        self.findings.add(row);
        self.sitemaps.add(facts.map(|facts| &*facts.sitemaps));
        self.crawl_delay.append_option(facts.and_then(|facts| facts.crawl_delay));
        let signals = facts.map(|facts| facts.signals).unwrap_or_default();
        for (column, asked) in self.signals.iter_mut().zip(Use::ALL) {
            column.append_option(signals.of(asked));
        }
        self.licenses.add(facts.map(|facts| &*facts.licenses));
        self.uses.add(facts.map(|facts| &*facts.uses));
        if let Some(column) = &mut self.fingerprint {
            column.append_option(facts.and_then(|facts| facts.fingerprint.as_deref()));
        }
    }

    fn add_postures(&mut self, row: &Row) {
        let ruling = row.meaning.and_then(|meaning| meaning.ruling);
        let rules = row.facts.as_deref().filter(|_| ruling == Some(Ruling::Rules));
        let posture = match ruling {
            Some(Ruling::Rules) => rules.map(|facts| facts.everyone.posture),
            Some(Ruling::Policy { allowed: true, .. }) => Some(Posture::All),
            Some(Ruling::Policy { allowed: false, .. }) => Some(Posture::None),
            None => None,
        };
        self.posture.append_option(posture.map(Posture::name));
        let line = rules.and_then(|facts| facts.everyone.line);
        self.line.append_option(line.map(signed));
        let named = rules.map_or(&[][..], |facts| &facts.named);
        let reception_of = |place: &usize| {
            let at = named.binary_search_by_key(place, |(place, _)| *place).ok()?;
            Some(&named[at].1)
        };
        for (BoundCrawler { place, binding }, column) in self.bound.iter().zip(&mut self.crawlers) {
            match binding.followed(reception_of(place), reception_of) {
                Followed::Named(reception) => column.add(reception),
                Followed::Nobody if rules.is_some() => {
                    column.add_unnamed(Some(Posture::All.name()));
                }
                Followed::Nobody | Followed::Star => column.add_unnamed(posture.map(|_| DEFAULT)),
            }
        }
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.number == 0
    }

    /// Whether they are enough for a batch.
    pub fn is_full(&self) -> bool {
        self.weight > MOST_BYTES
    }

    /// The rows as a batch.
    pub fn finish(mut self) -> RecordBatch {
        let columns = [self.capture_columns(), self.file_columns(), self.posture_columns()];
        RecordBatch::try_new(self.schema, columns.concat())
            .expect("the columns are those of the schema")
    }

    fn capture_columns(&mut self) -> Vec<ArrayRef> {
        let Rows { origin, url, time, status, access, location, bytes, digest, .. } = self;
        finished([origin, url, time, status, access, location, bytes, digest])
    }

    fn file_columns(&mut self) -> Vec<ArrayRef> {
        let nulls = self.is_file.finish();
        let fields = self.fields.iter_mut().map(|c| Arc::new(c.finish()) as ArrayRef).collect();
        let signals = self.signals.iter_mut().map(|c| Arc::new(c.finish()) as ArrayRef).collect();
        let Rows { truncated, groups, rules, lines, .. } = self;
        let counts = finished([truncated, groups, rules, lines]);
        let rest: [ArrayRef; 7] = [
            Arc::new(StructArray::new(field_columns(), fields, nulls.clone())),
            std::mem::take(&mut self.findings).finish(),
            std::mem::take(&mut self.sitemaps).finish(),
            Arc::new(self.crawl_delay.finish()),
            Arc::new(StructArray::new(signal_columns(), signals, nulls.clone())),
            std::mem::take(&mut self.licenses).finish(),
            self.uses.finish(self.number, nulls),
        ];
        let fingerprint = self.fingerprint.as_mut().map(|c| Arc::new(c.finish()) as ArrayRef);
        [counts, rest.into(), fingerprint.into_iter().collect()].concat()
    }

    fn posture_columns(&mut self) -> Vec<ArrayRef> {
        let crawlers = std::mem::take(&mut self.crawlers);
        let crawlers: Vec<ArrayRef> = crawlers.into_iter().map(Reception::finish).collect();
        let crawler_columns = match self.schema.field(self.schema.fields().len() - 1).data_type() {
            DataType::Struct(columns) => columns.clone(),
            _ => Columns::empty(),
        };
        let crawlers = match crawlers.is_empty() {
            true => StructArray::new_empty_fields(self.number, None),
            false => StructArray::new(crawler_columns, crawlers, None),
        };
        vec![Arc::new(self.posture.finish()), Arc::new(self.line.finish()), Arc::new(crawlers)]
    }
}

#[derive(Default)]
struct Findings {
    lists: Lists,
    number: usize,
    code: StringBuilder,
    count: Int32Builder,
    line: Int32Builder,
}

impl Findings {
    fn add(&mut self, row: &Row) {
        if row.origin.is_none() {
            self.push(INVALID_URL, 1, None);
        }
        for finding in row.facts.iter().flat_map(|facts| &facts.findings) {
            self.push(finding.code, finding.count, Some(finding.line));
        }
        self.lists.end(self.number, row.origin.is_none() || row.facts.is_some());
    }

    fn push(&mut self, code: &str, count: u32, line: Option<u32>) {
        self.number += 1;
        self.code.append_value(code);
        self.count.append_value(signed(count));
        self.line.append_option(line.map(signed));
    }

    fn finish(mut self) -> ArrayRef {
        let columns = finished([&mut self.code, &mut self.count, &mut self.line]);
        let values = StructArray::new(finding_columns(), columns, None);
        let item = column("item", DataType::Struct(finding_columns()));
        self.lists.finish(Arc::new(item), Arc::new(values))
    }
}

/// The columns of one crawler.
#[derive(Default)]
struct Reception {
    posture: StringBuilder,
    line: Int32Builder,
    lists: Lists,
    number: usize,
    group_lines: Int32Builder,
}

impl Reception {
    fn add(&mut self, reception: &crate::scan::facts::Reception) {
        self.posture.append_value(reception.posture.name());
        self.line.append_option(reception.line.map(signed));
        for line in &reception.group_lines {
            self.number += 1;
            self.group_lines.append_value(signed(*line));
        }
        self.lists.end(self.number, true);
    }

    fn add_unnamed(&mut self, posture: Option<&str>) {
        self.posture.append_option(posture);
        self.line.append_null();
        self.lists.end(self.number, false);
    }

    fn finish(mut self) -> ArrayRef {
        let item = Arc::new(column("item", DataType::Int32));
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.posture.finish()),
            Arc::new(self.line.finish()),
            self.lists.finish(item, Arc::new(self.group_lines.finish())),
        ];
        Arc::new(StructArray::new(reception_columns(), columns, None))
    }
}
