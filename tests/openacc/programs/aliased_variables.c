/* Cached pointers that lead into structures, unions and scalars which the kernel reaches by name, too. */
#include "show.h"

#define MOST 300

typedef struct {
    int count;
    float values[MOST];
} Series;

typedef union {
    int numbers[MOST];
    float others[MOST];
} Either;

static Series kept;

/* The structure is written by name, between two reads of the pointer. */
void written_by_name(float *restrict result, int n)
{
    float *values = kept.values;
    for (int i = 0; i < n; ++i)
        kept.values[i] = noise(i, 1);
#pragma acc data copy(kept, result[0:n])
#pragma acc parallel loop present(kept, values[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(values[i:1])
        {
            result[i] += values[i];
            kept.values[i] = 5;
            result[i] += values[i] + values[i];
        }
    }
}

/* The structure is read by name, between two writes through the pointer. */
void read_by_name(float *restrict result, int n)
{
    Series series;
    float *values = series.values;
    for (int i = 0; i < n; ++i)
        series.values[i] = noise(i, 2);
#pragma acc data copy(series, result[0:n])
#pragma acc parallel loop present(series, values[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(values[i:1])
        {
            values[i] += 1;
            result[i] += series.values[i];
            values[i] *= 2;
        }
    }
}

/* A union, and a scalar that one thread writes for all. */
void others_by_name(int *restrict result, int n)
{
    Either either;
    int *numbers = either.numbers, once = 1, *pointer = &once;
    for (int i = 0; i < n; ++i)
        either.numbers[i] = noise(i, 3);
#pragma acc data copy(either, once, result[0:n])
    {
#pragma acc parallel loop present(either, numbers[0:n])
        for (int i = 0; i < n; ++i) {
#pragma acc cache(numbers[i:1])
            {
                result[i] += numbers[i];
                either.numbers[i] = 7;
                result[i] += numbers[i] + numbers[i];
            }
        }
#pragma acc parallel loop gang vector_length(64) present(once, pointer[0:1])
        for (int g = 0; g < 1; ++g) {
#pragma acc cache(pointer[0:1])
            {
#pragma acc loop vector
                for (int i = 0; i < n; ++i)
                    result[i] += pointer[0] + pointer[0];
                once = 5;
#pragma acc loop vector
                for (int i = 0; i < n; ++i)
                    result[i] += pointer[0] * 5 + pointer[0];
            }
        }
    }
}

/* Threads pass data to each other through the structure and the pointer; what is cached is another array. */
void barrier_between(float *restrict result, int n)
{
    Series series;
    float weights[4] = {1, 2, 3, 4}, *values = series.values;
    for (int i = 0; i < n; ++i)
        series.values[i] = noise(i, 4);
#pragma acc data copy(series, result[0:n]) copyin(weights)
#pragma acc parallel loop gang vector_length(64) present(series, values[0:n])
    for (int g = 0; g < 1; ++g) {
#pragma acc cache(weights[0:4])
        {
#pragma acc loop vector
            for (int i = 0; i < n; ++i)
                series.values[i] = i * weights[1] + weights[0] * weights[2];
#pragma acc loop vector
            for (int i = 0; i < n; ++i)
                result[i] += values[n - 1 - i] * (weights[3] + weights[0]);
        }
    }
}

/* Nothing is shared: the addresses are compared, those of volatile variables, too. */
void apart(float *restrict result, int n)
{
    Series series;
    volatile float last = 0;
    float other[MOST], *values = other;
    for (int i = 0; i < n; ++i) {
        series.values[i] = noise(i, 5);
        other[i] = noise(i, 6);
    }
#pragma acc data copy(series, last, result[0:n]) copyin(other)
#pragma acc parallel loop present(series, last, values[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(values[i:1])
        {
            result[i] += values[i];
            series.values[i] *= 3;
            if (i == n - 1)
                last = values[i];
            result[i] += series.values[i] * values[i];
        }
    }
    result[0] += last;
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, MOST);
    float *result = new_floats(n, 7);
    int *whole = new_ints(n, 8);
    written_by_name(result, n);
    SHOW("written by name", result, n);
    read_by_name(result, n);
    SHOW("read by name", result, n);
    others_by_name(whole, n);
    SHOW("others by name", whole, n);
    barrier_between(result, n);
    SHOW("barrier between", result, n);
    apart(result, n);
    SHOW("apart", result, n);
    return 0;
}
