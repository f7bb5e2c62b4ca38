/* Clauses of one construct that name the same section: together they say what is copied in, and what out. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 100;
    int *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), *c = malloc(n * sizeof *c), total = 5;
    for (int i = 0; i < n; i++) {
        a[i] = b[i] = i;
        c[i] = 0;
    }
#pragma acc parallel loop copyin(a[0:n]) copyout(a[0:n]) create(zero: c[0:n]) copyout(c[0:n])
    for (int i = 0; i < n; i++) {
        a[i] += 1;
        c[i] += a[i];
    }
#pragma acc parallel loop copyout(b[0:n]) copy(b[0:n]) copyin(total) copyout(total) reduction(+: total)
    for (int i = 0; i < n; i++) {
        b[i] += 2;
        total += b[i];
    }
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += (i + 1L) * (a[i] + 3 * b[i] + 5 * c[i]);
    printf("%ld %d\n", sum, total);
    free(a);
    free(b);
    free(c);
    return 0;
}
