/* What each data clause brings to the device and back. Device memory is of its own: host and device may differ. */
#include "show.h"

#define N 200

void copy(int *a, int n)
{
    fill(a, n, 1);
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] += 2;
    expect("copy", all_are(a, n, 3));
}

void copyin(int *a, int *b, int n)
{
    fill(a, n, 1);
    fill(b, n, 0);
#pragma acc parallel loop copyin(a[0:n]) copyout(b[0:n])
    for (int i = 0; i < n; ++i) {
        a[i] += 2;
        b[i] = a[i];
    }
    expect("copyin leaves the host's values", all_are(a, n, 1));
    expect("copyout brings the device's values", all_are(b, n, 3));
}

void create(int *a, int *b, int n)
{
    fill(a, n, 7);
#pragma acc data create(a[0:n]) copyout(b[0:n])
    {
#pragma acc parallel loop
        for (int i = 0; i < n; ++i)
            a[i] = i;
#pragma acc parallel loop
        for (int i = 0; i < n; ++i)
            b[i] = a[i] - i + 4;
    }
    expect("create moves nothing", all_are(a, n, 7) && all_are(b, n, 4));
}

void present(int *a, int n)
{
    fill(a, n, 1);
#pragma acc data copy(a[0:n])
    {
#pragma acc parallel loop present(a[0:n])
        for (int i = 0; i < n; ++i)
            a[i] = 5;
        expect("no copy back inside", all_are(a, n, 1));
#pragma acc parallel loop present(a)
        for (int i = 0; i < n; ++i)
            a[i] += 1;
    }
    expect("present", all_are(a, n, 6));
}

/* What is present already is not copied again. */
void present_or(int *a, int n)
{
    fill(a, n, 1);
#pragma acc data copyin(a[0:n])
    {
        fill(a, n, 100);
#pragma acc parallel loop copy(a[0:n])
        for (int i = 0; i < n; ++i)
            a[i] += 1;
        expect("copy of what is present", all_are(a, n, 100));
#pragma acc parallel loop pcopyout(a[0:n])
        for (int i = 0; i < n; ++i)
            a[i] += 1;
#pragma acc parallel loop present_or_create(a[0:n])
        for (int i = 0; i < n; ++i)
            a[i] += 1;
#pragma acc update self(a[0:n])
        expect("present_or_create of what is present", all_are(a, n, 4));
    }
    expect("copyin at the end", all_are(a, n, 4));
}

void no_create(int *a, int *b, int n)
{
    fill(a, n, 1);
    fill(b, n, 2);
#pragma acc data copy(a[0:n])
    {
#pragma acc parallel loop no_create(a[0:n])
        for (int i = 0; i < n; ++i)
            a[i] = 9;
    }
    expect("no_create of what is present", all_are(a, n, 9));
#pragma acc data no_create(b[0:n])
    {
        b[0] = 3;
    }
    expect("no_create of what is not", b[0] == 3 && all_are(b + 1, n - 1, 2));
}

/* The construct has the host's variables then: it may take their addresses, and runs if it does not touch them. */
void no_create_keeps_addresses(int *a, int n)
{
    int scalar = 1, touched = 0, table[2][4], *seen[3];
#pragma acc parallel no_create(scalar, a[0:n], table) copyout(seen)
    {
        seen[0] = &scalar;
        seen[1] = &a[2];
        seen[2] = &table[1][0];
    }
    expect("no_create leaves a scalar's address", seen[0] == &scalar);
    expect("no_create leaves an element's address", seen[1] == &a[2]);
    expect("no_create leaves an array's address", seen[2] == &table[1][0]);
#pragma acc parallel loop no_create(a[2:n-2]) reduction(+:touched)
    for (int i = 0; i < n; ++i)
        touched += touched > n ? a[i] : 1;
    expect("no_create of what is not touched", touched == n);
}

void sections_without_elements(int n)
{
    int (*rows)[4] = malloc((n + 1) * sizeof *rows), **table = malloc((n + 1) * sizeof *table), right = 1;
    for (int i = 0; i < n; ++i)
        table[i] = malloc(sizeof **table);
#pragma acc data copyout(rows[0:n], table[0:n][0:1])
    {
#pragma acc parallel loop present(rows, table)
        for (int i = 0; i < n; ++i)
            rows[i][3] = table[i][0] = i;
#pragma acc update self(rows)
    }
#pragma acc enter data create(rows[0:n])
#pragma acc parallel loop present(rows)
    for (int i = 0; i < n; ++i)
        rows[i][3] = -1;
#pragma acc exit data delete(rows)
    for (int i = 0; i < n; ++i) {
        right = right && rows[i][3] == i && table[i][0] == i;
        free(table[i]);
    }
    expect("rows of which there may be none", right);
    free(rows);
    free(table);
}

void part_of_a_pointer(int *a, int n)
{
    fill(a, n, 1);
#pragma acc parallel loop copy(a[10:n-20])
    for (int i = 10; i < n - 10; ++i)
        a[i] = 3;
    expect("a part", all_are(a, 10, 1) && all_are(a + 10, n - 20, 3) && all_are(a + n - 10, 10, 1));
#pragma acc data copyin(a[0:n])
    {
#pragma acc parallel loop
        for (int i = 0; i < n; ++i)
            a[i] = 8;
#pragma acc update host(a[5:7])
    }
    expect("an update of a part", a[4] == 1 && all_are(a + 5, 7, 8) && a[12] == 3);
}

