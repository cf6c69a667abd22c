//! Lists of devices to use, or not to use.

/// What a user wants of the devices that a library has: those that are included (empty: all) and not
/// excluded.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    include: Vec<String>,
    exclude: Vec<String>,
}

impl Filter {
    /// By a list as parameters have it: `a,b` for these only, `^a,b` for all but these.
    pub fn new<'a>(words: impl IntoIterator<Item = &'a str>) -> Self {
        let mut filter = Self::default();
        let mut words = words.into_iter().peekable();
        let excludes = words.peek().is_some_and(|word| word.starts_with('^'));
        let list = if excludes { &mut filter.exclude } else { &mut filter.include };
        list.extend(words.map(|word| word.trim_start_matches('^').to_owned()));
        filter
    }

    /// Whether a device with one of these names is wanted.
    pub fn takes(&self, names: &[&str]) -> bool {
        let is_in = |list: &[String]| list.iter().any(|one| names.contains(&one.as_str()));
        (self.include.is_empty() || is_in(&self.include)) && !is_in(&self.exclude)
    }

    /// The words of the list that are the name of nothing among `there`.
    pub fn unknown(&self, there: &[&str]) -> Vec<&str> {
        let all = self.include.iter().chain(&self.exclude).map(String::as_str);
        all.filter(|word| !there.contains(word)).collect()
    }

    /// Whether devices are named that are wanted.
    pub fn includes(&self) -> bool {
        !self.include.is_empty()
    }

    /// Those that are, in the user's order.
    pub fn included(&self) -> impl Iterator<Item = &str> {
        self.include.iter().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_includes_or_excludes() {
        let all = Filter::new([]);
        assert!(all.takes(&["tcp"]) && !all.includes() && all.unknown(&[]).is_empty());
        let some = Filter::new(["tcp", "posix"]);
        assert!(some.takes(&["tcp"]) && some.takes(&["x", "posix"]) && !some.takes(&["sysv"]));
        assert!(some.includes());
        assert!(some.included().eq(["tcp", "posix"]));
        assert_eq!(some.unknown(&["posix", "sysv"]), ["tcp"]);
        let others = Filter::new(["^tcp", "posix"]);
        assert!(!others.takes(&["tcp"]) && !others.takes(&["posix"]) && others.takes(&["sysv"]));
        assert_eq!(others.unknown(&["sysv"]), ["tcp", "posix"]);
        assert!(!others.includes() && others.included().next().is_none());
    }
}
