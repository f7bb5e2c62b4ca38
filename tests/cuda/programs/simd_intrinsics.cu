// The intrinsics on parts of 32 bits, against a model in plain C++ of each of them.
#include <cstdint>
#include <vector>

#include "check.h"

// X(intrinsic without its number of parts, whether the parts have a sign, the result for parts a and b)
#define FUNCTIONS(X)                                            \
    X(__vadd, 0, a + b)                                         \
    X(__vaddss, 1, clamped(a + b, bits, 1))                     \
    X(__vaddus, 0, clamped(a + b, bits, 0))                     \
    X(__vsub, 0, a - b)                                         \
    X(__vsubss, 1, clamped(a - b, bits, 1))                     \
    X(__vsubus, 0, clamped(a - b, bits, 0))                     \
    X(__vabsdiffs, 1, a > b ? a - b : b - a)                    \
    X(__vabsdiffu, 0, a > b ? a - b : b - a)                    \
    X(__vavgs, 1, a + b >= 0 ? (a + b + 1) / 2 : (a + b - 1) / 2) \
    X(__vavgu, 0, (a + b + 1) / 2)                              \
    X(__vhaddu, 0, (a + b) / 2)                                 \
    X(__vmaxs, 1, a > b ? a : b)                                \
    X(__vmaxu, 0, a > b ? a : b)                                \
    X(__vmins, 1, a < b ? a : b)                                \
    X(__vminu, 0, a < b ? a : b)                                \
    X(__vcmpeq, 0, a == b ? -1 : 0)                             \
    X(__vcmpne, 0, a != b ? -1 : 0)                             \
    X(__vcmpges, 1, a >= b ? -1 : 0)                            \
    X(__vcmpgeu, 0, a >= b ? -1 : 0)                            \
    X(__vcmpgts, 1, a > b ? -1 : 0)                             \
    X(__vcmpgtu, 0, a > b ? -1 : 0)                             \
    X(__vcmples, 1, a <= b ? -1 : 0)                            \
    X(__vcmpleu, 0, a <= b ? -1 : 0)                            \
    X(__vcmplts, 1, a < b ? -1 : 0)                             \
    X(__vcmpltu, 0, a < b ? -1 : 0)                             \
    X(__vseteq, 0, a == b)                                      \
    X(__vsetne, 0, a != b)                                      \
    X(__vsetges, 1, a >= b)                                     \
    X(__vsetgeu, 0, a >= b)                                     \
    X(__vsetgts, 1, a > b)                                      \
    X(__vsetgtu, 0, a > b)                                      \
    X(__vsetles, 1, a <= b)                                     \
    X(__vsetleu, 0, a <= b)                                     \
    X(__vsetlts, 1, a < b)                                      \
    X(__vsetltu, 0, a < b)
#define ONE_OPERAND(X)                                          \
    X(__vabs, 1, a < 0 ? -a : a)                                \
    X(__vabsss, 1, clamped(a < 0 ? -a : a, bits, 1))            \
    X(__vneg, 1, -a)                                            \
    X(__vnegss, 1, clamped(-a, bits, 1))
// X(intrinsic, bits of a part, whether it has a sign, the result for parts a, b and c)
#define THREE_OPERANDS(X)                                       \
    X(__vimax3_s32, 32, 1, largest(largest(a, b), c))           \
    X(__vimax3_u16x2, 16, 0, largest(largest(a, b), c))         \
    X(__vimin3_s16x2, 16, 1, -largest(largest(-a, -b), -c))     \
    X(__vimin3_u32, 32, 0, -largest(largest(-a, -b), -c))       \
    X(__vimax3_s16x2_relu, 16, 1, largest(0, largest(largest(a, b), c))) \
    X(__viaddmax_s16x2, 16, 1, largest((int16_t)(a + b), c))    \
    X(__viaddmin_s32, 32, 1, -largest(-(int64_t)(int32_t)(a + b), -c)) \
    X(__viaddmax_u32, 32, 0, largest((uint32_t)(a + b), c))

enum {
#define COUNT(name, ...) is##name##2, is##name##4,
#define COUNT_ONE(name, ...) is##name,
    FUNCTIONS(COUNT) ONE_OPERAND(COUNT) sad_s2, sad_s4, sad_u2, sad_u4, bytes, dot, usad, THREE_OPERANDS(COUNT_ONE) rows
};

__global__ void compute(const unsigned *x, const unsigned *y, unsigned *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned a = x[i], b = y[i], c = a * 2654435761u + b;
    unsigned *to = out + i;
#define STORE(name, ...) to[is##name##2 * n] = name##2(a, b), to[is##name##4 * n] = name##4(a, b);
#define STORE_ONE(name, ...) to[is##name##2 * n] = name##2(a), to[is##name##4 * n] = name##4(a);
#define STORE_THREE(name, ...) to[is##name * n] = name(a, b, c);
    FUNCTIONS(STORE)
    ONE_OPERAND(STORE_ONE)
    THREE_OPERANDS(STORE_THREE)
    to[sad_s2 * n] = __vsads2(a, b), to[sad_s4 * n] = __vsads4(a, b);
    to[sad_u2 * n] = __vsadu2(a, b), to[sad_u4 * n] = __vsadu4(a, b);
    to[bytes * n] = __byte_perm(a, b, c & 0x7777) ^ __funnelshift_l(a, b, c);
    to[dot * n] = __dp4a((int)a, (int)b, (int)c) + __dp2a_lo(a, b, c) + __dp2a_hi((int)a, (int)b, (int)c);
    to[usad * n] = __usad(a, b, c) + __sad((int)a, (int)b, c);
}

