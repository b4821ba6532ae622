//! "Did you mean": the known name nearest to an unknown one.

/// Longer names are not compared: the distance takes quadratic time.
const MAX_LENGTH: usize = 64;

/// The candidate with the smallest edit distance to `name` (insert, delete, replace, swap of neighbours; a change of
/// case counts nothing), if it is near enough to be a typing error. Of several the first; `name` itself is none.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > MAX_LENGTH {
        return None;
    }
    let length = name.chars().count();
    let limit = (length / 3).max(1);
    let lower = name.to_lowercase();
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= 2 * MAX_LENGTH && *candidate != name)
        .filter(|candidate| candidate.chars().count().abs_diff(length) <= limit)
        .map(|candidate| (strsim::osa_distance(&lower, &candidate.to_lowercase()), candidate))
        .filter(|&(distance, _)| distance <= limit)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_errors_are_found_and_other_words_are_not() {
        let near = |name| nearest(name, ["Zero", "Plus", "Merge2", "edge", "path", "gcd"]);
        assert_eq!(near("Zreo"), Some("Zero"));
        assert_eq!(near("zero"), Some("Zero"));
        assert_eq!(near("Plu"), Some("Plus"));
        assert_eq!(near("Merge"), Some("Merge2"));
        assert_eq!(near("egde"), Some("edge"));
        assert_eq!(near("edgee"), Some("edge"));
        assert_eq!(near("pat"), Some("path"));
        assert_eq!(near("completely"), None);
        assert_eq!(near("Times"), None);
        assert_eq!(near("Zero"), None);
    }

    #[test]
    fn long_names_are_not_compared() {
        let long = "a".repeat(40_000);
        let other = format!("{long}b");
        assert_eq!(nearest(&long, [other.as_str()]), None);
        assert_eq!(nearest("a", [long.as_str()]), None);
        let (edge, below) = ("a".repeat(64), format!("{}b", "a".repeat(63)));
        assert_eq!(nearest(&edge, [below.as_str()]), Some(below.as_str()));
    }
}
