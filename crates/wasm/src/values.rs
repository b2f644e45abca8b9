//! Rules, groups, lines, findings and records, as JSON.

use verger_core::internal::Finder;
use verger_core::record::{
    seconds, seconds_text, CleanParam, Mirror, Preferences, Rate, Signals, Usage, UseExtent, Value,
    Window,
};
use verger_core::{File, Finding, LineInfo, Origin, RawLine, Record, Rule, Span};

use crate::json::{object, Items, Json, Text, Written};

impl Json for Span {
    fn write(&self, out: &mut String) {
        (self.start, self.end).write(out);
    }
}

impl Json for Finding {
    fn write(&self, out: &mut String) {
        object!(out, "line": self.line, "code": self.code.name(), "message": self.message,
            "severity": self.code.severity().name(), "page": self.code.page());
    }
}

/// A rule of a file.
pub struct FileRule<'f>(pub &'f File, pub Rule);

impl Json for FileRule<'_> {
    fn write(&self, out: &mut String) {
        let FileRule(file, rule) = self;
        let pattern = Text(rule.value().of(file.bytes()));
        object!(out, "line": rule.line, "allow": rule.is_allow(), "pattern": pattern,
            "span": rule.value());
    }
}

/// Rules of a file, by index.
pub fn rules<'f>(
    file: &'f File,
    indices: impl Iterator<Item = u32> + Clone + 'f,
) -> Items<impl Iterator<Item = FileRule<'f>> + Clone> {
    let rule = |index: u32| FileRule(file, file.groups().rules()[index as usize]);
    Items(indices.map(rule))
}

/// A group of a file, by index.
pub struct FileGroup<'f>(pub &'f File, pub usize);

impl Json for FileGroup<'_> {
    fn write(&self, out: &mut String) {
        let FileGroup(file, index) = *self;
        let lines = file.groups().start_lines(index).iter();
        let names = lines.clone().map(|line| line.value.of(file.bytes()));
        let names = names.filter(|name| !name.is_empty()).map(Text);
        let indices = file.groups().rule_range(index).map(|rule| rule as u32);
        object!(out, "productTokens": Items(names), "startLines": Items(lines.map(|line| line.line)),
            "rules": rules(file, indices));
    }
}

/// A line that the dialect reads.
pub struct ReadLine<'f>(pub &'f File, pub LineInfo, pub &'f Finder<'f>);

impl Json for ReadLine<'_> {
    fn write(&self, out: &mut String) {
        let ReadLine(file, info, finder) = self;
        let own = |span: Span| Text(span.of(file.bytes()));
        let (key, value) = info.key_and_value().unzip();
        object!(out, "number": info.raw.number, "span": (info.raw.content.start, info.raw.next),
            "kind": info.kind_name(), "key": key.map(own),
            "field": info.field().map(|field| field.name()), "value": value.map(own),
            "valueSpan": value, "comment": info.comment(file.bytes()).map(own),
            "findings": finder.of_line(info));
    }
}

/// A line that a limit of the dialect excludes, which is reported for the first such line.
pub struct UnreadLine<'f>(pub &'f File, pub RawLine, pub &'f Finder<'f>);

impl Json for UnreadLine<'_> {
    fn write(&self, out: &mut String) {
        let UnreadLine(file, raw, finder) = self;
        let is_first = raw.number - 1 == file.extent().lines;
        let limit: Vec<Finding> =
            is_first.then(|| finder.of_limit()).flatten().into_iter().collect();
        let none = None::<bool>;
        object!(out, "number": raw.number, "span": (raw.content.start, raw.next),
            "kind": "beyond-limit", "key": none, "field": none, "value": none, "valueSpan": none,
            "comment": none, "findings": limit);
    }
}

/// Every extension record of a file.
pub fn write_records(file: &File, origin: Option<&Origin>, out: &mut String) {
    let finder = Finder::new(file, origin);
    let lines = file.record_lines().iter();
    let found: Vec<(&LineInfo, Record)> = lines
        .filter_map(|info| file.record_on(info, origin).map(|record| (info, record)))
        .collect();
    let write = |(info, record): &(&LineInfo, Record), out: &mut String| {
        let is_of_group = record.is_of_group();
        let value = record.value.as_ref().ok();
        let value = value.map(|value| {
            Written(|out: &mut String| {
                write_value(value, record.raw.of(file.bytes()), out);
            })
        });
        object!(out, "line": record.line, "field": record.field.name(),
            "raw": Text(record.raw.of(file.bytes())), "value": value,
            "scope": if is_of_group { "group" } else { "file" },
            "group": record.group.filter(|_| is_of_group), "findings": finder.of_line(info));
    };
    Items(found.iter().map(|pair| Written(move |out: &mut String| write(pair, out)))).write(out);
}

fn write_value(value: &Value, raw: &[u8], out: &mut String) {
    match value {
        Value::Delay(written) => Seconds(written).write(out),
        Value::Rate(rate) => rate.write(out),
        Value::Window(window) => window.write(out),
        Value::Sitemap { absolute, resolved } => {
            let resolved = resolved.as_deref().map(Text);
            object!(out, "url": Text(raw), "absolute": absolute, "resolved": resolved);
        }
        Value::Host(Mirror { scheme, host, port }) => {
            object!(out, "scheme": scheme, "host": host, "port": port);
        }
        Value::CleanParam(CleanParam { params, path }) => {
            let params = Items(params.iter().map(|param| Text(param)));
            object!(out, "params": params, "path": Text(path));
        }
        Value::Signals { signals, .. } => signals.write(out),
        Value::Usage { usage, .. } => usage.write(out),
        Value::License => object!(out, "url": Text(raw)),
        _ => Text(raw).write(out),
    }
}

/// The number of seconds that the digits of a delay say; what no number of JavaScript can be is read as
/// infinite.
pub struct Seconds<'a>(pub &'a str);

impl Json for Seconds<'_> {
    fn write(&self, out: &mut String) {
        match seconds(self.0) {
            known if known.is_finite() => out.push_str(&seconds_text(known)),
            _ => out.push_str("1e999"),
        }
    }
}

impl Json for Rate {
    fn write(&self, out: &mut String) {
        object!(out, "documents": self.documents, "seconds": self.seconds, "window": self.window);
    }
}

impl Json for Window {
    fn write(&self, out: &mut String) {
        object!(out, "start": self.start, "end": self.end);
    }
}

impl Json for Signals {
    fn write(&self, out: &mut String) {
        object!(out, "search": self.search, "aiInput": self.ai_input, "aiTrain": self.ai_train,
            "use": self.usage.map(UseExtent::name));
    }
}

impl Json for Usage {
    fn write(&self, out: &mut String) {
        let Preferences { train_ai, search, ai_use } = self.preferences;
        let other = self.other.iter().map(|other| (Text(&other.label), Text(&other.written)));
        object!(out, "path": Text(&self.path), "trainAi": train_ai, "search": search,
            "aiUse": ai_use, "other": Items(other));
    }
}
