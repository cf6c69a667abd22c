//! A stack that any thread pushes to and one takes as a whole. Model-checked with loom:
//! `cargo test -p pml_ob1 --features loom --release --lib model_`.

use cairn_framework::sync::{AtomicPtr, Ordering};

use core::ptr::null_mut;

use cairn_framework::audit::Counted;

/// The stack's head, on its own cache lines. Nodes are linked by their owner's word.
///
/// The owner takes everything at once and pushers only push, so a node that comes back to the
/// head between a load and its exchange does no harm (no ABA).
#[repr(align(128))]
pub struct Returned(AtomicPtr<u8>);

impl Default for Returned {
    fn default() -> Self {
        Self(AtomicPtr::new(null_mut()))
    }
}

impl Returned {
    /// Puts a node on the stack; `link` stores the next node in it.
    #[inline]
    pub fn push(&self, node: *mut u8, link: impl Fn(*mut u8)) {
        let mut head = self.0.load(Ordering::Relaxed);
        loop {
            link(head);
            // Release: the link and the last use of the node come before its taking.
            match self.0.rmw().compare_exchange_weak(
                head,
                node,
                Ordering::Release,
                Ordering::Relaxed,
            ) {
                Ok(_) => return,
                Err(found) => head = found,
            }
        }
    }

    /// Takes all nodes, linked; null when there is none.
    #[inline]
    pub fn take(&self) -> *mut u8 {
        // Acquire pairs with the Release in `push`, also of the nodes below the head, because
        // exchanges continue a release sequence.
        self.0.rmw().swap(null_mut(), Ordering::Acquire)
    }
}

#[cfg(all(test, feature = "loom"))]
mod tests {
    use cairn_framework::sync::loom;
    use cairn_framework::sync::loom::cell::UnsafeCell;
    use cairn_framework::sync::loom::sync::Arc;

    use super::*;

    /// Three nodes with a link and a mark that pushers write before and the owner reads after.
    struct Nodes([UnsafeCell<(*mut u8, u32)>; 3]);
    // SAFETY: loom checks that no thread reads while another writes.
    unsafe impl Sync for Nodes {}
    // SAFETY: see `Sync`.
    unsafe impl Send for Nodes {}

    #[test]
    fn model_every_node_is_taken_once_with_what_was_written() {
        loom::model(|| {
            let stack = Arc::new(Returned::default());
            let nodes = Arc::new(Nodes(std::array::from_fn(|_| UnsafeCell::new((null_mut(), 0)))));
            // A node's "address" is its number plus one.
            let push = |stack: &Returned, nodes: &Nodes, number: usize| {
                // SAFETY: the node is this thread's until it is pushed.
                nodes.0[number].with_mut(|node| unsafe { (*node).1 = number as u32 + 10 });
                stack.push(core::ptr::without_provenance_mut(number + 1), |next| {
                    // SAFETY: as above.
                    nodes.0[number].with_mut(|node| unsafe { (*node).0 = next });
                });
            };
            let threads: Vec<_> = (0..2)
                .map(|number| {
                    let (stack, nodes) = (stack.clone(), nodes.clone());
                    loom::thread::spawn(move || {
                        push(&stack, &nodes, number);
                        if number == 0 {
                            push(&stack, &nodes, 2);
                        }
                    })
                })
                .collect();
            let mut seen = [0; 3];
            let mut take = || {
                let mut node = stack.take();
                while !node.is_null() {
                    let number = node.addr() - 1;
                    // SAFETY: taken, so it is this thread's.
                    let (next, mark) = nodes.0[number].with(|node| unsafe { *node });
                    assert_eq!(mark, number as u32 + 10);
                    seen[number] += 1;
                    node = next;
                }
            };
            take();
            threads.into_iter().for_each(|thread| thread.join().unwrap());
            take();
            assert_eq!(seen, [1, 1, 1]);
        });
    }
}
