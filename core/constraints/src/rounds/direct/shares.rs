//! Sets into which threads put keys where they find constraints, and where the order of these cannot be told: each key
//! is new for one of them, which keeps the constraint until all are stored.

use super::place::ThreadPart;
use crate::exec::added::AddedRuns;
use crate::exec::common::Stop;
use crate::exec::round::batch::Share;
use crate::exec::round::state::RoundsState;

/// Stores what threads have found with new keys.
pub(super) fn store(
    state: &mut RoundsState<'_, '_>,
    parts: &[ThreadPart],
    added: &mut AddedRuns,
) -> Result<(), Stop> {
    for table in 0..state.tables.len() {
        let shares: Vec<&Share> = parts.iter().filter_map(|part| part.share(table)).collect();
        if let (false, Some(set)) = (shares.is_empty(), state.filter(table)) {
            state.settle(table, set.index);
            state.append_shares(table, &shares, added)?;
        }
    }
    Ok(())
}

/// Takes the keys of what was not stored out of the sets again.
pub(super) fn take_back(state: &mut RoundsState<'_, '_>, parts: &[ThreadPart]) {
    for table in 0..state.tables.len() {
        let Some(set) = state.filter(table) else { continue };
        for share in parts.iter().filter_map(|part| part.share(table)) {
            state.tables[table].indexes[set.index].unclaim(&share.columns, share.count);
        }
        state.settle(table, set.index);
    }
}
