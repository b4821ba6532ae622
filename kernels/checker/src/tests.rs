//! Verdicts on small kernels.

use super::{Rule, Verdict, check};

/// Verdicts on a text in which `KERNEL` stands for the start of a kernel's definition, and `DEVICE` for that of a
/// function's.
fn verdicts(text: &str) -> Vec<Verdict> {
    let kernel = "extern \"C\" __global__ void __launch_bounds__(256)";
    let text = text.replace("KERNEL", kernel).replace("DEVICE", "__device__ __forceinline__");
    check(&gchr_kernel::testing::module(&text))
}

#[track_caller]
fn accepted(text: &str) {
    for verdict in verdicts(text) {
        assert!(verdict.accepted(), "{verdict}");
    }
}

/// The rules that the only kernel breaks.
fn broken(text: &str) -> Vec<Rule> {
    let all = verdicts(text);
    let [verdict] = all.as_slice() else { panic!("one kernel is expected") };
    verdict.reasons.iter().map(|r| r.rule).collect()
}

#[test]
fn shares_of_blocks_are_disjoint() {
    let text = |end: &str| {
        format!(
            "KERNEL k(u32* out, u32 used) {{
                u32 share = (used - 1u + gridDim.x - 1u) / gridDim.x;
                u32 start = min(1u + blockIdx.x * share, used);
                u32 end = min({end}, used);
                for (u32 at = start; at < end; at += 256u) {{
                    u32 i = at + threadIdx.x;
                    if (i < end) {{
                        out[i] = 1u;
                    }}
                }}
            }}"
        )
    };
    accepted(&text("start + share"));
    assert_eq!(broken(&text("start + share + 1u")), [Rule::GridPermission]);
}
