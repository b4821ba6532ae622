//! The profile as one page: figures, plots, rules and the program's text with counts. No scripts, nothing is loaded.

use std::fmt::Write;

use super::data::{Profile, RuleProfile, Why};
use crate::report::page::{Origin, TABLE, document, escape, grouped};
use crate::report::plot::Unit;

/// The whole page.
pub(super) fn page(profile: &Profile) -> String {
    let mut body = String::new();
    figures(profile, &mut body);
    body += "<h2 id=course>Course of the run</h2>\n";
    if !profile.has_rounds() {
        body += match profile.stats.device.as_deref() {
            None | Some("cpu") => {
                "<p class=note>This executor applies one rule after the other, so there is no parallelism to show.</p>\n"
            }
            Some(_) => {
                "<p class=note>This scheduler has no rounds: each thread goes on by itself, so there is no parallelism to show.</p>\n"
            }
        };
    }
    let plots = profile.plots();
    if plots.is_empty() {
        body += "<p class=note>The run was too short to have a course.</p>\n";
    }
    body += "<div class=plots>\n";
    plots.iter().for_each(|plot| body += &plot.figure());
    body += "</div>\n";
    rules(profile, &mut body);
    source(profile, &mut body);
    let mut sections = vec![("course", "Course of the run"), ("rules", "Rules"), ("text", "Program")];
    if let Some(Why { of, derivation }) = &profile.why {
        sections.push(("why", "Why"));
        let _ = writeln!(body, "<h2 id=why>Why {}</h2>", escape(of));
        let _ = writeln!(body, "<div class=scroll><pre>{}</pre></div>", escape(derivation));
    }
    let origin = Origin {
        command: profile.command.as_deref(),
        machine: profile.machine.as_ref().map(ToString::to_string),
    };
    document(&format!("Profile of {}", profile.program), &sections, &body, &origin)
}

fn figures(profile: &Profile, out: &mut String) {
    if let Some(why) = &profile.stopped {
        let _ = writeln!(out, "<p class=warning>The run ended without a result: {}</p>", escape(why));
    }
    let stats = &profile.stats;
    let count = |n: Option<u64>| n.map(grouped);
    let ms = |t: Option<f64>| t.map(|t| Unit::Seconds.show(t / 1e3));
    let mut rows: Vec<(&str, Option<String>)> = vec![
        ("rule applications", count(stats.rewrites)),
        ("firings", count(stats.firings)),
        ("rounds", count(stats.rounds)),
        (
            "mean parallelism",
            profile.mean_parallelism().map(|m| match m {
                m if m < 1000.0 => format!("{m:.1}"),
                m => grouped(m.round() as u64),
            }),
        ),
        ("peak parallelism", count(profile.peak_parallelism)),
        ("time of the run", ms(stats.run_ms)),
        ("device time", ms(stats.device_ms)),
        ("parsing", ms(stats.parse_ms)),
        ("compiling", ms(stats.compile_ms)),
        ("peak memory", stats.peak_bytes.map(|b| Unit::Bytes.show(b as f64))),
        ("live at the end", count(stats.live_cells)),
        ("collections", count(stats.collections)),
        ("device", stats.device.clone()),
        ("scheduler", stats.scheduler.clone()),
        ("semantics", stats.semantics.clone()),
    ];
    if let Some(last) = profile.points.last() {
        rows.insert(3, ("rows tried", (last.tried > 0).then(|| grouped(last.tried))));
        let traffic = last.traffic;
        let bytes = |n: u64| (n > 0).then(|| Unit::Bytes.show(n as f64));
        rows.push(("bytes read", bytes(traffic.read)));
        rows.push(("bytes written", bytes(traffic.written)));
        rows.push(("moved by random accesses", bytes(traffic.random)));
        let share = profile.share_of_roofline();
        rows.push(("device time at the memory's ceilings", share.map(|s| format!("{:.1} %", s * 100.0))));
        rows.push(("atomics", (traffic.atomics > 0).then(|| grouped(traffic.atomics))));
    }
    *out += "<dl class=figures>\n";
    for (name, value) in rows {
        if let Some(value) = value {
            let _ = writeln!(out, "<div><dt>{name}</dt><dd>{}</dd></div>", escape(&value));
        }
    }
    *out += "</dl>\n";
    *out += "<p class=note>Times include the cost of recording; see docs/profile.md.</p>\n";
}

fn rules(profile: &Profile, out: &mut String) {
    *out += "<h2 id=rules>Rules</h2>\n";
    if profile.rules.is_empty() {
        *out += "<p class=note>Nothing was counted by rule.</p>\n";
        return;
    }
    let total = profile.rules.iter().map(|r| r.applied).sum::<u64>().max(1);
    let tries = profile.rules.iter().any(|r| r.tried.is_some());
    let sampled = profile.rules.iter().any(|r| r.share > 0.0);
    if !sampled {
        *out += "<p class=note>Times by rule were not sampled: the run was too short, or its executor has no sampler.</p>\n";
    }
    let head = |shown: bool, text: &'static str| if shown { text } else { "" };
    let _ = writeln!(
        out,
        "{}<tr><th scope=col>rule</th><th scope=col>line</th><th scope=col>{}</th><td class=bar></td>{}{}</tr>",
        TABLE[0],
        profile.unit,
        head(tries, "<th scope=col>rows tried</th>"),
        head(sampled, "<th scope=col>time</th>")
    );
    for RuleProfile { name, line, file, applied, tried, share } in &profile.rules {
        let part = *applied as f64 / total as f64 * 100.0;
        let applied = grouped(*applied);
        let tried = tried.map_or(String::new(), |tried| format!("<td>{}</td>", grouped(tried)));
        let time = if sampled { format!("<td>{:.1} %</td>", share * 100.0) } else { String::new() };
        let name = match file {
            None => format!("<a href=\"#L{line}\">{}</a>", escape(name)),
            Some(_) => escape(name).to_string(),
        };
        let _ = writeln!(
            out,
            "<tr><td class=name>{name}</td><td>{line}</td><td>{applied}</td>\
             <td class=bar><i style=\"width:{part:.1}%\"></i></td>{tried}{time}</tr>"
        );
    }
    *out += TABLE[1];
}

fn source(profile: &Profile, out: &mut String) {
    let most = profile.lines.iter().map(|l| l.of_rules).max().unwrap_or(0).max(1) as f64;
    let _ = writeln!(out, "<h2 id=text>{}</h2>\n<table class=source>", escape(&profile.program));
    for (i, line) in profile.lines.iter().enumerate() {
        // By the square root: what is hot stands out, and a hundredth of it is still seen.
        let heat = (line.of_rules as f64 / most).sqrt();
        let applied = line.applied.map_or(String::new(), grouped);
        let share = if line.share >= 0.0005 { format!("{:.1} %", line.share * 100.0) } else { String::new() };
        let _ = writeln!(
            out,
            "<tr id=L{0}><td class=no>{0}</td><td>{applied}</td><td>{share}</td>\
             <td class=code style=\"--heat:{heat:.3}\">{1}</td></tr>",
            i + 1,
            escape(&line.text)
        );
    }
    *out += "</table>\n";
}
