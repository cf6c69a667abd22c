//! Bytes per second between pairs of entities, in one direction or in both.
#![forbid(unsafe_code)]

use cairn_bench::{Floor, Window, messages};
use cairn_lab::{Arguments, Common, Lab, List, Metric, Summary, count, pairwise, sizes};
use clap::{Parser, ValueEnum};
use serde::Serialize;

/// Bytes per second between pairs of processes or threads
#[derive(Parser, Serialize)]
#[command(name = "bandwidth")]
struct Args {
    #[command(flatten)]
    #[serde(flatten)]
    common: Common,
    /// Sizes of the messages in bytes, such as 1,8,64k-1m
    #[arg(long, default_value = "1-64m", value_parser = sizes)]
    sizes: List,
    /// One direction, both at once, or one after the other
    #[arg(long, value_enum, default_value = "uni")]
    direction: Direction,
    /// Messages under way; fewer where they would take more than 64 MiB
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = count)]
    window: usize,
    /// Processes on each side
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = count)]
    pairs: usize,
    /// Threads of each process, each with a partner of its own
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = count)]
    threads: usize,
    #[command(flatten)]
    #[serde(flatten)]
    floor: Floor,
}

/// Who sends.
#[derive(ValueEnum, Serialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Direction {
    /// The first of each pair sends
    Uni,
    /// Both of each pair send at the same time
    Bi,
    /// Measures uni, then bi
    Each,
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
    let side = (args.pairs, args.threads);
    let channels = match pairwise(lab.size(), side, side) {
        Ok(channels) => channels,
        Err(reason) => lab.refuse(&reason),
    };
    if let Err(reason) = args.floor.check(side) {
        lab.refuse(&reason);
    }
    if args.sizes.values().any(|bytes| bytes == 0) {
        lab.refuse("messages of 0 bytes have no bandwidth; message-rate measures them");
    }
    let directions = match args.direction {
        Direction::Uni => &[("uni", false)][..],
        Direction::Bi => &[("bi", true)],
        Direction::Each => &[("uni", false), ("bi", true)],
    };
    lab.points(args.sizes.len() * directions.len());
    for bytes in args.sizes.values() {
        let messages = messages(args.window, bytes);
        for (direction, both) in directions {
            let measured = lab.measure_channels(args.threads, &channels, |channel, me| {
                Window::new(lab.world(), channel, me, *both, messages, bytes)
                    .through(args.floor.duct(lab.world(), channel, me))
            });
            let an_iteration = messages * channels.len() * if *both { 2 } else { 1 };
            let bandwidth: Summary = measured.rate((an_iteration * bytes) as f64);
            let at = [("bytes", bytes.into()), ("direction", (*direction).into())];
            lab.point(&at, Metric::Bandwidth, bandwidth);
        }
    }
    lab.finish();
}
