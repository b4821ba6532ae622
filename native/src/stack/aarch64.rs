//! Entry, exit and calls of helpers on 64-bit ARM. The pinned register is `x21`; native functions keep the chain of
//! frames in `x29`.

use std::arch::naked_asm;

use crate::vm::{COMPILE, FRAME, HOST_SP, RESULT, SITE, STATUS, Vm};

/// Saves all registers that a helper may change but `x16` and `x17`, which no code expects to survive a call.
macro_rules! save_all {
    () => {
        "stp x29, x30, [sp, #-16]!
         mov x29, sp
         sub sp, sp, #672
         stp x0, x1, [sp]
         stp x2, x3, [sp, #16]
         stp x4, x5, [sp, #32]
         stp x6, x7, [sp, #48]
         stp x8, x9, [sp, #64]
         stp x10, x11, [sp, #80]
         stp x12, x13, [sp, #96]
         stp x14, x15, [sp, #112]
         stp q0, q1, [sp, #128]
         stp q2, q3, [sp, #160]
         stp q4, q5, [sp, #192]
         stp q6, q7, [sp, #224]
         stp q8, q9, [sp, #256]
         stp q10, q11, [sp, #288]
         stp q12, q13, [sp, #320]
         stp q14, q15, [sp, #352]
         stp q16, q17, [sp, #384]
         stp q18, q19, [sp, #416]
         stp q20, q21, [sp, #448]
         stp q22, q23, [sp, #480]
         stp q24, q25, [sp, #512]
         stp q26, q27, [sp, #544]
         stp q28, q29, [sp, #576]
         stp q30, q31, [sp, #608]
         ldr x9, [x29]
         str x9, [x21, {frame}]
         ldr x9, [x29, #8]
         str x9, [x21, {site}]"
    };
}

macro_rules! restore_all {
    () => {
        "sub sp, x29, #672
         ldp x0, x1, [sp]
         ldp x2, x3, [sp, #16]
         ldp x4, x5, [sp, #32]
         ldp x6, x7, [sp, #48]
         ldp x8, x9, [sp, #64]
         ldp x10, x11, [sp, #80]
         ldp x12, x13, [sp, #96]
         ldp x14, x15, [sp, #112]
         ldp q0, q1, [sp, #128]
         ldp q2, q3, [sp, #160]
         ldp q4, q5, [sp, #192]
         ldp q6, q7, [sp, #224]
         ldp q8, q9, [sp, #256]
         ldp q10, q11, [sp, #288]
         ldp q12, q13, [sp, #320]
         ldp q14, q15, [sp, #352]
         ldp q16, q17, [sp, #384]
         ldp q18, q19, [sp, #416]
         ldp q20, q21, [sp, #448]
         ldp q22, q23, [sp, #480]
         ldp q24, q25, [sp, #512]
         ldp q26, q27, [sp, #544]
         ldp q28, q29, [sp, #576]
         ldp q30, q31, [sp, #608]
         mov sp, x29
         ldp x29, x30, [sp], #16"
    };
}

/// Calls native code on a stack: `adaptor(args, target)`. Gives its value, or 0 when it was left.
///
/// # Safety
/// `adaptor` and `target` are code for each other, `args` are what it reads, `top` is the top of a stack that `vm` has
/// the limit of.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn enter(
    adaptor: *const u8,
    vm: *mut Vm,
    args: *const u64,
    target: u64,
    top: u64,
) -> u64 {
    naked_asm!(
        "sub sp, sp, #160
         stp x29, x30, [sp]
         stp x19, x20, [sp, #16]
         stp x21, x22, [sp, #32]
         stp x23, x24, [sp, #48]
         stp x25, x26, [sp, #64]
         stp x27, x28, [sp, #80]
         stp d8, d9, [sp, #96]
         stp d10, d11, [sp, #112]
         stp d12, d13, [sp, #128]
         stp d14, d15, [sp, #144]
         mov x9, sp
         str x9, [x1, {host_sp}]
         mov sp, x4
         mov x21, x1
         mov x29, xzr
         mov x9, x0
         mov x0, x2
         mov x1, x3
         blr x9
         b {exit}",
        host_sp = const HOST_SP,
        exit = sym exit,
    )
}

/// Back to the host, with the value in `x0`: the end of [`enter`].
#[unsafe(naked)]
unsafe extern "C" fn exit() {
    naked_asm!(
        "ldr x9, [x21, {host_sp}]
         mov sp, x9
         ldp x29, x30, [sp]
         ldp x19, x20, [sp, #16]
         ldp x21, x22, [sp, #32]
         ldp x23, x24, [sp, #48]
         ldp x25, x26, [sp, #64]
         ldp x27, x28, [sp, #80]
         ldp d8, d9, [sp, #96]
         ldp d10, d11, [sp, #112]
         ldp d12, d13, [sp, #128]
         ldp d14, d15, [sp, #144]
         add sp, sp, #160
         ret",
        host_sp = const HOST_SP,
    )
}

/// Drops all native frames.
#[unsafe(naked)]
unsafe extern "C" fn leave() {
    naked_asm!("mov x0, xzr", "b {exit}", exit = sym exit)
}

/// Calls a helper (first argument) with up to four words from native code, by the convention `PreserveAll`: no register
/// changes, the value is in [`Vm`]'s `result`.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn call_helper_preserving() {
    naked_asm!(
        save_all!(),
        "mov x9, x0
         mov x0, x21
         ldr x10, [x21, {host_sp}]
         mov sp, x10
         blr x9
         str x0, [x21, {result}]
         ldr x9, [x21, {status}]
         cbnz x9, 2f",
        restore_all!(),
        "ret",
        "2: b {leave}",
        frame = const FRAME,
        site = const SITE,
        host_sp = const HOST_SP,
        result = const RESULT,
        status = const STATUS,
        leave = sym leave,
    )
}

/// Calls a helper (first argument) with up to four words from native code, by the system's convention.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn call_helper() {
    naked_asm!(
        "stp x29, x30, [sp, #-16]!
         mov x29, sp
         ldr x9, [x29]
         str x9, [x21, {frame}]
         str x30, [x21, {site}]
         mov x9, x0
         mov x0, x21
         ldr x10, [x21, {host_sp}]
         mov sp, x10
         blr x9
         ldr x9, [x21, {status}]
         cbnz x9, 2f
         mov sp, x29
         ldp x29, x30, [sp], #16
         ret
         2: b {leave}",
        frame = const FRAME,
        site = const SITE,
        host_sp = const HOST_SP,
        status = const STATUS,
        leave = sym leave,
    )
}

/// Where the [`stub`] of a function jumps to: compiles the function whose number is in `x16`, and goes on there.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn compile_and_jump() {
    naked_asm!(
        save_all!(),
        "mov x0, x21
         mov x1, x16
         ldr x10, [x21, {host_sp}]
         mov sp, x10
         ldr x9, [x21, {compile}]
         blr x9
         str x0, [x21, {result}]
         ldr x9, [x21, {status}]
         cbnz x9, 2f",
        restore_all!(),
        "ldr x16, [x21, {result}]
         br x16
         2: b {leave}",
        frame = const FRAME,
        site = const SITE,
        host_sp = const HOST_SP,
        result = const RESULT,
        status = const STATUS,
        leave = sym leave,
        compile = const COMPILE,
    )
}

/// Bytes of a stub.
pub(crate) const STUB_BYTES: usize = 24;

/// Code that calls [`compile_and_jump`] for a function.
pub(crate) fn stub(function: u32) -> [u8; STUB_BYTES] {
    let mut bytes = [0; STUB_BYTES];
    let (low, high) = (function & 0xffff, function >> 16);
    let instructions = [
        0x5280_0010 | low << 5,  // movz w16, low
        0x72a0_0010 | high << 5, // movk w16, high, lsl 16
        0x5800_0051,             // ldr x17, the address
        0xd61f_0220,             // br x17
    ];
    for (bytes, instruction) in bytes.chunks_exact_mut(4).zip(instructions) {
        bytes.copy_from_slice(&u32::to_le_bytes(instruction));
    }
    bytes[16..].copy_from_slice(&(compile_and_jump as *const () as u64).to_le_bytes());
    bytes
}
