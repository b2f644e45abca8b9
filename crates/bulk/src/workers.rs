//! Workers: run the same work on several threads at once.

/// The most workers: more than there are cores only wait.
const MOST_WORKERS: usize = 256;

/// How many workers to use if this many are requested.
pub fn at_most(wished: usize) -> usize {
    wished.clamp(1, MOST_WORKERS)
}

/// Work on up to this many threads, including this one, until all have returned.
pub fn at_once(wished: usize, work: impl Fn() + Sync) {
    std::thread::scope(|scope| {
        for _ in 1..at_most(wished) {
            // If the system gives no further thread, the existing ones do the work.
            if std::thread::Builder::new().spawn_scoped(scope, &work).is_err() {
                break;
            }
        }
        work();
    });
}
