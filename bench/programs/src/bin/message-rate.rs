//! Messages per second of all pairs of entities together.
#![forbid(unsafe_code)]

use cairn_bench::{Window, messages};
use cairn_lab::{Arguments, Common, Lab, List, Metric, count, pairwise, sizes};
use clap::Parser;
use serde::Serialize;

/// Messages per second of all pairs of processes or threads together
#[derive(Parser, Serialize)]
#[command(name = "message-rate")]
struct Args {
    #[command(flatten)]
    #[serde(flatten)]
    common: Common,
    /// Sizes of the messages in bytes, such as 0,8,64k-1m
    #[arg(long, default_value = "0,1-64m", value_parser = sizes)]
    sizes: List,
    /// Messages under way from each sender; fewer where they would take more than 64 MiB
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = count)]
    window: usize,
    /// Processes on each side [default: half of all]
    #[arg(long, value_name = "N", value_parser = count)]
    pairs: Option<usize>,
    /// Threads of each process, each with a partner of its own
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = count)]
    threads: usize,
    /// Both of each pair send
    #[arg(long)]
    both: bool,
}

impl Arguments for Args {
    fn common(&self) -> &Common {
        &self.common
    }

    fn threads(&self) -> usize {
        self.threads
    }
}

fn main() {
    let (lab, args) = Lab::start::<Args>();
    let side = (args.pairs.unwrap_or((lab.size() / 2).max(1)), args.threads);
    let channels = match pairwise(lab.size(), side, side) {
        Ok(channels) => channels,
        Err(reason) => lab.refuse(&reason),
    };
    lab.points(args.sizes.len());
    for bytes in args.sizes.values() {
        let messages = messages(args.window, bytes);
        let measured = lab.measure_channels(args.threads, &channels, |channel, me| {
            Window::new(lab.world(), channel, me, args.both, messages, bytes)
        });
        let an_iteration = messages * channels.len() * if args.both { 2 } else { 1 };
        let at = [("bytes", bytes.into())];
        lab.point(&at, Metric::Rate, measured.rate(an_iteration as f64));
        if bytes > 0 {
            lab.point(&at, Metric::Bandwidth, measured.rate((an_iteration * bytes) as f64));
        }
    }
    lab.finish();
}
