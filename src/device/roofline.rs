//! Measured roofline peaks of GPUs, kept in the cache folder by the GPU's name and its driver.

mod probe;

use std::io;
use std::sync::Arc;

use gchr_base::profile::RooflinePeaks;
use gchr_base::source::SourceMap;
use gchr_cuda::cache::{self, Folder};
use gchr_cuda::{Compiler, DeviceInfo, Gpu, NvrtcOptions, driver};
use gchr_kernel::device::{Device as _, DeviceError};
use probe::{ProbeSize, measure, module};

use super::kernels::NAME;
use crate::diagnostics::Diagnostics;
use crate::options::Device;
use crate::stack::with_large_stack;

/// Measures a GPU and keeps the figures. The error says why they could not be kept, if that is so: they are good for
/// this process.
pub fn measure_roofline(gpu: u32) -> Result<(RooflinePeaks, io::Result<()>), Diagnostics> {
    let found = |list| Diagnostics::new(Arc::new(SourceMap::new()), list);
    let run = || {
        let info = driver::describe(gpu).map_err(|error| vec![error.into()])?;
        let compiler = Compiler::from_env().map_err(|error| vec![error.into()])?;
        let text = with_large_stack(|| gchr_kernel::cuda_text(&module()?, "roofline.cu"))?;
        let built = compiler.build_for(info.capability, &text, NAME, &NvrtcOptions::kernels());
        let image = built.map_err(|error| vec![error])?.compiled.image;
        let mut gpu = Gpu::open(gpu).map_err(|error| vec![error.into()])?;
        let measured = gpu.load(&image).and_then(|()| {
            let size = ProbeSize::of_free(gpu.free_bytes()?);
            measure(size, &mut gpu)
        });
        Ok((measured.map_err(DeviceError::into_diagnostics)?, info))
    };
    let (peaks, info) = run().map_err(found)?;
    Ok((peaks, keep(&info, &peaks)))
}

/// The roofline peaks of a device, if they have been measured. Only GPUs have any.
pub fn roofline(device: Device) -> Option<RooflinePeaks> {
    let Device::Gpu(gpu) = device else { return None };
    let text = folder()?.read(&name(&driver::describe(gpu).ok()?)).ok()??;
    let peaks: RooflinePeaks = serde_json::from_slice(&text).ok()?;
    let sound = [peaks.coalesced, peaks.random, peaks.atomics].iter().all(|x| x.is_finite() && *x > 0.0);
    sound.then_some(peaks)
}

fn keep(info: &DeviceInfo, peaks: &RooflinePeaks) -> io::Result<()> {
    let no_folder = || io::Error::new(io::ErrorKind::NotFound, "there is no cache folder");
    let mut text = serde_json::to_vec_pretty(peaks)?;
    text.push(b'\n');
    folder().ok_or_else(no_folder)?.write(&name(info), &text)
}

/// Where the figures are kept.
fn folder() -> Option<Folder> {
    let is_ours = |name: &str| name.ends_with(".json");
    Some(Folder::at(cache::root_folder()?.join("ceilings"), is_ours))
}

/// The name of the file with the figures of a GPU.
fn name(info: &DeviceInfo) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    format!("{}-{}.json", info.name.chars().map(letter).collect::<String>(), info.driver)
}
