//! Every function of every contract, called through its table as C would call it.
//!
//! Each framework has a *double*, a component in Rust that notes what reaches it and answers with
//! values that can be told apart, and (where there are optional functions) a *bare* component whose
//! table has none of them. The tests choose one of the two through a [`System`] of their own, and
//! check what the shims between table and trait do and what stands in for absent functions.
//!
//! A function that is added to a contract makes the tests of its framework fail until they call it.
//!
//! [`System`]: cairn_framework::host::System
#![cfg(feature = "host")]

mod contracts {
    #[macro_use]
    mod support;

    mod btl;
    mod coll;
    mod cri;
    mod issue;
    mod life;
    mod matching;
    mod osc;
    mod pmi;
    mod pml;
    mod progress;
    mod smsc;
    mod wait;
}
