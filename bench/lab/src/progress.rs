//! The bar on a terminal.

use std::io::{IsTerminal, stderr};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// Before this nobody gets impatient.
const PATIENCE: Duration = Duration::from_secs(1);

/// How far the sweep is, on rank 0's stderr when that is a terminal.
pub struct Progress {
    started: Instant,
    shown: bool,
    batches: u64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    points: u64,
    /// In units of batches; a point that is through has used all of its.
    done: u64,
    point: u64,
    bar: Option<ProgressBar>,
}

impl Progress {
    pub(crate) fn new(rank: usize, batches: u64) -> Progress {
        let shown = rank == 0 && stderr().is_terminal();
        let state = Mutex::new(State { points: 1, ..State::default() });
        Progress { started: Instant::now(), shown, batches, state }
    }

    /// How many points the sweep has.
    pub(crate) fn points(&self, points: usize) {
        self.state.lock().unwrap().points = points as u64;
    }

    pub(crate) fn batch_done(&self) {
        let mut state = self.state.lock().unwrap();
        state.done = (state.done + 1).min((state.point + 1) * self.batches);
        self.show(&mut state);
    }

    pub(crate) fn point_done(&self) {
        let mut state = self.state.lock().unwrap();
        state.point += 1;
        state.done = state.point * self.batches;
        self.show(&mut state);
    }

    /// Takes the bar away, so that the table stands alone.
    pub(crate) fn end(&self) {
        if let Some(bar) = self.state.lock().unwrap().bar.take() {
            bar.finish_and_clear();
        }
    }

    fn show(&self, state: &mut State) {
        if !self.shown || self.started.elapsed() < PATIENCE {
            return;
        }
        let length = state.points * self.batches;
        let bar = state.bar.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("{wide_bar} {percent}% {eta} left")
                .expect("the template is right");
            ProgressBar::new(length).with_style(style).with_elapsed(self.started.elapsed())
        });
        bar.set_length(length);
        bar.set_position(state.done.min(length));
    }
}
