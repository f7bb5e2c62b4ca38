/* Who sees which value of a cached element: the six behaviours of table 5 of Lashgar and Baniasadi's paper (section 6.6).
 *
 * usage: behaviours one|others|many
 *   one     one thread has a copy of an element and writes it                           (#1 and #3)
 *   others  threads without a copy read the element meanwhile                           (#2 and #3)
 *   many    many threads have copies and write them, threads without a copy read, too  (#4 to #6)
 */
#include "show.h"

#define N 1000
#define NEW 100000
#define SHARED 4

/* Before the kernel element i holds i; thread i writes NEW + i. */
static int is_old(int value, int element)
{
    return value == element;
}

static int is_new(int value, int element)
{
    return value == NEW + element;
}

/* The values threads write to one of the elements that many of them share. */
static int is_new_from_any(int value, int element)
{
    return value >= NEW && value < NEW + N && (value - NEW) % SHARED == element;
}

void one_writer(int *restrict a, int *restrict own, int n)
{
#pragma acc parallel loop copy(a[0:n]) copyout(own[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[i:1])
        {
            a[i] = NEW + i;
            own[i] = a[i];
        }
    }
}

void one_writer_and_readers(int *restrict a, int *restrict own, int *restrict other, int n)
{
#pragma acc parallel loop copy(a[0:n]) copyout(own[0:n], other[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[i:1])
        {
            a[i] = NEW + i;
            own[i] = a[i];
        }
        other[i] = a[(i + n / 2) % n];
    }
}

void many_writers(int *restrict a, int *restrict own, int *restrict other, int n)
{
#pragma acc parallel loop copy(a[0:n]) copyout(own[0:n], other[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[0:SHARED])
        {
            a[i % SHARED] = NEW + i;
            own[i] = a[i % SHARED];
        }
        other[i] = a[(i + 1) % SHARED];
    }
}

int main(int argc, char **argv)
{
    static int a[N], own[N], other[N];
    int scenario = argc > 1 ? argv[1][1] : 'n';
    for (int i = 0; i < N; ++i)
        a[i] = i;
    if (scenario == 'n')
        one_writer(a, own, N);
    else if (scenario == 't')
        one_writer_and_readers(a, own, other, N);
    else
        many_writers(a, own, other, N);
    int seen = 1, elsewhere = 1, after = 1;
    for (int i = 0; i < N; ++i) {
        int element = i % SHARED, next = (i + 1) % SHARED, far = (i + N / 2) % N;
        if (scenario == 'a') {
            seen &= is_old(own[i], element) || is_new_from_any(own[i], element);
            elsewhere &= is_old(other[i], next) || is_new_from_any(other[i], next);
            after &= i < SHARED ? is_new_from_any(a[i], i) : is_old(a[i], i);
        } else {
            seen &= is_new(own[i], i);
            elsewhere &= scenario == 'n' || is_old(other[i], far) || is_new(other[i], far);
            after &= is_new(a[i], i);
        }
    }
    expect(scenario == 'a' ? "#4" : "#1", seen);
    expect(scenario == 'a' ? "#5" : "#2", elsewhere);
    expect(scenario == 'a' ? "#6" : "#3", after);
    return wrong_lines != 0;
}
