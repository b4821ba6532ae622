//! The executors and their registry: a new one is a module here and a line in [`EXECUTORS`].

mod auto_rounds;
pub(crate) mod auto_terms;
mod cpu_rounds;
mod cpu_terms;
pub(crate) mod device_rounds;
mod device_terms;
pub(crate) mod logic;
mod refined;
mod shared_device_rounds;
mod shared_rounds;

use crate::executor::Executor;
use crate::options::CompileOptions;
use crate::program::Program;

/// All executors.
const EXECUTORS: [&dyn Executor; 9] = [
    &cpu_terms::CpuTermExecutor,
    &refined::Refined,
    &cpu_rounds::CpuRounds,
    &shared_rounds::SharedRounds,
    &device_terms::DeviceTerms,
    &device_rounds::DeviceRounds,
    &shared_device_rounds::SharedDeviceRounds,
    &auto_terms::AutoTerms,
    &auto_rounds::AutoRounds,
];

/// The executor of a program compiled with these options.
pub(crate) fn executor_for(program: &Program, options: &CompileOptions) -> Option<&'static dyn Executor> {
    if program.is_logic() {
        return logic::LogicMachine.runs(program, options).then_some(&logic::LogicMachine);
    }
    EXECUTORS.into_iter().find(|executor| executor.runs(program, options))
}

#[cfg(test)]
mod tests {
    use gchr_base::rule::Semantics;

    use super::*;
    use crate::input::Input;
    use crate::options::Device;

    /// No device or semantics is without an executor, and none has two.
    #[test]
    fn every_program_has_one_executor() {
        let terms = Input::terms("sort Nat = struct Zero();\n").parse().expect("a program");
        let constraints = Input::constraints(":- chr_constraint p(+int).\np(X) \\ p(X) <=> true.\n")
            .parse()
            .expect("a program");
        for device in [Device::Cpu, Device::Auto, Device::Gpu(0), Device::Sim] {
            for semantics in [None, Some(Semantics::Refined), Some(Semantics::Rounds)] {
                let options = CompileOptions { device, semantics, ..CompileOptions::default() };
                for program in [&terms, &constraints] {
                    let fit = EXECUTORS.iter().filter(|executor| executor.runs(program, &options)).count();
                    assert_eq!(fit, 1, "{:?} on {device:?} under {semantics:?}", program.language());
                }
            }
        }
    }
}
