//! From source to image: the cache first, then NVRTC.

use gchr_base::diagnostic::Diagnostic;

use super::arch::{Arch, Capability};
use super::cache::{Cache, CacheKey, Entry};
use super::image::Image;
use super::nvrtc::{CompileError, Compiled, Nvrtc, NvrtcError, NvrtcOptions};

/// NVRTC with a cache in front.
#[derive(Debug)]
pub struct Compiler {
    nvrtc: Nvrtc,
    cache: Cache,
}

/// A compiled module and where it came from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Built {
    /// The module.
    pub compiled: Compiled,
    /// Whether it was in the cache.
    pub cached: bool,
}

impl Compiler {
    /// The NVRTC and the cache that the environment gives.
    pub fn from_env() -> Result<Compiler, NvrtcError> {
        Ok(Compiler::new(Nvrtc::find()?.clone(), Cache::from_env()))
    }

    /// An NVRTC and a cache.
    pub fn new(nvrtc: Nvrtc, cache: Cache) -> Compiler {
        Compiler { nvrtc, cache }
    }

    /// The NVRTC.
    pub fn nvrtc(&self) -> &Nvrtc {
        &self.nvrtc
    }

    /// Compiles for an architecture.
    pub fn build(
        &self,
        source: &str,
        name: &str,
        arch: Arch,
        options: &NvrtcOptions,
    ) -> Result<Built, CompileError> {
        let _span = tracing::info_span!("kernels", %arch).entered();
        if let Some(built) = self.find(source, name, arch, options) {
            return Ok(built);
        }
        let compiled = self.nvrtc.compile(source, name, arch, options)?;
        let entry = Entry { log: compiled.log.clone(), code: compiled.image.content().to_vec() };
        self.cache.put(&CacheKey::new(source, name, arch, options, self.nvrtc.version()), &entry);
        Ok(Built { compiled, cached: false })
    }

    /// What was compiled before, if it is in the cache.
    pub fn find(&self, source: &str, name: &str, arch: Arch, options: &NvrtcOptions) -> Option<Built> {
        let version = self.nvrtc.version();
        let Entry { log, code } = self.cache.get(&CacheKey::new(source, name, arch, options, version))?;
        let image = Image::from_content(arch, code).ok()?;
        Some(Built { compiled: Compiled { image, log, version }, cached: true })
    }

    /// Compiles for a device ([`arch_for`](Self::arch_for)).
    pub fn build_for(
        &self,
        capability: Capability,
        source: &str,
        name: &str,
        options: &NvrtcOptions,
    ) -> Result<Built, Diagnostic> {
        Ok(self.build(source, name, self.arch_for(capability)?, options)?)
    }

    /// What the objects of these sources were linked to before, if it is in the cache.
    pub fn find_linked(
        &self,
        sources: &[String],
        name: &str,
        arch: Arch,
        options: &NvrtcOptions,
    ) -> Option<Image> {
        let key = CacheKey::linked(sources, name, arch, options, self.nvrtc.version());
        Image::from_content(arch, self.cache.get(&key)?.code).ok()
    }

    /// Keeps what the objects of these sources were linked to.
    pub fn keep_linked(&self, sources: &[String], name: &str, options: &NvrtcOptions, linked: &Image) {
        let key = CacheKey::linked(sources, name, linked.arch(), options, self.nvrtc.version());
        self.cache.put(&key, &Entry { log: String::new(), code: linked.content().to_vec() });
    }

    /// What is compiled for a device: machine code when NVRTC knows its architecture, else PTX that the driver
    /// translates.
    pub fn arch_for(&self, capability: Capability) -> Result<Arch, Diagnostic> {
        let known = self.nvrtc.architectures();
        let Some(arch) = Arch::for_device(capability, known) else {
            let oldest = known.iter().min().copied().unwrap_or(0);
            return Err(Diagnostic::error(
                "D0216",
                format!("the GPU's compute capability {capability} is too old"),
            )
            .note(format!(
                "NVRTC {} compiles for {}.{} and later",
                self.nvrtc.version(),
                oldest / 10,
                oldest % 10
            ))
            .help("use another GPU (`gchr devices` lists them) or --device cpu"));
        };
        if let Arch::Virtual(_) = arch {
            tracing::warn!(%capability, %arch, "NVRTC does not know this GPU; the driver translates the kernels");
        }
        Ok(arch)
    }
}
