//! The templates of rounds.

use gchr_kernel::template::Template;
use gchr_runtime::templates::{ARITHMETIC, CHECKED, GRID_BARRIER, HASH, OFFSETS};

/// Which of many candidates may use the rows that they want.
pub static CLAIMS: Template =
    Template { name: "claims", text: include_str!("../templates/claims.cu"), includes: &[] };

/// Cells of so many fields, each distinct one once.
pub static INTERN: Template =
    Template { name: "intern", text: include_str!("../templates/intern.cu"), includes: &[&HASH] };

/// The standard order of numbers, and which of two is the least.
pub static NUMBERS: Template =
    Template { name: "numbers", text: include_str!("../templates/numbers.cu"), includes: &[&CHECKED] };

/// Tagged words and their cells: comparisons, and the collection of cells that nothing reaches.
pub static TERMS: Template = Template {
    name: "terms",
    text: include_str!("../templates/terms.cu"),
    includes: &[&HASH, &NUMBERS, &GRID_BARRIER, &OFFSETS],
};

/// Rounds of rules that only add: a bit a key, one grid barrier a round.
pub static MONOTONE: Template =
    Template { name: "monotone", text: include_str!("../templates/monotone.cu"), includes: &[&GRID_BARRIER] };

/// The best row of a table of which one constraint stays.
pub static BEST: Template =
    Template { name: "best", text: include_str!("../templates/best.cu"), includes: &[] };

/// Least and greatest value of a column.
pub static RANGE: Template =
    Template { name: "range", text: include_str!("../templates/range.cu"), includes: &[] };

/// Rounds that are products of matrices over (min, +), in tiles.
pub static PRODUCT: Template =
    Template { name: "product", text: include_str!("../templates/product.cu"), includes: &[&GRID_BARRIER] };

/// Constraints in deterministic rounds: claims decide which candidates fire.
pub static ROUNDS: Template = Template {
    name: "rounds",
    text: concat!(
        include_str!("../templates/rounds.cu"),
        "\n",
        include_str!("../templates/rounds_lists.cu"),
        "\n",
        include_str!("../templates/rounds_steps.cu")
    ),
    includes: &[&GRID_BARRIER, &ARITHMETIC, &CHECKED, &CLAIMS, &HASH, &OFFSETS],
};

/// All templates of this crate.
pub static ALL: [&Template; 9] =
    [&CLAIMS, &INTERN, &NUMBERS, &TERMS, &MONOTONE, &BEST, &RANGE, &PRODUCT, &ROUNDS];
