//! Entry, exit and calls of helpers on x86-64. The pinned register is `r15`; native functions keep the chain of frames
//! in `rbp`.

use std::arch::naked_asm;

use crate::vm::{COMPILE, FRAME, HOST_SP, RESULT, SITE, STATUS, Vm};

/// Saves all registers that a helper may change, and notes the caller's frame, which lies `$frame` bytes above the
/// saved frame pointer; the return address of the call lies at `$site`. Undone by `restore_all`.
macro_rules! save_all {
    () => {
        "push rbp
         mov rbp, rsp
         push rax
         push rcx
         push rdx
         push rsi
         push rdi
         push r8
         push r9
         push r10
         push r11
         sub rsp, 264
         movups [rsp], xmm0
         movups [rsp + 16], xmm1
         movups [rsp + 32], xmm2
         movups [rsp + 48], xmm3
         movups [rsp + 64], xmm4
         movups [rsp + 80], xmm5
         movups [rsp + 96], xmm6
         movups [rsp + 112], xmm7
         movups [rsp + 128], xmm8
         movups [rsp + 144], xmm9
         movups [rsp + 160], xmm10
         movups [rsp + 176], xmm11
         movups [rsp + 192], xmm12
         movups [rsp + 208], xmm13
         movups [rsp + 224], xmm14
         movups [rsp + 240], xmm15
         mov rax, [rbp]
         mov [r15 + {frame}], rax"
    };
}

macro_rules! restore_all {
    () => {
        "lea rsp, [rbp - 336]
         movups xmm0, [rsp]
         movups xmm1, [rsp + 16]
         movups xmm2, [rsp + 32]
         movups xmm3, [rsp + 48]
         movups xmm4, [rsp + 64]
         movups xmm5, [rsp + 80]
         movups xmm6, [rsp + 96]
         movups xmm7, [rsp + 112]
         movups xmm8, [rsp + 128]
         movups xmm9, [rsp + 144]
         movups xmm10, [rsp + 160]
         movups xmm11, [rsp + 176]
         movups xmm12, [rsp + 192]
         movups xmm13, [rsp + 208]
         movups xmm14, [rsp + 224]
         movups xmm15, [rsp + 240]
         add rsp, 264
         pop r11
         pop r10
         pop r9
         pop r8
         pop rdi
         pop rsi
         pop rdx
         pop rcx
         pop rax
         pop rbp"
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
        "push rbp
         push rbx
         push r12
         push r13
         push r14
         push r15
         sub rsp, 8
         mov [rsi + {host_sp}], rsp
         mov rsp, r8
         mov r15, rsi
         xor ebp, ebp
         mov rax, rdi
         mov rdi, rdx
         mov rsi, rcx
         call rax
         jmp {exit}",
        host_sp = const HOST_SP,
        exit = sym exit,
    )
}

/// Back to the host, with the value in `rax`: the end of [`enter`].
#[unsafe(naked)]
unsafe extern "C" fn exit() {
    naked_asm!(
        "mov rsp, [r15 + {host_sp}]
         add rsp, 8
         pop r15
         pop r14
         pop r13
         pop r12
         pop rbx
         pop rbp
         ret",
        host_sp = const HOST_SP,
    )
}

/// Drops all native frames.
#[unsafe(naked)]
unsafe extern "C" fn leave() {
    naked_asm!("xor eax, eax", "jmp {exit}", exit = sym exit)
}

/// Calls a helper (first argument) with up to four words from native code, by the convention `PreserveAll`: no register
/// changes, the value is in [`Vm`]'s `result`.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn call_helper_preserving() {
    naked_asm!(
        save_all!(),
        "mov rax, [rbp + 8]
         mov [r15 + {site}], rax
         mov rax, rdi
         mov rdi, r15
         mov rsp, [r15 + {host_sp}]
         call rax
         mov [r15 + {result}], rax
         cmp qword ptr [r15 + {status}], 0
         jne {leave}",
        restore_all!(),
        "ret",
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
        "push rbp
         mov rbp, rsp
         mov rax, [rbp]
         mov [r15 + {frame}], rax
         mov rax, [rbp + 8]
         mov [r15 + {site}], rax
         mov rax, rdi
         mov rdi, r15
         mov rsp, [r15 + {host_sp}]
         call rax
         cmp qword ptr [r15 + {status}], 0
         jne {leave}
         mov rsp, rbp
         pop rbp
         ret",
        frame = const FRAME,
        site = const SITE,
        host_sp = const HOST_SP,
        status = const STATUS,
        leave = sym leave,
    )
}

/// Where the [`stub`] of a function jumps to: compiles the function whose number lies on the stack, and goes on there.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn compile_and_jump() {
    naked_asm!(
        save_all!(),
        "mov rax, [rbp + 16]
         mov [r15 + {site}], rax
         mov rdi, r15
         mov rsi, [rbp + 8]
         mov rsp, [r15 + {host_sp}]
         call [r15 + {compile}]
         mov [r15 + {result}], rax
         cmp qword ptr [r15 + {status}], 0
         jne {leave}",
        restore_all!(),
        "add rsp, 8
         jmp [r15 + {result}]",
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
    let mut bytes = [0xcc; STUB_BYTES];
    // push imm32; jmp [rip]; the address
    bytes[0] = 0x68;
    bytes[1..5].copy_from_slice(&function.to_le_bytes());
    bytes[5..11].copy_from_slice(&[0xff, 0x25, 0, 0, 0, 0]);
    bytes[11..19].copy_from_slice(&(compile_and_jump as *const () as u64).to_le_bytes());
    bytes
}
