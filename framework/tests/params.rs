//! Blocks of parameters.
#![cfg(feature = "mock")]

use cairn_framework::abi::scope::Scope;
use cairn_framework::author::{Answer, Component, Failure, HostHandle, Registrar};
use cairn_framework::mock::MockHost;

cairn_framework::params! {
    /// One of each kind.
    pub struct Params {
        priority: priority(20);
        instances: instances(64, "; as many as it takes");
        size: size("4k"), "A size", range(1024, 8192), level(5), same();
        // Below the one above.
        half: integer(7), "A number", range(0, size.get() as i64 / 2), unit("halves"), writable(),
            level(6);
        choice: choice(&["red", "green"], "green"), "A choice";
        flag: bool(true), "A flag", level(3);
        words: list("a,b"), "Words";
        text: string("none"), "A text", synonyms("block_word");
    }
}

struct Block(Params);

impl Component for Block {
    type Params = Params;

    fn register(registrar: &Registrar<'_>) -> Result<Params, Failure> {
        Params::register(registrar)
    }
    fn open(_: HostHandle, params: Params) -> Result<Self, Failure> {
        Ok(Self(params))
    }
    fn query(&self, _: &Scope) -> Answer {
        Answer::Priority(self.0.priority.get() as i32)
    }
}

#[test]
fn each_has_its_default() {
    let mock = MockHost::leak("btl_block");
    let Block(params) = mock.open().unwrap();
    assert_eq!((params.priority.get(), params.size.get(), params.half.get()), (20, 4096, 7));
    assert_eq!(params.instances.number(mock.handle().job(), 1), 1);
    assert_eq!((params.choice.get(), params.flag.get()), (1, true));
    assert!(params.words.get().eq(["a", "b"]));
    assert_eq!(params.text.get(), "none");
}

#[test]
fn each_is_set_by_its_name() {
    let mock = MockHost::leak("btl_block");
    for (name, value) in [("size", "8k"), ("half", "4096"), ("choice", "red"), ("flag", "false")] {
        mock.set(name, value);
    }
    let Block(params) = mock.open().unwrap();
    assert_eq!((params.size.get(), params.half.get()), (8192, 4096));
    assert_eq!((params.choice.get(), params.flag.get()), (0, false));
}
