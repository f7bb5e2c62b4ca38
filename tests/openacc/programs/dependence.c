/* Loops of kernels constructs, which nobody called independent: those a test proves so run on many threads. */
#include "show.h"

void independent_elements(int *restrict a, const int *restrict b, int n)
{
#pragma acc kernels copy(a[0:2*n+4]) copyin(b[0:2*n+4])
    {
        for (int i = 0; i < n; ++i)
            a[i] = b[i] + 1;
        for (int i = 0; i < n; ++i)
            a[i] = a[i] * 2 + b[i + 1];
        for (int i = 0; i < n; ++i)
            a[2 * i] = a[2 * i + 1] + b[i];
        for (int i = 0; i < n; ++i)
            a[n - 1 - i] += b[i];
        for (int i = 0; i < n; ++i)
            a[i] = a[i + n] + 1;
        for (int i = 0; i < n / 2; i += 2) {
            a[i] = a[i + 1];
            a[i + 1] = b[i];
        }
    }
}

void carried_from_one_to_the_next(int *restrict a, const int *restrict b, int n)
{
#pragma acc kernels copy(a[0:2*n+4]) copyin(b[0:2*n+4])
    {
        for (int i = 1; i < n; ++i) /* one thread */
            a[i] = a[i - 1] + b[i];
        for (int i = 0; i < n; ++i) /* one thread */
            a[i] = a[i + 1] + b[i];
        for (int i = 0; i < n; ++i) /* one thread */
            a[i / 2] += b[i];
        for (int i = 0; i < n; ++i) /* one thread */
            a[b[i] % n] = i;
        for (int i = 0; i < n; ++i) /* one thread */
            a[n - i] = a[i] + 1;
        for (int i = 0; i < n; ++i) /* one thread */
            a[5] += b[i];
        for (int i = 0; i < n - 2; ++i) /* one thread */
            a[2 * i] = a[i] + b[i];
    }
}

void carried_by_a_scalar(int *restrict a, int n)
{
    int last = 3, sum = 0;
#pragma acc kernels copy(a[0:n])
    {
        for (int i = 0; i < n; ++i) { /* one thread */
            int now = a[i];
            a[i] = last;
            last = now;
        }
        for (int i = 0; i < n; ++i)
            sum += a[i];
        for (int i = 0; i < n; ++i) {
            int own = a[i];
            own += 3;
            a[i] = own;
        }
    }
    a[0] += last + sum;
}

void rows_and_columns(int *restrict a, int n, int m)
{
#pragma acc kernels copy(a[0:n*m])
    {
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < m; ++j)
                a[i * m + j] += i - j;
        for (int i = 0; i < n; ++i)
            for (int j = 1; j < m; ++j)
                a[i * m + j] += a[i * m + j - 1];
        for (int i = 1; i < n; ++i)
            for (int j = 0; j < m; ++j)
                a[i * m + j] += a[(i - 1) * m + j];
        for (int i = 1; i < n; ++i) /* one thread */
            for (int j = 1; j < m; ++j)
                a[i * m + j] += a[(i - 1) * m + j - 1] + a[i * m + j - 1];
    }
}

/* The user's word counts; whether two pointers lead to one array the launch finds out. */
void said_or_unknown(int *a, int *b, int n)
{
#pragma acc kernels copy(a[0:n], b[0:n])
    {
        for (int i = 0; i < n; ++i)
            a[i] = b[i] + 1;
#pragma acc loop independent
        for (int i = 0; i < n; ++i)
            b[i] = a[i] + 2;
#pragma acc loop seq
        for (int i = 0; i < n; ++i) /* one thread */
            b[i] += 3;
    }
#pragma acc kernels loop copy(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] += 3;
#pragma acc kernels loop independent copy(a[0:n])
    for (int i = 0; i < n; ++i)
        a[(i + 1) % n] *= 2;
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 300);
    int *a = new_ints(2 * n + 4, 1), *b = new_ints(2 * n + 4, 2);
    independent_elements(a, b, n);
    SHOW("independent_elements", a, 2 * n);
    carried_from_one_to_the_next(a, b, n);
    SHOW("carried_from_one_to_the_next", a, 2 * n);
    carried_by_a_scalar(a, n);
    SHOW("carried_by_a_scalar", a, n);
    rows_and_columns(a, n / 20, 20);
    SHOW("rows_and_columns", a, n);
    said_or_unknown(a, b, n);
    SHOW("said_or_unknown a", a, n);
    SHOW("said_or_unknown b", b, n);
    return 0;
}
