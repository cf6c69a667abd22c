//! What every matching engine must do, tried with each that is linked in: the suite that
//! `cairn-info check` runs, and programs made by proptest, which shrinks what fails.

use cairn_conformance::matching::{Act, Engine, SOURCES, Strategy, play, strategy};
use cairn_conformance::{Event, Outcome, Verdict, run, system};
use cairn_framework::abi::comm::{COMM_NO_ANY_SOURCE, COMM_NO_ANY_TAG};
use cairn_framework::abi::job::{THREAD_MULTIPLE, THREAD_SINGLE};
use cairn_framework::abi::scope::{SCOPE_PROCESS, Scope};
use cairn_framework::frameworks::matching::{MATCH_ANY_SOURCE, MATCH_ANY_TAG};
use cairn_framework::host::params::{CommandLine, Sources};
use cairn_framework::host::paths::Paths;
use cairn_framework::host::{Options, Search, System};
use linked as _;
use proptest::prelude::{Just, TestCaseError, any, prop, prop_oneof};
use proptest::strategy::Strategy as _;
use proptest::test_runner::{Config, TestRunner};

/// The engines, with the parameters that they are tried with.
const ENGINES: [&[(&str, &str)]; 7] = [
    &[("match", "list")],
    &[("match", "bins")],
    &[("match", "vector")],
    &[("match", "vector"), ("match_vector_kernel", "scalar")],
    &[("match", "sharded")],
    &[("match", "sharded"), ("match_sharded_rows", "1"), ("match_sharded_columns", "1")],
    &[("match", "sharded"), ("match_sharded_rows", "3"), ("match_sharded_columns", "2")],
];

fn options(mca: &[(&str, &str)]) -> Options {
    let mca = mca.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
    Options {
        paths: Paths::default(),
        sources: Sources {
            command_line: CommandLine { mca, ..CommandLine::default() },
            ..Sources::default()
        },
        sink: Box::new(|line| eprintln!("{line}")),
        search: Search::Wanted,
    }
}

#[test]
fn every_engine_keeps_the_contract() {
    for mca in ENGINES {
        let system = system(options(mca));
        let name = format!("match_{}", mca[0].1);
        let slot = system.components().into_iter().find(|slot| slot.name() == name);
        let mut failed = Vec::new();
        let mut rule = "";
        let examination = run(system, slot.expect("it is linked in"), &mut |event| match event {
            Event::Begin(begun) => rule = begun,
            Event::End(Outcome::Passed) => {}
            Event::End(outcome) => failed.push(format!("{rule}: {outcome}")),
        });
        assert_eq!((examination.verdict, failed), (Verdict::Sound, vec![]), "{mca:?}");
    }
}

fn acts() -> impl proptest::strategy::Strategy<Value = Vec<Act>> {
    let source = || prop_oneof![1 => Just(MATCH_ANY_SOURCE), 3 => 0..SOURCES as i32];
    let sent = || prop_oneof![5 => 0..3, 1 => Just(-7), 1 => any::<i32>()];
    let tag = move || prop_oneof![1 => Just(MATCH_ANY_TAG), 5 => sent()];
    let act = prop_oneof![
        8 => (source(), tag()).prop_map(|(source, tag)| Act::Post { source, tag }),
        8 => (0..SOURCES as i32, sent(), prop::bool::weighted(0.95))
            .prop_map(|(source, tag, room)| Act::Arrive { source, tag, room }),
        2 => (source(), tag(), any::<bool>())
            .prop_map(|(source, tag, take)| Act::Find { source, tag, take }),
        2 => any::<usize>().prop_map(|which| Act::Cancel { which }),
        1 => Just(Act::Drain),
    ];
    prop::collection::vec(act, 1..150)
}

/// Assertions only shape an engine: it is right also where the program breaks them.
#[test]
fn engines_do_what_the_model_does() {
    let process = Scope::new(SCOPE_PROCESS, 0, 1, c"process");
    for mca in ENGINES {
        for level in [THREAD_SINGLE, THREAD_MULTIPLE] {
            let system = System::new(options(mca));
            let mut job = *system.job();
            job.thread_level = level;
            // SAFETY: nothing is open, and no other thread knows the system.
            unsafe { system.set_job(job) };
            let name = format!("match_{}", mca[0].1);
            let slot = system.components().into_iter().find(|slot| slot.name() == name);
            let slot = slot.expect("it is linked in");
            slot.probe(&process).unwrap_or_else(|verdict| panic!("{name}: {verdict:?}"));
            let strategy: Strategy = strategy(slot);
            let config = Config { failure_persistence: None, ..Config::with_cases(150) };
            let flags = prop::sample::select(vec![
                0,
                COMM_NO_ANY_TAG,
                COMM_NO_ANY_SOURCE,
                COMM_NO_ANY_TAG | COMM_NO_ANY_SOURCE,
            ]);
            let result = TestRunner::new(config).run(&(acts(), flags), |(acts, flags)| {
                let engine = Engine::open(strategy, SOURCES, flags).map_err(TestCaseError::fail)?;
                play(&engine, &acts).map_err(TestCaseError::fail)
            });
            result.unwrap_or_else(|error| panic!("{mca:?}, thread level {level}: {error}"));
            slot.close();
        }
    }
}
