//! Workers: the same work on several threads at once.

/// Workers at most: more than there are cores do nothing but wait.
const MOST_WORKERS: usize = 256;

/// How many workers there are where so many are wished for.
pub fn at_most(wished: usize) -> usize {
    wished.clamp(1, MOST_WORKERS)
}

/// Work on up to so many threads, this one among them, until all have returned.
pub fn at_once(wished: usize, work: impl Fn() + Sync) {
    std::thread::scope(|scope| {
        for _ in 1..at_most(wished) {
            // Where the system gives no further thread, those that there are do the work.
            if std::thread::Builder::new().spawn_scoped(scope, &work).is_err() {
                break;
            }
        }
        work();
    });
}
