//! What host code uses of the templates of rounds: each name stands once, in the template.

use gchr_base::diagnostic::Diagnostic;
use gchr_kernel::contract;
use gchr_kernel::device::{BufferId, Value};
use gchr_kernel::ir::{FunctionId, Module};
use gchr_kernel::template::{Contract, KernelArguments, KernelLayout, RecordLayout, Resolver};

/// Threads of a block; the contract checks that the template has it, too.
pub(crate) const BLOCK: u32 = 256;

/// Id of a row that holds no constraint; the contract checks that the template has it, too.
pub(crate) const NO_ID: u32 = u32::MAX;

contract! {
    /// Words of `state`.
    pub(crate) constants State: usize {
        new,
        carried,
        next_id,
        epoch,
        rounds,
        fired,
        wanted_items,
        wanted_staged,
        slice,
        failed_entry,
        changed,
        small_rounds,
        left_fast_path,
        next_fast_path_probe,
        next_offer_probe,
        state_words,
    }

    /// Words of `control`.
    pub(crate) constants Control: usize {
        stop,
        touched,
        flags,
        control_words,
    }

    /// Constants in generated code.
    pub(crate) expressions Constants {
        contended,
        cuts,
        down,
        ends,
        entry,
        fails,
        goes_on,
        has_ended,
        has_key,
        high,
        keyed,
        low,
        many,
        matches,
        next_id,
        no_id,
        none,
        rule,
        second,
        unclaimed,
        unordered,
        valueless,
    }

    /// Functions that generated code calls.
    pub(crate) functions Functions {
        claim,
        compare_int_float,
        divisor,
        fail,
        hash_word,
        index_row,
        int_quot_check,
        int_rem_unchecked,
        raise,
        stage,
        touch,
        unrank,
    }

    /// Functions of `numbers.cu` that generated code calls: integers and floats in the order of all values.
    pub(crate) functions NumberFunctions {
        compare_values,
        order_numbers,
        takes_first,
    }

    /// Functions of `terms.cu` that generated code calls.
    pub(crate) functions TermFunctions {
        is_float,
        is_int,
        number_of,
        order_words,
    }

    /// Functions of `monotone.cu` that generated code calls.
    pub(crate) functions BitFunctions {
        clear_bit,
        set_bit,
    }

    /// Why a launch is over.
    pub(crate) constants Stop: u32 {
        done,
        must_grow,
        guard_failed,
        body_failed,
        paused,
        must_collect,
        must_clear,
        no_steps,
        no_ids,
        value_failed,
        no_cells,
        other_grid,
        may_take_fast_path,
        may_offer,
    }

    /// Numbers that host code computes with.
    pub(crate) constants Numbers: u32 {
        /// Rows in use from which on a launch ends for a table that has many dead ones.
        worth_collecting,
    }

    /// From how many new values on a product of matrices is worth its launches.
    pub(crate) constants Offers: u64 {
        offered_few,
        offered_share,
    }

    /// Arguments of the kernels. Generated fields of terms, of the log and of tables follow.
    pub(crate) record Params of "Params" {
        control: BufferId,
        arrivals: BufferId,
        error: BufferId,
        state: BufferId,
        used: BufferId,
        dead: BufferId,
        capacity: BufferId,
        wanted: BufferId,
        block_sums: BufferId,
        adds: BufferId,
        added_tables: BufferId,
        removed_heads: BufferId,
        fast_paths: BufferId,
        delta: BufferId,
        delta_next: BufferId,
        changed: BufferId,
        touched: BufferId,
        carried: BufferId,
        carried_next: BufferId,
        asks: BufferId,
        count: BufferId,
        offset: BufferId,
        staged: BufferId,
        staged_key: BufferId,
        order: BufferId,
        item_capacity: u32,
        staged_capacity: u32,
    }

    /// Rounds.
    pub(crate) kernel Rounds<'a> of "rounds" {
        p: &'a [Value],
        slice: u32,
        max_firings: u64,
        few: u32,
        hysteresis: u32,
        offered: bool,
    }

    /// Enters the rows of a batch.
    pub(crate) kernel Enter<'a> of "enter" {
        p: &'a [Value],
        count: u32,
    }

    /// Explains an error.
    pub(crate) kernel ExplainFailure<'a> of "explain_failure" {
        p: &'a [Value],
        body: u32,
    }

    /// Moves the rows of a table.
    pub(crate) kernel MoveRows<'a> of "move_rows" {
        p: &'a [Value],
        to: &'a [Value],
        table: u32,
        rows: u32,
        keep: BufferId,
        map: BufferId,
    }

    /// Takes entries out of the list of what is new.
    pub(crate) kernel ThinOut<'a> of "thin_out" {
        p: &'a [Value],
        count: u32,
        emptied: BufferId,
        keep: BufferId,
        map: BufferId,
        left: BufferId,
    }

    /// Words of the control buffer of `monotone.cu`, why a launch of it is over, and words of a table in `spans`.
    pub(crate) constants MonotoneWords: u32 {
        ended,
        rounds_done,
        monotone_control,
        nothing_new,
        at_slice,
        spans,
        span_begin,
        span_end,
        span_wanted,
    }

    /// Rounds that only add.
    pub(crate) kernel MonotoneRounds<'a> of "monotone" {
        p: &'a [Value],
        capacity: BufferId,
        spans: BufferId,
        counts: BufferId,
        firings: BufferId,
        control: BufferId,
        arrivals: BufferId,
        slice: u32,
    }

    /// Remembers the keys of rows.
    pub(crate) kernel RememberRows<'a> of "remember_rows" {
        p: &'a [Value],
        table: u32,
        ids: BufferId,
        rows: u32,
    }

    /// Links rows in the indexes that are kept up to date.
    pub(crate) kernel LinkRows<'a> of "link_rows" {
        p: &'a [Value],
        table: u32,
        rows: u32,
    }

    /// Words of the control buffer of `product.cu`, why a launch of it is over, and the width of a tile.
    pub(crate) constants ProductWords: u32 {
        stopped,
        done_rounds,
        unfit,
        product_control,
        at_end,
        at_pause,
        tile,
    }

    /// Rounds that are products of matrices.
    pub(crate) kernel ProductRounds of "product" {
        cells_a: BufferId,
        cells_b: BufferId,
        places: BufferId,
        flags_a: BufferId,
        flags_b: BufferId,
        width: u32,
        slice: u32,
        control: BufferId,
        state: BufferId,
        arrivals: BufferId,
    }

    /// Writes the values of a table to a matrix.
    pub(crate) kernel Spread of "spread" {
        row_keys: BufferId,
        column_keys: BufferId,
        values: BufferId,
        ids: BufferId,
        rows: u32,
        width: u32,
        greatest: bool,
        cells: BufferId,
        places: BufferId,
        control: BufferId,
    }

    /// Writes the values of a matrix to a table.
    pub(crate) kernel Gather of "gather" {
        cells: BufferId,
        places: BufferId,
        count: u64,
        greatest: bool,
        values: BufferId,
    }

    /// Leaves what a round makes better with the rows.
    pub(crate) kernel Offer of "offer" {
        before: BufferId,
        after: BufferId,
        places: BufferId,
        count: u64,
        greatest: bool,
        table: u32,
        better: BufferId,
        touched: BufferId,
        control: BufferId,
        found: u32,
    }

    /// Enters cells into the table of their places.
    pub(crate) kernel EnterCells of "enter_cells" {
        cells: BufferId,
        starts: BufferId,
        count: u32,
        places: BufferId,
        mask: u32,
    }

    /// Marks the cells that a column names.
    pub(crate) kernel MarkColumn of "mark_column" {
        cells: BufferId,
        marks: BufferId,
        immortal: u32,
        column: BufferId,
        ids: BufferId,
        rows: u32,
        pending: BufferId,
        top: BufferId,
    }

    /// Marks the cells that marked ones name.
    pub(crate) kernel MarkLeft of "mark_left" {
        cells: BufferId,
        marks: BufferId,
        immortal: u32,
        left: BufferId,
        count: u32,
        pending: BufferId,
        top: BufferId,
    }

    /// Finds the places of marked cells behind a collection.
    pub(crate) kernel PlaceCells of "place_cells" {
        cells: BufferId,
        marks: BufferId,
        immortal: u32,
        places: BufferId,
        count: u32,
        sizes: BufferId,
        offsets: BufferId,
        block_sums: BufferId,
        arrivals: BufferId,
    }

    /// Copies marked cells to their places.
    pub(crate) kernel CopyCells of "copy_cells" {
        cells: BufferId,
        immortal: u32,
        places: BufferId,
        count: u32,
        sizes: BufferId,
        offsets: BufferId,
        to: BufferId,
        moved: BufferId,
        starts: BufferId,
    }

    /// Gives the words in cells their new values.
    pub(crate) kernel RenameCells of "rename_cells" {
        cells: BufferId,
        immortal: u32,
        starts: BufferId,
        count: u32,
        moved: BufferId,
    }

    /// Gives the words in a column their new values.
    pub(crate) kernel RenameColumn of "rename_column" {
        column: BufferId,
        ids: BufferId,
        rows: u32,
        immortal: u32,
        moved: BufferId,
    }

    /// Finds the best of new rows.
    pub(crate) kernel FindBestRow of "best_row" {
        column: BufferId,
        first: u32,
        rows: u32,
        order: u32,
        words: BufferId,
        found: BufferId,
    }

    /// Finds the least and the greatest value of a column.
    pub(crate) kernel ColumnRange of "column_range" {
        column: BufferId,
        ids: BufferId,
        rows: u32,
        range: BufferId,
        at: u32,
    }
}

