/* malloc and free in kernels: who takes a block, who sees it, and when it is given back. */
#include "show.h"

#define WIDTH 70

void of_the_gang(const int *restrict a, int *restrict out, int rows)
{
#pragma acc parallel loop gang vector_length(32) copyin(a[0:rows*WIDTH]) copyout(out[0:rows])
    for (int row = 0; row < rows; ++row) {
        int *copy = malloc(WIDTH * sizeof *copy), *sums;
        sums = (int *)malloc(WIDTH * sizeof(int));
#pragma acc loop vector
        for (int j = 0; j < WIDTH; ++j)
            copy[j] = a[row * WIDTH + j];
#pragma acc loop vector
        for (int j = 0; j < WIDTH; ++j)
            sums[j] = copy[j] + 2 * copy[WIDTH - 1 - j];
        free(copy);
        sums[0] += 1;
        int *end = sums + WIDTH;
        out[row] = end[-1] - *sums;
        free(sums);
    }
}

void of_the_worker(const int *restrict a, int *restrict out, int rows)
{
#pragma acc parallel loop gang num_workers(4) vector_length(32) copyin(a[0:rows*WIDTH*2]) copyout(out[0:rows*6])
    for (int row = 0; row < rows; ++row) {
#pragma acc loop worker
        for (int w = 0; w < 6; ++w) {
            int *copy = malloc(WIDTH * sizeof *copy);
#pragma acc loop vector
            for (int j = 0; j < WIDTH; ++j)
                copy[j] = a[row * WIDTH + j] * w;
            int sum = 0;
#pragma acc loop vector reduction(+:sum)
            for (int j = 0; j < WIDTH; ++j)
                sum += copy[WIDTH - 1 - j] ^ j;
            free(copy);
            out[row * 6 + w] = sum;
        }
    }
}

void of_each_thread(const int *restrict a, int *restrict out, int n)
{
#pragma acc parallel loop copyin(a[0:n]) copyout(out[0:n])
    for (int i = 0; i < n; ++i) {
        int *digits = i % 3 ? malloc(4 * sizeof *digits) : NULL, count = 0, value = a[i];
        if (digits != NULL) {
            for (; count < 4; value /= 10)
                digits[count++] = value % 10;
            for (value = 0; count > 0;)
                value = value * 10 + digits[4 - count--];
        }
        free(digits);
        out[i] = value;
    }
}

struct node {
    int value;
    struct node *next;
};

struct pair {
    int *first, *second;
};

void through_other_addresses(const int *restrict a, int *restrict out, int rows)
{
#pragma acc parallel loop gang copyin(a[0:rows*WIDTH]) copyout(out[0:rows])
    for (int row = 0; row < rows; ++row) {
        struct pair pair;
        pair.first = malloc(WIDTH * sizeof(int));
        pair.second = pair.first + 1;
        int *parts[2], *other[1];
        for (int k = 0; k < 2; ++k)
            parts[k] = malloc(WIDTH * sizeof(int));
        other[0] = parts[1] + 1;
#pragma acc loop vector
        for (int j = 0; j < WIDTH; ++j) {
            pair.first[j] = a[row * WIDTH + j];
            parts[0][j] = j;
            parts[1][WIDTH - 1 - j] = 3 * j;
        }
        int sum = 0;
#pragma acc loop vector reduction(+:sum)
        for (int j = 0; j < WIDTH - 1; ++j)
            sum += pair.second[j] * parts[0][WIDTH - 1 - j] - other[0][j];
        struct node *list = NULL;
        for (int k = 0; k < 5; ++k) {
            struct node *one = malloc(sizeof *one);
            one->value = sum + k;
            one->next = list;
            list = one;
        }
        sum = 0;
        while (list) {
            struct node *next = list->next;
            sum = 3 * sum + list->value;
            free(list);
            list = next;
        }
        free(parts[0]);
        free(parts[1]);
        free(pair.first);
        out[row] = sum;
    }
}

