//! The papers' tables: their figures, ours, and the ratio.
//!
//! - Table 3 of van Eerd, Groote, Hijma, Martens, Osama, Wijs: Innermost many-sorted term rewriting on GPUs (2023):
//!   three systems at three sizes; the CPU, and a GPU (Titan RTX there) in four configurations, here in five. Without a
//!   GPU, the configurations run on the simulator at a small size: then the counts can be compared (by the formulas
//!   that the table's counts follow), and times cannot.
//! - The benchmarks of van Eerd, Groote, Hijma, Martens, Wijs: Term Rewriting on GPUs (2021): merge sorts and a tree
//!   transformation.
//! - The programs of Zaki, Frühwirth, Geller: Parallel Execution of Constraint Handling Rules on a Graphical Processing
//!   Unit; it gives no figures.

use super::programs::{Benchmark, CONSTRAINTS, TERMS};
use super::report::{Entry, Report};
use super::settings::{Settings, Timed, on_device, time};
use crate::device::{self, Collector, Strategy};
use crate::options::CompileOptions;
use crate::options::{Device, Schedule, Scheduler};

/// A row of Table 3: size, terms rewritten, time on the CPU, then iterations and time of each GPU configuration.
type PaperRow = (u64, u64, f64, [(u64, f64); 4]);

struct System {
    title: &'static str,
    name: &'static str,
    /// Size for the simulator.
    simulated: u64,
    /// Terms rewritten at a size, by the formula that the table's counts follow.
    rewritten: fn(u64) -> u64,
    rows: [PaperRow; 3],
}

const TABLE_3: [System; 3] = [
    System {
        title: "Tree exploration",
        name: "tree_exploration",
        simulated: 9,
        rewritten: |n| 3 * (1 << n) + 3 * n,
        rows: [
            (21, 6_291_519, 58.0, [(108, 74.7), (108, 21.9), (109, 22.9), (108, 77.3)]),
            (22, 12_582_978, 115.9, [(113, 139.8), (113, 37.8), (114, 36.5), (113, 143.2)]),
            (23, 25_165_893, 232.6, [(118, 199.0), (118, 67.3), (119, 65.2), (118, 209.2)]),
        ],
    },
    System {
        title: "Transformation tree",
        name: "transformation_tree",
        simulated: 7,
        rewritten: |n| 29 * (1 << n) + n - 2,
        rows: [
            (22, 121_634_836, 366.1, [(94, 50.3), (94, 50.2), (94, 49.4), (94, 198.9)]),
            (23, 243_269_653, 637.4, [(97, 91.4), (97, 93.0), (97, 90.1), (97, 252.6)]),
            (24, 486_539_286, 1417.5, [(100, 175.9), (100, 178.5), (100, 169.3), (100, 353.2)]),
        ],
    },
    System {
        title: "Binary search tree",
        name: "bst",
        simulated: 7,
        rewritten: |n| 40 * (1 << n) + n - 14,
        rows: [
            (20, 41_943_046, 391.5, [(139, 255.6), (139, 205.4), (194, 264.8), (139, 261.6)]),
            (21, 83_886_087, 794.1, [(143, 345.5), (143, 307.5), (204, 412.4), (143, 369.7)]),
            (22, 167_772_168, 1583.7, [(161, 587.9), (161, 618.2), (210, 558.8), (161, 594.1)]),
        ],
    },
];

/// Configurations, and which column of the table each is. The paper leaves the last one out.
const CONFIGURATIONS: [(&str, Strategy, Collector, Option<usize>); 5] = [
    ("innermost", Strategy::Innermost, Collector::None, Some(0)),
    ("innermost, queue", Strategy::Innermost, Collector::Queue, Some(1)),
    ("relaxed, queue", Strategy::Relaxed, Collector::Queue, Some(2)),
    ("innermost, compact", Strategy::Innermost, Collector::Compact, Some(3)),
    ("relaxed, compact", Strategy::Relaxed, Collector::Compact, None),
];

