//! Tests of the layer below the languages: functions that are emitted by hand.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::code::{Code, Refused, Source};
use crate::emit::{CheckedOp, Compare, Emit, FloatOp, MemoryAccess, Width, WordOp};
use crate::function::{Func, Kind, NO_NOTE, Signature};
use crate::stack::Stack;
use crate::vm::{NOT_COMPILED, Vm};

type Body = fn(&mut Emit<'_>);

/// Functions by number.
struct Bodies(Vec<Body>);

impl Source for Bodies {
    fn emit(&self, function: Func, emit: &mut Emit<'_>) {
        self.0[function.0 as usize](emit);
    }
}

fn words(params: usize) -> Signature {
    Signature { params: vec![Kind::Word; params], result: Kind::Word }
}

fn code(functions: Vec<(Signature, Body)>) -> Code<'static> {
    let (signatures, bodies) = functions.into_iter().unzip();
    Code::new(signatures, Bodies(bodies), true).expect("this machine has executable memory")
}

fn run(code: &Code<'_>, vm: &mut Vm, function: u32, args: &[u64]) -> Result<u64, u64> {
    let stack = Stack::new(64 << 20).expect("there is address space");
    vm.stack_limit = stack.limit(stack.most());
    // SAFETY: the functions of these tests use the head of the machine only, and the arguments fit.
    unsafe { code.enter(vm, Func(function), args, &stack) }
}

/// `fib(n)`, where a sum overflows at 93.
fn fib(e: &mut Emit<'_>) {
    let n = e.params()[0];
    let (small, large, overflow) = (e.label(&[]), e.label(&[]), e.cold_label(&[]));
    let is_small = e.compare_to(Compare::Less, n, 2);
    e.branch(is_small, (small, &[]), (large, &[]));
    e.bind(small);
    e.give(n);
    e.bind(large);
    let (one, two) = (e.word_by(WordOp::Sub, n, 1), e.word_by(WordOp::Sub, n, 2));
    let (a, b) = (e.call(Func(0), &[one], &[]), e.call(Func(0), &[two], &[]));
    let (sum, overflows) = e.checked(CheckedOp::Add, a, b);
    e.jump_if(overflows, overflow);
    e.give(sum);
    e.bind(overflow);
    e.leave(leave_with, &[n]);
}

unsafe extern "C" fn leave_with(vm: *mut Vm, a: u64, _: u64, _: u64, _: u64) -> u64 {
    // SAFETY: the shim passes the machine that runs.
    unsafe { (*vm).leave(a) };
    0
}

/// Operators with a constant, on the left of a variable or on its right.
struct WithConstants(Vec<(CheckedOp, i64, bool)>);

impl Source for WithConstants {
    fn emit(&self, function: Func, e: &mut Emit<'_>) {
        let (op, by, is_left) = self.0[function.0 as usize];
        let (n, by) = (e.params()[0], e.int(by));
        let overflow = e.cold_label(&[]);
        let (value, overflows) = if is_left { e.checked(op, by, n) } else { e.checked(op, n, by) };
        e.jump_if(overflows, overflow);
        e.give(value);
        e.bind(overflow);
        let code = e.int(1);
        e.leave(leave_with, &[code]);
    }
}

#[test]
fn operators_with_constants_overflow_where_integers_do() {
    let near = |of: i64| [of.wrapping_sub(2), of.wrapping_sub(1), of, of.wrapping_add(1), of.wrapping_add(2)];
    let numbers: Vec<i64> =
        [0, i64::MIN, i64::MAX, i32::MIN.into(), i32::MAX.into()].into_iter().flat_map(near).collect();
    let ops = [CheckedOp::Add, CheckedOp::Sub, CheckedOp::Mul];
    let with_constants = |&by: &i64| ops.map(|op| [(op, by, true), (op, by, false)]).concat();
    let functions: Vec<_> = numbers.iter().flat_map(with_constants).collect();
    let source = WithConstants(functions.clone());
    let code = Code::new(vec![words(1); functions.len()], source, true).expect("executable memory");
    let mut vm = Vm::new();
    for (number, (op, by, is_left)) in (0..).zip(functions) {
        for &n in &numbers {
            let (a, b) = if is_left { (by, n) } else { (n, by) };
            let expected = match op {
                CheckedOp::Add => a.checked_add(b),
                CheckedOp::Sub => a.checked_sub(b),
                CheckedOp::Mul => a.checked_mul(b),
            };
            let found = run(&code, &mut vm, number, &[n.cast_unsigned()]);
            assert_eq!(found.ok(), expected.map(i64::cast_unsigned), "{op:?} of {a} and {b}");
        }
    }
}

