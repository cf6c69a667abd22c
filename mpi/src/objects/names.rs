//! The names of an object that components see.
//!
//! A component may be reading a name at any time, and nothing says when it is done. So what it was shown
//! stays as long as the object, and therefore it is shown only so many different names.

use std::ffi::{CStr, CString, c_char};

/// How many different names components are shown of one object. Programs name an object once or twice.
const SHOWN: usize = 16;

/// The name of an object, and those that components may be reading.
pub struct Names {
    current: CString,
    /// None of them is moved or freed.
    shown: Vec<CString>,
}

impl Names {
    /// Those of a new object.
    pub fn new(first: &CStr) -> Self {
        Self { current: first.to_owned(), shown: vec![first.to_owned()] }
    }

    /// The name.
    pub fn current(&self) -> &CStr {
        &self.current
    }

    /// Renames the object. Returns what components see from now on: the new name, or nothing new when
    /// they have seen too many.
    pub fn set(&mut self, name: CString) -> Option<*const c_char> {
        if self.shown.len() < SHOWN && !self.shown.contains(&name) {
            self.shown.push(name.clone());
        }
        let shown = self.shown.iter().find(|shown| **shown == name);
        let pointer = shown.map(|shown| shown.as_ptr());
        self.current = name;
        pointer
    }

    /// What components see of a new object.
    pub fn first(&self) -> *const c_char {
        self.shown[0].as_ptr()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicPtr, Ordering};

    fn name(number: usize) -> CString {
        CString::new(format!("name {number}")).unwrap()
    }

    #[test]
    fn names_that_were_shown_are_few_and_stay() {
        let mut names = Names::new(c"name 0");
        let first = names.first();
        for number in 1..1000 {
            let shown = names.set(name(number));
            assert_eq!(shown.is_some(), number < SHOWN);
            assert_eq!(names.current(), name(number).as_c_str());
        }
        assert_eq!(names.shown.len(), SHOWN);
        // Those that are there already can come back.
        assert_eq!(names.set(name(0)), Some(first));
        assert_eq!(names.current(), c"name 0");
        assert!(names.set(name(SHOWN - 1)).is_some() && names.set(name(SHOWN)).is_none());
    }

    #[test]
    fn a_reader_always_finds_a_whole_name() {
        let mut names = Names::new(&name(0));
        let place = AtomicPtr::new(names.first().cast_mut());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..10_000 {
                    // SAFETY: names that were shown stay.
                    let seen = unsafe { CStr::from_ptr(place.load(Ordering::Acquire)) };
                    assert!(seen.to_bytes().starts_with(b"name "));
                }
            });
            for number in 0..10_000 {
                if let Some(shown) = names.set(name(number % (2 * SHOWN))) {
                    place.store(shown.cast_mut(), Ordering::Release);
                }
            }
        });
    }
}
