//! The nearest name, for "did you mean".

/// The candidate with the smallest edit distance to `name`, if it is near enough to be a slip of the pen.
pub(crate) fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 3).max(1);
    candidates
        .filter(|candidate| candidate.len().abs_diff(name.len()) <= limit && *candidate != name)
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|&(distance, _)| distance <= limit)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// Edit distance (insert, delete, replace, swap of neighbours); a change of case counts nothing.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.to_lowercase().chars().collect();
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let width = b.len() + 1;
    let mut table: Vec<usize> = (0..width * (a.len() + 1)).map(|k| k / width + k % width).collect();
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let at = i * width + j;
            let replace = table[at - width - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replace.min(table[at - width] + 1).min(table[at - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(table[at - 2 * width - 2] + 1);
            }
            table[at] = best;
        }
    }
    table[table.len() - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_other_words_are_not() {
        let near = |name| nearest(name, ["Zero", "Plus", "Merge2"].into_iter());
        assert_eq!(near("Zreo"), Some("Zero"));
        assert_eq!(near("zero"), Some("Zero"));
        assert_eq!(near("Plu"), Some("Plus"));
        assert_eq!(near("Merge"), Some("Merge2"));
        assert_eq!(near("Times"), None);
        assert_eq!(near("Zero"), None);
    }
}
