/* Elements that are reached by other names than the cached array's, or by parts of it; places that move. */
#include "show.h"

struct rows { int *row; int count; };
struct inner { int x, y; };
struct outer { struct inner in; int z; };
struct lists { int v[4], w[2][3]; };

#pragma acc routine seq
static void add(int *where, int count, int value)
{
    for (int k = 0; k < count; ++k)
        where[k] += value * k;
}

/* A pointer of the kernel's own leads into the cached array, another one elsewhere. */
void pointer_of_the_kernel(int *restrict a, int *restrict b, int *restrict r, int n)
{
#pragma acc parallel loop copy(a[0:2*n], b[0:n]) copyout(r[0:n]) vector_length(32)
    for (int i = 0; i < n; ++i) {
        int *p = a + n;
#pragma acc cache(a[n+i:1]) /* auto: none ACC402 through another pointer */
        {
            int s = a[n + i];
            p[i] = s * 2 + 1;
            s += a[n + i] + a[n + i];
            r[i] = s;
        }
    }
#pragma acc parallel loop copy(a[0:2*n], b[0:n]) copy(r[0:n])
    for (int i = 1; i < n; ++i) {
        int *p = b + i;
#pragma acc cache(a[i-1:3]) /* auto: rbi block */
        *p = a[i - 1] + a[i] + a[i + 1];
        r[i] = *p;
    }
}

/* The cached name itself is a pointer of the kernel's own, or one that moves. */
void cached_pointer(const int *restrict a, int *restrict r, int n)
{
#pragma acc parallel loop copyin(a[0:n+50]) copyout(r[0:n]) vector_length(32)
    for (int i = 0; i < n; ++i) {
        const int *p = i % 2 ? a : a + 40;
#pragma acc cache(p[i:3]) /* auto: none ACC402 of the kernel's own */
        r[i] = p[i] + p[i + 1] * 2 + p[i + 2] + p[i] * p[i + 1];
    }
#pragma acc data copyin(a[0:n+50])
#pragma acc parallel loop firstprivate(a) copy(r[0:n]) vector_length(32)
    for (int i = 0; i < n; ++i) {
        if (i % 3)
            a += 30;
#pragma acc cache(a[i:3]) /* auto: none ACC402 moves the pointer */
        r[i] += a[i] + a[i + 1] * 2 + a[i + 2] + a[i] * a[i + 1];
        if (i % 3)
            a -= 30;
    }
}

void member_of_a_structure(int *a, struct rows s, int *restrict r, int n)
{
#pragma acc data copy(a[0:n]) copyout(r[0:n])
#pragma acc data copyin(s) copy(s.row[0:n])
#pragma acc parallel loop present(a[0:n], s, r[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[i:1]) /* auto: none ACC402 through another pointer */
        {
            int x = a[i];
            s.row[i] = x * 2 + 1;
            x += a[i] + a[i];
            r[i] = x;
        }
    }
}

/* q is based on the restrict pointer, so it may reach the same elements: the launch finds that it does. */
void based_on_restrict(int *restrict a, int *restrict r, int n)
{
    int *q = a + n;
#pragma acc data copy(a[0:2*n]) copyout(r[0:n])
#pragma acc parallel loop present(a[0:2*n], q[0:n], r[0:n])
    for (int i = 0; i < n; ++i) {
        int s = 0;
#pragma acc cache(a[n+i:1]) /* auto: rbi */
        {
            s += a[n + i];
            q[i] = s * 2;
            s += a[n + i] + a[n + i];
        }
        r[i] = s;
    }
}

/* The restrict pointer's address has gone into memory. */
void stored_restrict(int *restrict a, int *restrict r, int n)
{
    struct rows s;
    s.row = a + n;
#pragma acc data copy(a[0:2*n]) copyout(r[0:n]) copyin(s)
#pragma acc data copy(s.row[0:n])
#pragma acc parallel loop present(a[0:2*n], s, r[0:n])
    for (int i = 0; i < n; ++i) {
        int x = 0;
#pragma acc cache(a[n+i:1]) /* auto: none ACC402 through another pointer */
        {
            x += a[n + i];
            s.row[i] = x * 2;
            x += a[n + i] + a[n + i];
        }
        r[i] = x;
    }
}

/* Other functions may base pointers on one of the file. */
static int *restrict of_file, *elsewhere;

void restrict_of_the_file(int *restrict r, int n)
{
#pragma acc data copy(of_file[0:2*n]) copyout(r[0:n])
#pragma acc parallel loop present(of_file[0:2*n], elsewhere[0:n], r[0:n])
    for (int i = 0; i < n; ++i) {
        int x = 0;
#pragma acc cache(of_file[n+i:1]) /* auto: rbi */
        {
            x += of_file[n + i];
            elsewhere[i] = x * 2;
            x += of_file[n + i] + of_file[n + i];
        }
        r[i] = x;
    }
}

