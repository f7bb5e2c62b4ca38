/* Every fetch reads elements that other threads write. No thread uses them, unless it is told to: then it is a race. */
#include <stdio.h>
#include <stdlib.h>

#define N 300

int main(int argc, char **argv)
{
    int use = argc > 1 && atoi(argv[1]);
    static int w[2 * N + 4];
    for (int k = 0; k < 2 * N + 4; ++k)
        w[k] = k % 2 ? k : 0;
#pragma acc parallel loop copy(w)
    for (int i = 1; i <= N; ++i) {
#pragma acc cache(w[2*i-2:5])
        w[2*i] = w[2*i - 1] + w[2*i + 1] + (use ? w[2*i + 2] : 0);
    }
    for (int i = 1; i <= N; ++i)
        if (!use && w[2*i] != 4 * i)
            return printf("w[%d] is %d\n", 2 * i, w[2*i]), 1;
    return 0;
}