static int64_t clamped(int64_t value, int bits, int is_signed) {
    const int64_t least = is_signed ? -(1ll << (bits - 1)) : 0, most = (1ll << (bits - is_signed)) - 1;
    return value < least ? least : value > most ? most : value;
}
static int64_t largest(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t part(unsigned x, int i, int bits, int is_signed) {
    const int64_t value = (uint64_t)x >> i * bits & ((1ll << bits) - 1);
    return is_signed && value >= 1ll << (bits - 1) ? value - (1ll << bits) : value;
}
template <class Operation> unsigned model(unsigned x, unsigned y, unsigned z, int bits, int is_signed, Operation operation) {
    unsigned result = 0;
    for (int i = 0; i < 32 / bits; ++i) {
        const int64_t value = operation(part(x, i, bits, is_signed), part(y, i, bits, is_signed), part(z, i, bits, is_signed));
        result |= (unsigned)((uint64_t)value & ((1ull << bits) - 1)) << i * bits;
    }
    return result;
}

int main() {
    const unsigned special[] = {0, ~0u, 0x80808080, 0x80008000, 0x7f7f7f7f, 0x7fff7fff, 0x01ff80fe, 0x00010001};
    const int n = 192;
    std::vector<unsigned> x(n), y(n), out(n * rows);
    for (unsigned i = 0; i < n; ++i) {
        x[i] = i < 64 ? special[i % 8] : i * 2246822519u ^ i << 11;
        y[i] = i < 64 ? special[i / 8] : i % 3 ? i * 3266489917u : x[i];
    }
    unsigned *device_x, *device_y, *device_out;
    CHECK(cudaMalloc(&device_x, n * 4));
    CHECK(cudaMalloc(&device_y, n * 4));
    CHECK(cudaMalloc(&device_out, n * rows * 4));
    CHECK(cudaMemcpy(device_x, x.data(), n * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device_y, y.data(), n * 4, cudaMemcpyHostToDevice));
    compute<<<3, 64>>>(device_x, device_y, device_out, n);
    CHECK(cudaMemcpy(out.data(), device_out, n * rows * 4, cudaMemcpyDeviceToHost));
    bool right = true;
    for (int i = 0; i < n; ++i) {
        const unsigned z = x[i] * 2654435761u + y[i];
        auto compare = [&](const char *name, int row, unsigned expected) {
            if (out[row * n + i] == expected) return;
            std::fprintf(stderr, "%s of %08x and %08x: %08x, not %08x\n", name, x[i], y[i], out[row * n + i], expected);
            right = false;
        };
#define MODEL(bits, is_signed, expression) \
    model(x[i], y[i], z, bits, is_signed, [](int64_t a, int64_t b, int64_t c) { (void)a, (void)b, (void)c; return (int64_t)(expression); })
#define MODEL2(is_signed, expression) [&] { constexpr int bits = 16; return MODEL(bits, is_signed, expression); }()
#define MODEL4(is_signed, expression) [&] { constexpr int bits = 8; return MODEL(bits, is_signed, expression); }()
#define COMPARE(name, is_signed, expression)                      \
    compare(#name "2", is##name##2, MODEL2(is_signed, expression)); \
    compare(#name "4", is##name##4, MODEL4(is_signed, expression));
#define COMPARE_THREE(name, bits, is_signed, expression) compare(#name, is##name, MODEL(bits, is_signed, expression));
        FUNCTIONS(COMPARE)
        ONE_OPERAND(COMPARE)
        THREE_OPERANDS(COMPARE_THREE)
        int64_t sums[4] = {}, product = 2 * (int64_t)(int)z;
        for (int k = 0; k < 4; ++k) {
            for (int is_signed = 0; is_signed < 2; ++is_signed) {
                auto distance = [&](int bits) {
                    return std::llabs(part(x[i], k, bits, is_signed) - part(y[i], k, bits, is_signed));
                };
                sums[is_signed ? 1 : 3] += distance(8);
                if (k < 2) sums[is_signed ? 0 : 2] += distance(16);
            }
            product += part(x[i], k, 8, 1) * part(y[i], k, 8, 1);
            if (k < 2) product += part(x[i], k, 16, 0) * part(y[i], k, 8, 0) + part(x[i], k, 16, 1) * part(y[i], k + 2, 8, 1);
        }
        for (int k = 0; k < 4; ++k) compare("__vsad", sad_s2 + k, (unsigned)sums[k]);
        compare("__dp", dot, (unsigned)(product + z));
        const uint64_t both = (uint64_t)y[i] << 32 | x[i];
        unsigned chosen = 0;
        for (int k = 0; k < 4; ++k) chosen |= (unsigned)(both >> 8 * (z >> 4 * k & 7) & 0xff) << 8 * k;
        compare("__byte_perm", bytes, chosen ^ (unsigned)(both << (z & 31) >> 32));
        compare("__sad", usad, (unsigned)(std::llabs((int64_t)x[i] - y[i]) + std::llabs((int64_t)(int)x[i] - (int)y[i]) + 2 * (int64_t)z));
    }
    return verdict(right);
}
