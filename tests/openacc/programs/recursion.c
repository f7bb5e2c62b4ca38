/* Routines that call themselves, directly or through others, in one file and handed memory. */
#include "show.h"

#define NODES 63

struct node {
    int left, right, value;
};

static int odd(int n);

static int even(int n)
{
    return n == 0 || odd(n - 1);
}

static int odd(int n)
{
    return n != 0 && even(n - 1);
}

#pragma acc routine seq
int factorial(int n);

int factorial(int n)
{
    return n < 2 ? 1 : n * factorial(n - 1);
}

#pragma acc routine seq
static void add(const struct node *tree, int at, int *total)
{
    if (at >= NODES)
        return;
    *total += tree[at].value;
    add(tree, tree[at].left, total);
    add(tree, tree[at].right, total);
}

static int ackermann(int m, int n)
{
    if (m == 0)
        return n + 1;
    return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

int main(void)
{
    int parity[NODES], products[NODES], sums[NODES], fast[NODES];
    struct node tree[NODES];
    for (int i = 0; i < NODES; ++i)
        tree[i] = (struct node){2 * i + 1, 2 * i + 2, 3 * i};
#pragma acc parallel loop copyin(tree) copyout(parity, products, sums, fast)
    for (int i = 0; i < NODES; ++i) {
        int total = 0;
        parity[i] = even(i) - odd(i);
        products[i] = factorial(i % 10);
        add(tree, i, &total);
        sums[i] = total;
        fast[i] = ackermann(2, i % 4);
    }
    SHOW("parity", parity, NODES);
    SHOW("products", products, NODES);
    SHOW("sums", sums, NODES);
    SHOW("fast", fast, NODES);
    return 0;
}
