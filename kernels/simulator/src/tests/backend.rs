//! The simulator behind the interface that it shares with CUDA.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::support::read;
use crate::{Program, SimDevice, SimulatorOptions};
use gchr_kernel::device::{Device, DeviceError, DeviceExt, Launch};

const ADD: &str = "KERNEL add(u32* a, u64* b, u32 n) {
        u32 i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) { b[i] = b[i] + u64(a[i]); }
    }
    KERNEL spin(u32* a, u64* b, u32 n) {
        u32 x = 0u;
        while (true) { x += 1u; }
    }";

fn device<'a>(options: SimulatorOptions) -> SimDevice<'a> {
    SimDevice::new(Program::new(&read(ADD)).unwrap(), options)
}

fn launch(device: &mut dyn Device, name: &str, n: u32) -> gchr_kernel::device::Result<Vec<u64>> {
    let kernel = device.kernel(name)?;
    let a = device.upload_new(&[1u32, 2, 3])?;
    let b = device.upload_new(&[10u64, 20, 30])?;
    let args = [a.into(), b.into(), n.into()];
    device.launch(&Launch { kernel, grid: 2, block: 32, args: &args, cooperative: false })?;
    let result = device.download_vec(b, 3);
    device.free(a)?;
    device.free(b)?;
    result
}

#[test]
fn a_program_runs_through_the_common_interface() {
    let mut device = device(SimulatorOptions::default());
    let timer = device.start_timer().unwrap();
    assert_eq!(launch(&mut device, "add", 3), Ok(vec![11, 22, 33]));
    assert!(device.stop_timer(timer).is_ok() && device.stop_timer(timer).is_err());
    assert_eq!(device.free_bytes(), Ok(10 << 30));
    assert!(device.totals().thread_steps > 64);
    assert!(matches!(device.kernel("sub"), Err(DeviceError::UnknownKernel { .. })));
}

#[test]
fn findings_become_diagnostics() {
    let Err(error) = launch(&mut device(SimulatorOptions::default()), "add", 4) else { panic!() };
    let found = error.into_diagnostics();
    assert_eq!(found.iter().map(|d| d.code).collect::<Vec<_>>(), ["D0515", "D0515"]);
    assert_eq!(found[1].message, "a[3] is out of bounds: there are 3 elements");
    assert_eq!(
        found[1].notes,
        ["in kernel `add`, at add, kernel line 4 (b[i] = b[i] + u64(a[i]);)", "by block 0 warp 0 lane 3"]
    );
}

#[test]
fn memory_and_shapes_are_limited() {
    let mut device = device(SimulatorOptions { memory_limit: 1 << 20, ..SimulatorOptions::default() });
    let out = device.alloc(1 << 21);
    assert!(matches!(out, Err(DeviceError::OutOfMemory { requested: 0x20_0000, total: 0x10_0000, .. })));
    let kernel = device.kernel("add").unwrap();
    let blocks = device.resident_blocks(kernel, 64).unwrap();
    let grid = blocks + 1;
    let launch = Launch { kernel, grid, block: 64, args: &[], cooperative: true };
    assert!(matches!(device.launch(&launch), Err(DeviceError::Launch { .. })));
    assert!(device.resident_blocks(kernel, 100).is_err());
    let buffer = device.alloc(16).unwrap();
    assert!(matches!(device.upload(buffer, 10, &[0; 7]), Err(DeviceError::Range { .. })));
    device.free(buffer).unwrap();
    assert!(matches!(device.upload(buffer, 0, &[0]), Err(DeviceError::Stale { .. })));
}

#[test]
fn launches_can_be_stopped() {
    let codes = |device: SimDevice| {
        let mut device = device;
        let Err(error) = launch(&mut device, "spin", 3) else { panic!() };
        error.into_diagnostics().iter().map(|d| d.code).collect::<Vec<_>>()
    };
    assert_eq!(codes(device(SimulatorOptions::default()).max_thread_steps(1000)), ["D0502"]);
    assert_eq!(codes(device(SimulatorOptions::default()).deadline(Instant::now())), ["D0503"]);
    let flag = AtomicBool::new(true);
    assert_eq!(codes(device(SimulatorOptions::default()).interrupt(&flag)), ["D0504"]);
}
