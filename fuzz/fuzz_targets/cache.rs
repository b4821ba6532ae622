//! Any bytes in the place of an entry of the kernel cache are no entry, or the one that was written; never a panic.

#![no_main]

use gchr_cuda::cache::{Cache, CacheKey, Entry};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let folder = std::env::temp_dir().join(format!("gchr-fuzz-cache-{}", std::process::id()));
    let cache = Cache::at(&folder, 1 << 20);
    let key = CacheKey::of_check(["fuzz", "fuzz"], "kernels");
    let entry = Entry { log: "log".into(), code: vec![1, 2, 3] };
    cache.put(&key, &entry);
    cache.accept(&key);
    assert_eq!(cache.get(&key).as_ref(), Some(&entry));
    for file in std::fs::read_dir(&folder).expect("the folder of the cache") {
        let path = file.expect("readable").path();
        if path.is_file() && path.file_name().is_some_and(|name| name != "CACHEDIR.TAG") {
            std::fs::write(path, bytes).expect("a temporary file");
        }
    }
    assert!(cache.get(&key).is_none_or(|found| found == entry));
    let _ = cache.is_accepted(&key);
});
