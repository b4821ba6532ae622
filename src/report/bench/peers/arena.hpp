// What every translated program shares: the arena, fields of cells, equality and texts of terms.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <sys/mman.h>

// A term: the number of a constant, or the place of its cell, whose first word is the number of its symbol.
using T = std::uint32_t;
static std::uint32_t *H;
static T used = SYMBOLS;

static void reserve() {
    void *at = mmap(nullptr, sizeof(T) << 32, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) {
        std::perror("no address space for cells");
        std::exit(4);
    }
    H = static_cast<std::uint32_t *>(at);
}

static double now() {
    std::chrono::duration<double, std::milli> since = std::chrono::steady_clock::now().time_since_epoch();
    return since.count();
}

static inline T tag(T x) { return x < SYMBOLS ? x : H[x]; }

static inline std::int64_t integer(T at) {
    std::int64_t value;
    std::memcpy(&value, H + at, 8);
    return value;
}

static inline double real(T at) {
    double value;
    std::memcpy(&value, H + at, 8);
    return value;
}

static inline std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - ((a % b != 0) && ((a < 0) != (b < 0))); }
static inline std::int64_t floor_mod(std::int64_t a, std::int64_t b) {
    std::int64_t rest = a % b;
    return rest != 0 && ((rest < 0) != (b < 0)) ? rest + b : rest;
}

[[noreturn]] static void stuck(int symbol) {
    std::fprintf(stderr, "no rule matches %s\n", NAMES[symbol]);
    std::exit(3);
}

[[maybe_unused]] static bool same(T a, T b) {
    if (a == b) return true;
    if (a < SYMBOLS || b < SYMBOLS || H[a] != H[b]) return false;
    T at = 1;
    for (const char *field = FIELDS[H[a]]; *field; field++) {
        bool equal = *field == 't'   ? same(H[a + at], H[b + at])
                     : *field == 'b' ? H[a + at] == H[b + at]
                     : *field == 'd' ? real(a + at) == real(b + at)
                                     : integer(a + at) == integer(b + at);
        if (!equal) return false;
        at += *field == 'i' || *field == 'd' ? 2 : 1;
    }
    return true;
}

[[maybe_unused]] static void show_i(std::int64_t n) { std::printf("%lld", static_cast<long long>(n)); }
[[maybe_unused]] static void show_d(double x) { std::printf("%.17g", x); }
[[maybe_unused]] static void show_b(bool truth) { std::fputs(truth ? "true" : "false", stdout); }
[[maybe_unused]] static void show_t(T x) {
    std::fputs(NAMES[tag(x)], stdout);
    if (x < SYMBOLS) return;
    T at = 1;
    for (const char *field = FIELDS[H[x]]; *field; field++) {
        std::putchar(at == 1 ? '(' : ',');
        switch (*field) {
        case 't': show_t(H[x + at]); break;
        case 'b': show_b(H[x + at] != 0); break;
        case 'd': show_d(real(x + at)); break;
        default: show_i(integer(x + at));
        }
        at += *field == 'i' || *field == 'd' ? 2 : 1;
    }
    std::putchar(')');
}
