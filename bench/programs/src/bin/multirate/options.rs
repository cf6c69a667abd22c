//! The command line: the dissertation's options by their letters, and more by their names.

use cairn_lab::{Arguments, Common, Level, List, Quotient, count, sizes};
use clap::{Parser, ValueEnum};
use serde::Serialize;

use crate::tags::{Numbering, Tagging};

/// Message rate of many senders and receivers, which are processes, threads, or some of each
#[derive(Parser, Serialize)]
#[command(name = "multirate")]
pub struct Args {
    #[command(flatten)]
    #[serde(flatten)]
    common: Common,
    /// Who sends to whom
    #[arg(long, value_enum, default_value = "pairwise")]
    pattern: Pattern,
    /// Short for --pattern pairwise
    #[arg(short = 'p', conflicts_with_all = ["many", "pattern"])]
    #[serde(skip)]
    pairs: bool,
    /// Short for --pattern many-to-many
    #[arg(short = 'a', conflicts_with = "pattern")]
    #[serde(skip)]
    many: bool,
    /// Sending processes, which are the first ranks
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1, value_parser = count)]
    pub senders: usize,
    /// Receiving processes, which are the last ranks
    #[arg(short = 'm', long, value_name = "M", default_value_t = 1, value_parser = count)]
    pub receivers: usize,
    /// Threads of each sending process
    #[arg(short = 'x', long, value_name = "X", default_value_t = 1, value_parser = count)]
    sender_threads: usize,
    /// Threads of each receiving process
    #[arg(short = 'y', long, value_name = "Y", default_value_t = 1, value_parser = count)]
    receiver_threads: usize,
    /// Threads of each sending and each receiving process; a list is measured in turn
    #[arg(short, long, value_name = "T", value_parser = counts,
          conflicts_with_all = ["sender_threads", "receiver_threads"])]
    threads: Option<List>,
    /// Size of the messages in bytes; a list is measured in turn
    #[arg(short, long, alias = "sizes", default_value = "1024", value_parser = sizes)]
    pub size: List,
    /// Messages that each sender sends to each of its receivers in an iteration; a list is measured
    /// in turn
    #[arg(short, long, default_value = "128", value_parser = counts)]
    pub window: List,
    /// A communicator for each pair
    #[arg(short = 'c', long)]
    separate_communicators: bool,
    /// Messages may overtake each other (mpi_assert_allow_overtaking)
    #[arg(short = 'o', long)]
    allow_overtaking: bool,
    /// How messages are numbered [default: message, or with --classic as the original program does]
    #[arg(long, value_enum)]
    tags: Option<Numbering>,
    /// What the library counts meanwhile: performance variables of MPI_T, or quotients of two, as in
    /// a,b/c
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub counters: Vec<Quotient>,
    /// Prints the lines of the original program, and numbers messages as it does
    #[arg(long)]
    classic: bool,
    /// thrds: start MPI without threads, as --level single
    #[arg(short = 'D', value_name = "thrds", value_parser = ["thrds"], conflicts_with = "level")]
    #[serde(skip)]
    disable: Option<String>,
}

/// Who sends to whom.
#[derive(ValueEnum, Serialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Pattern {
    /// Each sender to its receiver
    Pairwise,
    /// One sender to all receivers
    OneToMany,
    /// All senders to one receiver
    ManyToOne,
    /// Each sender to each receiver
    ManyToMany,
}

/// A list of numbers from 1 on.
fn counts(text: &str) -> Result<List, String> {
    let list: List = text.parse()?;
    let none = list.values().any(|number| number == 0);
    if none { Err("whole numbers from 1 on are needed".into()) } else { Ok(list) }
}

impl Arguments for Args {
    fn common(&self) -> &Common {
        &self.common
    }

    fn threads(&self) -> usize {
        self.thread_pairs().iter().map(|(x, y)| *x.max(y)).max().unwrap_or(1)
    }

    fn settle(&mut self) {
        if self.many {
            self.pattern = Pattern::ManyToMany;
        }
        if self.disable.is_some() {
            self.common.level = Some(Level::Single);
        }
        let numbering = match (self.classic, self.pattern) {
            (false, _) => Numbering::Message,
            (true, Pattern::Pairwise) => Numbering::Shared,
            (true, _) => Numbering::Receiver,
        };
        self.tags.get_or_insert(numbering);
    }
}

