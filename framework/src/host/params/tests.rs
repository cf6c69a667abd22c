use std::sync::atomic::AtomicUsize;

use super::*;
use crate::abi::param::{ListParam, SizeParam};

fn registry(mca: &[(&str, &str)], environment: &[(&str, &str)]) -> Registry {
    let own = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
    let sources = Sources {
        command_line: CommandLine { mca: mca.iter().map(own).collect(), ..Default::default() },
        environment: environment.iter().map(|(name, text)| (name.into(), text.into())).collect(),
        ..Sources::default()
    };
    Registry::new(&sources)
}

fn size(name: &str, default: &str) -> Spec {
    let mut spec = Spec::base(name, Kind::Size { min: 0, max: 1 << 20 }, default, "A size.");
    spec.owner = "btl_sm".into();
    spec
}

#[test]
fn the_strongest_valid_setting_wins_and_all_are_kept() {
    let registry = registry(
        &[("btl_sm_eager", "2g")],
        &[("CAIRN_MCA_btl_sm_eager", "8k"), ("OMPI_MCA_btl_sm_eager", "16k")],
    );
    let param = registry.register(size("btl_sm_eager", "4k")).unwrap();
    assert_eq!(param.value(), Value::Size(8192));
    let given: Vec<_> =
        param.given().into_iter().map(|given| (given.text, given.refused.is_some())).collect();
    let expected =
        [("4k", false), ("16k", false), ("8k", false), ("2g", true)].map(|(t, r)| (t.into(), r));
    assert_eq!(given, expected);
    let problems = registry.problems(|_| false);
    assert_eq!(problems.len(), 1);
    assert_eq!(
        problems[0].to_string(),
        "error: btl_sm_eager: 2g is outside its range\n  \
         where:   --mca on the command line\n  \
         allowed: bytes from 0 to 1m\n  \
         fix:     cairn-info --explain btl_sm_eager shows what it does"
    );
}

#[test]
fn unknown_names_are_errors_with_the_nearest_name() {
    let registry = registry(
        &[("btl_sm_eagr", "1"), ("btl_uct_tls", "x")],
        &[("OMPI_MCA_hwloc_x", "1"), ("OMPI_MCA_btl_y", "1")],
    );
    registry.register(size("btl_sm_eager", "4k")).unwrap();
    let problems = registry.problems(|name| name.starts_with("btl_uct_"));
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert_eq!(problems[0].fix.as_deref(), Some("did you mean btl_sm_eager?"));
    assert_eq!(problems[0].severity, Severity::Error);
    assert_eq!(problems[1].severity, Severity::Warning);
    assert_eq!(problems[1].place.as_deref(), Some("OMPI_MCA_btl_y, OMPI_MCA_hwloc_x"));
}

#[test]
fn names_that_are_plainly_misspelt_are_said_with_the_right_one() {
    let registry = registry(
        &[
            ("btl_sm_eager=8k", "./app"),
            ("btl_sm_eager 8k", "./app"),
            ("btl_sm_eager=", "8k"),
            ("btl_uct_x=8k", "./app"),
            ("BTL_SM_EAGER", "8k"),
        ],
        &[
            ("CAIRN_MCA_BTL_SM_EAGER", "8k"),
            ("CAIRN_MCA_BTL_UCT_X", "8k"),
            ("OMPI_MCA_BTL_SM_EAGER", "8k"),
        ],
    );
    registry.register(size("btl_sm_eager", "4k")).unwrap();
    let problems = registry.problems(|name| name.starts_with("btl_uct_"));
    let fixes: Vec<&str> = problems.iter().filter_map(|problem| problem.fix.as_deref()).collect();
    let two_words = "NAME and VALUE are two words: --mca btl_sm_eager 8k";
    assert_eq!(
        fixes,
        [
            "write CAIRN_MCA_btl_sm_eager: names of parameters have lower-case letters",
            "write CAIRN_MCA_btl_uct_x: names of parameters have lower-case letters",
            two_words,
            two_words,
            two_words,
            "NAME and VALUE are two words: --mca btl_uct_x 8k",
            "write btl_sm_eager: names of parameters have lower-case letters",
        ]
    );
    assert_eq!(problems.last().unwrap().place.as_deref(), Some("OMPI_MCA_BTL_SM_EAGER"));
}

#[test]
fn mca_strict_turns_errors_into_warnings() {
    let registry = registry(&[("mca_strict", "0"), ("nonsense", "1")], &[]);
    registry.register(Spec::base("mca_strict", Kind::Bool, "true", "Strict.")).unwrap();
    let problems = registry.problems(|_| false);
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].severity, Severity::Warning);
}

