//! "Did you mean": the known name nearest to an unknown one.

/// Longer names are not compared: the distance takes quadratic time.
const MAX_LENGTH: usize = 64;

/// The candidate with the smallest edit distance to `name`, if it is near enough to be a typing error.
pub(crate) fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > MAX_LENGTH {
        return None;
    }
    let limit = (name.chars().count() / 3).max(1);
    candidates
        .filter(|c| c.len() <= 2 * MAX_LENGTH && c.chars().count().abs_diff(name.chars().count()) <= limit)
        .map(|c| (distance(name, c), c))
        .filter(|&(d, _)| d <= limit)
        .min()
        .map(|(_, c)| c)
}

/// Levenshtein distance in characters.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, &cb) in b.iter().enumerate() {
            let cost = (diagonal + usize::from(ca != cb)).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = std::mem::replace(&mut row[j + 1], cost);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_typing_errors_only() {
        let known = ["edge", "path", "gcd"];
        assert_eq!(nearest("egde", known.into_iter()), None);
        assert_eq!(nearest("edgee", known.into_iter()), Some("edge"));
        assert_eq!(nearest("pat", known.into_iter()), Some("path"));
        assert_eq!(nearest("completely", known.into_iter()), None);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