/// An instance of `product.cu`.
pub(crate) struct ProductHost {
    pub words: ProductWords,
    pub rounds: KernelLayout,
    pub spread: KernelLayout,
    pub gather: KernelLayout,
    pub offer: KernelLayout,
}

/// What `monotone.cu` gives.
pub(crate) struct MonotoneHost {
    pub words: MonotoneWords,
    pub rounds: KernelLayout,
    pub remember_rows: KernelLayout,
    pub link_rows: KernelLayout,
}

/// What `terms.cu` gives.
pub(crate) struct TermHost {
    pub enter_cells: KernelLayout,
    pub mark_column: KernelLayout,
    pub mark_left: KernelLayout,
    pub place_cells: KernelLayout,
    pub copy_cells: KernelLayout,
    pub rename_cells: KernelLayout,
    pub rename_column: KernelLayout,
}

impl TermHost {
    /// The kernels that find the terms in use and move them together.
    pub(crate) fn moving(&self) -> [&KernelLayout; 6] {
        [
            &self.mark_column,
            &self.mark_left,
            &self.place_cells,
            &self.copy_cells,
            &self.rename_cells,
            &self.rename_column,
        ]
    }
}

/// What host code uses of the finished kernels.
pub(crate) struct Host {
    pub(crate) state: State,
    pub(crate) control: Control,
    pub(crate) stop: Stop,
    pub(crate) numbers: Numbers,
    pub(crate) offers: Offers,
    pub(crate) params: RecordLayout<Params>,
    pub(crate) rounds: KernelLayout,
    pub(crate) enter: KernelLayout,
    pub(crate) explain_failure: KernelLayout,
    pub(crate) move_rows: KernelLayout,
    pub(crate) thin_out: KernelLayout,
    pub(crate) terms: Option<TermHost>,
    pub(crate) monotone: Option<MonotoneHost>,
    pub(crate) best_row: Option<KernelLayout>,
    pub(crate) column_range: Option<KernelLayout>,
    /// By the prefix of the instance.
    pub(crate) products: Vec<(&'static str, ProductHost)>,
}

impl Host {
    /// The kernels of programs with terms.
    pub(crate) fn of_terms(&self) -> &TermHost {
        self.terms.as_ref().expect("the program has terms")
    }

