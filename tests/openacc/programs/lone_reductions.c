/* Loops over workers and vector lanes, outside of gang loops or inside of them, reduce variables that no clause names. */
#include "show.h"

enum { M = 50 };

static int of_file = 3;

static void redundant(const int *a, int n)
{
    int sum = 5, least = 999, bits = 0, any = 0, count = 1;
    double mean = 0.5;
#pragma acc parallel num_gangs(8) num_workers(4) vector_length(32) copyin(a[0:n])
    {
#pragma acc loop vector reduction(+: sum) reduction(min: least)
        for (int i = 0; i < n; ++i) {
            sum += a[i];
            least = a[i] < least ? a[i] : least;
        }
#pragma acc loop worker reduction(|: bits) reduction(||: any)
        for (int i = 0; i < n; ++i) {
            bits |= a[i];
            any = any || a[i] == 7;
        }
#pragma acc loop worker vector reduction(+: mean)
        for (int i = 0; i < n; ++i)
            mean += a[i];
#pragma acc loop seq reduction(+: count)
        for (int i = 0; i < n; ++i)
            count += a[i] > sum / n;
    }
    printf("redundant %d %d %d %d %g %d\n", sum, least, bits, any, mean, count);
}

static void one_gang(const int *a, int n)
{
    int sum = 5;
    float product = 1;
#pragma acc parallel vector_length(64) copyin(a[0:n])
    {
#pragma acc loop worker vector reduction(+: sum)
        for (int i = 0; i < n; ++i)
            sum += a[i];
#pragma acc loop vector reduction(*: product)
        for (int i = 0; i < n; ++i)
            product *= a[i] % 2 ? 2 : 1;
    }
#pragma acc serial copyin(a[0:n])
    {
#pragma acc loop vector reduction(+: sum)
        for (int i = 0; i < n; ++i)
            sum += a[i];
    }
    printf("one gang %d %g\n", sum, product);
}

static void within_gangs(const int *a, int *r, int n)
{
    int sum = 1, twice = 2, own = 0, copied = 4;
    long most = -1;
#pragma acc parallel num_gangs(4) num_workers(2) vector_length(32) copyin(a[0:n*M]) copy(r[0:n], copied)
    {
#pragma acc loop gang
        for (int i = 0; i < n; ++i) {
#pragma acc loop vector reduction(+: sum)
            for (int j = 0; j < M; ++j)
                sum += a[i * M + j];
#pragma acc loop worker
            for (int j = 0; j < M; ++j) {
#pragma acc loop vector reduction(+: twice) reduction(max: most)
                for (int k = 0; k < 3; ++k) {
                    twice += a[i * M + j] + k;
                    most = a[i * M + j] - k > most ? a[i * M + j] - k : most;
                }
            }
            own = i;
#pragma acc loop vector reduction(+: own)
            for (int j = 0; j < M; ++j)
                own += a[i * M + j];
            r[i] += own;
#pragma acc loop vector reduction(+: copied)
            for (int j = 0; j < M; ++j)
                copied += a[i * M + j];
        }
    }
    printf("within gangs %d %d %ld %d\n", sum, twice, most, copied);
}

static void of_workers(const int *a, int *r, int n)
{
#pragma acc parallel loop gang num_workers(4) vector_length(32) copyin(a[0:n*M]) copy(r[0:n])
    for (int i = 0; i < n; ++i) {
        int sum = i;
#pragma acc loop worker
        for (int j = 0; j < 5; ++j) {
#pragma acc loop vector reduction(+: sum)
            for (int k = 0; k < 10; ++k)
                sum += a[i * M + j * 10 + k];
        }
        r[i] += sum;
    }
}

static void used_behind(const int *a, int *r, int n)
{
    int sum = 0;
#pragma acc parallel num_gangs(3) vector_length(32) copyin(a[0:n]) copy(r[0:n])
    {
#pragma acc loop vector reduction(+: sum)
        for (int i = 0; i < n; ++i)
            sum += a[i];
#pragma acc loop gang vector
        for (int i = 0; i < n; ++i)
            r[i] += sum;
    }
    printf("used behind %d\n", sum);
}

static void on_the_device(const int *a, int n)
{
    int sum = 1;
#pragma acc data copyin(a[0:n]) copy(sum)
    {
#pragma acc serial
        sum += 10;
#pragma acc parallel num_gangs(4) vector_length(32) async(1)
        {
#pragma acc loop vector reduction(+: sum)
            for (int i = 0; i < n; ++i)
                sum += a[i];
        }
#pragma acc wait
#pragma acc parallel num_gangs(4) vector_length(32)
        {
#pragma acc loop worker reduction(+: of_file)
            for (int i = 0; i < n; ++i)
                of_file += a[i];
        }
    }
    printf("on the device %d %d\n", sum, of_file);
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 300);
    int *a = new_ints(n * M, 1), *r = new_ints(n * M, 2);
    redundant(a, n);
    one_gang(a, n);
    within_gangs(a, r, n);
    of_workers(a, r, n);
    used_behind(a, r, n);
    on_the_device(a, n);
    SHOW("rows", r, n * M);
    return 0;
}
