//! What the driver of NVIDIA's GPUs reads from the environment.

/// How many queues the driver makes between the processor and a GPU.
const CONNECTIONS: &str = "CUDA_DEVICE_MAX_CONNECTIONS";

/// Asks for two queues in place of eight, one for kernels and one for what is copied meanwhile, unless the user says
/// how many: each takes 6 to 8 ms when the context of a process is made, and again at the end of the process.
/// Processes that this one starts inherit it.
///
/// To be called while the process has one thread.
pub fn set_up() {
    if std::env::var_os(CONNECTIONS).is_none() {
        // SAFETY: no other thread reads the environment meanwhile, as there is none.
        unsafe { std::env::set_var(CONNECTIONS, "2") };
    }
}
