//! Pages in a real browser: nothing on its console, curves or bars on the picture, and texts that can be read, on wide
//! and narrow screens, light and dark.

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

/// Starts a browser on a page; gives what it writes, and what it says.
fn start(browser: &str, page: &Path, args: &[&str]) -> (String, String) {
    let home = tempfile::tempdir().expect("a folder for the browser");
    let output = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--enable-logging=stderr",
        ])
        .arg("--host-resolver-rules=MAP * ~NOTFOUND")
        .arg(format!("--user-data-dir={}", home.path().display()))
        .args(args)
        .arg(format!("file://{}", page.display()))
        .output()
        .expect("the browser runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    (String::from_utf8_lossy(&output.stdout).into_owned(), said)
}

/// Shows a page and makes a picture of it; gives what the browser says.
fn look(browser: &str, page: &Path, picture: &Path) -> String {
    let screenshot = format!("--screenshot={}", picture.display());
    start(browser, page, &["--window-size=900,1400", &screenshot]).1
}

/// What a reader of a page has trouble with, and how bright its paper is. A window of a browser is not as narrow as a
/// telephone, so the page is shown within another one.
fn troubles(browser: &str, page: &Path, width: u32, dark: bool) -> (Vec<String>, f64) {
    let text = std::fs::read_to_string(page).expect("a page");
    let text = text.replace('&', "&amp;").replace('"', "&quot;");
    let around = format!(
        "<!DOCTYPE html><meta charset=utf-8><meta name=color-scheme content=\"light dark\">\n\
         <iframe id=page style=\"width: {width}px; height: 3000px; border: 0\" srcdoc=\"{text}\"></iframe>\n\
         <pre id=report></pre>\n<script>{}\nconst frame = document.getElementById('page');\n\
         frame.onload = () => look(frame, document.getElementById('report'));</script>\n",
        include_str!("look.js")
    );
    let wrapper = page.with_extension("look.html");
    std::fs::write(&wrapper, around).expect("a file");
    let mut args = vec!["--window-size=1400,1400", "--virtual-time-budget=10000", "--dump-dom"];
    args.extend(dark.then_some("--force-dark-mode"));
    let (shown, said) = start(browser, &wrapper, &args);
    let report = shown.split("<pre id=\"report\">").nth(1).and_then(|rest| rest.split("</pre>").next());
    let report = report.filter(|report| !report.is_empty()).unwrap_or_else(|| panic!("no report: {said}"));
    let report = report.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    let report: serde_json::Value = serde_json::from_str(&report).expect("a report");
    assert_eq!(report["window"], width, "{report}");
    assert!(report["texts"].as_u64().is_some_and(|texts| texts > 50), "{report}");
    let found = report["found"].as_array().expect("a list").iter();
    let found = found.map(|text| text.as_str().unwrap_or_default().to_string()).collect();
    (found, report["paper"].as_f64().expect("a number"))
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
    for (width, dark) in [(1280, false), (400, false), (1280, true), (400, true)] {
        let (found, paper) = troubles(browser, page, width, dark);
        assert!(found.is_empty(), "{width} pixels, dark {dark}: {found:#?}");
        assert_eq!(paper < 0.2, dark, "{width} pixels: paper of {paper}");
    }
}