impl Args {
    /// What the options say together.
    ///
    /// # Errors
    /// One side of the pattern is not one.
    pub fn check(&self) -> Result<(), String> {
        for (x, y) in self.thread_pairs() {
            let (sending, receiving) = (self.senders * x, self.receivers * y);
            if self.pattern == Pattern::OneToMany && sending != 1 {
                return Err(format!("one-to-many has 1 sender; -n and -x make {sending}"));
            }
            if self.pattern == Pattern::ManyToOne && receiving != 1 {
                return Err(format!("many-to-one has 1 receiver; -m and -y make {receiving}"));
            }
        }
        Ok(())
    }

    pub fn pattern(&self) -> Pattern {
        self.pattern
    }

    pub fn separate(&self) -> bool {
        self.separate_communicators
    }

    pub fn overtaking(&self) -> bool {
        self.allow_overtaking
    }

    pub fn classic(&self) -> bool {
        self.classic
    }

    /// Threads of the senders and of the receivers, in turn.
    pub fn thread_pairs(&self) -> Vec<(usize, usize)> {
        match &self.threads {
            Some(list) => list.values().map(|threads| (threads, threads)).collect(),
            None => vec![(self.sender_threads, self.receiver_threads)],
        }
    }

    pub fn tagging(&self, window: usize, separate: bool) -> Tagging {
        let numbering = self.tags.expect("was settled");
        Tagging { numbering, window, separate }
    }

    /// The line of the original program: processes and threads of both sides, size, window,
    /// bandwidth, time of a message, message rate.
    pub fn classic_line(
        &self,
        (x, y): (usize, usize),
        bytes: usize,
        window: usize,
        channels: usize,
        seconds: f64,
    ) -> String {
        let rate = (channels * window) as f64 / seconds;
        let gigabits = rate * bytes as f64 * 8.0 / 1e9;
        let (n, m) = (self.senders, self.receivers);
        format!(
            "{n}\t{x}\t{m}\t{y}\t{bytes}\t{window}\t{gigabits:.2} Gbps\t{:.2} usec\t{rate:.2} msg/s",
            1e6 / rate
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Args {
        let mut args = Args::try_parse_from(line.split(' ')).unwrap();
        args.settle();
        args
    }

    fn refused(line: &str) -> String {
        match Args::try_parse_from(line.split(' ')) {
            Ok(args) => args.check().unwrap_err(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn the_letters_of_the_dissertation() {
        let args = parse("multirate -s 0 -w 128 -i 1000 -t 20 -p --classic");
        assert_eq!(args.pattern(), Pattern::Pairwise);
        assert_eq!(args.thread_pairs(), [(20, 20)]);
        assert_eq!(args.threads(), 20);
        assert_eq!(args.common.iterations, Some(1000));
        assert_eq!(args.tags, Some(Numbering::Shared));

        let args = parse("multirate -a -n 2 -m 3 -x 4 -y 5 -c -o");
        assert_eq!(args.pattern(), Pattern::ManyToMany);
        assert_eq!((args.senders, args.receivers, args.thread_pairs()), (2, 3, vec![(4, 5)]));
        assert!(args.separate() && args.overtaking());
        assert_eq!(args.tags, Some(Numbering::Message));

        assert_eq!(parse("multirate -D thrds").common.level, Some(Level::Single));
    }

    #[test]
    fn the_line_of_the_dissertation() {
        let args = parse("multirate -s 0 -w 128 -i 1000 -t 20 -p");
        assert_eq!(
            args.classic_line((20, 20), 0, 128, 20, 2560.0 / 140_199.26),
            "1\t20\t1\t20\t0\t128\t0.00 Gbps\t7.13 usec\t140199.26 msg/s"
        );
        let line = args.classic_line((1, 1), 1000, 10, 1, 1e-3);
        assert_eq!(line, "1\t1\t1\t1\t1000\t10\t0.08 Gbps\t100.00 usec\t10000.00 msg/s");
    }

    #[test]
    fn what_does_not_go_together_is_refused() {
        for (line, reason) in [
            ("multirate -p -a", "cannot be used with"),
            ("multirate -a --pattern pairwise", "cannot be used with"),
            ("multirate -t 2 -x 2", "cannot be used with"),
            ("multirate -t 0", "from 1 on"),
            ("multirate -n 0", "from 1 on"),
            ("multirate -D other", "invalid value"),
            ("multirate --time 0", "above 0"),
            ("multirate --pattern one-to-many -x 2", "one-to-many has 1 sender"),
            ("multirate --pattern many-to-one -m 3 -y 2", "many-to-one has 1 receiver"),
        ] {
            let said = refused(line);
            assert!(said.contains(reason), "{line}: {said}");
        }
    }
}
