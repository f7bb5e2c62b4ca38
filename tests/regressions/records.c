/* An emulated cache of structures that are half padding: what its ways hand on nobody has written yet. */
#include <stdio.h>

struct entry { unsigned whole; unsigned short half[2]; };

int main(void)
{
    static struct entry entries[300];
    static unsigned sums[256];
    for (int i = 0; i < 300; i++) {
        entries[i].whole = i * 7;
        entries[i].half[0] = i;
        entries[i].half[1] = i * 3;
    }
#pragma acc parallel loop copyin(entries) copyout(sums)
    for (int i = 0; i < 256; i++) {
        unsigned sum = 0;
#pragma acc cache(entries[i:4])
        for (int k = 0; k < 4; k++)
            sum += entries[i + k].whole + entries[i + k].half[1];
        sums[i] = sum;
    }
    unsigned hash = 0;
    for (int i = 0; i < 256; i++)
        hash = hash * 31 + sums[i];
    printf("%08x\n", hash);
}
