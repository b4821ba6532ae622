//! As many threads as leave room for what the program builds.

use super::capacity::Capacity;
use super::scale::Scale;
use super::start::Start;
use super::{Job, Options};
use crate::tasks::codegen::FEWEST_CELLS;

/// Cells that a thread takes at a time, before there are fewer threads.
const FEW_CELLS: u32 = 32;

/// The largest scale with which half of the memory is left for what the program builds, else the smallest one;
/// `resident`: blocks that the device holds at a time. Where even that does not fit: the bytes that it needs.
pub(super) fn fitting(
    job: &Job<'_>,
    options: &Options,
    resident: u32,
    start: &Start<'_>,
) -> Result<Scale, u64> {
    let mut blocks = resident.min(options.blocks).max(1);
    // What a thread makes sure of at a time is no more than the smallest run.
    let least = if job.kernels.shapes.is_some() { 1 } else { FEWEST_CELLS };
    let (mut block, mut run) = (options.block, options.run.max(least));
    loop {
        let scale = Scale::new(job, options, blocks, block, run);
        let bytes = Capacity::least(job, &scale, start).bytes(job);
        if bytes <= options.memory / 2 {
            return Ok(scale);
        }
        if run > FEW_CELLS || blocks == 1 && run > FEWEST_CELLS {
            run /= 2;
        } else if blocks > 1 {
            blocks /= 2;
        } else if block > 32 {
            block = block / 2 / 32 * 32;
        } else {
            return if bytes <= options.memory { Ok(scale) } else { Err(bytes) };
        }
    }
}

#[cfg(test)]
mod tests {
    use gchr_base::rule::Start as Input;
    use gchr_base::source::SourceMap;
    use gchr_terms::plan::{TermOptions, compile};

    use super::super::capacity::{Full, InUse, Shortage};
    use super::super::{Promote, Results, Uncollected};
    use super::*;
    use crate::tasks::kernels::{Tuning, kernels};

    /// What a GPU of 132 multiprocessors is asked for.
    const LARGE: Options = Options {
        memory: 1 << 36,
        first_memory: 1 << 35,
        block: 128,
        blocks: 264,
        run: 256,
        batch: 64,
        report: 1 << 20,
        promote: Promote::WhenAsked,
        steps: 128,
        spare: None,
        uncollected: Uncollected::NONE,
        results: Results::NormalForms,
    };

    fn with_job(counts: bool, compact: bool, check: impl Fn(&Job<'_>, &Start<'_>)) {
        let text = "sort Tree = struct Leaf() | Node(Tree, Tree); Big = struct None() | Big(Tree, Int, Int, Tree, Tree);
            var N : Int; T : Tree; map Grow: Int -> Tree; All: Int # Tree -> Big;
            eqn N > 0 -> Grow(N) = Node(Grow(N - 1), Grow(N - 1)); Grow(N) = Leaf();
                N > 0 -> All(N, T) = Big(T, N, N, Grow(3), T);
            input Grow(20);";
        let mut sources = SourceMap::new();
        let id = sources.add("test.trs", text);
        let program = gchr_trs::load(&sources, id).program.expect("the program is right");
        let plan = compile(&program, &TermOptions::tasks(counts)).expect("the plan compiles");
        let tuning = Tuning { compact, ..Tuning::default() };
        let kernels = kernels(&plan, &program, &sources, tuning).expect("kernels are generated");
        let Input::Term(Some(input)) = &program.start else { panic!("the program has an input") };
        let inputs = std::slice::from_ref(input);
        let job = Job { program: &program, plan: &plan, kernels: &kernels, inputs };
        check(&job, &Start::new(&job, &mut || Ok(())).expect("a start term"));
    }

    #[test]
    fn small_memories_have_fewer_threads() {
        for (counts, compact) in [(false, false), (true, false), (false, true)] {
            with_job(counts, compact, |job, start| {
                let fit = |memory| {
                    let options = Options { memory, first_memory: memory / 2, ..LARGE };
                    let scale = fitting(job, &options, 300, start)?;
                    let bytes = Capacity::first(job, &options, &scale, start).bytes(job);
                    assert!(bytes <= memory, "{bytes} bytes of {memory}: {scale:?}");
                    Ok::<_, u64>(scale)
                };
                let large = fit(1 << 36).expect("there is room");
                assert_eq!((large.blocks, large.block, large.run), (264, 128, 256));
                let mut threads = large.threads();
                for memory in [1 << 30, 64 << 20, 16 << 20, 4 << 20, 1 << 20] {
                    let scale = fit(memory).expect("a block fits");
                    assert!(scale.threads() <= threads && scale.run >= FEWEST_CELLS, "{memory}: {scale:?}");
                    threads = scale.threads();
                }
                let needed = fit(1 << 12).expect_err("no warp fits");
                assert!((1 << 12..1 << 20).contains(&needed), "{needed}");
                assert!(fit(needed).is_ok(), "what it says that it needs is enough");
            });
        }
    }

    /// However much memory there is, holes name 2^32 words.
    #[test]
    fn the_heap_has_a_limit_of_its_own() {
        with_job(false, false, |job, start| {
            let memory = 1 << 40;
            let options = Options { memory, first_memory: memory, ..LARGE };
            let scale = fitting(job, &options, 300, start).expect("there is room");
            let mut capacity = Capacity::first(job, &options, &scale, start);
            let in_use = InUse { cells: vec![0; job.plan.layout.classes.len()], chunks: 0 };
            let shortage = Shortage { class: Some(0), in_use };
            let full = loop {
                match capacity.grow(job, &shortage, memory) {
                    Ok(()) => assert!(capacity.places(job).heap_words <= 1 << 32),
                    Err(full) => break full,
                }
            };
            assert!(matches!(full, Full::Indices(cells) if cells > 1 << 30), "{}", capacity.bytes(job));
        });
    }

    /// A run that builds cells of two classes, of one first, finds memory for them after a few starts when they take no
    /// more than 60 % of it, wherever the shares lay before; else the error comes as soon.
    #[test]
    fn memory_goes_to_what_is_in_use() {
        with_job(false, true, |job, start| {
            let memory = 1 << 33;
            let options = Options { memory, first_memory: memory / 2, ..LARGE };
            let scale = fitting(job, &options, 300, start).expect("there is room");
            let first = Capacity::first(job, &options, &scale, start);
            for (percent, fits) in [(5, true), (40, true), (60, true), (105, false)] {
                for part in [0, 1, 10, 50] {
                    let bytes = memory / 100 * percent;
                    let shares = [bytes - bytes * part / 100, bytes * part / 100];
                    let places = first.places(job);
                    let cells = |k: usize| shares[k] / (4 * u64::from(places.classes[k].stride));
                    let wanted = [cells(0), cells(1)];
                    let mut capacity = first.clone();
                    let mut starts = 0;
                    let reached = loop {
                        let has: Vec<u64> =
                            capacity.places(job).classes.iter().map(|p| p.cells.into()).collect();
                        let full = has.iter().zip(wanted).position(|(&has, wanted)| has < wanted);
                        let Some(class) = full else { break true };
                        let in_use = |(&has, wanted): (&u64, u64)| has.min(wanted);
                        let cells = has.iter().zip(wanted).map(in_use).collect();
                        let shortage = Shortage { class: Some(class), in_use: InUse { cells, chunks: 0 } };
                        starts += 1;
                        if capacity.grow(job, &shortage, memory).is_err() {
                            break false;
                        }
                        assert!(capacity.bytes(job) <= memory);
                    };
                    assert!(reached == fits && starts <= 7, "{percent} {part} {starts} {reached}");
                }
            }
        });
    }
}