#[test]
fn a_function_calls_itself() {
    let code = code(vec![(words(1), fib)]);
    let mut vm = Vm::new();
    assert_eq!(run(&code, &mut vm, 0, &[20]), Ok(6765));
    assert_eq!(code.functions(), 1);
    assert!(code.compile_time().as_nanos() > 0);
}

/// Even and odd numbers: each function is the tail of the other one.
fn even(e: &mut Emit<'_>) {
    parity(e, 1, Func(1));
}

fn odd(e: &mut Emit<'_>) {
    parity(e, 0, Func(0));
}

fn parity(e: &mut Emit<'_>, of_zero: i64, other: Func) {
    let n = e.params()[0];
    let (zero, more) = (e.label(&[]), e.label(&[]));
    let is_zero = e.compare_to(Compare::Equal, n, 0);
    e.branch(is_zero, (zero, &[]), (more, &[]));
    e.bind(zero);
    let value = e.int(of_zero);
    e.give(value);
    e.bind(more);
    let less = e.word_by(WordOp::Sub, n, 1);
    e.tail_call(other, &[less]);
}

#[test]
fn tail_calls_take_no_stack_and_functions_compile_when_they_are_called() {
    let code = code(vec![(words(1), even), (words(1), odd), (words(1), fib)]);
    let mut vm = Vm::new();
    assert_eq!(run(&code, &mut vm, 0, &[10_000_001]), Ok(0));
    assert_eq!(run(&code, &mut vm, 1, &[10_000_001]), Ok(1));
    assert_eq!(code.functions(), 2, "the third one was never called");
}

/// Goes down `n` calls and leaves there.
fn dive(e: &mut Emit<'_>) {
    let n = e.params()[0];
    let bottom = e.label(&[]);
    // Notes come in any order, and may be missing at first.
    e.note(NO_NOTE);
    let there = e.compare_to(Compare::Equal, n, 0);
    e.jump_if(there, bottom);
    let less = e.word_by(WordOp::Sub, n, 1);
    let value = e.call(Func(0), &[less], &[]);
    let value = e.word_by(WordOp::Add, value, 1);
    e.give(value);
    e.bind(bottom);
    let status = e.int(77);
    e.leave(leave_with, &[status]);
}

#[test]
fn a_helper_leaves_native_code_from_any_depth() {
    let code = code(vec![(words(1), dive)]);
    let mut vm = Vm::new();
    for depth in [0, 1, 100_000] {
        assert_eq!(run(&code, &mut vm, 0, &[depth]), Err(77));
    }
}

/// Takes two steps a turn for ever.
fn endless(e: &mut Emit<'_>) {
    let head = e.label(&[]);
    e.jump(head, &[]);
    e.bind(head);
    let two = e.int(2);
    let status = e.int(5);
    e.burn(two, leave_with, &[status], &[]);
    e.jump(head, &[]);
}

#[test]
fn a_loop_ends_when_its_fuel_does() {
    let code = code(vec![(words(0), endless)]);
    for fuel in [0, 1, 1000, 1001] {
        let mut vm = Vm { fuel, ..Vm::new() };
        assert_eq!(run(&code, &mut vm, 0, &[]), Err(5));
        assert_eq!(vm.fuel, if fuel % 2 == 0 { -2 } else { -1 });
    }
}

/// A machine of a language: the head, and a field of its own.
#[repr(C)]
struct Machine {
    vm: Vm,
    stack: u64,
    code: *const Code<'static>,
    found: Vec<(u32, u64)>,
    notes: (u32, u32),
}

/// Goes down while there is stack, and counts.
fn deep(e: &mut Emit<'_>) {
    let n = e.params()[0];
    e.check_stack(grow, &[n], &[]);
    let more = e.word_by(WordOp::Add, n, 1);
    let value = e.call(Func(0), &[more], &[]);
    let value = e.word_by(WordOp::Add, value, 1);
    e.give(value);
}

