/* A structure is one for all gangs, unless a clause makes copies: what changes it is done once. */
#include "show.h"

struct pair { int first, second, t[3]; };

static void shared(int n)
{
    struct pair p = {1, 2, {0}};
    int *a = new_ints(n, 1);
#pragma acc parallel num_gangs(1) copy(p) copyout(a[0:n])
    {
        p.first += 1;
        p.t[1] += 5;
#pragma acc loop vector
        for (int i = 0; i < n; ++i)
            a[i] = p.first + p.t[1];
        p.second += p.first;
#pragma acc loop vector
        for (int i = 0; i < n; ++i)
            a[i] += p.second;
    }
    expect("changed once", p.first == 2 && p.second == 4 && p.t[1] == 5);
    expect("seen by all threads", all_are(a, n, 11));
    free(a);
}

static void copied(int n)
{
    struct pair p = {1, 2, {3, 4, 5}}, q = {6, 7, {0}};
    int *a = new_ints(n, 1), right = 1;
#pragma acc parallel loop gang firstprivate(p) private(q) copyout(a[0:n])
    for (int i = 0; i < n; ++i) {
        q.first = i;
        p.first = 2 * i;
        q.second = p.second;
#pragma acc loop vector
        for (int j = 0; j < 40; ++j)
            if (j == i % 40)
                a[i] = p.first + q.second + q.first + p.t[2];
    }
    for (int i = 0; i < n; ++i)
        right &= a[i] == 3 * i + 7;
    expect("gangs have copies", right);
    expect("the host's stay as they were", p.first == 1 && q.first == 6);
    free(a);
}

static void arrays_inside(int n)
{
    struct pair p = {1, 2, {3, 4, 5}};
    int *a = new_ints(n, 1);
#pragma acc parallel num_gangs(1) copy(p) copyout(a[0:n])
    {
        struct pair own = p;
        own.t[1]++;
        int *inside = own.t;
        inside[2] += 2;
        p.t[0] += own.t[1];
#pragma acc loop vector
        for (int i = 0; i < n; ++i)
            a[i] = own.t[1] + 10 * p.t[0] + 100 * own.t[2];
    }
    expect("each thread's own copy is changed by each", all_are(a, n, 5 + 80 + 700) && p.t[1] == 4);
    free(a);
}

static void addresses(int n)
{
    struct pair s = {1, 2, {3, 4, 5}};
    int *a = new_ints(n, 1), start = 6;
#pragma acc parallel num_gangs(1) copyout(a[0:n]) firstprivate(s, start)
    {
        int x = 3, sum = 0;
        int *q = &x;
        struct pair l = {4, 5, {6, 7, 8}};
        *q += 2;
        int *r = &l.second, *w = l.t + 1;
        *r += 10;
        *w += 20;
        q = &s.first;
        *q += 100;
        for (int k = 0; k < 3; ++k) {
            int each = k;
            q = &each;
            *q += 1;
            sum += each;
        }
        q = &start;
        ++*q;
#pragma acc loop vector
        for (int i = 0; i < n; ++i)
            a[i] = x + l.second + l.t[1] + s.first + sum + start;
    }
    expect("what an address leads to is one for the gang", all_are(a, n, 5 + 15 + 27 + 101 + 6 + 7));
    expect("and not the host's", s.first == 1 && start == 6);
    free(a);
}

/* Nothing is copied back into memory that is only for reading. */
typedef const struct pair fixed;
static const struct pair table = {1, 2, {3, 4, 5}};
static fixed named = {6, 7, {8, 9, 10}};

static void constants(int n)
{
    int *a = new_ints(n, 1);
#pragma acc parallel loop copyout(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] = table.second + table.t[2] + named.t[1];
#pragma acc kernels copy(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] += table.first + named.first;
    expect("constants are only read", all_are(a, n, 2 + 5 + 9 + 1 + 6));
    free(a);
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 150);
    shared(n);
    copied(n);
    arrays_inside(n);
    addresses(n);
    constants(n);
    return wrong_lines;
}