/// Reruns the papers' tables.
pub fn papers(settings: &Settings<'_>) -> Result<Report, String> {
    let mut report = Report::new("papers", settings);
    let gpu = device::gpus().is_ok_and(|list| !list.is_empty());
    for system in TABLE_3.iter().filter(|s| settings.wants(s.name)) {
        let rows = if settings.smallest { &system.rows[..1] } else { &system.rows[..] };
        for row in rows {
            on_cpu(system, row, settings, &mut report);
            if gpu {
                on_gpu(system, row, settings, &mut report);
                by_tasks(system, row, settings, &mut report);
            }
        }
        if !gpu {
            simulated(system, settings, &mut report);
        }
    }
    merge_sorts(gpu, settings, &mut report);
    constraints(gpu, settings, &mut report);
    report.notes.extend(notes(gpu));
    Ok(report)
}

fn notes(gpu: bool) -> Vec<String> {
    let mut notes = vec![
        "Table 3 of \"Innermost many-sorted term rewriting on GPUs\" was measured on an Intel Core i7-7700 and a Titan RTX. Terms rewritten \
         count rule applications and marks \"in normal form\"; `steps` are rule applications alone. The article marks 2N - 2 terms \
         more of the binary search tree: it prints its start for N = 1 only."
            .to_string(),
        "\"Parallel Execution of Constraint Handling Rules on a Graphical Processing Unit\" gives no times for its programs.".to_string(),
    ];
    if !gpu {
        notes.push(
            "There is no GPU here: its configurations ran on the simulator, at small sizes. Their counts can be compared with the paper's \
             formulas, their times with nothing."
                .to_string(),
        );
    }
    notes
}

fn benchmark(name: &str) -> Option<&'static Benchmark> {
    TERMS.iter().find(|b| b.name == name)
}

fn measure(
    report: &mut Report,
    settings: &Settings<'_>,
    mut entry: Entry,
    (name, size): (&str, u64),
    options: &CompileOptions,
    finish: impl FnOnce(&mut Entry, &Timed),
) {
    if !settings.goes_on(&entry.key()) {
        return;
    }
    let Some(bench) = benchmark(name) else { return };
    match time(&bench.input(size), options, settings) {
        Ok(timed) => {
            entry.set_ours(&timed);
            finish(&mut entry, &timed);
        }
        Err(why) => entry = entry.failed(why),
    }
    report.entries.push(entry);
}

fn on_cpu(system: &System, row: &PaperRow, settings: &Settings<'_>, report: &mut Report) {
    let &(size, _, cpu, _) = row;
    let entry = Entry::new(system.title, "CPU", Some(size));
    measure(report, settings, entry, (system.name, size), &CompileOptions::default(), |entry, _| {
        entry.set_theirs(cpu);
    });
}

fn on_gpu(system: &System, row: &PaperRow, settings: &Settings<'_>, report: &mut Report) {
    let &(size, rewritten, _, columns) = row;
    for (name, strategy, collector, column) in CONFIGURATIONS {
        let schedule = Schedule { scheduler: Scheduler::Topology, strategy, collector: Some(collector) };
        let options = CompileOptions { device: Device::Gpu(0), schedule, ..CompileOptions::default() };
        let entry = Entry::new(system.title, format!("GPU, {name}"), Some(size));
        measure(report, settings, entry, (system.name, size), &options, |entry, timed| {
            entry.rewritten = timed.rewritten().map(|ours| (ours, rewritten));
            if let Some((iterations, ms)) = column.map(|c| columns[c]) {
                entry.their_rounds = Some(iterations);
                entry.set_theirs(ms);
            }
        });
    }
}

