//! Experiments of cairn-ab.

use std::path::Path;

use cairn_ab::experiment::Experiment;

pub fn run(data: &[u8]) {
    if let Ok(text) = std::str::from_utf8(data) {
        let _ = Experiment::parse(text, Path::new("experiments/x.toml"));
    }
}

pub fn seeds() -> Vec<Vec<u8>> {
    let texts = [
        include_str!("../../../bench/experiments/quick.toml"),
        include_str!("../../../bench/experiments/zambre-12.toml"),
        include_str!("../../../bench/experiments/patinyasakdikul-3.10.toml"),
    ];
    for text in texts {
        assert!(Experiment::parse(text, Path::new("experiments/x.toml")).is_ok());
    }
    texts.map(|text| text.as_bytes().to_vec()).into()
}
