/* How long data stays on the device: nested regions, enter and exit, conditions, pointers that change inside. */
#include "show.h"
#include <openacc.h>

#define N 150

static void add(int *a, int n, int value)
{
#pragma acc parallel loop present(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] += value;
}

void nested_regions(int *a, int n)
{
    fill(a, n, 1);
#pragma acc data copy(a[0:n])
    {
        add(a, n, 1);
#pragma acc data copy(a[0:n])
        {
            add(a, n, 10);
#pragma acc data copyout(a[0:n])
            add(a, n, 100);
        }
        expect("inner regions do not copy back", all_are(a, n, 1));
        add(a, n, 1000);
    }
    expect("the outer one does", all_are(a, n, 1112));
}

void enter_and_exit(int *a, int n)
{
    fill(a, n, 1);
#pragma acc enter data copyin(a[0:n])
    add(a, n, 1);
#pragma acc enter data copyin(a[0:n])
    add(a, n, 1);
#pragma acc exit data copyout(a[0:n])
    expect("the first exit of two", all_are(a, n, 1));
    add(a, n, 1);
#pragma acc exit data copyout(a[0:n])
    expect("the last exit", all_are(a, n, 4));
}

void exit_with_delete(int *a, int n)
{
    fill(a, n, 1);
#pragma acc enter data create(a[0:n])
#pragma acc parallel loop present(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] = 50;
#pragma acc exit data delete(a[0:n])
    expect("delete copies nothing", all_are(a, n, 1));
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] += 1;
    expect("after delete nothing is present", all_are(a, n, 2));
}

void finalize(int *a, int n)
{
    fill(a, n, 1);
#pragma acc enter data copyin(a[0:n])
#pragma acc enter data copyin(a[0:n])
#pragma acc enter data copyin(a[0:n])
    add(a, n, 4);
#pragma acc exit data copyout(a[0:n]) finalize
    expect("finalize ends all counts", all_are(a, n, 5));
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] += 1;
    expect("and nothing is present", all_are(a, n, 6));
}

void a_region_inside_enter_and_exit(int *a, int n)
{
    fill(a, n, 1);
#pragma acc enter data copyin(a[0:n])
#pragma acc data copy(a[0:n])
    {
        add(a, n, 2);
    }
    expect("present from outside", all_are(a, n, 1));
#pragma acc exit data copyout(a[0:n])
    expect("until its exit", all_are(a, n, 3));
}

void update(int *a, int n)
{
    fill(a, n, 1);
#pragma acc data create(a[0:n])
    {
#pragma acc update device(a[0:n])
        add(a, n, 2);
        expect("before update", all_are(a, n, 1));
#pragma acc update self(a[0:n/2])
        expect("half is up to date", all_are(a, n / 2, 3) && all_are(a + n / 2, n - n / 2, 1));
#pragma acc update host(a[0:n]) if(n < 0)
        expect("update if(0)", a[n - 1] == 1);
#pragma acc update self(a[0:n]) if(n > 0)
        expect("update if(1)", all_are(a, n, 3));
    }
#pragma acc update self(a[0:n]) if_present
    expect("update if_present", all_are(a, n, 3));
}

void condition_of_a_region(int *a, int n, int yes)
{
    fill(a, n, 1);
#pragma acc data copyin(a[0:n]) if(yes)
    {
#pragma acc parallel loop copy(a[0:n])
        for (int i = 0; i < n; ++i)
            a[i] += 1;
    }
    expect(yes ? "data if(1)" : "data if(0)", all_are(a, n, yes ? 1 : 2));
    fill(a, n, 1);
#pragma acc enter data copyin(a[0:n]) if(yes)
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] += 1;
    expect(yes ? "enter if(1)" : "enter if(0)", all_are(a, n, yes ? 1 : 2));
#pragma acc exit data delete(a[0:n]) if(yes)
}

/* With if(0) the host runs the loop, on the host's copy. */
void condition_of_a_loop(int *a, int n, int yes)
{
    fill(a, n, 1);
#pragma acc data copyin(a[0:n])
    {
#pragma acc parallel loop if(yes)
        for (int i = 0; i < n; ++i)
            a[i] += 1;
        expect(yes ? "parallel if(1)" : "parallel if(0)", all_are(a, n, yes ? 1 : 2));
#pragma acc kernels if(yes)
        for (int i = 0; i < n; ++i)
            a[i] += 1;
        expect(yes ? "kernels if(1)" : "kernels if(0)", all_are(a, n, yes ? 1 : 3));
#pragma acc serial loop if(yes)
        for (int i = 0; i < n; ++i)
            a[i] += 1;
        expect(yes ? "serial if(1)" : "serial if(0)", all_are(a, n, yes ? 1 : 4));
    }
}

