//! Time of a message one way: two entities send it to each other and back.
#![forbid(unsafe_code)]

use cairn_bench::{Floor, Player};
use cairn_lab::{Arguments, Common, Lab, List, Metric, count, pairwise, sizes};
use clap::Parser;
use serde::Serialize;

/// Time of a message one way between pairs of processes or threads
#[derive(Parser, Serialize)]
#[command(name = "pingpong")]
struct Args {
    #[command(flatten)]
    #[serde(flatten)]
    common: Common,
    /// Sizes of the messages in bytes, such as 0,8,64k-1m
    #[arg(long, default_value = "0,1-64m", value_parser = sizes)]
    sizes: List,
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
    lab.points(args.sizes.len());
    for bytes in args.sizes.values() {
        let measured = lab.measure_channels(args.threads, &channels, |channel, me| {
            Player::new(lab.world(), channel, me, bytes).through(args.floor.duct(
                lab.world(),
                channel,
                me,
            ))
        });
        lab.point(&[("bytes", bytes.into())], Metric::Latency, measured.time(2.0));
    }
    lab.finish();
}
