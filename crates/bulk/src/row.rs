//! Answers for rows: the content of a column of decisions.
//!
//! A row is allowed, disallowed, or has no answer, and always has a reason: that of a rule, that of
//! an access policy, or why there is no answer.

use std::sync::Arc;

use arrow_array::types::Int8Type;
use arrow_array::{ArrayRef, BooleanArray, DictionaryArray, Int32Array, Int8Array, RecordBatch};
use arrow_array::{RecordBatchOptions, StringArray};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

use verger_core::Reason;

/// Why a row has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unanswered {
    /// It is null.
    NullUrl,
    /// Its text is not UTF-8.
    InvalidUtf8,
    /// It is not a URL that can be decided.
    InvalidTarget,
    /// The file does not govern it.
    OutOfScope,
    /// The snapshot has no entry for its origin.
    NotInSnapshot,
}

impl Unanswered {
    /// Every cause.
    pub const ALL: [Unanswered; 5] = [
        Unanswered::NullUrl,
        Unanswered::InvalidUtf8,
        Unanswered::InvalidTarget,
        Unanswered::OutOfScope,
        Unanswered::NotInSnapshot,
    ];

    /// The name, spelled as a constant.
    pub const fn name(self) -> &'static str {
        match self {
            Unanswered::NullUrl => "NULL_URL",
            Unanswered::InvalidUtf8 => "INVALID_UTF8",
            Unanswered::InvalidTarget => "INVALID_TARGET",
            Unanswered::OutOfScope => "OUT_OF_SCOPE",
            Unanswered::NotInSnapshot => "NOT_IN_SNAPSHOT",
        }
    }
}

/// Names of reasons by number: those of rules, those without answer, those of access policies.
pub const OWN_REASONS: usize = Reason::ALL.len() + Unanswered::ALL.len();

/// The most reasons of access policies: all reasons of rows are numbered in a signed byte.
pub const MOST_POLICIES: usize = 1 + i8::MAX as usize - OWN_REASONS;

/// One answer, in the form that columns are made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Row {
    verdict: u8,
    /// Whether the use that was asked about is allowed; `UNKNOWN` if no line mentions it.
    used: Used,
    reason: i8,
    /// Zero for none.
    line: u32,
}

/// A verdict about a use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
enum Used {
    #[default]
    Silent,
    Disallowed,
    Allowed,
}

const DISALLOWED: u8 = 0;
const ALLOWED: u8 = 1;
const UNKNOWN: u8 = 2;

impl Row {
    /// The answer of a rule, or without a matching rule.
    #[inline]
    pub fn decided(allowed: bool, reason: Reason, line: u32) -> Row {
        Row { verdict: allowed as u8, used: Used::Silent, reason: reason as i8, line }
    }

    /// The answer of an access policy; `number` counts the reasons of policies.
    #[inline]
    pub fn by_policy(allowed: bool, number: u8) -> Row {
        // A number beyond the announced ones becomes a key that no dictionary has.
        let reason = i8::try_from(OWN_REASONS + usize::from(number)).unwrap_or(i8::MAX);
        Row { verdict: if allowed { ALLOWED } else { DISALLOWED }, reason, ..Row::default() }
    }

    /// No answer.
    #[inline]
    pub fn unanswered(why: Unanswered) -> Row {
        let reason = (Reason::ALL.len() + why as usize) as i8;
        Row { verdict: UNKNOWN, reason, ..Row::default() }
    }

    /// Whether the URL may be fetched, if there is an answer.
    pub fn allowed(self) -> Option<bool> {
        (self.verdict != UNKNOWN).then_some(self.verdict == ALLOWED)
    }

    /// The same with a verdict about a use; none if no line mentions it.
    #[inline]
    pub fn with_use(self, allowed: Option<bool>) -> Row {
        let used = match allowed {
            Some(true) => Used::Allowed,
            Some(false) => Used::Disallowed,
            None => Used::Silent,
        };
        Row { used, ..self }
    }

    /// Whether the use that was asked about is allowed; none if no line mentions it, or there is no
    /// answer.
    pub fn used(self) -> Option<bool> {
        match self.used {
            Used::Allowed => Some(true),
            Used::Disallowed => Some(false),
            Used::Silent => None,
        }
    }

    /// The answer without its reason.
    pub fn verdict(self) -> Row {
        Row { verdict: self.verdict, used: self.used, ..Row::default() }
    }

    /// The reason, if a rule or the lack of one decided.
    pub fn reason(self) -> Option<Reason> {
        Reason::ALL.get(usize::try_from(self.reason).ok()?).copied()
    }

    /// The 1-based line of the rule that decided.
    pub fn line(self) -> Option<u32> {
        (self.line != 0).then_some(self.line)
    }
}

/// Turns rows into columns.
#[derive(Clone, Debug)]
pub struct RowColumns {
    schema: SchemaRef,
    reasons: ArrayRef,
}

impl RowColumns {
    /// Prepare the columns; `policies` are the reasons of access policies, by their numbers, and
    /// `used` the column of a use, if one is asked about.
    pub fn new(policies: &[String], used: Option<String>) -> RowColumns {
        let rules = Reason::ALL.iter().map(|reason| reason.name());
        let unanswered = Unanswered::ALL.iter().map(|why| why.name());
        let names = rules.chain(unanswered).chain(policies.iter().map(String::as_str));
        let reasons: StringArray = names.map(Some).collect();
        let reason = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8));
        let mut fields = vec![
            Field::new("allowed", DataType::Boolean, true),
            Field::new("reason", reason, false),
            Field::new("line", DataType::Int32, true),
        ];
        fields.extend(used.map(|name| Field::new(name, DataType::Boolean, true)));
        let schema = Schema::new(fields);
        RowColumns { schema: Arc::new(schema), reasons: Arc::new(reasons) }
    }

    /// The names and types of the columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The columns of these rows.
    pub fn batch(&self, rows: &[Row]) -> Result<RecordBatch, ArrowError> {
        let bits = |is: fn(&Row) -> bool| BooleanBuffer::collect_bool(rows.len(), |n| is(&rows[n]));
        let answered = NullBuffer::new(bits(|row| row.verdict != UNKNOWN));
        let lined = NullBuffer::new(bits(|row| row.line != 0));
        let lines = rows.iter().map(|row| i32::try_from(row.line).unwrap_or(i32::MAX));
        let keys: Int8Array = rows.iter().map(|row| row.reason).collect::<Vec<i8>>().into();
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(BooleanArray::new(bits(|row| row.verdict == ALLOWED), Some(answered))),
            Arc::new(DictionaryArray::<Int8Type>::try_new(keys, Arc::clone(&self.reasons))?),
            Arc::new(Int32Array::new(lines.collect(), Some(lined))),
        ];
        if columns.len() < self.schema.fields().len() {
            let uses = rows.iter().map(|row| row.used());
            columns.push(Arc::new(uses.collect::<BooleanArray>()));
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)
    }
}
