#!/usr/bin/env bash
# Tests and measures gchr on a machine with an NVIDIA GPU, from the folder that benches/gpu-binaries.sh made. Needs no
# cargo.
# usage: gpu.sh FOLDER REPORT [PART]...          parts: machine tests sanitizer compile bench peers [default: all]
#
# tests       the test binaries; what needs a GPU fails without one
# sanitizer   compute-sanitizer, memcheck and racecheck, on the templates and on small runs of examples
# compile     time from kernels to machine code, cold and from the cache; the bars are 1 s and 10 ms
# bench       the tables of the schedulers, with their largest sizes
# peers       CUDA programs of others, compiled with nvcc
#
# REPORT is Markdown; whole logs are in the folder REPORT.logs. GCHR_GPU_LIMIT is the most seconds that one command may
# take [300]. The exit code says whether everything passed.
set -uo pipefail

if [ $# -lt 2 ] || [ ! -x "$1/gchr" ]; then
    sed -n '2,13s/^# \{0,1\}//p' "$0"
    exit 2
fi
folder=$(realpath -- "$1")
report=$(realpath -m -- "$2")
shift 2
parts=${*:-machine tests sanitizer compile bench peers}
logs=$report.logs
limit=${GCHR_GPU_LIMIT:-300}
mkdir -p "$logs"
: >"$report"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

export GCHR_REQUIRE_GPU=1 GCHR_REQUIRE_NVRTC=1 GCHR_CACHE_DIR=$scratch/cache NO_COLOR=1
if [ -f "$folder/nvrtc.tar.xz" ]; then
    mkdir "$scratch/nvrtc"
    tar -C "$scratch/nvrtc" -xJf "$folder/nvrtc.tar.xz"
    export GCHR_NVRTC_DIR=$scratch/nvrtc
fi

say() { printf '%s\n' "$*" | tee -a "$report"; }
code() { printf '```\n' >>"$report"; tee -a "$report"; printf '```\n' >>"$report"; }

# Runs a command with its output in a log; gives its exit code.
logged() {
    local log=$logs/$1
    shift
    timeout --kill-after=10 "$limit" "$@" >"$log" 2>&1
}

# A line of a table: ok or FAILED by the exit code given.
verdict() {
    local status=$1
    shift
    if [ "$status" -eq 0 ]; then
        say "| ok | $* |"
    else
        failed=$((failed + 1))
        say "| FAILED ($status) | $* |"
    fi
}

machine() {
    {
        date -u +%Y-%m-%d
        if command -v nvidia-smi >/dev/null; then
            nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader
        fi
        nproc | sed 's/$/ processors/'
        "$folder/gchr" --version
        "$folder/gchr" devices 2>&1
    } | code
}

tests() {
    say '| result | test binary | |'
    say '|---|---|---|'
    local binary name status
    for binary in "$folder"/tests/*; do
        name=$(basename -- "$binary")
        # Only what runs on a GPU: the rest has run where it was built.
        logged "test-$name" "$binary" --nocapture gpu
        status=$?
        verdict "$status" "$name | $(grep -h '^test result' "$logs/test-$name" | tail -n 1)"
    done
}

# Starts compute-sanitizer on a command that must succeed, eight at a time: most of their time is the start of the
# driver.
sanitize() {
    local tool=$1 name=$2
    shift 2
    local log=$tool-$name
    started+=("$log")
    while [ "$(jobs -rp | wc -l)" -ge 8 ]; do wait -n; done
    (
        logged "$log" "$sanitizer" --tool "$tool" --error-exitcode 99 "${tool_options[@]}" "$@"
        echo $? >"$logs/$log.status"
    ) &
}

# What it found in the runs that were started.
sanitized() {
    local log status summary
    wait
    for log in "${started[@]}"; do
        status=$(cat "$logs/$log.status")
        rm "$logs/$log.status"
        summary=$(grep -h ' SUMMARY: ' "$logs/$log" | tail -n 1 | sed 's/^=* *//')
        # A run that is to collect must have done so, more than once.
        [[ $log != *-collected ]] || grep -Eq '^collections +([2-9]|[1-9][0-9])' "$logs/$log" || status=97
        [ -n "$summary" ] || [ "$status" -ne 0 ] || status=98
        verdict "$status" "${log%%-*} | ${log#*-} | $summary"
    done
}

sanitizer() {
    local tool name strategy gc
    local sanitizer="" started=()
    local -x GCHR_KERNEL_LINES=1
    sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda*/bin/compute-sanitizer 2>/dev/null | tail -n 1)
    say '| result | tool | what | summary |'
    say '|---|---|---|---|'
    if [ -z "$sanitizer" ]; then
        verdict 127 'compute-sanitizer | | is not on this machine'
        return
    fi
    for tool in memcheck racecheck; do
        local tool_options=()
        # Running out of memory is part of the runs: only what kernels do counts.
        [ "$tool" = memcheck ] && tool_options=(--report-api-errors no)
        for name in gchr-runtime gchr-simd; do
            [ ! -x "$folder/tests/$name" ] || sanitize "$tool" "$name" "$folder/tests/$name" gpu
        done
        for name in tree_exploration transformation_tree bst mergesort; do
            sanitize "$tool" "$name-tasks" "$folder/gchr" run "$folder/examples/$name.trs" \
                --device gpu --scheduler tasks --memory 1G
            for strategy in innermost relaxed; do
                for gc in none queue compact; do
                    sanitize "$tool" "$name-$strategy-$gc" "$folder/gchr" run "$folder/examples/$name.trs" \
                        --device gpu --scheduler topology --strategy "$strategy" --gc "$gc" --memory 64M
                done
            done
        done
        # The list that stays is so long that its chain is cut before it is marked.
        sanitize "$tool" nrev-collected "$folder/gchr" run "$folder/examples/nrev.trs" \
            --input 'App(Upto(S^5000(Zero())), Rev(Upto(S^900(Zero()))))' --device gpu --scheduler tasks --gc compact \
            --memory 1M --stats --out /dev/null
        for name in floyd gcd mergesort min primes transitive_closure; do
            sanitize "$tool" "$name-rounds" "$folder/gchr" run "$folder/examples/$name.chr" \
                --device gpu --semantics rounds --memory 64M
        done
    done
    sanitized
}

