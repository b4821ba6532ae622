// The problems of the examples as a C++ programmer would write them: arrays, loops, and the standard library.
//   problems NAME SIZE [show]
// Prints the milliseconds of the computation, and with `show` the answer as rows, as the mappings of the examples define it.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

using Int = std::int64_t;
using Rows = std::vector<std::vector<Int>>;

static Int next(Int seed) { return (1103515245 * seed + 12345) % 2147483648; }

static std::vector<Int> draw(Int n, Int (*of)(Int)) {
    std::vector<Int> numbers;
    Int seed = 42;
    for (Int i = 0; i < n; i++) {
        seed = next(seed);
        numbers.push_back(of(seed >> 8));
    }
    return numbers;
}

// The numbers of `floyd`, `min` and `gcd`: each is drawn from its place alone.
static Int place(Int i) {
    Int x = ((i + 42) * 2654435761 + 97) % 4294967296;
    return (((x ^ (x >> 15)) * 739982445 + 12345) % 4294967296) >> 8;
}

static Rows floyd(Int n) {
    std::vector<Int> d(n * n, 0);
    for (Int i = 0; i < n; i++)
        for (Int j = 0; j < n; j++)
            if (i != j) d[i * n + j] = place(i * n + j) % 100 + 1;
    for (Int k = 0; k < n; k++)
        for (Int i = 0; i < n; i++)
            for (Int j = 0; j < n; j++) d[i * n + j] = std::min(d[i * n + j], d[i * n + k] + d[k * n + j]);
    Rows rows;
    for (Int i = 0; i < n; i++)
        for (Int j = 0; j < n; j++)
            if (i != j) rows.push_back({i, j, d[i * n + j]});
    return rows;
}

static Rows merge_sort(Int n) {
    auto numbers = draw(n, [](Int x) { return x % 1000; });
    std::stable_sort(numbers.begin(), numbers.end());
    Rows rows;
    for (Int i = 0; i < n; i++) rows.push_back({i, numbers[i]});
    return rows;
}

static Rows gcd(Int n) {
    Int found = 0;
    for (Int i = 0; i < n; i++) found = std::gcd(found, 6 * (place(i) % 100000 + 1));
    return {{found}};
}

static Rows least(Int n) {
    Int found = place(0);
    for (Int i = 1; i < n; i++) found = std::min(found, place(i));
    return {{found}};
}

static Rows primes(Int n) {
    std::vector<Int> found;
    for (Int i = 2; i <= n; i++) {
        bool divided = false;
        for (Int p : found)
            if (i % p == 0) {
                divided = true;
                break;
            }
        if (!divided) found.push_back(i);
    }
    Rows rows;
    for (Int p : found) rows.push_back({p});
    return rows;
}

__attribute__((noinline)) static Int fib(Int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

static Rows fib_int(Int n) { return {{fib(n)}}; }

int main(int argc, char **argv) {
    struct Problem {
        const char *name;
        Rows (*solve)(Int);
    };
    const Problem problems[] = {{"floyd", floyd}, {"mergesort", merge_sort}, {"gcd", gcd},
                                {"min", least},   {"primes", primes},        {"fib_int", fib_int}};
    if (argc < 3) return 2;
    for (const Problem &problem : problems) {
        if (std::strcmp(problem.name, argv[1]) != 0) continue;
        auto before = std::chrono::steady_clock::now();
        Rows rows = problem.solve(std::atoll(argv[2]));
        std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - before;
        std::printf("ms %.6f\n", took.count());
        if (argc > 3)
            for (const auto &row : rows) {
                std::string text = "row(";
                for (size_t i = 0; i < row.size(); i++) text += (i ? "," : "") + std::to_string(row[i]);
                std::puts((text + ")").c_str());
            }
        return 0;
    }
    return 3;
}
