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