/* The region's exit works on the addresses of its entry, wherever the pointers point by then. */
void swap(int n, int rounds)
{
    int *a = new_ints(n, 1), *b = new_ints(n, 2), *first = a;
    fill(a, n, 1);
    fill(b, n, -100);
#pragma acc data copy(a[0:n]) copyout(b[0:n])
    for (int round = 0; round < rounds; ++round) {
#pragma acc parallel loop
        for (int i = 0; i < n; ++i)
            b[i] = a[i] * 2;
        int *other = a;
        a = b;
        b = other;
    }
    char name[40];
    snprintf(name, sizeof name, "swapped %d times", rounds);
    expect(name, all_are(a, n, 1 << rounds) && (rounds % 2 == 0) == (a == first));
    if (rounds)
        expect("the other one", all_are(b, n, 1 << (rounds - 1)));
}

void changed_inside(int *a, int *b, int n)
{
    int *moving = a;
    fill(a, n, 1);
    fill(b, n, 1);
#pragma acc data copy(moving[0:n])
    {
#pragma acc parallel loop present(moving[0:n])
        for (int i = 0; i < n; ++i)
            moving[i] = 3;
        moving = b;
    }
    expect("a pointer changed inside", all_are(a, n, 3) && all_are(b, n, 1) && moving == b);
}

/* A pointer variable without a section is a scalar of its own, which does not touch what it leads to. */
void pointers_alone(int *a, int n)
{
    int *itself = NULL, *target = a, right = 1;
    fill(a, n, 1);
#pragma acc enter data copyin(target[0:n]) create(itself)
    itself = a;
    acc_attach((void **)&itself);
    add(itself, n, 1);
    acc_detach((void **)&itself);
    right = right && acc_is_present(&itself, sizeof itself);
#pragma acc exit data copyout(itself)
    right = right && !acc_is_present(&itself, sizeof itself) && acc_is_present(a, n * sizeof *a) && itself == a;
#pragma acc enter data copyin(itself)
#pragma acc exit data delete(itself)
    right = right && !acc_is_present(&itself, sizeof itself) && acc_is_present(a, n * sizeof *a);
#pragma acc data copyin(itself)
    right = right && acc_is_present(&itself, sizeof itself);
    right = right && !acc_is_present(&itself, sizeof itself);
#pragma acc exit data copyout(target[0:n])
    expect("a pointer alone", right && all_are(a, n, 2));
#pragma acc enter data copyin(target[0:n])
#pragma acc exit data delete(target)
    expect("a pointer that is not present itself", !acc_is_present(a, n * sizeof *a));
}

struct holder { int *p; };

void elements_that_are_pointers(void)
{
    int values[8], *table[8], *grid[2][3], sum = 0;
    struct holder holders[2];
    for (int i = 0; i < 8; ++i) {
        values[i] = i;
        table[i] = &values[7 - i];
    }
    grid[1][2] = grid[0][1] = &values[4];
    holders[1].p = &values[5];
#pragma acc enter data copyin(values, table, grid, holders)
    for (int i = 0; i < 8; ++i) {
#pragma acc enter data attach(table[i])
    }
#pragma acc enter data attach(grid[1][2], holders[1].p)
#pragma acc parallel loop present(table) reduction(+:sum)
    for (int i = 0; i < 8; ++i)
        sum += *table[i];
#pragma acc serial present(table, grid, holders) attach(grid[0][1]) copy(sum)
    sum += 100 * *grid[1][2] + 1000 * *holders[1].p + 10000 * *grid[0][1];
    for (int i = 0; i < 8; ++i) {
#pragma acc exit data detach(table[i])
    }
#pragma acc exit data detach(grid[1][2], holders[1].p) delete(values, table, grid, holders)
    expect("attached elements", sum == 28 + 400 + 5000 + 40000);
}

int main(void)
{
    int *a = malloc(N * sizeof(int)), *b = malloc(N * sizeof(int));
    nested_regions(a, N);
    enter_and_exit(a, N);
    exit_with_delete(a, N);
    finalize(a, N);
    a_region_inside_enter_and_exit(a, N);
    update(a, N);
    condition_of_a_region(a, N, 0);
    condition_of_a_region(a, N, 1);
    condition_of_a_loop(a, N, 0);
    condition_of_a_loop(a, N, 1);
    for (int rounds = 1; rounds < 6; ++rounds)
        swap(N, rounds);
    changed_inside(a, b, N);
    pointers_alone(a, N);
    elements_that_are_pointers();
    return wrong_lines != 0;
}
