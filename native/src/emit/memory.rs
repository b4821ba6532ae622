//! Loads and stores, of memory and of the machine's fields.

use cranelift_codegen::ir::types::{F64, I64};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, StackSlotData, StackSlotKind};

use super::{Emit, Room, Val};

/// What lies in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// 8 bits, without a sign.
    Byte,
    /// 16 bits, without a sign.
    Half,
    /// 32 bits, without a sign.
    Single,
    /// 64 bits.
    Word,
    /// A `f64`.
    Float,
}

/// How memory is accessed. Addresses are always valid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryAccess {
    /// Aligned.
    Plain,
    /// At any address.
    Unaligned,
    /// Aligned, and never written while the function runs.
    Constant,
}

impl MemoryAccess {
    fn flags(self) -> MemFlagsData {
        match self {
            MemoryAccess::Plain => MemFlagsData::trusted(),
            MemoryAccess::Unaligned => MemFlagsData::new().with_notrap(),
            MemoryAccess::Constant => MemFlagsData::trusted().with_readonly().with_can_move(),
        }
    }
}

impl Emit<'_> {
    /// What lies at an address.
    pub fn load(&mut self, width: Width, access: MemoryAccess, address: Val, offset: i32) -> Val {
        let (flags, ins) = (access.flags(), self.b.ins());
        Val(match width {
            Width::Byte => ins.uload8(I64, flags, address.0, offset),
            Width::Half => ins.uload16(I64, flags, address.0, offset),
            Width::Single => ins.uload32(flags, address.0, offset),
            Width::Word => ins.load(I64, flags, address.0, offset),
            Width::Float => ins.load(F64, flags, address.0, offset),
        })
    }

    /// Writes (the low bits of) a value.
    pub fn store(&mut self, width: Width, access: MemoryAccess, value: Val, address: Val, offset: i32) {
        let (flags, ins) = (access.flags(), self.b.ins());
        match width {
            Width::Byte => ins.istore8(flags, value.0, address.0, offset),
            Width::Half => ins.istore16(flags, value.0, address.0, offset),
            Width::Single => ins.istore32(flags, value.0, address.0, offset),
            Width::Word | Width::Float => ins.store(flags, value.0, address.0, offset),
        };
    }

    /// A signed value of 8, 16 or 32 bits.
    pub fn load_signed(&mut self, width: Width, access: MemoryAccess, address: Val, offset: i32) -> Val {
        let (flags, ins) = (access.flags(), self.b.ins());
        match width {
            Width::Byte => Val(ins.sload8(I64, flags, address.0, offset)),
            Width::Half => Val(ins.sload16(I64, flags, address.0, offset)),
            Width::Single => Val(ins.sload32(flags, address.0, offset)),
            Width::Word | Width::Float => self.load(width, access, address, offset),
        }
    }

    /// The machine.
    pub fn machine(&mut self) -> Val {
        Val(self.b.ins().get_pinned_reg(I64))
    }

    /// A field of the machine.
    pub fn load_machine(&mut self, width: Width, access: MemoryAccess, offset: usize) -> Val {
        let machine = self.machine();
        self.load(width, access, machine, offset as i32)
    }

    /// Writes a field of the machine.
    pub fn store_machine(&mut self, width: Width, value: Val, offset: usize) {
        let machine = self.machine();
        self.store(width, MemoryAccess::Plain, value, machine, offset as i32);
    }

    /// Room number `at` of the frame, of at least so many words: the same one for each use of a number.
    pub fn room(&mut self, at: usize, words: usize) -> Room {
        while self.rooms.len() <= at {
            let empty = StackSlotData::new(StackSlotKind::ExplicitSlot, 0, 3);
            self.rooms.push(self.b.create_sized_stack_slot(empty));
        }
        let slot = self.rooms[at];
        let size = &mut self.b.func.sized_stack_slots[slot].size;
        *size = (*size).max(8 * words as u32);
        Room(slot)
    }

    /// The address of a room.
    pub fn address(&mut self, room: Room) -> Val {
        Val(self.b.ins().stack_addr(I64, room.0, 0))
    }

    /// The end of the frame.
    pub fn stack_pointer(&mut self) -> Val {
        Val(self.b.ins().get_stack_pointer(I64))
    }
}