/// Doubles the stack until there is no more, and leaves with the depth.
unsafe extern "C" fn grow(vm: *mut Vm, depth: u64, _: u64, _: u64, _: u64) -> u64 {
    // SAFETY: the code of the test runs on this machine, and the stack outlives it.
    let (vm, stack, end) = unsafe {
        let machine = vm.cast::<Machine>();
        let end = (*(*machine).code).end_of_frames(&*vm);
        (&mut *vm, &*((*machine).stack as *const Stack), end)
    };
    let used = stack.used(end);
    if used > stack.most() / 2 {
        vm.leave(depth);
    } else {
        vm.stack_limit = stack.limit(2 * used);
    }
    0
}

#[test]
fn the_stack_grows_up_to_its_limit() {
    let code = code(vec![(words(1), deep)]);
    let stack = Stack::new(8 << 20).expect("there is address space");
    let mut machine = machine(&code, &stack);
    machine.vm.stack_limit = stack.limit(4096);
    // SAFETY: the machine begins with its head.
    let depth = unsafe { code.enter((&raw mut machine).cast(), Func(0), &[0], &stack) };
    let depth = depth.expect_err("the recursion has no end");
    assert!((4 << 20) / 64 < depth && depth < (8 << 20) / 16, "{depth}");
}

fn machine(code: &Code<'_>, stack: &Stack) -> Machine {
    Machine {
        vm: Vm::new(),
        stack: std::ptr::from_ref(stack) as u64,
        code: std::ptr::from_ref(code).cast(),
        found: Vec::new(),
        notes: (0, 0),
    }
}

/// Keeps a root with tag 7 in each frame, and one with tag 9 in the last one, where the roots are looked at in the
/// middle of much else.
fn roots(e: &mut Emit<'_>) {
    let n = e.params()[0];
    let bottom = e.label(&[]);
    let there = e.compare_to(Compare::Equal, n, 0);
    e.jump_if(there, bottom);
    let less = e.word_by(WordOp::Sub, n, 1);
    let root = e.word_by(WordOp::Add, n, 1000);
    e.note(22);
    let value = e.call(Func(0), &[less], &[(7, root)]);
    let root = e.kept_value((7, root));
    let value = e.add(value, root);
    e.give(value);
    e.bind(bottom);
    let nine = e.int(9999);
    let busy: Vec<_> = (1..20).map(|k| e.word_by(WordOp::Add, n, k)).collect();
    e.note(21);
    e.rare_helper(look, &[], &[(9, nine)]);
    let mut sum = n;
    for value in busy {
        sum = e.add(sum, value);
    }
    e.give(sum);
}

unsafe extern "C" fn look(vm: *mut Vm, _: u64, _: u64, _: u64, _: u64) -> u64 {
    let machine = vm.cast::<Machine>();
    // SAFETY: as for `grow`; the vector is not a part of the head.
    unsafe {
        let found = &mut (*machine).found;
        (*(*machine).code).for_each_root(&*vm, &mut |tag, value| found.push((tag, value)));
    }
    // SAFETY: as above.
    unsafe { (*machine).notes = (*(*machine).code).notes(&*vm) };
    // As a helper that needs many registers.
    std::hint::black_box([1.5f64; 32]);
    0
}

#[test]
fn roots_of_all_frames_are_found_and_rare_helpers_preserve_registers() {
    let code = code(vec![(words(1), roots)]);
    let stack = Stack::new(1 << 20).expect("there is address space");
    let mut machine = machine(&code, &stack);
    machine.vm.stack_limit = stack.limit(stack.most());
    // SAFETY: the machine begins with its head.
    let value = unsafe { code.enter((&raw mut machine).cast(), Func(0), &[3], &stack) };
    assert_eq!(value, Ok((1..20).sum::<u64>() + 1001 + 1002 + 1003));
    assert_eq!(machine.notes, (21, 22));
    assert_eq!(machine.found, [(9, 9999), (7, 1001), (7, 1002), (7, 1003)]);
}

