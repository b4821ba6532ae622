#!/usr/bin/env bash
# Builds everything that benches/gpu.sh needs, for a machine with a GPU and without cargo, and strips it into a folder.
# usage: benches/gpu-binaries.sh [--nvrtc] [--profile NAME] [--peer FILE.cu]... [FOLDER]          (default: target/gpu)
#
# --nvrtc        also packs the compiler that .ci/fetch-nvrtc fetches, for machines that have none
# --profile      the cargo profile [default: release]
# --peer         a CUDA program of somebody else, to be compiled there and run beside the benchmarks
#
# The tests that are packed are those of crates that have a test with "gpu" in its name, each binary under the name of
# its crate; they need no files.
set -euo pipefail

nvrtc=no profile=release peers=() folder=
while [ $# -gt 0 ]; do
    case $1 in
        --nvrtc) nvrtc=yes ;;
        --profile) profile=$2; shift ;;
        --peer) peers+=("$(realpath -- "$2")"); shift ;;
        -*) sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 2 ;;
        *) folder=$(realpath -m -- "$1") ;;
    esac
    shift
done
cd "$(dirname -- "$0")/.."
folder=${folder:-$PWD/target/gpu}
rm -rf "$folder"
mkdir -p "$folder/tests" "$folder/benches" "$folder/peers"

# Prints "KIND NAME PATH" for each executable that a cargo command makes.
executables() {
    cargo "$@" --profile "$profile" --message-format json-render-diagnostics | python3 -c '
import json, sys
for line in sys.stdin:
    made = json.loads(line)
    if made.get("executable"):
        print(made["target"]["kind"][0], made["target"]["name"], made["executable"])'
}

executables build --bin gchr | while read -r _ _ path; do
    strip -o "$folder/gchr" "$path"
done
for crate in gchr-cuda gchr-runtime gchr-simd gchr-kernels-terms gchr-kernels-constraints; do
    executables test -p "$crate" --no-run --test it | while read -r _ _ path; do
        # All of the list is read: a test binary whose pipe is closed fails.
        "$path" --list | grep 'gpu.*: test$' >/dev/null || { echo "$crate has no test on a GPU" >&2; exit 1; }
        strip -o "$folder/tests/$crate" "$path"
    done
    [ -x "$folder/tests/$crate" ] || { echo "the tests of $crate were not built" >&2; exit 1; }
done
for bench in gchr-kernels-terms:topology gchr-kernels-terms:tasks gchr-kernels-constraints:rounds; do
    executables bench -p "${bench%:*}" --no-run --bench "${bench#*:}" | while read -r kind name path; do
        [ "$kind" != bench ] || strip -o "$folder/benches/$name" "$path"
    done
    [ -x "$folder/benches/${bench#*:}" ] || { echo "the benchmark $bench was not built" >&2; exit 1; }
done
[ -x "$folder/gchr" ] || { echo "gchr was not built" >&2; exit 1; }

cp -r examples "$folder/examples"
cp benches/gpu.sh "$folder/gpu.sh"
for peer in ${peers[@]+"${peers[@]}"}; do
    cp "$peer" "$folder/peers/"
done
if [ "$nvrtc" = yes ]; then
    tar -C "$(.ci/fetch-nvrtc)" -c . | xz -T0 -6 >"$folder/nvrtc.tar.xz"
fi
du -ah "$folder" --max-depth=2 | sort -k2
