//! The order of sorts.

use gchr_testkit::random::Random;

use super::value;

/// A constant of a sort has all sorts that subsort declarations lead to from there, and no others.
#[test]
fn constants_have_the_sorts_above_their_own() {
    let mut random = Random::new(11);
    for _ in 0..12 {
        let count = 2 + random.below(70);
        let mut declared = String::new();
        let mut above = vec![vec![false; count]; count];
        // From the last sort on, so that what is above a sort is known when it is declared.
        for sort in (0..count).rev() {
            above[sort][sort] = true;
            declared += &format!("sort S{sort} . subsort S{sort} < Top . op c{sort} : -> S{sort} .\n");
            for _ in 0..random.below(3) {
                let other = sort + random.below(count - sort);
                if other > sort {
                    declared += &format!("subsort S{sort} < S{other} .\n");
                    let more = above[other].clone();
                    above[sort].iter_mut().zip(more).for_each(|(known, more)| *known |= more);
                }
            }
        }
        let pairs: Vec<(usize, usize)> =
            (0..60).map(|_| (random.below(count), random.below(count))).collect();
        let tests: String = pairs.iter().map(|(a, b)| format!("red c{a} :: S{b} .\n")).collect();
        let found = value(&format!("fmod M is sort Top .\n{declared}endfm\n{tests}"), None);
        let expected: Vec<&str> =
            pairs.iter().map(|&(a, b)| if above[a][b] { "true" } else { "false" }).collect();
        assert_eq!(found, format!("EVAL({})", expected.join(", ")), "{declared}");
    }
}
