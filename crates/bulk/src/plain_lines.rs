//! Lines of JSON that ask about URLs, where each string can be copied as it stands.
//!
//! In: whole lines. Out: the URL of each, and the value of `agent`, if it has one. Lines of another
//! kind, with other members or with escapes, are for a reader of JSON; nothing is read of lines
//! among which there is one.

use std::collections::HashMap;
use std::ops::Range;

use crate::column::is_line;

/// Lines like `{"url": "https://example.com/", "agent": "ExampleBot"}`.
pub struct PlainLines {
    text: Vec<u8>,
    urls: Vec<Range<usize>>,
    agents: Vec<u32>,
    /// The values of `agent` by their numbers, in the order in which they come; None for lines
    /// without one.
    pub names: Vec<Option<Vec<u8>>>,
}

impl PlainLines {
    /// Read lines; None if one of them is of another kind.
    pub fn read(text: Vec<u8>) -> Option<PlainLines> {
        let mut lines = PlainLines { text, urls: vec![], agents: vec![], names: vec![] };
        let mut numbers = HashMap::new();
        let mut rest = Rest { text: &lines.text, at: 0 };
        while rest.at < lines.text.len() {
            let (url, agent) = rest.object()?;
            let agent = agent.map(|agent| &lines.text[agent]);
            let number = *numbers.entry(agent).or_insert_with(|| {
                lines.names.push(agent.map(<[u8]>::to_vec));
                lines.names.len() - 1
            });
            lines.urls.push(url);
            lines.agents.push(u32::try_from(number).ok()?);
        }
        Some(lines)
    }

    /// How many lines there are.
    pub fn len(&self) -> usize {
        self.urls.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.urls.is_empty()
    }

    /// The URL of a line.
    pub fn url(&self, line: usize) -> &[u8] {
        &self.text[self.urls[line].clone()]
    }

    /// The number of the `agent` of a line.
    pub fn agent(&self, line: usize) -> usize {
        self.agents[line] as usize
    }

    /// The lines with an `agent`, by its number.
    pub fn of_agent(&self, number: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.len()).filter(move |line| self.agent(*line) == number)
    }
}

/// What has not been read yet.
struct Rest<'a> {
    text: &'a [u8],
    at: usize,
}

impl Rest<'_> {
    /// Read an object and the end of its line.
    fn object(&mut self) -> Option<(Range<usize>, Option<Range<usize>>)> {
        let (mut url, mut agent) = (None, None);
        self.expect(b'{')?;
        loop {
            let name = self.string()?;
            self.expect(b':')?;
            let value = match &self.text[name] {
                b"url" => &mut url,
                b"agent" => &mut agent,
                _ => return None,
            };
            if value.is_some() {
                return None;
            }
            *value = Some(self.string()?);
            match self.next()? {
                b',' => continue,
                b'}' => break,
                _ => return None,
            }
        }
        self.end_of_line()?;
        url.filter(|url| is_line(&self.text[url.clone()])).map(|url| (url, agent))
    }

    /// The next octet that is no space.
    fn next(&mut self) -> Option<u8> {
        while self.text.get(self.at) == Some(&b' ') {
            self.at += 1;
        }
        self.at += 1;
        self.text.get(self.at - 1).copied()
    }

    fn expect(&mut self, octet: u8) -> Option<()> {
        (self.next()? == octet).then_some(())
    }

    /// A string of printable ASCII without escapes.
    fn string(&mut self) -> Option<Range<usize>> {
        self.expect(b'"')?;
        let rest = &self.text[self.at..];
        let len = rest
            .iter()
            .position(|octet| !matches!(octet, b' '..=b'~' if !b"\"\\".contains(octet)))?;
        let found = self.at..self.at + len;
        self.at = found.end + 1;
        (rest[len] == b'"').then_some(found)
    }

    /// A line ends at LF, at CR LF or with the text.
    fn end_of_line(&mut self) -> Option<()> {
        match self.next() {
            None | Some(b'\n') => Some(()),
            Some(b'\r') if self.text.get(self.at) == Some(&b'\n') => {
                self.at += 1;
                Some(())
            }
            Some(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Vec<(String, Option<String>)>> {
        let text_of = |octets: &[u8]| String::from_utf8(octets.to_vec()).unwrap();
        let lines = PlainLines::read(text.as_bytes().to_vec())?;
        let agent = |line| lines.names[lines.agent(line)].as_deref().map(text_of);
        Some((0..lines.len()).map(|line| (text_of(lines.url(line)), agent(line))).collect())
    }

    #[test]
    fn plain_lines() {
        let text =
            "{\"url\":\"https://a/\"}\n{ \"agent\" : \"B c\",\"url\": \"x\" } \r\n{\"url\":\"\"}";
        let expected = [("https://a/", None), ("x", Some("B c")), ("", None)];
        let expected = expected.map(|(url, agent)| (url.into(), agent.map(String::from)));
        assert_eq!(read(text), Some(expected.to_vec()));
    }

    #[test]
    fn other_lines() {
        for other in [
            "{\"url\": \"a\"}{\"url\": \"b\"}\n",
            "{\"url\": \"a\"}\r{\"url\": \"b\"}\n",
            "{\"url\": \"a\"}\r \n",
            "{\"url\": \"a\"},\n",
            "{\"url\": \"a\", \"url\": \"b\"}\n",
            "{\"url\": \"a\", \"agent\": null}\n",
            "{\"url\": \"a\", \"agent\": \"\\u0041\"}\n",
            "{\"url\": \"a\", \"other\": \"b\"}\n",
            "{\"url\": \"a\",}\n",
            "{\"url\": \" a\"}\n",
            "{\"url\": \"ä\"}\n",
            "{\"agent\": \"a\"}\n",
            "{\"url\": \"a",
            "{\"url\":\n\"a\"}\n",
            "{}\n",
            "\n",
            "[]\n",
        ] {
            assert_eq!(read(other), None, "{other}");
            assert_eq!(read(&format!("{{\"url\": \"a\"}}\n{other}")), None, "{other}");
        }
    }
}
