/* Scalars that loops reduce and that a construct uses beside that: over gangs, by the threads of one gang, in turn, and
   in several kernels of one kernels construct, which see each other's results. */
#include <stdio.h>
#include <stdlib.h>

#define MOST 300

static int a[MOST];

/* by the threads of one gang, of variables in a data clause: the value before counts, and the host gets the result */
static void by_threads(int n)
{
    int s = 209, high = 5, low = 50, bits = 3, any = 0, all = 1, b[3] = {0};
    double product = 2;
#pragma acc parallel num_gangs(1) copyin(a) copy(s, high, low, bits, any, all, product, b)
    {
        s += 2;
#pragma acc loop vector reduction(+:s) reduction(max:high) reduction(min:low) reduction(^:bits)
        for (int i = 0; i < n; i++) {
            s += a[i];
            high = a[i] > high ? a[i] : high;
            low = a[i] < low ? a[i] : low;
            bits ^= a[i];
        }
        b[0] = s + high;
        b[1] = low + bits;
#pragma acc loop vector reduction(||:any) reduction(&&:all) reduction(*:product)
        for (int i = 0; i < n; i++) {
            any = any || a[i] > 10;
            all = all && a[i] > 0;
            product *= 1 + i % 2 * (i < 40);
        }
        b[2] = any + all;
    }
    printf("%d %d %d %d %d %d %g %d %d %d\n", s, high, low, bits, any, all, product, b[0], b[1], b[2]);
#pragma acc parallel num_gangs(1) vector_length(1) copyin(a) copy(s)
    {
#pragma acc loop worker reduction(+:s)
        for (int i = 0; i < n; i++)
            s += a[i];
    }
    printf("%d\n", s);
}

/* by workers and vector lanes, loops nested perfectly: each value counts once */
static void by_workers(int n)
{
    int s = 1, b = 0;
#pragma acc parallel num_gangs(1) num_workers(4) vector_length(32) copyin(a) copy(b, s)
    {
        int t = 2;
#pragma acc loop worker reduction(+:s, t)
        for (int i = 0; i < 10; i++) {
#pragma acc loop vector reduction(+:s, t)
            for (int j = 0; j < n / 10; j++) {
                s += a[i * (n / 10) + j];
                t += 1;
            }
        }
        b = t;
    }
    printf("%d %d\n", s, b);
}

/* one after the other */
static void in_turn(int n)
{
    int s = 206, b = 0;
#pragma acc serial copyin(a) copy(b, s)
    {
#pragma acc loop reduction(+:s)
        for (int i = 0; i < n; i++)
            s += a[i];
        s *= 2;
        b = s;
    }
    printf("%d %d\n", s, b);
#pragma acc parallel num_gangs(1) copyin(a) copy(b)
    {
#pragma acc loop seq reduction(+:s)
        for (int i = 0; i < n; i++)
            s += a[i];
        b = s;
    }
    printf("%d %d\n", s, b);
#pragma acc serial loop reduction(max:s)
    for (int i = 0; i < n; i++)
        s = 500 * a[i] > s ? 500 * a[i] : s;
    printf("%d\n", s);
}

/* no level named: gangs do not share what they use beside the reduction, or have a variable of their own for */
static void without_levels(int n)
{
    int s = 7, b[2] = {0};
#pragma acc parallel copyin(a) copy(b, s)
    {
        s *= 3;
#pragma acc loop reduction(+:s)
        for (int i = 0; i < n; i++)
            s += a[i];
        b[0] = s;
    }
#pragma acc parallel copyin(a) copy(b)
    {
        int t = 4;
#pragma acc loop reduction(+:t)
        for (int i = 0; i < n; i++)
            t += a[i];
        b[1] = t;
    }
    printf("%d %d %d\n", s, b[0], b[1]);
}

/* each gang computes a copy for itself */
static void in_each_gang(int n)
{
    int s = 5, e[MOST] = {0};
    double sum = 3, y[10];
#pragma acc parallel copyin(a) copy(e)
    {
#pragma acc loop seq reduction(+:s)
        for (int i = 0; i < n; i++)
            s += a[i];
#pragma acc loop gang
        for (int i = 0; i < n; i++)
            e[i] = s + i;
    }
#pragma acc kernels loop independent copyin(a) copyout(y)
    for (int i = 0; i < 10; i++) {
        sum = 0;
#pragma acc loop reduction(+:sum)
        for (int j = 0; j < 30; j++)
            sum += a[i * 30 + j];
        y[i] = sum;
    }
    printf("%d %g %g\n", e[n - 1], y[0], y[9]);
}

/* several kernels of one construct: what one computes the next one uses */
static void in_kernels(int n)
{
    int s = 2, high = 3, t = 1, u = 2, b[MOST] = {0};
#pragma acc kernels copyin(a) copy(b)
    {
#pragma acc loop reduction(+:s) reduction(max:high)
        for (int i = 0; i < n; i++) {
            s += a[i];
            high = a[i] > high ? a[i] : high;
        }
#pragma acc loop reduction(min:s)
        for (int i = 0; i < n; i++)
            s = 4000 - a[i] < s ? 4000 - a[i] : s;
        high *= 2;
#pragma acc loop reduction(max:high)
        for (int i = 0; i < n; i++)
            high = 2 * a[i] > high ? 2 * a[i] : high;
        for (int i = 0; i < n; i++)
            b[i] = s + high + i;
    }
    printf("%d %d %d\n", s, high, b[n - 1]);
#pragma acc kernels copyin(a) copy(b)
    {
        s = 0;
#pragma acc loop reduction(+:s)
        for (int i = 0; i < n; i++)
            s += a[i];
        for (int k = 0; k < 3; k++) {
#pragma acc loop reduction(+:high)
            for (int i = 0; i < n; i++)
                high += a[i];
            b[k] = high;
        }
    }
    printf("%d %d %d\n", s, high, b[2]);
    /* private to one loop, and the program's own elsewhere */
#pragma acc kernels copyin(a) copy(b)
    {
#pragma acc loop private(t)
        for (int i = 1; i < n; i++) {
            t = a[i];
            b[i] = t * 3;
        }
        t = 9;
        b[0] = t;
        u = t + 1;
    }
    printf("%d %d %d %d\n", t, u, b[0], b[n - 1]);
}

/* the device's value counts where it differs from the host's */
static void on_device(int n)
{
    int s = 100, low = 1;
#pragma acc data copyin(a) copy(s, low)
    {
#pragma acc serial
        {
            s = 1000;
            low = 40;
        }
#pragma acc parallel loop reduction(+:s) reduction(min:low)
        for (int i = 0; i < n; i++) {
            s += a[i];
            low = a[i] + 10 < low ? a[i] + 10 : low;
        }
#pragma acc parallel loop vector reduction(+:s) reduction(min:low)
        for (int i = 0; i < n; i++) {
            s += a[i];
            low = a[i] + 9 < low ? a[i] + 9 : low;
        }
#pragma acc kernels loop reduction(+:s) async(2)
        for (int i = 0; i < n; i++)
            s += a[i];
#pragma acc wait
    }
    printf("%d %d\n", s, low);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : MOST;
    for (int i = 0; i < MOST; i++)
        a[i] = i * 7 % 11 + 1;
    by_threads(n);
    by_workers(n);
    in_turn(n);
    without_levels(n);
    in_each_gang(n);
    in_kernels(n);
    on_device(n);
    return 0;
}
