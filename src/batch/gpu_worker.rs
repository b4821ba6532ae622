//! A GPU beside the workers of a batch (`--device auto`): once it is up it takes a share of the lines, as large as
//! pays.
//!
//! It takes waves that grow while they stay short. Then the lines that both sides evaluate meanwhile are compared: a
//! GPU that is as fast as all workers together goes on without them, as they would take the processor from its host
//! side; one that is much slower takes no more. When the input is at its end and a wave is still with the GPU, the
//! workers evaluate its lines too, and the first one to be done calls the other one off. So a batch takes little longer
//! than on the faster of the two, whatever its lines are.

use std::io::BufRead;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::gpu_share::{GpuWork, SharedWave};
use super::job::Job;
use super::queue::ChunkSize;
use super::wave::WAVE;
use super::worker::Worker;
use crate::executor::{StartsDevice, TermDevice};
use crate::race::RaceOutcome;

/// Lines of the first wave.
const FIRST_WAVE: usize = 4096;
/// Waves that take longer are not made larger; those that take twice as long are made smaller.
const WAVE_TIME: Duration = Duration::from_millis(100);
/// A GPU that is so many times slower than the workers takes no more.
const SLOWER: u64 = 4;

/// What the GPU has done.
#[derive(Default)]
struct Share {
    lines: u64,
    why: &'static str,
}

impl<R: BufRead + Send> Job<'_, R> {
    /// The GPU's side. Says who evaluated how many lines, and why.
    pub(super) fn work_on_gpu(&self, starter: &dyn StartsDevice) -> String {
        let race = starter.start_device();
        let device = match race.wait(|| self.is_over()) {
            RaceOutcome::Ready(device) => device,
            RaceOutcome::Unavailable(why) => return format!("cpu: {why}"),
            RaceOutcome::Abandoned => return race.call_off(),
        };
        if !device.takes_many() {
            return "cpu: the scheduler of the gpu takes one line after the other".into();
        }
        let share = self.waves(&*device);
        self.gpu.set(GpuWork::Nothing);
        self.gpu.go_on(false);
        format!("gpu: {} lines beside the cpu{}", share.lines, share.why)
    }

    /// Takes waves as long as that pays.
    fn waves(&self, device: &dyn TermDevice) -> Share {
        let (mut size, mut share) = (FIRST_WAVE, Share::default());
        while !self.results.is_stopped() {
            self.gpu.set(GpuWork::Takes);
            let Some((number, lines)) = self.source.next_chunk(ChunkSize { lines: size, ..WAVE }) else {
                break;
            };
            let wave = Arc::new(SharedWave::new(number, lines));
            self.gpu.set(GpuWork::Wave(Arc::clone(&wave)));
            let (start, before) = (Instant::now(), self.gpu.lines_of_workers());
            let worked = Worker::of_gpu(self, Arc::clone(&wave.done)).wave(device, &wave.lines);
            if !wave.finish() {
                share.why = ", which was faster with the last ones";
                break;
            }
            let (took, lines) = (start.elapsed(), wave.lines.len() as u64);
            self.results.put(number, worked);
            share.lines += lines;
            if took < WAVE_TIME && size < WAVE.lines {
                size *= 2;
                continue;
            }
            let workers = self.gpu.lines_of_workers() - before;
            let alone = self.gpu.is_alone();
            if !alone && lines * SLOWER < workers {
                share.why = ", which is faster";
                break;
            }
            self.gpu.go_on(alone || lines >= workers);
            if took > 2 * WAVE_TIME {
                size = (size / 2).max(FIRST_WAVE);
            }
        }
        share
    }

    /// Has a worker help with the wave that the GPU has when nothing else is left, or wait while the GPU goes on alone.
    /// Says whether there may be more to do.
    pub(super) fn help(&self, worker: &mut Worker<'_, '_, R>) -> bool {
        let mut has = self.gpu.has();
        while !self.results.is_stopped() {
            match &*has {
                GpuWork::Wave(wave) if self.is_over() => {
                    let wave = Arc::clone(wave);
                    drop(has);
                    self.help_with(&wave, worker);
                    return false;
                }
                GpuWork::Nothing if self.is_over() => return false,
                _ if !self.is_over() && !self.gpu.is_alone() => return true,
                _ => {}
            }
            has = self.gpu.wait(has);
        }
        false
    }

    fn help_with(&self, wave: &SharedWave, worker: &mut Worker<'_, '_, R>) {
        worker.called_off = Some(Arc::clone(&wave.done));
        while let Some(lines) = wave.take() {
            let worked = worker.all_lines(&wave.lines[lines.clone()]);
            let Some(all) = wave.add(lines, worked) else { continue };
            if wave.finish() {
                self.gpu.count(all.len());
                self.results.put(wave.number, all);
            }
        }
    }
}
