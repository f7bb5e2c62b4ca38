/* Data clauses about members of structures, pointers to rows, parts of rows; attach, detach and host_data. */
#include <openacc.h>
#include "show.h"

#define N 150

struct list { int n; int *p; int fixed[4]; };

void members(int *a, int n)
{
    struct list s = {n, a, {1, 2, 3, 4}};
    fill(a, n, 1);
#pragma acc data copy(s, s.p[0:n])
    {
#pragma acc parallel loop
        for (int i = 0; i < s.n; ++i)
            s.p[i] += 1;
#pragma acc update self(s.p[0:2])
        expect("one member", a[0] == 2 && a[1] == 2 && a[2] == 1);
#pragma acc serial
        s.fixed[1] = 20;
    }
    expect("the pointer is the host's again", s.p == a && all_are(a, n, 2) && s.fixed[1] == 20);
}

/* the member's type has no name: its widths lie in the structure's own definition */
struct packed {
    int before;
    struct { unsigned low : 4, high : 12; int : 0; unsigned next : 3; } bits;
    int behind;
};

void widths_of_members(int *a)
{
    struct packed v[4];
    for (int i = 0; i < 4; ++i) {
        v[i].bits.low = v[i].bits.next = i;
        v[i].bits.high = i * 9;
        v[i].before = v[i].behind = -i;
    }
#pragma acc parallel loop copy(v) copyout(a[0:4])
    for (int i = 0; i < 4; ++i) {
        a[i] = v[i].bits.high * 10 + v[i].bits.next + v[i].behind;
        v[i].bits.high += v[i].bits.low;
    }
    expect("bit-fields of a member", a[0] == 0 && a[1] == 90 && a[2] == 180 && a[3] == 270 && v[3].bits.high == 30);
}

void lasting_members(int *a, int n)
{
    struct list *s = malloc(sizeof *s);
    s->n = n;
    s->p = a;
    fill(a, n, 1);
#pragma acc enter data copyin(s[0:1])
#pragma acc enter data copyin(s->p[0:s->n])
#pragma acc parallel loop present(s)
    for (int i = 0; i < n; ++i)
        s->p[i] += 4;
#pragma acc update self(s->p[1:n-1])
    expect("update of a member", a[0] == 1 && all_are(a + 1, n - 1, 5));
#pragma acc exit data copyout(s->p[0:n])
#pragma acc exit data copyout(s[0:1])
    expect("exit data of a member", all_are(a, n, 5) && s->p == a && !acc_is_present(s, 4));
    free(s);
}

void members_of_a_construct(int *a, int *b, int n)
{
    struct list s = {n, a, {0}}, t = {n, b, {0}};
    fill(a, n, 3);
    fill(b, n, 0);
#pragma acc parallel loop copyin(s, s.p[0:n]) copy(t) copyout(t.p[0:n])
    for (int i = 0; i < n; ++i)
        t.p[i] = s.p[i] + i;
    expect("members on a construct", b[0] == 3 && b[n - 1] == n + 2 && t.p == b && all_are(a, n, 3));
}

void attached_by_hand(int *a, int n)
{
    struct list s = {n, a, {0}};
    fill(a, n, 1);
#pragma acc enter data copyin(a[0:n], s) attach(s.p)
#pragma acc parallel loop present(s)
    for (int i = 0; i < n; ++i)
        s.p[i] += 1;
#pragma acc exit data detach(s.p)
#pragma acc exit data copyout(s, a[0:n])
    expect("attach and detach", all_are(a, n, 2) && s.p == a);
#pragma acc data copy(a[0:n], s)
    {
#pragma acc data attach(s.p)
        {
#pragma acc parallel loop
            for (int i = 0; i < n; ++i)
                s.p[i] += 1;
        }
#pragma acc parallel loop attach(s.p)
        for (int i = 0; i < n; ++i)
            s.p[i] += 1;
    }
    expect("attach of regions", all_are(a, n, 4) && s.p == a);
#pragma acc enter data copyin(a[0:n], s) attach(s.p)
#pragma acc enter data attach(s.p)
#pragma acc exit data detach(s.p) finalize
#pragma acc exit data delete(a[0:n]) copyout(s) finalize
    expect("finalize", s.p == a && !acc_is_present(a, 4));
    int *p = a, *seen = 0;
#pragma acc enter data copyin(a[0:n])
    acc_copyin(&p, sizeof p);
#pragma acc parallel loop present(a[0:n]) attach(p)
    for (int i = 0; i < n; ++i)
        a[i] += 1;
    acc_attach((void **)&p);
    acc_memcpy_from_device(&seen, acc_deviceptr(&p), sizeof p);
    expect("attach of a variable", seen == acc_deviceptr(a));
    acc_delete(&p, sizeof p);
#pragma acc exit data delete(a[0:n])
}