void part_of_a_structure(struct outer *o, struct inner *p, int *restrict r, int n)
{
#pragma acc parallel loop present(o[0:n]) copyout(r[0:n]) present(p)
    for (int i = 0; i < n; ++i) {
        int t = 0;
#pragma acc cache(o[i:1]) /* auto: any */
        {
            t += o[i].in.x + o[i].in.y + o[i].in.x;
            if (!i)
                p->x = 0;
            r[i] = t + o[i].in.x + o[i].in.y;
        }
    }
}

/* Arrays inside of the elements are written, or their addresses are given away. */
void members_of_elements(struct lists *restrict s, int *restrict r, int n)
{
#pragma acc parallel loop copy(s[0:n], r[0:n]) vector_length(32)
    for (int i = 0; i < n; ++i) {
#pragma acc cache(s[i:1]) /* auto: none ACC402 members of its elements are written */
        for (int k = 0; k < 2; ++k) {
            s[i].v[2] = s[i].v[1] + s[i].v[3] + 1;
            s[i].w[1][k] += s[i].w[k][1] + s[i].v[2];
        }
    }
#pragma acc parallel loop copy(s[0:n], r[0:n]) vector_length(32)
    for (int i = 0; i < n; ++i) {
        int t = 0;
#pragma acc cache(s[i:1]) /* auto: none ACC418 */
        {
            t += s[i].v[3];
            add(s[i].v, 4, i % 9);
            *s[i].v = 3;
            int *p = s[i].w[1];
            p[1] += 7;
            t += s[i].v[0] * s[i].v[1] + s[i].w[1][1];
        }
        r[i] += t;
    }
}

/* The place moves: in the region itself, and by a counter that another loop uses, too. */
void moving_place(const int *restrict a, int *restrict r, int n)
{
    int q = 3;
#pragma acc parallel loop firstprivate(q) copyin(a[0:n+16]) copyout(r[0:n]) vector_length(32)
    for (int i = 0; i < n; ++i) {
        int k, s = 0;
        q = i;
        for (k = 0; k < 4; ++k) {
#pragma acc cache(a[q:3]) /* auto: none ACC402 depends on q */
            {
                s += a[q] + a[q + 1];
                ++q;
                s += a[q] * 2 + a[q];
            }
        }
#pragma acc cache(a[k:3]) /* auto: none ACC402 depends on k */
        {
            s += a[k] + a[k + 1];
            for (k = 7; k < 9; ++k)
                s += a[k] + a[k] + a[k - 1];
            s += a[k];
        }
        r[i] = s;
    }
}

/* What only an index names is not needed any more, but for what it does besides. */
void index_with_effect(const int *restrict a, int *restrict r, int n)
{
#pragma acc parallel loop copyin(a[0:n]) copyout(r[0:n]) vector_length(32)
    for (int i = 0; i < n; ++i) {
        int count = 0, s = 0;
#pragma acc cache(a[i:1]) /* auto: rbi */
        for (int z = 0; z < 3; ++z) {
            int k = count++;
            s += a[i + k * 0] + a[i + k * 0];
        }
        r[i] = s + count;
    }
}

/* One directive, a tile for the block and a tile for each thread, which is written. */
void two_scopes(const int *restrict a, int *restrict v, int n)
{
#pragma acc parallel loop copyin(a[0:n]) copy(v[0:3*n*n+2]) vector_length(32)
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[i-1:3], v[3*i*i:2]) /* auto: rbi block, rbi thread */
        {
            v[3 * i * i] += a[i] + (i > 0 ? a[i - 1] : 0);
            v[3 * i * i] *= 2;
            v[3 * i * i + 1] += v[3 * i * i];
        }
    }
}

/* The start is below zero in 64 bits, though the counter is unsigned. */
void start_below_zero(const int *restrict a, int *restrict r, int n)
{
#pragma acc parallel loop copyin(a[0:n]) copyout(r[0:n]) vector_length(32)
    for (unsigned i = 0; i < n; ++i) {
        size_t z = (size_t)i - 3;
#pragma acc cache(a[z:3]) /* auto: rbi block */
        r[i] = i > 2 ? a[z] + a[z + 1] : 0;
    }
}

