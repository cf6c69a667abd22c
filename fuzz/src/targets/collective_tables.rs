//! Tables by which coll_tuned chooses algorithms.

use coll_tuned::table::Table;

pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Err((line, what)) = Table::parse(text) {
        assert!(line >= 1 && line <= text.lines().count() + 1, "line {line}: {what}");
        assert!(!what.is_empty());
    }
}

pub fn seeds() -> Vec<Vec<u8>> {
    let all = "bcast = [{ algorithm = \"knomial\", ranks = \"3-8\", bytes = \"-4k\", nodes = 0x2, \
               per_node = \"2-\", radix = 3, segment = \"8k\" }]\n\nscan = []\n";
    let built_in = include_str!("../../../mca-params/tables/coll_tuned.toml");
    vec![all.into(), built_in.into()]
}