void arrays_of_structures(int n)
{
    struct list lists[3];
    for (int k = 0; k < 3; ++k) {
        lists[k].n = n + k;
        lists[k].p = new_ints(n + k, k);
    }
#pragma acc enter data copyin(lists)
    for (int k = 0; k < 3; ++k) {
#pragma acc enter data create(zero: lists[k].p[0:n+k])
    }
#pragma acc parallel loop present(lists)
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < lists[k].n; ++i)
            lists[k].p[i] += k + i;
    for (int k = 0; k < 3; ++k) {
#pragma acc exit data copyout(lists[k].p[0:n+k])
    }
#pragma acc exit data delete(lists)
    expect("arrays of structures", lists[0].p[1] == 1 && lists[2].p[n + 1] == n + 3);
    for (int k = 0; k < 3; ++k)
        free(lists[k].p);
}

void rows(int n, int m)
{
    int **a = malloc(n * sizeof *a), *b[4];
    for (int i = 0; i < n; ++i)
        fill(a[i] = malloc(m * sizeof **a), m, 1);
    for (int i = 0; i < 4; ++i)
        fill(b[i] = malloc(m * sizeof **b), m, 0);
#pragma acc data copy(a[0:n][0:m])
    {
#pragma acc parallel loop
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < m; ++j)
                a[i][j] += i + j;
#pragma acc update self(a[1:2][1:m-1])
        expect("update of rows", a[1][0] == 1 && a[1][1] == 3 && a[2][m - 1] == m + 2 && a[3][1] == 1);
    }
    expect("rows come back", a[0][0] == 1 && a[n - 1][m - 1] == n + m - 1);
#pragma acc data copyout(zero: a[3:2][2:3])
    {
#pragma acc parallel loop
        for (int i = 3; i < 5; ++i)
            a[i][3] = 9;
    }
    expect("parts of rows", a[3][1] == 5 && a[3][2] == 0 && a[4][3] == 9 && a[4][4] == 0 && a[4][5] == 10);
#pragma acc parallel loop copyin(a[1:n-1][0:m]) copyout(b[0:4][0:m])
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < m; ++j)
            b[i][j] = a[i + 1][j];
    expect("rows of a construct", b[0][0] == 2 && b[3][m - 1] == m + 4);
#pragma acc enter data copyin(a[0:n][0:m])
#pragma acc exit data copyout(a[0:n][0:m])
    expect("rows by enter and exit", a[0][0] == 1 && !acc_is_present(a[1], 4) && !acc_is_present(a, 8));
    for (int i = 0; i < n; ++i)
        free(a[i]);
    for (int i = 0; i < 4; ++i)
        free(b[i]);
    free(a);
}

void parts_of_rows(void)
{
    static int a[6][8], c[3][4][5];
    fill(&a[0][0], 48, 1);
    fill(&c[0][0][0], 60, 1);
#pragma acc enter data copyin(a, c)
#pragma acc parallel loop present(a, c) collapse(2)
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 8; ++j)
            a[i][j] = 10 * i + j;
#pragma acc update self(a[1:3][2:4])
    expect("a part of a matrix", a[1][1] == 1 && a[1][2] == 12 && a[3][5] == 35 && a[3][6] == 1 && a[4][2] == 1);
#pragma acc update self(a[5][1:2])
    expect("a part of one row", a[5][0] == 1 && a[5][1] == 51 && a[5][2] == 52 && a[5][3] == 1);
    a[5][7] = a[0][7] = a[4][6] = 0;
