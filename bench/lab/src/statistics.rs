//! What the batches of a measurement say together.

/// Order statistics of samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// The smallest sample.
    pub minimum: f64,
    /// The middle one, or the mean of the two in the middle.
    pub median: f64,
    /// The largest sample.
    pub maximum: f64,
    /// The arithmetic mean.
    pub mean: f64,
    /// How many there were.
    pub count: usize,
}

impl Summary {
    /// Of at least one sample, none of which is NaN.
    pub fn of(samples: &[f64]) -> Summary {
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        let count = sorted.len();
        assert!(count > 0, "there is no summary of nothing");
        Summary {
            minimum: sorted[0],
            median: (sorted[(count - 1) / 2] + sorted[count / 2]) / 2.0,
            maximum: sorted[count - 1],
            mean: sorted.iter().sum::<f64>() / count as f64,
            count,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers() {
        let odd = Summary::of(&[3.0, 1.0, 8.0]);
        let expected = Summary { minimum: 1.0, median: 3.0, maximum: 8.0, mean: 4.0, count: 3 };
        assert_eq!(odd, expected);
        let even = Summary::of(&[4.0, 1.0, 2.0, 100.0]);
        assert_eq!((even.median, even.maximum), (3.0, 100.0));
        assert_eq!(Summary::of(&[7.0]).median, 7.0);
    }
}
