/* Variables that several loops of one construct reduce over gangs and threads, or that a loop reduces beside what the
   construct does: each value counts once. */
#include <stdio.h>
#include <stdlib.h>

#define MOST 300

static int a[MOST];

/* the second loop starts from what the block has so far, of which only one thread adds to its own */
static void twice(int n)
{
    int s = 1, bits = 5, high = 2, any = 0, counts[2][3] = {{1, 2, 3}}, part[5] = {1, 1, 1, 1, 1};
    unsigned product = 3;
    double power = 1;
#pragma acc parallel num_gangs(4) copyin(a)
    {
#pragma acc loop gang vector reduction(+:s, counts) reduction(^:bits) reduction(*:product, power) reduction(max:high)
        for (int i = 0; i < n; i++) {
            s += a[i];
            bits ^= a[i];
            product *= 2 * a[i] + 1;
            power *= i % 100 ? 1 : 2;
            high = a[i] > high ? a[i] : high;
            counts[i & 1][i % 3] += a[i];
        }
#pragma acc loop gang vector reduction(+:s, counts) reduction(^:bits) reduction(*:product, power) reduction(||:any)
        for (int i = 0; i < n; i++) {
            s += 2 * a[i];
            bits ^= 3 * a[i];
            product *= 2 * a[i] + 3;
            power *= i % 70 ? 1 : 2;
            any = any || a[i] > 10;
            counts[i & 1][i % 3]++;
        }
#pragma acc loop gang vector reduction(max:high) reduction(||:any) reduction(+:part[1:3])
        for (int i = 0; i < n; i++) {
            high = a[i] + i > high ? a[i] + i : high;
            any = any || a[i] == 3;
            part[1 + i % 3] += i;
        }
#pragma acc loop gang vector reduction(+:part[1:3])
        for (int i = 0; i < n; i++)
            part[1 + i % 2] += i;
    }
    printf("%d %d %d %d %u %g\n", s, bits, high, any, product, power);
    for (int i = 0; i < 6; i++)
        printf("%d %d%c", counts[i / 3][i % 3], i < 5 ? part[i] : 0, i < 5 ? ' ' : '\n');
}

/* the same loop in each round of a loop around it, under a condition, and behind loops of other levels */
static void in_rounds(int n)
{
    int s = 1, t = 1;
    long u = 7;
#pragma acc parallel num_gangs(3) num_workers(2) vector_length(32) copyin(a)
    {
        for (int k = 0; k < 3; k++) {
#pragma acc loop gang vector reduction(+:s)
            for (int i = k; i < n; i++)
                s += a[i];
            if (k != 1) {
#pragma acc loop gang worker reduction(+:s)
                for (int i = 0; i < n; i++)
                    s += a[i] * k;
            }
        }
#pragma acc loop gang reduction(+:t)
        for (int i = 0; i < n; i++)
            t += a[i];
#pragma acc loop gang worker vector reduction(+:t)
        for (int i = 0; i < n; i++)
            t += a[i];
#pragma acc loop gang worker reduction(+:t)
        for (int i = 0; i < n; i++) {
#pragma acc loop vector reduction(+:t)
            for (int j = 0; j < 5; j++)
                t += a[i] * j;
        }
#pragma acc loop gang reduction(+:u)
        for (int i = 0; i < n; i++) {
#pragma acc loop worker vector reduction(+:u)
            for (int j = 0; j < 5; j++)
                u += a[i] * j;
        }
#pragma acc loop gang vector reduction(+:u)
        for (int i = 0; i < n; i++)
            u += a[i];
    }
    printf("%d %d %ld\n", s, t, u);
}

/* a gang's copy of what the construct reduces has a value in front of the loop */
static void in_construct(int n)
{
    int s = 1, t = 1, d[2] = {2, 2};
#pragma acc parallel num_gangs(1) copyin(a) reduction(+:s) reduction(*:d)
    {
        s += 2;
        d[0] *= 3;
#pragma acc loop gang worker reduction(+:s)
        for (int i = 0; i < n; i++)
            s += a[i];
        s += 100;
#pragma acc loop gang vector reduction(*:d)
        for (int i = 0; i < n; i++)
            d[i & 1] *= i % 100 ? 1 : 2;
        d[0] *= 5;
    }
#pragma acc parallel num_gangs(4) copyin(a) reduction(+:t)
    {
#pragma acc loop gang vector reduction(+:t)
        for (int i = 0; i < n; i++)
            t += a[i];
#pragma acc loop gang vector reduction(+:t)
        for (int i = 0; i < n; i++)
            t += a[i];
    }
    printf("%d %d %d %d\n", s, t, d[0], d[1]);
}

/* nests whose loops are spread unlike: over gangs and threads, over threads only, over nothing */
static void nests(int n)
{
    int s = 1, t = 1, r[4];
#pragma acc parallel num_gangs(4) copyin(a)
    {
#pragma acc loop gang vector collapse(2) reduction(+:s)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < 7; j++)
                s += a[i] + j;
#pragma acc loop gang vector tile(2, 4) reduction(+:t)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < 7; j++)
                t += a[i] * j;
    }
#pragma acc parallel num_gangs(2) num_workers(4) vector_length(8) copyin(a) copyout(r)
    {
#pragma acc loop gang
        for (int g = 0; g < 2; g++) {
#pragma acc loop worker
            for (int w = 0; w < 2; w++) {
                int sum = 3;
#pragma acc loop vector collapse(3) reduction(+:sum)
                for (int i = 0; i < n; i++)
                    for (int j = 0; j < 3; j++)
                        for (int k = 0; k < 2; k++)
                            sum += a[i] * (g + w) + j + k;
                r[2 * g + w] = sum;
            }
        }
    }
    printf("%d %d %d %d %d %d\n", s, t, r[0], r[1], r[2], r[3]);
}

/* what a clause names and no loop combines keeps its value */
static void in_vain(int n)
{
    int s = 3, t = 4, high = 5, r[2] = {6, 7};
    double power = 1.5;
    static int b[MOST];
#pragma acc parallel reduction(+:s, r) reduction(*:power) copy(b)
    {
#pragma acc loop gang vector reduction(max:high)
        for (int i = 0; i < n; i++)
            b[i] = i;
    }
#pragma acc parallel loop reduction(+:t) reduction(max:high) copy(b)
    for (int i = 0; i < n; i++)
        b[i] += 1;
    printf("%d %d %d %d %d %g %d\n", s, t, high, r[0], r[1], power, b[n - 1]);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : MOST;
    for (int i = 0; i < MOST; i++)
        a[i] = i * 7 % 11 + 1;
    twice(n);
    in_rounds(n);
    in_construct(n);
    nests(n);
    in_vain(n);
    return 0;
}
