//! The log, and what users are told once.

use std::collections::HashSet;
use std::io::Write;

use crate::abi::lock::Mutex;
use env_filter::Filter;
use log_crate::{Level, Metadata};

use crate::abi::host::{LOG_DEBUG, LOG_ERROR, LOG_INFO, LOG_TRACE, LOG_WARN};

/// Where lines go. Standard error outside tests.
pub type Sink = Box<dyn Fn(&str) + Send + Sync>;

/// The log of a process.
pub(crate) struct Log {
    filter: Filter,
    sink: Sink,
    /// `rank 3 of 8`, or nothing in a job of one.
    process: Mutex<String>,
    shown: Mutex<HashSet<String>>,
}

/// Writes a line to standard error in one piece, so that the lines of many processes stay whole.
pub(crate) fn standard_error(line: &str) {
    // There is no place left to report to when standard error is closed.
    let _ = std::io::stderr().lock().write_all(format!("{line}\n").as_bytes());
}

fn level_of(number: u32) -> Level {
    match number {
        LOG_ERROR => Level::Error,
        LOG_WARN => Level::Warn,
        LOG_INFO => Level::Info,
        LOG_DEBUG => Level::Debug,
        LOG_TRACE.. => Level::Trace,
        _ => Level::Error,
    }
}

/// Reads a filter like `warn,btl_sm=debug`: a level for all, and levels for names that begin so.
pub(crate) fn parse_filter(text: &str) -> Result<Filter, String> {
    // The library takes an empty level and slashes (its own regular expressions) for granted.
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let (name, level) = part.split_once('=').unwrap_or(("", part));
        let known = ["off", "error", "warn", "info", "debug", "trace"];
        if !known.contains(&level) || (part.contains('=') && !crate::host::params::valid_name(name))
        {
            return Err(format!("\"{part}\" is not LEVEL or COMPONENT=LEVEL"));
        }
    }
    env_filter::Builder::new()
        .try_parse(text)
        .map(|builder| builder.build())
        .map_err(|error| error.to_string())
}

impl Log {
    pub fn new(filter: Filter, sink: Sink) -> Self {
        Self { filter, sink, process: Mutex::default(), shown: Mutex::default() }
    }

    /// Says which process this is.
    pub fn set_rank(&self, rank: u32, size: u32) {
        *self.process.lock() = if size > 1 { format!(" rank {rank}") } else { String::new() };
    }

    /// Whether a line of this level and name would be written.
    pub fn enabled(&self, level: u32, name: &str) -> bool {
        self.filter.enabled(&Metadata::builder().level(level_of(level)).target(name).build())
    }

    /// Writes a line if it is enabled.
    pub fn write(&self, level: u32, name: &str, text: &str) {
        if self.enabled(level, name) {
            let level = level_of(level).as_str().to_ascii_lowercase();
            (self.sink)(&format!("[cairn{} {name}] {level}: {text}", *self.process.lock()));
        }
    }

    /// Writes a line to the user, whatever the level.
    pub fn say(&self, text: &str) {
        (self.sink)(&format!("{}: {text}", self.prefix()));
    }

    /// How a line to the user begins.
    pub fn prefix(&self) -> String {
        format!("cairn{}", *self.process.lock())
    }

    /// Writes a line to the user once for each key.
    pub fn show_once(&self, key: &str, text: &str) {
        if self.shown.lock().insert(key.to_owned()) {
            self.say(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn levels_by_name() {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&lines);
        let filter = parse_filter("warn,btl_sm=debug,cri=off").unwrap();
        let log = Log::new(filter, Box::new(move |line| sink.lock().push(line.to_owned())));
        log.write(LOG_INFO, "btl_tcp", "no");
        log.write(LOG_WARN, "btl_tcp", "yes");
        log.write(LOG_DEBUG, "btl_sm", "yes");
        log.write(LOG_TRACE, "btl_sm", "no");
        log.write(LOG_ERROR, "cri_dedicated", "no");
        log.set_rank(2, 4);
        log.show_once("k", "once");
        log.show_once("k", "twice");
        assert_eq!(
            *lines.lock(),
            ["[cairn btl_tcp] warn: yes", "[cairn btl_sm] debug: yes", "cairn rank 2: once",]
        );
        for wrong in ["loud", "btl=", "=debug", "a/b", "btl=debug=warn", "b tl=debug"] {
            assert!(parse_filter(wrong).is_err(), "{wrong}");
        }
        assert!(parse_filter("").is_ok());
    }
}