#[test]
fn synonyms_and_former_names_set_the_parameter() {
    let registry = registry(
        &[("btl_old_eager", "1k")],
        &[("OMPI_MCA_btl_vader_eager", "2k"), ("CAIRN_MCA_btl_sm_eager", "3k")],
    );
    let mut spec = size("btl_sm_eager", "4k");
    spec.synonyms = vec!["btl_vader_eager".into()];
    spec.deprecated_synonyms = vec!["btl_old_eager".into()];
    let param = registry.register(spec).unwrap();
    assert_eq!(param.value(), Value::Size(1024));
    assert_eq!(registry.find("btl_vader_eager").unwrap().spec.name, "btl_sm_eager");
    let problems = registry.problems(|_| false);
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].severity, Severity::Warning);
    assert_eq!(problems[0].fix.as_deref(), Some("write btl_sm_eager"));
}

#[test]
fn two_names_of_one_parameter_may_not_differ_in_one_source() {
    let registry = registry(&[("a_new", "1k"), ("a_old", "2k")], &[]);
    let mut spec = size("a_new", "4k");
    spec.synonyms = vec!["a_old".into()];
    registry.register(spec).unwrap();
    let problems = registry.problems(|_| false);
    assert!(problems[0].what.contains("names of one parameter"), "{problems:?}");
}

#[test]
fn a_deprecated_parameter_warns_when_it_is_used() {
    let unused = registry(&[], &[]);
    let used = registry(&[("a_b", "1k")], &[]);
    for registry in [&unused, &used] {
        let mut spec = size("a_b", "4k");
        spec.deprecated = Some("use a_c".into());
        registry.register(spec).unwrap();
    }
    assert_eq!(unused.problems(|_| false), []);
    assert_eq!(used.problems(|_| false)[0].fix.as_deref(), Some("use a_c"));
}

#[test]
fn writing_changes_the_cell_and_calls_back() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let registry = registry(&[], &[]);
    let mut spec = size("a_b", "4k");
    spec.writable = true;
    spec.changed = Some(Box::new(|cell| {
        assert_eq!(cell.value.load(Ordering::Relaxed), 2048);
        CALLS.fetch_add(1, Ordering::Relaxed);
    }));
    let param = registry.register(spec).unwrap();
    // SAFETY: the cell was made for a size.
    let handle = unsafe { SizeParam::from_cell(param.cell()) };
    assert_eq!(handle.get(), 4096);
    registry.write("a_b", "2k").unwrap();
    assert_eq!(handle.get(), 2048);
    assert!(registry.write("a_b", "2m").unwrap_err().what.contains("range"));
    assert_eq!(handle.get(), 2048);
    assert_eq!(CALLS.load(Ordering::Relaxed), 1);
    assert_eq!(param.current().1.origin, Origin::Tool);

    registry.register(size("a_c", "1k")).unwrap();
    assert!(registry.write("a_c", "2k").unwrap_err().what.contains("can't be changed"));
    assert_eq!(registry.write("a_d", "2k").unwrap_err().what, "there is no parameter a_d");
}

#[test]
fn strings_and_lists_are_read_through_their_cells() {
    let registry = registry(&[("a_l", "x, y")], &[]);
    let spec = Spec::base("a_l", Kind::List, "", "A list.");
    let param = registry.register(spec).unwrap();
    // SAFETY: the cell was made for a list.
    let list = unsafe { ListParam::from_cell(param.cell()) };
    assert_eq!(list.get().collect::<Vec<_>>(), ["x", "y"]);
}

#[test]
fn a_short_help_is_a_problem() {
    let said = |help: &str| help_problem(help);
    assert_eq!(said("Bytes sent eagerly"), None);
    let text = said(" Some  bytes ").unwrap();
    assert_eq!(text, "its help needs three words or more, and it has \"Some  bytes\", which is 2");
    assert_eq!(said("").unwrap(), "its help needs three words or more, and it has none");
}

#[test]
fn authors_mistakes_are_refused() {
    let registry = registry(&[], &[]);
    type Change = fn(&mut Spec);
    let cases: [(&str, Change); 8] = [
        ("lower-case", |spec| spec.name = "A-b".into()),
        ("levels go from 1 to 9", |spec| spec.level = 0),
        ("needs three words or more, and it has none", |spec| spec.help = " ".into()),
        ("default is not allowed", |spec| spec.default = "x".into()),
        ("2m is outside its range; allowed: bytes from 0 to 1m", |spec| spec.default = "2m".into()),
        ("a choice needs words", |spec| spec.kind = Kind::Choice(Vec::new())),
        ("a word of a choice", |spec| spec.kind = Kind::Choice(vec![String::new()])),
        ("registered already", |spec| {
            spec.name = "taken".into();
            spec.owner = "other".into();
        }),
    ];
    registry.register(size("taken", "1k")).unwrap();
    for (expected, change) in cases {
        let mut spec = size("fine", "1k");
        change(&mut spec);
        let problem = registry.register(spec).err().unwrap();
        assert!(problem.what.contains(expected), "{problem}");
    }
    let again = registry.register(size("taken", "1k")).unwrap();
    assert!(std::ptr::eq(again.cell(), registry.find("taken").unwrap().cell()));
}