    /// Of a module that has these templates. `declared`: fields that the record of `rounds.cu` has; `products`:
    /// prefixes of the instances of `product.cu`.
    pub(crate) fn of(
        module: &Module,
        declared: usize,
        parts: Parts,
        products: impl Iterator<Item = &'static str>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut resolver = Resolver::new(module, "rounds");
        let r = &mut resolver;
        let mut host = Self {
            state: State::resolve(r),
            control: Control::resolve(r),
            stop: Stop::resolve(r),
            numbers: Numbers::resolve(r),
            offers: Offers::resolve(r),
            params: r.layout(declared),
            rounds: r.kernel::<Rounds<'_>>(),
            enter: r.kernel::<Enter<'_>>(),
            explain_failure: r.kernel::<ExplainFailure<'_>>(),
            move_rows: r.kernel::<MoveRows<'_>>(),
            thin_out: r.kernel::<ThinOut<'_>>(),
            terms: None,
            monotone: None,
            best_row: None,
            column_range: None,
            products: Vec::new(),
        };
        r.expect("BLOCK", BLOCK);
        r.expect("NO_ID", NO_ID);
        r.expect("ROWS", crate::layout::ENTRY_WORDS as u32);
        r.expect("ASK", crate::layout::ASK_WORDS);
        r.expect("IS_PRODUCT", crate::layout::IS_PRODUCT);
        r.expect("IS_MONOTONE", crate::layout::IS_MONOTONE);
        resolver.finish(())?;
        if parts.terms {
            let mut resolver = Resolver::new(module, "terms");
            let r = &mut resolver;
            host.terms = Some(TermHost {
                enter_cells: r.kernel::<EnterCells>(),
                mark_column: r.kernel::<MarkColumn>(),
                mark_left: r.kernel::<MarkLeft>(),
                place_cells: r.kernel::<PlaceCells>(),
                copy_cells: r.kernel::<CopyCells>(),
                rename_cells: r.kernel::<RenameCells>(),
                rename_column: r.kernel::<RenameColumn>(),
            });
            resolver.finish(())?;
        }
        host.best_row = kernel_of::<FindBestRow>(module, "best", parts.best_row)?;
        host.column_range = kernel_of::<ColumnRange>(module, "range", parts.column_range)?;
        if parts.monotone {
            let mut resolver = Resolver::new(module, "monotone");
            let r = &mut resolver;
            host.monotone = Some(MonotoneHost {
                words: MonotoneWords::resolve(r),
                rounds: r.kernel::<MonotoneRounds<'_>>(),
                remember_rows: r.kernel::<RememberRows<'_>>(),
                link_rows: r.kernel::<LinkRows<'_>>(),
            });
            resolver.finish(())?;
        }
        for prefix in products {
            let mut resolver = Resolver::with_prefix(module, "product", prefix);
            let r = &mut resolver;
            let product = ProductHost {
                words: ProductWords::resolve(r),
                rounds: r.kernel::<ProductRounds>(),
                spread: r.kernel::<Spread>(),
                gather: r.kernel::<Gather>(),
                offer: r.kernel::<Offer>(),
            };
            host.products.push((prefix, resolver.finish(product)?));
        }
        Ok(host)
    }
}

/// The only kernel of a template, if a module has it.
fn kernel_of<K: KernelArguments>(
    module: &Module,
    template: &'static str,
    is_there: bool,
) -> Result<Option<KernelLayout>, Vec<Diagnostic>> {
    let find = || {
        let mut resolver = Resolver::new(module, template);
        let kernel = resolver.kernel::<K>();
        resolver.finish(kernel)
    };
    is_there.then(find).transpose()
}

/// Which templates a module has beside `rounds.cu`.
#[derive(Clone, Copy, Default)]
pub(crate) struct Parts {
    pub(crate) numbers: bool,
    pub(crate) terms: bool,
    pub(crate) monotone: bool,
    pub(crate) best_row: bool,
    pub(crate) column_range: bool,
}

/// What generators use of the templates. Filling a hole moves functions: numbers of functions are those of the module
/// as it is before the next hole is filled.
pub(crate) struct Names {
    pub(crate) constants: Constants,
    pub(crate) functions: Functions,
    pub(crate) numbers: Option<NumberFunctions>,
    pub(crate) terms: Option<TermFunctions>,
    pub(crate) bits: Option<BitFunctions>,
    /// The hole that is filled next.
    pub(crate) hole: FunctionId,
}

impl Names {
    pub(crate) fn of(module: &Module, parts: Parts, hole: &str) -> Result<Self, Vec<Diagnostic>> {
        fn found<C: Contract>(
            module: &Module,
            template: &'static str,
            wanted: bool,
        ) -> Result<Option<C>, Vec<Diagnostic>> {
            wanted.then(|| C::of(module, template)).transpose()
        }
        let numbers = found(module, "numbers", parts.numbers)?;
        let terms = found(module, "terms", parts.terms)?;
        let bits = found(module, "monotone", parts.monotone)?;
        let mut resolver = Resolver::new(module, "rounds");
        let r = &mut resolver;
        let (constants, functions) = (Constants::resolve(r), Functions::resolve(r));
        let hole = r.function(hole);
        resolver.finish(Self { constants, functions, numbers, terms, bits, hole })
    }
}