# Time of the span in which kernels are compiled or found in the cache, in milliseconds.
kernels_ms() {
    sed -nE 's/.*kernels.*close.*time\.busy=([0-9.]+)(ns|µs|us|ms|s).*/\1 \2/p' "$1" | tail -n 1 |
        awk '{ f["ns"] = 1e-6; f["µs"] = f["us"] = 1e-3; f["ms"] = 1; f["s"] = 1e3; printf "%.2f", $1 * f[$2] }'
}

compile() {
    say '| result | example | bytes | cold ms | cached ms |'
    say '|---|---|---|---|---|'
    local example name cold cached status
    for example in "$folder"/examples/*.trs; do
        name=$(basename -- "$example" .trs)
        rm -rf "$GCHR_CACHE_DIR"
        status=0
        for run in cold cached; do
            GCHR_LOG=info logged "compile-$name-$run" "$folder/gchr" emit "$example" --stage cubin \
                --out "$scratch/kernels.cubin" || status=$?
        done
        cold=$(kernels_ms "$logs/compile-$name-cold")
        cached=$(kernels_ms "$logs/compile-$name-cached")
        if [ "$status" -eq 0 ]; then
            awk -v cold="$cold" -v cached="$cached" 'BEGIN { exit !(cold > 0 && cold < 1000 && cached > 0 && cached < 10) }' ||
                status=1
        fi
        verdict "$status" "$name | $(stat -c %s "$scratch/kernels.cubin" 2>/dev/null) | $cold | $cached"
        rm -f "$scratch/kernels.cubin"
    done
}

# A row that each benchmark ends its work with: without a GPU it says so and ends well.
last_row() {
    case $1 in
        topology) printf '^| Binary search tree 22 | relaxed, compact | [0-9]' ;;
        tasks) printf '^| Merge sort of a tree 22 | [0-9]' ;;
        *) printf '^|' ;;
    esac
}

# What each benchmark is asked for.
bench_options() {
    case $1 in
        tasks) echo --repeats 3 ;;
        *) echo 3 --largest ;;
    esac
}

bench() {
    local binary name status
    local -A verdicts=()
    for binary in "$folder"/benches/*; do
        name=$(basename -- "$binary")
        # shellcheck disable=SC2046
        logged "bench-$name" "$binary" $(bench_options "$name")
        status=$?
        grep -q "$(last_row "$name")" "$logs/bench-$name" || status=1
        code <"$logs/bench-$name"
        verdicts[$name]=$status
    done
    say '| result | benchmark |'
    say '|---|---|'
    for name in "${!verdicts[@]}"; do
        verdict "${verdicts[$name]}" "$name"
    done
}

peers() {
    say '| result | program | |'
    say '|---|---|---|'
    local file name
    for file in "$folder"/peers/*.cu; do
        [ -e "$file" ] || { say '| none | | |'; continue; }
        name=$(basename -- "$file" .cu)
        if logged "nvcc-$name" nvcc -O3 -arch=native -std=c++17 -o "$scratch/$name" "$file"; then
            logged "peer-$name" "$scratch/$name"
            verdict $? "$name | its output is below"
            code <"$logs/peer-$name"
        else
            verdict 1 "$name | does not compile here"
        fi
    done
}

say '# gchr on a GPU'
for part in $parts; do
    case $part in
        machine | tests | sanitizer | compile | bench | peers)
            say ""
            say "## $part"
            say ""
            "$part"
            ;;
        *) say "no part is called $part"; failed=$((failed + 1)) ;;
    esac
done
say ""
if [ "$failed" -eq 0 ]; then say 'Everything passed.'; else say "$failed failures."; fi
[ "$failed" -eq 0 ]
