//! The bar on a terminal.

use std::fs::OpenOptions;
use std::io::{IsTerminal, stderr};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use console::Term;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Before this no wait is given up.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often the bar is drawn at most in a second.
const DRAWN: u8 = 10;

/// How far the sweep is, on the terminal of who started rank 0.
pub struct Progress {
    started: Instant,
    /// Where it is shown; nothing when it is not.
    terminal: Option<Term>,
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
    pub(crate) fn new(shown: bool, batches: u64) -> Progress {
        let terminal = if shown { terminal() } else { None };
        let state = Mutex::new(State { points: 1, ..State::default() });
        Progress { started: Instant::now(), terminal, batches, state }
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
        let Some(terminal) = &self.terminal else { return };
        if self.started.elapsed() < PATIENCE {
            return;
        }
        let length = state.points * self.batches;
        let bar = state.bar.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("{wide_bar} {percent}% {eta} left")
                .expect("the template is right");
            let target = ProgressDrawTarget::term(terminal.clone(), DRAWN);
            let bar = ProgressBar::with_draw_target(Some(length), target);
            bar.with_style(style).with_elapsed(self.started.elapsed())
        });
        bar.set_length(length);
        bar.set_position(state.done.min(length));
    }
}

/// Launchers put a pipe between the terminal and the stderr of a rank. Then it is the terminal that
/// the job was started from, if it was started from one on this machine.
fn terminal() -> Option<Term> {
    if stderr().is_terminal() {
        return Some(Term::stderr());
    }
    let open = || OpenOptions::new().read(true).write(true).open("/dev/tty").ok();
    Some(Term::read_write_pair(open()?, open()?))
}
