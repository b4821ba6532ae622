#!/usr/bin/env bash
# Builds everything that benches/gpu.sh needs, for a machine with a GPU and without cargo, and strips it into a folder.
# usage: benches/gpu-binaries.sh [--nvrtc] [--profile NAME] [--peer FILE.cu]... [FOLDER]          (default: target/gpu)
#
# --nvrtc        also packs the compiler that .ci/fetch-nvrtc fetches, for machines that have none
# --profile      the cargo profile [default: release]
# --peer         a CUDA program of somebody else, to be compiled there and run beside the benchmarks
#
# The tests that are packed are those of the kernels crate that have a test with "gpu" in its name; their binaries need no files.
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
executables test -p gchr-kernels --no-run --tests | while read -r kind name path; do
    [ "$kind" = test ] || continue
    tests=$("$path" --list)
    case $name:$tests in
        gpu:* | *gpu*": test"*) strip -o "$folder/tests/$name" "$path" ;;
    esac
done
executables bench -p gchr-kernels --no-run --bench topology --bench tasks --bench rounds | while read -r kind name path; do
    [ "$kind" != bench ] || strip -o "$folder/benches/$name" "$path"
done
for needed in gchr tests/gpu benches/topology benches/tasks benches/rounds; do
    [ -x "$folder/$needed" ] || { echo "$needed was not built" >&2; exit 1; }
done

cp -r examples "$folder/examples"
cp benches/gpu.sh "$folder/gpu.sh"
for peer in ${peers[@]+"${peers[@]}"}; do
    cp "$peer" "$folder/peers/"
done
if [ "$nvrtc" = yes ]; then
    tar -C "$(.ci/fetch-nvrtc)" -c . | xz -T0 -6 >"$folder/nvrtc.tar.xz"
fi
du -ah "$folder" --max-depth=2 | sort -k2
