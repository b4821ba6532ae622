//! Symbols with rules that no text declares: made when an equation needs them.

pub(super) mod characters;
pub(super) mod choice;
pub(super) mod fields;
pub(super) mod functions;
pub(super) mod lists;
mod maker;
pub(super) mod site;
