//! Reading what a peer has published, piece by piece.

/// What is still to be read.
#[derive(Debug)]
pub struct Rest<'a>(pub &'a [u8]);

impl<'a> Rest<'a> {
    /// So many bytes more.
    ///
    /// # Errors
    /// When there are fewer, as words about what is read.
    pub fn take(&mut self, len: usize) -> Result<&'a [u8], &'static str> {
        let (taken, rest) = self.0.split_at_checked(len).ok_or("it is cut off")?;
        self.0 = rest;
        Ok(taken)
    }

    /// The same, as an array.
    ///
    /// # Errors
    /// As for [`Rest::take`].
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], &'static str> {
        let (taken, rest) = self.0.split_first_chunk().ok_or("it is cut off")?;
        self.0 = rest;
        Ok(*taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_read_behind_the_end() {
        let mut rest = Rest(&[1, 2, 3, 4, 5]);
        assert_eq!((rest.array(), rest.take(2)), (Ok([1, 2]), Ok(&[3, 4][..])));
        assert!(rest.take(2).is_err() && rest.array::<2>().is_err());
        assert_eq!((rest.take(1), rest.take(0)), (Ok(&[5][..]), Ok(&[][..])));
        assert!(rest.array::<1>().is_err());
    }
}
