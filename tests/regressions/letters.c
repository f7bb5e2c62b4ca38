/* Arrays of characters that a string fills without its end. */
#include <stdio.h>

static const char digits[4] = "\x30""1\n3";

int main(void)
{
    int count[64];
#pragma acc parallel loop copyout(count)
    for (int i = 0; i < 64; ++i) {
        const char bases[4] = "ACGT";
        char pairs[2][3] = {"a\0c", "xyz"};
        char longer[6] = "ab";
        pairs[i % 2][i % 3] += i;
        count[i] = bases[i % 4] + pairs[0][2] * 2 + pairs[1][0] + digits[i % 4] + longer[i % 6];
    }
    for (int i = 0; i < 64; ++i)
        printf("%d\n", count[i]);
    return 0;
}