/* What stands in front of a region writes the array by another name, so the fetch has to wait for it. */
void written_by_a_member(int *a, int *b, struct rows s, int *d, int n)
{
#pragma acc data copy(a[0:n*32]) copyin(s) copy(s.row[0:n*32])
#pragma acc parallel loop gang vector_length(32) present(a[0:n*32], s) copy(b[0:n*32]) copyout(d[0:n])
    for (int g = 0; g < n; ++g) {
        d[g] = g;
#pragma acc loop vector
        for (int j = 0; j < 32; ++j)
            s.row[g * 32 + j] = j * g + 1;
#pragma acc cache(a[g*32:32]) /* auto: rbi block */
#pragma acc loop vector
        for (int j = 0; j < 32; ++j)
            b[g * 32 + j] = a[g * 32 + 31 - j] * 2 + a[g * 32 + j];
    }
}

void written_by_a_row(int *a, int *b, int **table, int *d, int n)
{
#pragma acc data copy(a[0:n*32])
#pragma acc data copyin(table[0:n][0:32])
#pragma acc parallel loop gang vector_length(32) copy(b[0:n*32]) copyout(d[0:n])
    for (int g = 0; g < n; ++g) {
        d[g] = g;
#pragma acc loop vector
        for (int j = 0; j < 32; ++j)
            table[g][j] = j * g + 3;
#pragma acc cache(a[g*32:32]) /* auto: rbi block */
#pragma acc loop vector
        for (int j = 0; j < 32; ++j)
            b[g * 32 + j] = a[g * 32 + 31 - j] * 2 + a[g * 32 + j];
    }
}

void written_by_a_moved_pointer(int *a, int *b, int *q, int *d, int n)
{
#pragma acc data copy(a[0:n*32], b[0:n*32])
#pragma acc parallel vector_length(32) num_gangs(n) copyout(d[0:n]) firstprivate(q)
    {
#pragma acc loop gang
        for (int g = 0; g < n; ++g) {
            d[g] = g;
            q = a + g * 32;
#pragma acc loop vector
            for (int j = 0; j < 32; ++j)
                q[j] = j * g + 7;
#pragma acc cache(a[g*32:32]) /* auto: rbi block */
#pragma acc loop vector
            for (int j = 0; j < 32; ++j)
                b[g * 32 + j] += a[g * 32 + 31 - j] * 2 + a[g * 32 + j];
        }
    }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 300);
    int *a = new_ints(2 * n + 16, 1), *b = new_ints(n, 2), *r = new_ints(n, 3), *v = new_ints(3 * n * n + 60, 4);
    struct outer *o = calloc(n, sizeof *o);
    struct lists *s = calloc(n, sizeof *s);
    struct rows rows = {a, n};
    for (int i = 0; i < n; ++i) {
        o[i].in.x = noise(i, 5);
        s[i].v[1] = s[i].v[3] = s[i].w[0][1] = noise(i, 6);
    }
    pointer_of_the_kernel(a, b, r, n);
    SHOW("pointer_of_the_kernel", a, 2 * n);
    SHOW("pointer_of_the_kernel", r + 1, n - 1);
    cached_pointer(v, r, n);
    SHOW("cached_pointer", r, n);
    member_of_a_structure(a, rows, r, n);
    SHOW("member_of_a_structure", r, n);
    based_on_restrict(a, r, n);
    SHOW("based_on_restrict", r, n);
    stored_restrict(a, r, n);
    SHOW("stored_restrict", r, n);
    of_file = a;
    elsewhere = of_file + n;
    restrict_of_the_file(r, n);
    SHOW("restrict_of_the_file", r, n);
#pragma acc data copy(o[0:n])
    part_of_a_structure(o, &o[0].in, r, n);
    SHOW("part_of_a_structure", r, n);
    members_of_elements(s, r, n);
    SHOW("members_of_elements", s, n);
    SHOW("members_of_elements", r, n);
    moving_place(a, r, n);
    SHOW("moving_place", r, n);
    index_with_effect(a, r, n);
    SHOW("index_with_effect", r, n);
    two_scopes(a, v, n);
    SHOW("two_scopes", v, 3 * n * n + 2);
    start_below_zero(a, r, n);
    SHOW("start_below_zero", r, n);
    int *wide = new_ints(n * 32, 21), *sums = new_ints(n * 32, 22), **table = malloc(n * sizeof *table);
    for (int i = 0; i < n; ++i)
        table[i] = wide + 32 * i;
    rows.row = wide;
    written_by_a_member(wide, sums, rows, r, n);
    SHOW("written_by_a_member", sums, n * 32);
    written_by_a_row(wide, sums, table, r, n);
    SHOW("written_by_a_row", sums, n * 32);
    written_by_a_moved_pointer(wide, sums, sums, r, n);
    SHOW("written_by_a_moved_pointer", sums, n * 32);
    return 0;
}
