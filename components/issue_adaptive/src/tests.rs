use cairn_framework::frameworks::issue::{ISSUE_FENCE, ISSUE_PSCW};
use cairn_framework::mock::MockHost;

use super::*;
use learn::EPOCHS;

const ALL: [u32; ISSUE_EPOCHS] = [ISSUE_FENCE, ISSUE_PSCW, ISSUE_LOCK];

fn ask(strategy: &Adaptive, window: &Window, epoch: u32, waiting: u64, bytes: u64) -> Decision {
    let struct_size = size_of::<IssueOperation>() as u32;
    strategy.operation(window, &IssueOperation { struct_size, epoch, waiting, bytes })
}

/// What epochs take there, in nanoseconds.
#[derive(Clone, Copy)]
struct Network {
    latency: f64,
    operation: f64,
    byte: f64,
}

impl Network {
    /// What an epoch of operations of as many bytes is measured to be.
    fn epoch(&self, epoch: u32, operations: u64, bytes: u64) -> IssueHistory {
        let moving = self.operation * operations as f64 + self.byte * (operations * bytes) as f64;
        IssueHistory {
            struct_size: size_of::<IssueHistory>() as u32,
            epoch,
            operations,
            bytes: operations * bytes,
            latency: self.latency as u64,
            moved: operations * bytes,
            moving: moving as u64,
        }
    }

    /// Operations with which their transfer takes as long as the synchronization.
    fn best_operations(&self) -> f64 {
        self.latency / self.operation
    }

    fn best_bytes(&self) -> f64 {
        self.latency / self.byte
    }
}

fn near(is: u64, best: f64) -> bool {
    (is as f64 - best).abs() <= 1.0 + best * 0.02
}

#[test]
fn an_epoch_begins_lazily_and_goes_on_eagerly() {
    let mock = MockHost::leak("issue_adaptive");
    mock.set("operations", "5");
    mock.set("bytes", "1000");
    let strategy: Adaptive = mock.open().unwrap();
    let window = strategy.window_open(&mock.process()).unwrap();
    for epoch in ALL {
        let second = if epoch == ISSUE_LOCK { Decision::Begin } else { Decision::Hold };
        assert_eq!(strategy.epoch_open(&window, epoch), Decision::Hold);
        assert_eq!(ask(&strategy, &window, epoch, 1, 999), Decision::Hold);
        assert_eq!(ask(&strategy, &window, epoch, 2, 999), second);
        assert_eq!(ask(&strategy, &window, epoch, 4, 999), second);
        assert_eq!(ask(&strategy, &window, epoch, 5, 0), Decision::GoButLast);
        assert_eq!(ask(&strategy, &window, epoch, 1, 1000), Decision::GoButLast);
    }
}

#[test]
fn thresholds_settle_within_eight_epochs_and_follow_the_network() {
    let mock = MockHost::leak("issue_adaptive");
    let strategy: Adaptive = mock.open().unwrap();
    let window = strategy.window_open(&mock.process()).unwrap();
    let networks = [
        Network { latency: 20_000.0, operation: 500.0, byte: 0.1 },
        Network { latency: 2_000.0, operation: 400.0, byte: 0.02 },
        Network { latency: 100_000.0, operation: 300.0, byte: 8.0 },
        Network { latency: 20_000.0, operation: 500.0, byte: 0.1 },
    ];
    for network in networks {
        for epoch in ALL {
            // Short ones and long ones, so that both can be told from each other.
            for number in 0..EPOCHS as u64 {
                let (operations, bytes) = if number % 2 == 0 { (300, 0) } else { (1, 64 << 20) };
                strategy.epoch_close(&window, &network.epoch(epoch, operations, bytes));
            }
            let is = window.kind(epoch).thresholds();
            let best = (network.best_operations(), network.best_bytes());
            assert!(near(is.operations, best.0) && near(is.bytes, best.1), "{is:?}, not {best:?}");
        }
    }
}