#pragma acc update self(a[1:][6:])
    expect("to the end of rows", a[5][7] == 57 && a[4][6] == 46 && a[0][7] == 0);
    for (int i = 0; i < 60; ++i)
        (&c[0][0][0])[i] = i;
#pragma acc update device(c[1:2][1:2][2:3])
#pragma acc update device(c[0:1][2:1])
    fill(&c[0][0][0], 60, -1);
#pragma acc update self(c)
    expect("a part of a cube", c[0][0][0] == 1 && c[1][1][2] == 27 && c[2][2][4] == 54 && c[2][2][1] == 1);
    expect("a plane of it", c[0][2][0] == 10 && c[0][2][4] == 14 && c[0][3][0] == 1 && c[1][3][2] == 1);
#pragma acc exit data delete(a, c)
#pragma acc data copy(a[2][3:4])
    {
        expect("data of a part of a row", acc_is_present(&a[2][3], 16) && !acc_is_present(&a[2][2], 4));
        if (a[2][3] == 23)
            goto end;
        a[2][3] = 0;
    end:
        a[2][2] += 1;
    }
#pragma acc data copy(a[3][0:5])
    {
#pragma acc parallel loop
        for (int j = 0; j < 5; ++j)
            a[3][j] = j;
    }
    expect("kernels find it by the array", a[3][0] == 0 && a[3][4] == 4 && a[3][5] == 35 && a[2][3] == 23);
}

void modifiers(int *a, int n)
{
    fill(a, n, 5);
#pragma acc enter data create(zero: a[0:n])
#pragma acc update self(a[0:n])
    expect("create(zero:)", all_are(a, n, 0));
    fill(a, n, 6);
#pragma acc data copyin(always: a[0:n])
    fill(a, n, 7);
#pragma acc update self(a[0:n])
    expect("copyin(always:)", all_are(a, n, 6));
    fill(a, n, 8);
#pragma acc data copyout(always: a[0:n])
    fill(a, n, 9);
    expect("copyout(always:)", all_are(a, n, 6));
    fill(a, n, 1);
#pragma acc parallel loop copy(always: a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] += 1;
    expect("copy(always:)", all_are(a, n, 2));
    fill(a, n, 3);
#pragma acc parallel loop copy(alwaysin, capture: a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] += 1;
    expect("copy(alwaysin:)", all_are(a, n, 3));
#pragma acc exit data copyout(alwaysout: a[0:n]) finalize
    expect("at last", all_are(a, n, 4));
#pragma acc parallel loop copyout(zero: a[0:n])
    for (int i = 0; i < n; i += 2)
        a[i] += 1;
    expect("copyout(zero:)", a[0] == 1 && a[1] == 0 && a[n - 2] == 1 && a[n - 1] == 0);
}

static void on_the_device(int *device, int n)
{
#pragma acc parallel loop deviceptr(device)
    for (int i = 0; i < n; ++i)
        device[i] += 1;
}

void addresses(int *a, int n)
{
    int local[N], *const host = a;
    fill(a, n, 1);
    fill(local, N, 1);
#pragma acc data copy(a[0:n], local)
    {
#pragma acc host_data use_device(a, local)
        {
            on_the_device(a, n);
            on_the_device(local, N);
            expect("other addresses", a != host && acc_hostptr(a) == host && acc_hostptr(local + 1) != 0);
        }
        expect("all as before", a == host);
#pragma acc host_data use_device(a) if (n < 0)
        expect("not if the condition is false", a == host);
#pragma acc host_data use_device(a) if_present if (n > 0)
        expect("present", a != host);
    }
#pragma acc host_data use_device(a) if_present
    expect("not if absent", a == host);
    expect("changed", all_are(a, n, 2) && all_are(local, N, 2));
}

