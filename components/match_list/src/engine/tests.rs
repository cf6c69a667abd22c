//! What only happens after very many receives.

use super::*;

#[test]
fn numbers_of_posting_wrap() {
    let mut lists = Lists::new(1).unwrap();
    lists.posts = usize::MAX;
    let mut own = MatchPosted { source: 0, tag: 1, engine_private: [0; 4] };
    let mut any = MatchPosted { source: MATCH_ANY_SOURCE, tag: 1, engine_private: [0; 4] };
    // SAFETY: both live until the end.
    unsafe {
        assert!(lists.post(&raw mut own).is_none());
        assert!(lists.post(&raw mut any).is_none());
        assert_eq!(lists.arrive(0, 1, &mut || None), Some(&raw mut own));
        assert_eq!(lists.arrive(0, 1, &mut || None), Some(&raw mut any));
    }
}
