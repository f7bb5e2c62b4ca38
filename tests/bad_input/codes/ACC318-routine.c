#include <stdio.h>
int elsewhere(int x);
static int told(int x)
{
    perror("told");
//  ^~~~~~ ACC318
    return elsewhere(x);
//         ^~~~~~~~~ ACC318
}
void f(int *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] = told(i);
}
