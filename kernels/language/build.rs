//! Names the crate by its sources, since what it says of kernels is kept on disk.

fn main() -> std::io::Result<()> {
    gchr_source_hash::name_by_sources()
}
