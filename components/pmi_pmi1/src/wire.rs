//! Lines of PMI-1: `cmd=NAME key=value key=value`, ended by a newline.

#![forbid(unsafe_code)]

/// A line that a server sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// What it is.
    pub command: String,
    fields: Vec<(String, String)>,
}

impl Line {
    /// Reads a line, with or without its newline. Words without `=` are passed over; `None` if no
    /// field says what it is.
    pub fn parse(line: &str) -> Option<Self> {
        let mut fields: Vec<(String, String)> = line
            .split_ascii_whitespace()
            .filter_map(|word| word.split_once('='))
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect();
        let command = fields.iter().position(|(key, _)| key == "cmd")?;
        let (_, command) = fields.remove(command);
        Some(Self { command, fields })
    }

    /// A field's value.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.fields.iter().find(|(other, _)| other == key).map(|(_, value)| value.as_str())
    }

    /// A field's value as a number.
    pub fn number<T: std::str::FromStr>(&self, key: &str) -> Option<T> {
        self.get(key)?.parse().ok()
    }

    /// Whether the server did what was asked. Some say so by `rc`, some by `info`, some not at all.
    pub fn succeeded(&self) -> bool {
        match (self.get("rc"), self.get("info")) {
            (Some(rc), _) => rc == "0",
            (None, Some(info)) => info == "ok",
            (None, None) => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn answers_of_four_servers() {
        let line = |text| Line::parse(text).unwrap();
        for (text, success) in [
            ("cmd=put_result rc=0 msg=success\n", true),
            ("rc=-1 cmd=get_result msg=key_k_not_found value=unknown", false),
            ("cmd=publish_result info=ok", true),
            ("cmd=publish_result info=fail", false),
            ("cmd=publish_result info=ok rc=1", false),
            ("cmd=barrier_out", true),
        ] {
            assert_eq!(line(text).succeeded(), success, "{text}");
        }
        let maxes = line("cmd=maxes rc=0 kvsname_max=256 keylen_max=64 vallen_max=1024\n");
        assert_eq!(maxes.command, "maxes");
        assert_eq!(maxes.number("vallen_max"), Some(1024));
        assert_eq!(maxes.number::<u32>("nothing"), None);
        assert_eq!(line("cmd=get_result value=a=b== rc=0").get("value"), Some("a=b=="));
        assert_eq!(Line::parse("rc=0 nothing"), None);
    }

    proptest! {
        #[test]
        fn any_line_is_taken_without_panic(text in ".*") {
            if let Some(line) = Line::parse(&text) {
                line.succeeded();
                line.number::<u32>("rc");
            }
        }
    }
}
