//! Pages in a real browser: nothing on its console, and curves or bars on the picture.

use std::path::Path;
use std::process::Command;

/// A browser, as Debian calls it.
fn browser() -> Option<&'static str> {
    let found = ["chromium", "chromium-browser", "google-chrome"]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok_and(|o| o.status.success()));
    let required = std::env::var_os("GCHR_REQUIRE_BROWSER").is_some_and(|v| v == "1");
    assert!(found.is_some() || !required, "GCHR_REQUIRE_BROWSER=1, and there is no chromium");
    if found.is_none() {
        eprintln!("there is no chromium here: the page was not looked at (apt-get install chromium)");
    }
    found
}

/// Shows a page and makes a picture of it; gives what the browser says.
fn look(browser: &str, page: &Path, picture: &Path) -> String {
    let home = tempfile::tempdir().expect("a folder for the browser");
    let output = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--enable-logging=stderr",
        ])
        .args(["--host-resolver-rules=MAP * ~NOTFOUND", "--window-size=900,1400"])
        .arg(format!("--user-data-dir={}", home.path().display()))
        .arg(format!("--screenshot={}", picture.display()))
        .arg(format!("file://{}", page.display()))
        .output()
        .expect("the browser runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    said
}

/// Pixels of a picture by colour, the most frequent first.
fn colours(picture: &Path) -> Vec<([u8; 3], usize)> {
    let file = std::io::BufReader::new(std::fs::File::open(picture).expect("a picture"));
    let mut reader = png::Decoder::new(file).read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut pixels).expect("a frame");
    let mut found = std::collections::HashMap::new();
    for pixel in pixels[..info.buffer_size()].chunks_exact(info.color_type.samples()) {
        *found.entry([pixel[0], pixel[1], pixel[2]]).or_insert(0) += 1;
    }
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by_key(|c| std::cmp::Reverse(c.1));
    found
}

/// Shows a page in a browser, if there is one.
pub fn check_page(page: &Path) {
    let Some(browser) = browser() else { return };
    let picture = page.with_extension("png");
    let said = look(browser, page, &picture);
    assert!(!said.contains("CONSOLE"), "the console says:\n{said}");
    let found = colours(&picture);
    let all: usize = found.iter().map(|c| c.1).sum();
    let most = &found[..found.len().min(6)];
    assert!(found[0].1 < all * 99 / 100, "the picture is blank: {most:?}");
    // Areas under curves and bars are blue on white.
    let drawn: usize = found.iter().filter(|(c, _)| c[2] > 150 && c[2] - 20 > c[0]).map(|c| c.1).sum();
    assert!(drawn > all / 500, "nothing is drawn: {drawn} of {all} pixels, {most:?}");
}
