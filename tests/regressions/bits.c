/* GNU C's functions that count bits, in kernels, in a routine, and in a loop's limit that the launch computes. */
#include <stdio.h>

enum { N = 150 };

#pragma acc routine seq
static int rank(unsigned long long board, int square)
{
    return __builtin_popcountll(board & ((1ULL << square) - 1));
}

int main(void)
{
    unsigned u[N];
    long l[N];
    int out[N], few[N] = {0}, mask = 0x5a;
    for (int i = 0; i < N; ++i) {
        u[i] = i * 2654435761u | 1;
        l[i] = -(long)i * 77777777777L - 1;
    }
#pragma acc parallel loop copyin(u, l) copyout(out)
    for (int i = 0; i < N; ++i) {
        short s = l[i];
        unsigned char c = u[i];
        out[i] = __builtin_popcount(u[i]) + 100 * __builtin_clz(u[i] >> (i % 20) | 1) + __builtin_parity(u[i])
            + __builtin_ctz(u[i] << (i % 30) | 1u << 31) * 7 + __builtin_ffs(u[i] - 1) + __builtin_popcountl(l[i])
            + __builtin_clzll(l[i] & 0xffff | 1) * 3 + __builtin_ctzl(l[i] << 3 | 8) + __builtin_ffsl(l[i] + 1)
            + __builtin_ffsll(0) + __builtin_parityll(l[i]) + __builtin_popcount(s) + __builtin_popcount(c)
            + __builtin_popcountll(s) + rank(l[i], i % 63);
    }
#pragma acc parallel loop copy(few)
    for (int i = 0; i < 10 * __builtin_popcount(mask); ++i)
        few[i] = __builtin_ctz(mask) + i;
    for (int i = 0; i < N; ++i)
        printf("%d %d\n", out[i], few[i]);
    return 0;
}
