//! Fields along which cells can form long chains: those whose sort leads back to that of the cell around them, at once
//! (lists) or by way of others.

use gchr_base::ids::{Id, IdVec};
use gchr_base::signature::SortId;
use gchr_terms::plan::{Field, Layout, Variant};

use super::shapes::pointers;

/// What sorts lead to.
pub(super) struct Chains<'l> {
    layout: &'l Layout,
    /// By sort: whether each sort can be found inside of its cells.
    inside: IdVec<SortId, Vec<bool>>,
    /// The most links of any cell.
    pub directions: u32,
}

impl<'l> Chains<'l> {
    /// The chains of a program's cells.
    pub fn new(layout: &'l Layout) -> Self {
        let inside = layout.sorts.iter_enumerated().map(|(sort, _)| inside(layout, sort)).collect();
        let mut chains = Self { layout, inside, directions: 0 };
        let variants =
            layout.sorts.iter_enumerated().flat_map(|(id, s)| s.variants.iter().map(move |v| (id, v)));
        let links = variants.map(|(sort, variant)| chains.links(sort, variant).len() as u32);
        chains.directions = links.max().unwrap_or(0);
        chains
    }

    /// By direction: the field along which a chain goes on from cells of a variant; the last one first, as lists have
    /// it. Empty when none does.
    pub fn links_by_direction(&self, sort: SortId, variant: &'l Variant) -> Vec<&'l Field> {
        let links = self.links(sort, variant);
        let last = links.len().saturating_sub(1);
        (0..self.directions as usize).filter_map(|k| links.get(last - k.min(last)).copied()).collect()
    }

    fn links(&self, sort: SortId, variant: &'l Variant) -> Vec<&'l Field> {
        let fields = pointers(self.layout, variant).filter(|_| variant.class.is_some());
        fields.filter(|field| self.inside[field.sort][sort.index()]).collect()
    }
}

/// By sort: whether values of it can be found inside of a value of `sort`, that value included.
fn inside(layout: &Layout, sort: SortId) -> Vec<bool> {
    let mut found = vec![false; layout.sorts.len()];
    found[sort.index()] = true;
    let mut open = vec![sort];
    while let Some(sort) = open.pop() {
        for field in layout.sorts[sort].variants.iter().flat_map(|variant| pointers(layout, variant)) {
            if !std::mem::replace(&mut found[field.sort.index()], true) {
                open.push(field.sort);
            }
        }
    }
    found
}
