//! What the command-line tools share: the options that set parameters, and how things are printed.

#![forbid(unsafe_code)]

use std::path::PathBuf;

use anstyle::{AnsiColor, Style};
use cairn_framework::host::params::CommandLine;
use cairn_framework::host::problem::{Problem, Severity};
use cairn_framework::host::report::{Table, Tone};

/// The options that set MCA parameters; the same for every tool.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct McaArgs {
    /// Set an MCA parameter; may be given many times
    #[arg(long, num_args = 2, value_names = ["NAME", "VALUE"], action = clap::ArgAction::Append,
          allow_negative_numbers = true, global = true)]
    pub mca: Vec<String>,
    /// Read MCA parameters from a TOML file; may be given many times, later files win
    #[arg(long, value_name = "FILE", global = true)]
    pub tune: Vec<PathBuf>,
    /// Use a named set of MCA parameters; may be given many times, later ones win
    #[arg(long, value_name = "NAME", global = true)]
    pub profile: Vec<String>,
}

impl McaArgs {
    /// In the framework's form.
    pub fn command_line(&self) -> CommandLine {
        let pair = |pair: &[String]| (pair[0].clone(), pair[1].clone());
        CommandLine {
            mca: self.mca.chunks_exact(2).map(pair).collect(),
            tune: self.tune.clone(),
            profile: self.profile.clone(),
        }
    }
}

/// The width of the terminal that standard output is, if it is one.
pub fn width() -> Option<usize> {
    terminal_size::terminal_size().map(|(width, _)| usize::from(width.0))
}

/// Colours a text for its tone. Escapes are taken out again by [`anstream`] where the output is no
/// terminal or `NO_COLOR` is set.
pub fn paint(tone: Tone, text: &str) -> String {
    let style = match tone {
        Tone::Heading => Style::new().bold().underline(),
        Tone::Name => Style::new().bold(),
        Tone::Good => AnsiColor::Green.on_default(),
        Tone::Warning => AnsiColor::Yellow.on_default(),
        Tone::Bad => AnsiColor::Red.on_default().bold(),
        Tone::Faint => Style::new().dimmed(),
        Tone::Plain => return text.to_owned(),
    };
    if text.is_empty() { String::new() } else { format!("{style}{text}{style:#}") }
}

/// Writes text to standard output. A reader that has gone away (`| head`) ends the program quietly.
pub fn print(text: &str) {
    use std::io::Write;
    if let Err(error) = anstream::stdout().write_all(text.as_bytes()) {
        let gone = error.kind() == std::io::ErrorKind::BrokenPipe;
        std::process::exit(if gone { 0 } else { 1 });
    }
}

/// Writes a table to standard output, as wide as the terminal.
pub fn print_table(table: &Table) {
    print(&table.render(width(), paint));
}

/// Writes problems to standard error.
pub fn print_problems(problems: &[Problem]) {
    for problem in problems {
        let tone = match problem.severity {
            Severity::Error => Tone::Bad,
            Severity::Warning => Tone::Warning,
        };
        let text = problem.to_string();
        let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
        let (label, what) = first.split_once(": ").unwrap_or(("error", first));
        anstream::eprintln!("{}: {what}", paint(tone, label));
        if !rest.is_empty() {
            anstream::eprintln!("{rest}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mca_pairs_become_a_command_line() {
        use clap::Parser;
        #[derive(Parser)]
        struct Tool {
            #[command(flatten)]
            mca: McaArgs,
            rest: Vec<String>,
        }
        let tool = Tool::parse_from([
            "tool",
            "--mca",
            "btl",
            "self,sm",
            "--tune",
            "a.toml",
            "--mca",
            "n",
            "-1",
            "--profile",
            "laptop",
            "program",
        ]);
        let line = tool.mca.command_line();
        assert_eq!(
            line.mca,
            [("btl".to_owned(), "self,sm".to_owned()), ("n".to_owned(), "-1".to_owned())]
        );
        assert_eq!(line.tune, [PathBuf::from("a.toml")]);
        assert_eq!(line.profile, ["laptop"]);
        assert_eq!(tool.rest, ["program"]);
        assert!(Tool::try_parse_from(["tool", "--mca", "btl"]).is_err());
    }

    #[test]
    fn empty_cells_have_no_escapes() {
        assert_eq!(paint(Tone::Good, ""), "");
        assert_eq!(paint(Tone::Plain, "x"), "x");
        assert!(paint(Tone::Good, "x").contains("\x1b["));
    }
}
