//! Blocks of parameters that a component declares in one place.
//!
//! ```
//! cairn_framework::params! {
//!     /// The parameters of a transport.
//!     pub struct Params {
//!         pub priority: priority(20);
//!         pub instances: instances(64, "");
//!         ring_size: size("128k"), "Bytes for messages on their way; rounded up to a power of two",
//!             range(16 << 10, 64 << 20), level(5);
//!         pub eager_limit: size("16k"),
//!             "Largest message that is sent without asking the receiver first",
//!             range(0, ring_size.get() as i64 / 4), level(4), same();
//!         backing: choice(&["memory", "file"], "memory"), "What shared memory is made of";
//!     }
//! }
//!
//! impl Params {
//!     fn in_a_file(&self) -> bool {
//!         self.backing.get() == 1
//!     }
//! }
//! # fn main() {}
//! ```
//!
//! A row says the name, the kind with its default, the help for users, and what else there is to say.
//! The kinds are the methods of [`Registrar`](super::Registrar), and what follows the help are those of
//! [`Param`](super::Param). A parameter that every component has, such as `priority`, brings its
//! help along. Rows are registered in their order: an expression in one can use the handles of those above
//! by their names.
//!
//! The macro makes the struct, whose fields are the handles, and `Params::register`.

/// Declares a block of parameters; see [`author::params`](crate::author::params).
#[macro_export]
macro_rules! params {
    ($(#[$doc:meta])* $vis:vis struct $block:ident {
        $(
            $own:vis $name:ident: $kind:ident($($argument:expr),* $(,)?)
            $(, $help:literal $(, $option:ident($($value:expr),* $(,)?))* $(,)?)?;
        )+
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy)]
        $vis struct $block {
            $( $(#[doc = $help])? $own $name: $crate::__param_handle!($kind), )+
        }

        impl $block {
            /// Registers them.
            ///
            /// # Errors
            /// What the host says about a parameter.
            $vis fn register(
                registrar: &$crate::author::Registrar<'_>,
            ) -> Result<Self, $crate::author::Failure> {
                $(
                    let $name = $crate::__param!(
                        registrar, $name, $kind($($argument),*)
                        $(, $help $(, $option($($value),*))*)?
                    );
                )+
                Ok(Self { $($name),+ })
            }
        }
    };
}

/// The handle to a parameter of a kind.
#[doc(hidden)]
#[macro_export]
macro_rules! __param_handle {
    (bool) => {
        $crate::abi::param::BoolParam
    };
    (integer) => {
        $crate::abi::param::IntegerParam
    };
    (size) => {
        $crate::abi::param::SizeParam
    };
    (string) => {
        $crate::abi::param::StringParam
    };
    (list) => {
        $crate::abi::param::ListParam
    };
    (choice) => {
        $crate::abi::param::ChoiceParam
    };
    (priority) => {
        $crate::abi::param::IntegerParam
    };
    (instances) => {
        $crate::author::Instances
    };
    ($kind:ident) => {
        compile_error!(concat!(
            "`",
            stringify!($kind),
            "` is no kind of parameter: bool, integer, size, string, list, \
             choice, priority or instances"
        ))
    };
}

/// Registers one parameter: of a kind that brings its help along, or with help.
#[doc(hidden)]
#[macro_export]
macro_rules! __param {
    ($registrar:ident, $name:ident, $kind:ident($($argument:expr),*)) => {
        $registrar.$kind($($argument),*)?
    };
    ($registrar:ident, $name:ident, choice($choices:expr, $default:expr), $help:literal
        $(, $option:ident($($value:expr),*))*) => {
        $registrar.choice(stringify!($name), $choices, $default, $help)
            $(.$option($($value),*))*.register()?
    };
    ($registrar:ident, $name:ident, $kind:ident($default:expr), $help:literal
        $(, $option:ident($($value:expr),*))*) => {
        $registrar.$kind(stringify!($name), $default, $help)
            $(.$option($($value),*))*.register()?
    };
}

#[cfg(all(test, feature = "mock"))]
mod tests {
    use crate::abi::scope::Scope;
    use crate::author::{Answer, Component, Failure, HostHandle, Registrar};
    use crate::mock::MockHost;

    params! {
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
        for (name, value) in
            [("size", "8k"), ("half", "4096"), ("choice", "red"), ("flag", "false")]
        {
            mock.set(name, value);
        }
        let Block(params) = mock.open().unwrap();
        assert_eq!((params.size.get(), params.half.get()), (8192, 4096));
        assert_eq!((params.choice.get(), params.flag.get()), (0, false));
    }
}
