/* Pointers that clauses name without a range: device addresses, targets that are present, those that nobody uses. */
#include "show.h"
#include <openacc.h>

struct node { int value; struct node *next; };

int main(void)
{
    int a[8], sum = 0;
    int *p = a, *d = (int *)acc_malloc(sizeof a);
    for (int i = 0; i < 8; ++i)
        a[i] = i;
    acc_memcpy_to_device(d, a, sizeof a);
#pragma acc parallel loop copyin(d) reduction(+ : sum)
    for (int i = 0; i < 8; ++i)
        sum += d[i];
    expect("device address", sum == 28);
#pragma acc kernels copy(d)
#pragma acc loop independent
    for (int i = 0; i < 8; ++i)
        d[i] *= 2;
    acc_memcpy_from_device(a, d, sizeof a);
    expect("written", a[7] == 14 && acc_is_present(&d, sizeof d) == 0);
#pragma acc data copy(a)
    {
#pragma acc serial copyin(p)
        for (int i = 0; i < 8; ++i)
            p[i] += 1;
    }
    expect("present", a[7] == 15);
    int is_null = 0;
    struct node *list = NULL;
#pragma acc parallel copyin(list, p) copyout(is_null)
    { is_null = list == NULL; }
    expect("null", is_null);
    void *any = NULL;
    float **rows = NULL;
    struct hidden *hidden = NULL;
    const volatile int *changing = NULL;
#pragma acc parallel copyin(any, rows, hidden) no_create(changing) copyout(is_null)
    { is_null = any == NULL && rows == NULL && hidden == NULL && changing == NULL; }
    expect("any type", is_null);
    {
        int *q = a;
#pragma acc declare copyin(q)
        expect("declared", acc_is_present(&q, sizeof q));
    }
    acc_free(d);
    return 0;
}
