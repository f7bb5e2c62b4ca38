/* Cached arrays whose elements are pointers: const belongs behind their stars. */
#include <stdio.h>

enum { N = 300 };

int main(void)
{
    const char *words[N + 1];
    char *letters[N + 1];
    int *places[N];
    static const char *const two[2] = {"a", "b"};
    int out[N];
    for (int i = 0; i <= N; ++i) {
        words[i] = i % 2 ? "x" : NULL;
        letters[i] = i % 3 ? NULL : (char *)out + i;
    }
    for (int i = 0; i < N; ++i)
        places[i] = &out[i];
#pragma acc parallel loop copyin(words, letters, two) copy(places) copyout(out)
    for (int i = 0; i < N; ++i) {
#pragma acc cache(words[i:2], letters[i:2], two[0:2], places[i:1])
        out[i] = (words[i] ? 100 : 200) + (letters[i + 1] == NULL) + 10 * (two[i % 2] == NULL);
        if (i % 3 == 0)
            places[i] = NULL;
    }
    for (int i = 0; i < N; ++i)
        printf("%d %d\n", out[i], places[i] == NULL);
    return 0;
}
