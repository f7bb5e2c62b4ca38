/* Reductions over gangs and threads, and over the threads of one gang, once or again and again. */
#include "show.h"

float total(const float *a, int n)
{
    float sum = 3;
#pragma acc parallel loop gang vector reduction(+:sum) copyin(a[0:n])
    for (int i = 0; i < n; ++i)
        sum += a[i];
    return sum;
}

void largest(const float *a, float *b, int n, int m)
{
#pragma acc parallel loop gang vector_length(96) copyin(a[0:n*m]) copy(b[0:n])
    for (int i = 0; i < n; ++i) {
        float most = a[i*m], sum = b[i];
#pragma acc loop vector reduction(max:most)
        for (int j = 0; j < m; ++j)
            most = a[i*m + j] > most ? a[i*m + j] : most;
#pragma acc loop vector reduction(+:sum)
        for (int j = 0; j < m; ++j)
            sum += most - a[i*m + j];
        b[i] = sum;
    }
}

void rounds(const float *a, float *b, int n, int m)
{
#pragma acc parallel loop gang vector_length(64) copyin(a[0:n*m]) copy(b[0:n])
    for (int i = 0; i < n; ++i) {
        float sum = 0;
        for (int round = 0; round < 3; ++round) {
#pragma acc loop vector reduction(+:sum)
            for (int j = round; j < m; ++j)
                sum += a[i*m + j];
            sum *= 2;
        }
        b[i] += sum;
    }
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 5), m = argument(argc, argv, 2, 100);
    float *a = filled((long)n * m), *b = filled(n);
    printf("%.9g\n", total(a, n * m));
    largest(a, b, n, m);
    rounds(a, b, n, m);
    show("b", b, n);
    return 0;
}
