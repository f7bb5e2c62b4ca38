/* Scalars in no clause of a construct, of which the device has a copy because of what other parts of the program did. */
#include <stdio.h>
#include <stdlib.h>

#define MOST 400

static int a[MOST], factor = 2;
int shift = 1;

/* what is reduced goes to the copy, too */
static void reduced(int n)
{
    int sum = 1, most = -1, count = 3;
    double total = 0.5;
#pragma acc enter data copyin(sum, most, total, count)
#pragma acc parallel loop reduction(+:sum) copyin(a)
    for (int i = 0; i < n; i++)
        sum += a[i];
#pragma acc parallel copyin(a)
    {
#pragma acc loop gang reduction(max:most)
        for (int i = 0; i < n; i++)
            if (a[i] > most)
                most = a[i];
    }
#pragma acc serial loop reduction(+:total)
    for (int i = 0; i < n; i++)
        total += i;
#pragma acc kernels loop reduction(+:count) copyin(a)
    for (int i = 0; i < n; i++)
        count += a[i] > 3;
#pragma acc exit data copyout(sum, most, total, count)
    printf("reduced %d %d %g %d\n", sum, most, total, count);
}

/* what a kernels construct only reads has the copy's value */
static void read(int n)
{
    int scale = 1, limit = n / 2;
#pragma acc enter data copyin(scale, limit)
#pragma acc parallel num_gangs(1) present(scale, limit)
    {
        scale = 5;
        limit = n;
    }
#pragma acc kernels copy(a)
    {
        for (int i = 0; i < limit; i++)
            a[i] += scale * i;
        if (limit > 1)
            a[1] = scale;
    }
#pragma acc exit data copyout(scale, limit)
    printf("read %d %d %d\n", a[n - 1], scale, limit);
}

/* where the function is called in a data region that maps variables of the file */
static void changed(int n)
{
#pragma acc parallel num_gangs(1) present(factor, shift)
    {
        factor += n;
        shift += 3;
    }
#pragma acc kernels copy(a)
    for (int i = 0; i < n; i++)
        a[i] = a[i] * factor + shift;
}

static void of_the_file(int n)
{
#pragma acc data copy(factor, shift)
    changed(n);
    printf("of_the_file %d %d %d\n", a[n - 1], factor, shift);
}

/* by an address */
static void map(int *one)
{
#pragma acc enter data copyin(one[0:1])
}

static void change(int *one)
{
#pragma acc parallel loop present(one[0:1])
    for (int i = 0; i < 1; i++)
        one[i] += 4;
}

static void unmap(int *one)
{
#pragma acc exit data copyout(one[0:1])
}

static void addressed(int n)
{
    int given = 1;
    map(&given);
    change(&given);
#pragma acc kernels copy(a)
    for (int i = 0; i < n; i++)
        a[i] -= given;
    unmap(&given);
    printf("addressed %d %d\n", a[n - 1], given);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 300;
    for (int i = 0; i < MOST; i++)
        a[i] = i % 7;
    reduced(n);
    read(n);
    of_the_file(n);
    addressed(n);
    return 0;
}
