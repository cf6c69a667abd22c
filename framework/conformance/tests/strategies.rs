//! Our own strategies keep the contracts of their frameworks.

use cairn_conformance::{Event, Verdict, run, system};
use cairn_framework::host::params::{CommandLine, Sources};
use cairn_framework::host::paths::Paths;
use cairn_framework::host::{Options, Search};
use linked as _;

#[test]
fn linked_strategies_are_sound() {
    let mut looked_at = Vec::new();
    for framework in ["cri", "issue", "osc", "progress", "wait"] {
        let system = system(Options {
            paths: Paths::default(),
            sources: Sources { command_line: CommandLine::default(), ..Sources::default() },
            sink: Box::new(|line| eprintln!("{line}")),
            search: Search::Wanted,
        });
        for slot in system.components() {
            if slot.loaded.contract.name != framework {
                continue;
            }
            let mut listener = |event: Event<'_>| {
                if let Event::Begin(rule) = event {
                    eprintln!("{}: {rule}", slot.name());
                }
            };
            let found = run(system, slot, &mut listener);
            assert_eq!(found.verdict, Verdict::Sound, "{}: {found:#?}", slot.name());
            looked_at.push(slot.name());
        }
    }
    let strategies = [
        "cri_dedicated",
        "cri_round_robin",
        "issue_adaptive",
        "issue_eager",
        "issue_lazy",
        "osc_rdma",
        "osc_sm",
        "progress_serial",
        "progress_thread",
        "wait_adaptive",
        "wait_block",
        "wait_spin",
        "wait_yield",
    ];
    for name in strategies {
        assert!(looked_at.iter().any(|other| other == name), "{name} is not linked in");
    }
}