/* Two parts of one array, one after the other inside the other's lifetime. */
void a_part_of_what_is_present(int *a, int n)
{
    fill(a, n, 1);
#pragma acc data copy(a[0:n])
    {
#pragma acc parallel loop copyin(a[50:50])
        for (int i = 50; i < 100; ++i)
            a[i] = 2;
    }
    expect("a part of what is present", all_are(a, 50, 1) && all_are(a + 50, 50, 2) && all_are(a + 100, n - 100, 1));
}

int global[N], matrix[10][20];
float volume[3][4][5];

void declared_arrays(int n)
{
    int local[N];
    fill(local, N, 1);
    fill(global, N, 2);
#pragma acc parallel loop copy(local, global)
    for (int i = 0; i < N; ++i) {
        local[i] += i;
        global[i] += local[i];
    }
    expect("whole declared arrays", local[N - 1] == N && global[N - 1] == N + 2);
#pragma acc parallel loop collapse(2) copyout(matrix)
    for (int i = 0; i < 10; ++i)
        for (int j = 0; j < 20; ++j)
            matrix[i][j] = i * 20 + j;
    expect("a matrix", matrix[0][0] == 0 && matrix[9][19] == 199 && matrix[3][4] == 64);
    fill(&matrix[0][0], 200, -1);
#pragma acc parallel loop collapse(2) copy(matrix[2:3][0:20])
    for (int i = 2; i < 5; ++i)
        for (int j = 0; j < 20; ++j)
            matrix[i][j] = i;
    expect("rows of a matrix", matrix[1][19] == -1 && matrix[2][0] == 2 && matrix[4][19] == 4 && matrix[5][0] == -1);
#pragma acc parallel loop collapse(3) copy(volume)
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 4; ++j)
            for (int k = 0; k < 5; ++k)
                volume[i][j][k] += i * 20 + j * 5 + k;
    expect("three dimensions", volume[2][3][4] == 59 && volume[1][0][2] == 22);
    int variable[n][n + 1];
#pragma acc parallel loop collapse(2) copyout(variable)
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n + 1; ++j)
            variable[i][j] = i - j;
    expect("an array of variable length", variable[n - 1][n] == -1 && variable[n - 1][0] == n - 1);
}

void implicit_attributes(int n)
{
    int local[N], scalar = 3;
    fill(local, N, 1);
    fill(global, N, 2);
#pragma acc parallel loop
    for (int i = 0; i < N; ++i)
        local[i] = local[i] + global[i] + scalar;
    expect("arrays are copied", all_are(local, N, 6));
#pragma acc parallel num_gangs(1)
    {
        scalar += 5;
        local[0] = scalar;
    }
    expect("scalars are firstprivate", scalar == 3 && local[0] == 8);
#pragma acc kernels
    {
        scalar = scalar + 10;
    }
    expect("scalars of kernels are copied", scalar == 13);
#pragma acc parallel copy(scalar) num_gangs(1)
    {
        scalar += n;
    }
    expect("unless a clause says otherwise", scalar == 13 + n);
}

void device_pointer(int *a, int n)
{
    fill(a, n, 2);
#pragma acc data copy(a[0:n])
    {
        int *device = 0, **slot = &device;
        long address = 0;
#pragma acc parallel num_gangs(1) copyout(address)
        address = (long)&a[0];
        *slot = (int *)address;
#pragma acc parallel loop deviceptr(device)
        for (int i = 0; i < n; ++i)
            device[i] += 3;
    }
    expect("deviceptr", all_are(a, n, 5));
}

/* The device address of far, counted from its first element, lies in other. */
void section_behind_another_array(void)
{
    enum { FAR = 100000 };
    int *far = new_ints(FAR + N, 1), *sums = new_ints(FAR + N, 2), *other = new_ints(3 * FAR, 3), wrong = 0;
#pragma acc data copyin(other[0:3 * FAR])
    {
#pragma acc parallel loop copyin(far[FAR:N]) copyout(sums[0:FAR + N])
        for (int i = FAR + 1; i < FAR + N - 1; ++i) {
#pragma acc cache(far[i-1:3])
            sums[i] = far[i - 1] + far[i] + far[i + 1];
        }
    }
    for (int i = FAR + 1; i < FAR + N - 1; ++i)
        wrong += sums[i] != far[i - 1] + far[i] + far[i + 1];
    expect("section behind another array", wrong == 0);
    free(far);
    free(sums);
    free(other);
}

/* the first clause maps what the second one names a part of, whatever the loop uses first */
static void section_inside_of_another(int *a, int n)
{
    int *part = a + 4, sum = 0;
    fill(a, n, 2);
#pragma acc parallel loop copyin(a[0:n], part[0:3]) reduction(+ : sum)
    for (int i = 0; i < n; ++i)
        sum += part[i % 3] * a[i];
    expect("a section inside of another", sum == 4 * n);
}

int main(void)
{
    int *a = malloc(N * sizeof(int)), *b = malloc(N * sizeof(int));
    copy(a, N);
    copyin(a, b, N);
    create(a, b, N);
    present(a, N);
    present_or(a, N);
    no_create(a, b, N);
    no_create_keeps_addresses(a, N);
    sections_without_elements(0);
    sections_without_elements(3);
    part_of_a_pointer(a, N);
    a_part_of_what_is_present(a, N);
    declared_arrays(9);
    implicit_attributes(9);
    device_pointer(a, N);
    section_behind_another_array();
    section_inside_of_another(a, N);
    return wrong_lines != 0;
}