void sections_elsewhere(int *a, int n)
{
    struct list s = {n, a, {0}};
    fill(a, n, 1);
#pragma acc data copy(a[10:20])
    {
#pragma acc parallel loop
        for (int i = 10; i < 30; ++i)
            a[i] += 1;
#pragma acc host_data use_device(a)
        expect("host_data of a section", acc_hostptr(a + 10) != 0 && acc_hostptr(a) == 0);
    }
    expect("a section that does not begin with its array", a[9] == 1 && all_are(a + 10, 20, 2) && a[30] == 1);
#pragma acc enter data copyin(s, s.p[50:10])
#pragma acc parallel loop present(s)
    for (int i = 50; i < 60; ++i)
        s.p[i] += 5;
#pragma acc exit data copyout(s.p[50:10]) delete(s)
    expect("nor with the target of a member", a[49] == 1 && all_are(a + 50, 10, 6) && a[60] == 1);
    static int fixed[60];
    fill(fixed, 60, 1);
#pragma acc data copy(fixed[20:30])
    {
#pragma acc parallel loop
        for (int i = 20; i < 50; ++i) {
#pragma acc cache(fixed[i])
            fixed[i] += fixed[i];
            fixed[i] += fixed[i];
        }
    }
    expect("nor with a declared array", fixed[19] == 1 && all_are(fixed + 20, 30, 4) && fixed[50] == 1);
}

void in_any_order(int *a, int n)
{
    struct list s = {n, a, {0}};
    fill(a, n, 1);
#pragma acc data copy(s.p[0:n]) copyin(s)
    {
#pragma acc parallel loop
        for (int i = 0; i < n; ++i)
            s.p[i] += 1;
    }
#pragma acc parallel loop copy(s.p[0:n]) copyin(s) attach(a) attach(a)
    for (int i = 0; i < n; ++i)
        s.p[i] += 1;
    expect("members before their structure", all_are(a, n, 3));
#pragma acc enter data create(s.p[0:n]) copyin(s)
#pragma acc parallel loop present(s)
    for (int i = 0; i < n; ++i)
        s.p[i] = 7;
#pragma acc exit data copyout(s.p[0:n], s)
    expect("the same with enter data", all_are(a, n, 7) && s.p == a);
}

void attached_in_parts(int *a, int n)
{
    struct list cells[3][3];
    fill(a, n, 1);
    for (int k = 0; k < 9; ++k)
        cells[k / 3][k % 3] = (struct list){k, a, {k}};
#pragma acc enter data copyin(a[0:n], cells)
#pragma acc enter data attach(cells[1][1].p)
    for (int k = 0; k < 9; ++k)
        cells[k / 3][k % 3].n = 10;
#pragma acc update device(cells[1:2][0:2])
#pragma acc serial present(cells)
    {
        cells[1][1].p[0] = cells[1][1].n;
        cells[1][1].p[1] = cells[1][2].n;
    }
#pragma acc update self(cells[1:2][0:2])
#pragma acc exit data copyout(a[0:n]) delete(cells)
    expect("parts of rows with attached pointers", a[0] == 10 && a[1] == 5 && cells[1][1].p == a);
}

void one_section_after_another(int *a, int n)
{
    fill(a, n, 1);
#pragma acc enter data copyin(a[10:10])
#pragma acc enter data copyin(a[30:10])
#pragma acc exit data delete(a[10:10])
#pragma acc parallel loop
    for (int i = 30; i < 40; ++i)
        a[i] += 1;
#pragma acc exit data copyout(a[30:10])
    expect("the other section", a[29] == 1 && all_are(a + 30, 10, 2) && a[40] == 1);
#pragma acc data copyin(a[0:n])
    {
        fill(a, n, 3);
#pragma acc exit data copyout(always: a[0:10])
        expect("copyout(always:) of what a region holds", all_are(a + 10, 10, 3) && a[0] == 1 && a[9] == 1);
    }
}

static int constant[4] = {1, 2, 3, 4};
#pragma acc declare copyin(always: constant)

void declared_always(void)
{
    int sum = 0;
#pragma acc parallel loop reduction(+: sum)
    for (int i = 0; i < 4; ++i)
        sum += constant[i];
    expect("declare copyin(always:)", sum == 10);
}

int main(void)
{
    static int a[N], b[N];
    members(a, N);
    widths_of_members(a);
    lasting_members(a, N);
    members_of_a_construct(a, b, N);
    attached_by_hand(a, N);
    arrays_of_structures(7);
    rows(6, 9);
    parts_of_rows();
    modifiers(a, N);
    addresses(a, N);
    sections_elsewhere(a, N);
    in_any_order(a, N);
    attached_in_parts(a, N);
    one_section_after_another(a, N);
    declared_always();
    return wrong_lines != 0;
}
