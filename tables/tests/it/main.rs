//! Tables of files of all formats, from outside the crate, in one binary.

mod damage;
mod files;
mod reading;
mod writing;
