// Arrays of every length and every place of a record within lines: ends that no line is aligned to.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef LONGEST
#define LONGEST 67
#endif
#define SCAN(name, type) \
    static int name(int first, int threads, int m) \
    { \
        int n = threads * m, all = first + n, wrong = 0; \
        type *a = malloc(all * sizeof *a), *out = malloc(all * sizeof *out), *plain = malloc(all * sizeof *plain); \
        for (int i = 0; i < all; ++i) { \
            a[i] = (type)(i * 5 + 1); \
            out[i] = plain[i] = (type)(i + 3); \
        } \
        _Pragma("acc parallel loop copyin(a[0:all]) copy(out[0:all])") \
        for (int t = 0; t < threads; ++t) { \
            _Pragma("acc loop seq") \
            _Pragma("acc cache(a, out)") \
            for (int i = first + t * m; i < first + (t + 1) * m; ++i) \
                if (i % 3) \
                    out[i] += a[i]; \
        } \
        for (int i = first; i < all; ++i) \
            if (i % 3) \
                plain[i] += a[i]; \
        wrong = memcmp(out, plain, all * sizeof *out) != 0; \
        free(a); \
        free(out); \
        free(plain); \
        return wrong; \
    }
SCAN(bytes, signed char)
SCAN(shorts, short)
SCAN(words, int)
SCAN(longs, double)
int main(void)
{
    int wrong = 0;
    for (int threads = 1; threads <= 3; threads += 2)
        for (int first = 0; first < 33; first += threads)
            for (int m = 1; m * threads <= LONGEST; ++m) {
                wrong += bytes(first, threads, m);
                if (first < 17)
                    wrong += shorts(first, threads, m);
                if (first < 9)
                    wrong += words(first, threads, m);
                if (first < 5)
                    wrong += longs(first, threads, m);
            }
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