void under_a_condition(const int *restrict a, int *restrict out, int rows)
{
#pragma acc parallel loop gang copyin(a[0:rows*WIDTH]) copy(out[0:rows*WIDTH])
    for (int row = 0; row < rows; ++row) {
        const int *read;
        int *copy = NULL;
        if (row % 2 && (copy = malloc(WIDTH * sizeof *copy))) {
            read = copy;
#pragma acc loop vector
            for (int j = 0; j < WIDTH; ++j)
                copy[j] = a[row * WIDTH + j];
#pragma acc loop vector
            for (int j = 0; j < WIDTH; ++j)
                out[row * WIDTH + j] = read[WIDTH - 1 - j];
        }
        free(copy);
    }
}

#pragma acc routine vector
static int *doubled(const int *a)
{
    int *copy = malloc(WIDTH * sizeof *copy);
    if (!copy)
        return NULL;
#pragma acc loop vector
    for (int j = 0; j < WIDTH; ++j)
        copy[j] = 2 * a[j];
    return copy;
}

#pragma acc routine vector
static int *some(int n)
{
    return malloc(n * sizeof(int));
}

#pragma acc routine worker
static int mirrored(const int *a)
{
    int *copy = malloc(WIDTH * sizeof *copy), sum = 0;
#pragma acc loop worker
    for (int j = 0; j < WIDTH; ++j)
        copy[j] = a[j];
#pragma acc loop vector reduction(+:sum)
    for (int j = 0; j < WIDTH; ++j)
        sum += copy[WIDTH - 1 - j] * j;
    free(copy);
    return sum;
}

static int *new_one(int value)
{
    int *one = malloc(sizeof *one);
    *one = value;
    return one;
}

static struct pair new_pair(int first)
{
    struct pair made;
    made.first = new_one(first);
    made.second = made.first;
    return made;
}

static void drop(int *one)
{
    free(one);
}

void in_routines(const int *restrict a, int *restrict out, int rows)
{
#pragma acc parallel loop gang copyin(a[0:rows*WIDTH]) copyout(out[0:rows])
    for (int row = 0; row < rows; ++row) {
        int *twice = doubled(a + row * WIDTH), *space = some(WIDTH), *one = new_one(row);
#pragma acc loop vector
        for (int j = 0; j < WIDTH; ++j)
            space[j] = twice[WIDTH - 1 - j] + *one;
        *one = space[0] + mirrored(a + row * WIDTH);
        free(twice);
        free(space);
        out[row] = *one;
        drop(one);
        struct pair pair = new_pair(out[row] % 7);
        out[row] += *pair.second;
        drop(pair.first);
    }
}

/* One gang runs it: a block from the heap is a gang's own. */
#pragma acc routine gang
static int in_parts(const int *a)
{
    int *part = malloc(WIDTH / 10 * sizeof *part), sum = 0;
#pragma acc loop gang
    for (int k = 0; k < WIDTH / 10; ++k) {
        int own = 0;
#pragma acc loop worker reduction(+:own)
        for (int j = 0; j < 10; ++j)
            own += a[k * 10 + j];
        part[k] = own;
    }
#pragma acc loop seq
    for (int k = 0; k < WIDTH / 10; ++k)
        sum += part[k] * k;
    free(part);
    return sum;
}

void in_a_gang_routine(const int *restrict a, int *restrict out, int rows)
{
#pragma acc parallel copyin(a[0:rows*WIDTH]) copyout(out[0:rows])
    for (int row = 0; row < rows; ++row)
        out[row] = in_parts(a + row * WIDTH);
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 40), size = n * WIDTH * 2;
    int *a = new_ints(size, 1), *b = new_ints(size, 2);
    of_the_gang(a, b, n);
    SHOW("of_the_gang", b, size);
    of_the_worker(a, b, n);
    SHOW("of_the_worker", b, size);
    of_each_thread(a, b, n);
    SHOW("of_each_thread", b, size);
    through_other_addresses(a, b, n);
    SHOW("through_other_addresses", b, size);
    under_a_condition(a, b, n);
    SHOW("under_a_condition", b, size);
    in_routines(a, b, n);
    SHOW("in_routines", b, size);
    in_a_gang_routine(a, b, n);
    SHOW("in_a_gang_routine", b, size);
    return 0;
}