/// The distance of a point from the origin, by a loop that halves it as often as said.
fn halved(e: &mut Emit<'_>) {
    let [x, y, times] = e.params()[..] else { panic!("three parameters") };
    let (xx, yy) = (e.float_op(FloatOp::Mul, x, x), e.float_op(FloatOp::Mul, y, y));
    let sum = e.float_op(FloatOp::Add, xx, yy);
    let distance = e.sqrt(sum);
    let (head, body, end) = (e.label(&[Kind::Float, Kind::Word]), e.label(&[]), e.label(&[]));
    e.jump(head, &[distance, times]);
    let [value, left] = e.bind(head)[..] else { panic!("two parameters") };
    let done = e.compare_to(Compare::Equal, left, 0);
    e.branch(done, (end, &[]), (body, &[]));
    e.bind(body);
    let two = e.float(2.0);
    let half = e.float_op(FloatOp::Div, value, two);
    let left = e.word_by(WordOp::Sub, left, 1);
    e.jump(head, &[half, left]);
    e.bind(end);
    e.give(value);
}

#[test]
fn floats_are_arguments_and_values() {
    let signature = Signature { params: vec![Kind::Float, Kind::Float, Kind::Word], result: Kind::Float };
    let code = code(vec![(signature, halved)]);
    let args = [3f64.to_bits(), 4f64.to_bits(), 1];
    assert_eq!(run(&code, &mut Vm::new(), 0, &args), Ok(2.5f64.to_bits()));
}

/// Copies a number of memory, picked by its width, and gives what it was.
fn memory(e: &mut Emit<'_>) {
    let [from, to, width] = e.params()[..] else { panic!("three parameters") };
    let widths = [Width::Byte, Width::Half, Width::Single, Width::Word];
    let labels: Vec<_> = widths.iter().map(|_| e.label(&[])).collect();
    let other = e.label(&[]);
    let cases: Vec<_> = labels.iter().enumerate().map(|(i, &label)| (i as u64, label)).collect();
    e.switch(width, &cases, other);
    for (label, width) in labels.into_iter().zip(widths) {
        e.bind(label);
        let value = e.load(width, MemoryAccess::Unaligned, from, 1);
        e.store(width, MemoryAccess::Unaligned, value, to, 2);
        e.give(value);
    }
    e.bind(other);
    let none = e.int(-1);
    e.give(none);
}

#[test]
fn memory_is_read_and_written_in_all_widths() {
    let code = code(vec![(words(3), memory)]);
    let from: [u8; 16] = std::array::from_fn(|i| 0x80 + i as u8);
    let whole = 0x8887_8685_8483_8281_u64;
    for (width, mask) in [0xff, 0xffff, 0xffff_ffff, u64::MAX].into_iter().enumerate() {
        let mut to = [0u8; 16];
        let args = [from.as_ptr() as u64, to.as_mut_ptr() as u64, width as u64];
        assert_eq!(run(&code, &mut Vm::new(), 0, &args), Ok(whole & mask));
        let bytes = 1 << width;
        assert_eq!(to[2..2 + bytes], from[1..1 + bytes]);
        assert_eq!(to[2 + bytes..], [0; 14][bytes..]);
    }
    assert_eq!(run(&code, &mut Vm::new(), 0, &[0, 0, 4]), Ok(u64::MAX));
}

/// Functions that many threads call at once are compiled once.
#[test]
fn threads_share_code() {
    static EMITTED: AtomicU64 = AtomicU64::new(0);
    fn counted(e: &mut Emit<'_>) {
        EMITTED.fetch_add(1, Ordering::Relaxed);
        fib(e);
    }
    let code = code(vec![(words(1), counted)]);
    let values = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for n in 0..4 {
            let (code, values) = (&code, &values);
            scope.spawn(move || {
                let value = run(code, &mut Vm::new(), 0, &[15 + n]);
                values.lock().expect("no panic").push(value);
            });
        }
    });
    let mut values = values.into_inner().expect("no panic");
    values.sort_unstable();
    assert_eq!(values, [610, 987, 1597, 2584].map(Ok));
    assert_eq!(EMITTED.load(Ordering::Relaxed), 1);
}

/// A bug of a code generator is an error of the run.
#[test]
fn what_cannot_be_compiled_is_refused() {
    fn caller(e: &mut Emit<'_>) {
        let n = e.params()[0];
        let value = e.call(Func(1), &[n], &[]);
        let value = e.word_by(WordOp::Add, value, 1);
        e.give(value);
    }
    fn broken(_: &mut Emit<'_>) {
        panic!("no body");
    }
    let code = code(vec![(words(1), caller), (words(1), broken)]);
    assert_eq!(run(&code, &mut Vm::new(), 0, &[1]), Err(NOT_COMPILED));
    assert_eq!(code.failure(), Some(Refused::Internal("no body".into())));
}
