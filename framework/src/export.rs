//! [`component!`](crate::component): how a component comes into a program or out of a library.

/// Declares a component: makes its descriptor from a type that implements
/// [`Component`](crate::author::Component) and the framework's trait, with the version of the package, and
/// registers it.
///
/// ```ignore
/// component! {
///     framework: cri,          // the module in `frameworks`: `matching` for the framework match
///     component: RoundRobin,
///     name: "round_robin",
///     description: "each operation takes the next instance",
///     aliases: "rr",            // may be left out
/// }
/// ```
///
/// A library with several components uses the macro's other form once, with a list of such blocks:
/// `component! { { framework: .. } { framework: .. } }`.
#[macro_export]
macro_rules! component {
    ($($field:ident : $value:tt),* $(,)?) => {
        $crate::component! { { $($field: $value),* } }
    };
    ($({
        framework: $framework:ident,
        component: $component:ident,
        name: $name:literal,
        description: $description:literal
        $(, aliases: $aliases:literal)? $(,)?
    })+) => {
        const _: () = {
            static DESCRIPTORS: &[&$crate::abi::component::ComponentDescriptor] = &[
                $({
                    static OPS: $crate::frameworks::$framework::Ops =
                        $crate::frameworks::$framework::ops::<$component>();
                    static DESCRIPTOR: $crate::abi::component::ComponentDescriptor =
                        $crate::author::descriptor::<$component>(
                            $crate::frameworks::$framework::NAME,
                            [
                                $crate::__c_str!($name),
                                $crate::__c_str!($description),
                                $crate::__c_str!("" $(, $aliases)?),
                            ],
                            [
                                $crate::author::version_number(env!("CARGO_PKG_VERSION_MAJOR")),
                                $crate::author::version_number(env!("CARGO_PKG_VERSION_MINOR")),
                                $crate::author::version_number(env!("CARGO_PKG_VERSION_PATCH")),
                            ],
                            (&raw const OPS).cast(),
                        );
                    &DESCRIPTOR
                }),+
            ];
            $crate::__export!(DESCRIPTORS);
        };
    };
}

/// Registers descriptors in a program that holds the host: a link-time list.
#[cfg(feature = "host")]
#[doc(hidden)]
#[macro_export]
macro_rules! __export {
    ($descriptors:expr) => {
        $crate::host::inventory::submit! { $crate::host::Linked($descriptors) }
    };
}

/// Registers descriptors in a library without the host: the exported entry symbol.
#[cfg(not(feature = "host"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __export {
    ($descriptors:expr) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn cairn_components(
            count: *mut u32,
        ) -> *const *const $crate::abi::component::ComponentDescriptor {
            // SAFETY: the host passes a place for the count. References and pointers have the
            // same layout.
            unsafe { *count = $descriptors.len() as u32 };
            $descriptors.as_ptr().cast()
        }
    };
}