/// The tasks scheduler beside the best of the paper's configurations.
fn by_tasks(system: &System, row: &PaperRow, settings: &Settings<'_>, report: &mut Report) {
    let &(size, _, _, columns) = row;
    let best = columns.iter().map(|c| c.1).fold(f64::INFINITY, f64::min);
    let entry = Entry::new(system.title, "GPU, tasks", Some(size));
    measure(report, settings, entry, (system.name, size), &on_device(Device::Gpu(0)), |entry, _| {
        entry.set_theirs(best);
        entry.note = Some("theirs: the best of its configurations".into());
    });
}

/// All configurations on the simulator: counts only.
fn simulated(system: &System, settings: &Settings<'_>, report: &mut Report) {
    let size = system.simulated;
    for (name, strategy, collector, _) in CONFIGURATIONS {
        let schedule = Schedule { scheduler: Scheduler::Topology, strategy, collector: Some(collector) };
        let options = CompileOptions { device: Device::Sim, schedule, ..CompileOptions::default() };
        let entry = Entry::new(system.title, format!("sim, {name}"), Some(size));
        measure(report, settings, entry, (system.name, size), &options, |entry, timed| {
            entry.rewritten = timed.rewritten().map(|ours| (ours, (system.rewritten)(size)));
        });
    }
}

/// The second paper's benchmarks. Its figures of the merge sorts are lost in the copy that was read; of the
/// transformation tree it says 3.12 G terms a second on the GPU.
fn merge_sorts(gpu: bool, settings: &Settings<'_>, report: &mut Report) {
    const TRANSFORMATION: u64 = 22;
    let cases = [
        (
            "Merge sort of 50",
            "mergesort",
            50,
            "the paper says that one list has too little parallelism for a GPU",
        ),
        (
            "Tree merge sort 18x5",
            "mergesort_tree",
            18,
            "the paper's depth is 23: its GPU is 3 times faster than its CPU",
        ),
    ];
    for (title, name, size, note) in cases.into_iter().filter(|c| settings.wants(c.1)) {
        let size = if settings.smallest { size.min(12) } else { size };
        let entry = Entry::new(title, "CPU", Some(size));
        measure(report, settings, entry, (name, size), &CompileOptions::default(), |entry, _| {
            entry.note = Some(note.into());
        });
        if gpu {
            let entry = Entry::new(title, "GPU, tasks", Some(size));
            measure(report, settings, entry, (name, size), &on_device(Device::Gpu(0)), |_, _| {});
        }
    }
    if settings.wants("transformation_tree") {
        let entry = Entry::new("Transformation tree (2021)", "CPU", Some(TRANSFORMATION));
        let size = ("transformation_tree", TRANSFORMATION);
        measure(report, settings, entry, size, &CompileOptions::default(), |entry, _| {
            // 29 * 2^22 + 20 terms at 3.12 G a second.
            let terms = (TABLE_3[1].rewritten)(TRANSFORMATION) as f64;
            entry.set_theirs(terms / 3.12e9 * 1e3);
            entry.note = Some("theirs: the rate of its GPU, 3.12 G terms a second".into());
        });
    }
}

/// The third paper's programs: under the refined semantics, and in rounds on a GPU.
fn constraints(gpu: bool, settings: &Settings<'_>, report: &mut Report) {
    let mut ways = vec![("CPU, refined", CompileOptions::default())];
    if gpu {
        ways.push(("GPU, rounds", on_device(Device::Gpu(0))));
    }
    for name in ["min", "primes", "floyd"] {
        let Some(bench) = CONSTRAINTS.iter().find(|b| b.name == name && settings.wants(name)) else {
            continue;
        };
        for (&size, (way, options)) in
            settings.sizes(bench).iter().flat_map(|s| ways.iter().map(move |w| (s, w)))
        {
            let mut entry = Entry::new(bench.file_name(), *way, Some(size));
            if !settings.goes_on(&entry.key()) {
                return;
            }
            match time(&bench.input(size), options, settings) {
                Ok(timed) => entry.set_ours(&timed),
                Err(why) => entry = entry.failed(why),
            }
            report.entries.push(entry);
        }
    }
}
