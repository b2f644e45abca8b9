//! Wildcards, by a table of every beginning of the pattern with every beginning of the subject.

/// Whether a pattern with `*` and a final `$` matches the beginning of a subject, or all of it.
///
/// escapes: whether a `$` that is not the last byte is compared as `%24`.
pub fn matches(pattern: &[u8], subject: &[u8], escapes: bool) -> bool {
    let (pattern, anchored) = match pattern.split_last() {
        Some((b'$', rest)) => (rest, true),
        _ => (pattern, false),
    };
    let mut pieces: Vec<Option<u8>> = Vec::new();
    for byte in pattern {
        match byte {
            b'*' => pieces.push(None),
            b'$' if escapes => pieces.extend(b"%24".iter().map(|o| Some(*o))),
            _ => pieces.push(Some(*byte)),
        }
    }
    // reached[n]: the pieces so far match the first n bytes of the subject.
    let mut reached = vec![false; subject.len() + 1];
    reached[0] = true;
    for piece in pieces {
        let mut next = vec![false; subject.len() + 1];
        for at in 0..=subject.len() {
            next[at] = match piece {
                None => reached[at] || at > 0 && next[at - 1],
                Some(byte) => at > 0 && reached[at - 1] && subject[at - 1] == byte,
            };
        }
        reached = next;
    }
    match anchored {
        true => reached[subject.len()],
        false => reached.contains(&true),
    }
}
